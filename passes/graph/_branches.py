"""Products of the same input with constant matrices, what follows each, and how to put them side by side."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np
from xdsl.dialects.builtin import Float32Type, Float64Type
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from mlc.dialects.graph import ConstantOp, ConvOp, GraphOp, MatmulOp, MoveOp, SliceOp, constant_of
from mlc.dialects.graph.types import element_of, is_static, shape_of, tensor
from mlc.dialects.graph.windows import has_channels_last
from mlc.passes.graph._constants import constant_array, constant_from, resource_name
from mlc.passes.graph._movers import why_not_folded
from mlc.passes.graph._product_cost import ProductProblem
from mlc.support.context import CompilerContext
from mlc.support.dtypes import to_numpy

_ELEMENTS = (Float32Type, Float64Type)


@dataclass(frozen=True)
class Branch:
    """A product with constant weights, whose last dimension is the last one of the result, and its `tail`."""

    product: MatmulOp | ConvOp
    tail: tuple[GraphOp, ...]
    """The elementwise ops after it, each the only reader of the one before; other operands are constants."""
    key: Hashable
    """What branches that can be merged have in common."""
    problem: ProductProblem

    @property
    def last(self) -> GraphOp:
        """The op that computes the result."""
        return self.tail[-1] if self.tail else self.product


def branch_of(op: MatmulOp | ConvOp, strided: set[SSAValue], ctx: CompilerContext) -> Branch | str:
    """`op` and what follows it, if its weights are a constant of its own that can stand beside others, or why not.

    `strided` are the values that their readers may read with a stride.
    """
    data, weights = op.operands
    if not is_static(data.type) or not is_static(weights.type) or 0 in (*shape_of(data), *shape_of(op.result)):
        return "its shape is not known, or empty"
    if not isinstance(element_of(data), _ELEMENTS):
        return f"elements of type {element_of(data)}; required: f32 or f64"
    constant = constant_of(weights)
    if constant is None or constant_array(constant, ctx.resources) is None:
        return "its weights are not constant"
    if not constant.result.has_one_use():
        return "its weights are read by others, too"
    if isinstance(op, ConvOp) and not has_channels_last(op.layout.data):
        return f"layout {op.layout.data}; required: channels last"
    if isinstance(op, ConvOp) and op.groups.value.data != 1:
        return f"{op.groups.value.data} groups; required: 1"
    tail: list[GraphOp] = []
    keys: list[Hashable] = [data, _properties(op), shape_of(weights)[:-1]]
    last: GraphOp = op
    while (found := _tail_op(last, ctx)) is not None:
        last, key = found
        tail.append(last)
        keys.append(key)
    columns = shape_of(op.result)[-1]
    copied = 0 if _is_read_in_place(last, strided) else columns
    return Branch(op, tuple(tail), tuple(keys), _problem(op, copied))


def _properties(op: GraphOp) -> Hashable:
    """The class of an op and how it is spelled; the text tells zeros of two signs apart."""
    return type(op), *sorted((name, str(value)) for name, value in op.properties.items())


def _tail_op(op: GraphOp, ctx: CompilerContext) -> tuple[GraphOp, Hashable] | None:
    """The elementwise op that is the only reader of `op`, and what those of other branches have to be like."""
    value = op.result
    reader = value.get_user_of_unique_use()
    if not isinstance(reader, GraphOp) or not reader.MAPS or reader.parent is not op.parent or reader.regions:
        return None
    if not is_static(reader.result.type) or shape_of(reader.result) != shape_of(value):
        return None
    keys: list[Hashable] = [_properties(reader), element_of(reader.result)]
    for operand in reader.operands:
        key = None if operand is value else _constant_key(operand, shape_of(value)[-1], ctx)
        if operand is not value and key is None:
            return None
        keys.append(key)
    return reader, tuple(keys)


def _constant_key(operand: SSAValue, columns: int, ctx: CompilerContext) -> Hashable | None:
    """What constants of branches must have in common to stand side by side, or to be one; None if `operand` is none."""
    constant = constant_of(operand)
    array = None if constant is None else constant_array(constant, ctx.resources)
    if array is None:
        return None
    if _stands_for_columns(operand, columns):
        return array.shape[:-1], array.dtype.str
    return array.shape, array.dtype.str, array.tobytes()


def _is_read_in_place(last: GraphOp, strided: set[SSAValue]) -> bool:
    """Whether the one reader of the result could read a part of a wider matrix just as well."""
    moves: list[MoveOp] = []
    value: SSAValue = last.result
    reader: Operation | None = value.get_user_of_unique_use()
    while isinstance(reader, MoveOp) and reader.parent is last.parent:
        moves.insert(0, reader)
        value = reader.result
        reader = value.get_user_of_unique_use()
    if not isinstance(reader, GraphOp) or reader.MAPS or not reader.WHOLE_AXES or not is_static(value.type):
        return False
    return not moves or why_not_folded(moves, value in strided) is None


def _problem(op: MatmulOp | ConvOp, copied: int) -> ProductProblem:
    *weights, columns = shape_of(op.operands[1])
    size = to_numpy(element_of(op.operands[0])).itemsize
    *outer, rows, _ = shape_of(op.result)
    if isinstance(op, MatmulOp):
        *stacked, terms = weights
        if not any(extent > 1 for extent in stacked):  # one matrix for all rows
            outer, rows = [], rows * prod(outer)
        return ProductProblem(rows, terms, columns, size, prod(outer), copied)
    if prod(op.window.kernel) == 1:
        outer, rows = [], rows * prod(outer)
    return ProductProblem(rows, prod(weights), columns, size, prod(outer), copied)


def put_side_by_side(branches: Sequence[Branch], ctx: CompilerContext) -> None:
    """Replace branches of one key, in the order of the program, by one product whose parts are their results."""
    first = branches[0].product
    weights = _side_by_side([b.product.operands[1] for b in branches], ctx)
    merged: list[Operation] = [weights]
    value = _widened(first, {1: weights.result}, branches, merged)
    for number, op in enumerate(branches[0].tail):
        operands: dict[int, SSAValue] = {}
        for index, operand in enumerate(op.operands):
            if (own := constant_of(operand)) is None:
                operands[index] = value
                continue
            is_wide = _stands_for_columns(operand, shape_of(op.result)[-1])
            constants = [b.tail[number].operands[index] for b in branches]
            constant = _side_by_side(constants, ctx) if is_wide else own.clone()
            merged.append(constant)
            operands[index] = constant.result
        value = _widened(op, operands, branches, merged)
    start = 0
    parts: list[Operation] = []
    *outer, _ = shape_of(value)
    for branch in branches:
        end = start + branch.problem.columns
        part = SliceOp(value, [*(0 for _ in outer), start], [*outer, end])
        part.result.name_hint = branch.last.result.name_hint
        part.location = branch.last.location
        branch.last.result.replace_all_uses_with(part.result)
        parts.append(part)
        start = end
    for op in merged:
        op.location = first.location
    Rewriter.insert_op([*merged, *parts], InsertPoint.before(first))
    for branch in branches:
        _erase(branch)


def _stands_for_columns(constant: SSAValue, columns: int) -> bool:
    """Whether a constant has a number for each column of a result, so that it is put beside those of others."""
    return shape_of(constant)[-1:] == (columns,)


def _widened(
    op: GraphOp, operands: dict[int, SSAValue], branches: Sequence[Branch], merged: list[Operation]
) -> SSAValue:
    """The op for all branches, appended to `merged`; operands that are not given stay. Returns its result."""
    shape = (*shape_of(op.result)[:-1], sum(b.problem.columns for b in branches))
    new = type(op).create(
        operands=[operands.get(i, operand) for i, operand in enumerate(op.operands)],
        result_types=[tensor(shape, element_of(op.result))],
        properties=dict(op.properties),
    )
    merged.append(new)
    return new.result


def _side_by_side(values: Sequence[SSAValue], ctx: CompilerContext) -> ConstantOp:
    """One constant that holds several along the last axis."""
    constants = [c for v in values if (c := constant_of(v)) is not None]
    arrays = [constant_array(c, ctx.resources) for c in constants]
    array = np.concatenate([a for a in arrays if a is not None], axis=-1)
    name = next((n for c in constants if (n := resource_name(c))), "") or values[0].name_hint or "constant"
    return constant_from(array, tensor(array.shape, element_of(values[0])), ctx.resources, f"{name}.merged")


def _erase(branch: Branch) -> None:
    """Remove the ops of a branch, and constants that nobody reads any more."""
    ops = [branch.product, *branch.tail]
    constants = [c for op in ops for operand in op.operands if (c := constant_of(operand)) is not None]
    for op in reversed(ops):
        Rewriter.erase_op(op)
    for constant in dict.fromkeys(constants):
        if constant.result.first_use is None:
            Rewriter.erase_op(constant)
