"""Small helpers over xDSL's IR that several passes need."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeVar, cast

from xdsl.dialects import arith
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, SymbolRefAttr
from xdsl.dialects.tensor import CollapseShapeOp, ExpandShapeOp
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.rewriter import Rewriter
from xdsl.traits import is_side_effect_free

from mlc.support.types import integer_width, scalar_attribute

_T = TypeVar("_T")

RESHAPES = (CollapseShapeOp, ExpandShapeOp)
"""Ops that give a tensor other axes and move nothing."""


def entry_for(op_type: type[Operation], table: Mapping[type[Operation], _T]) -> _T | None:
    """What a table has for a class of ops: under the class itself, or under its nearest abstract base."""
    return next((table[base] for base in op_type.__mro__ if base in table), None)


def ancestor_in(op: Operation, block: Block | None) -> Operation:
    """The op of `block` that `op` is, or is in."""
    while op.parent is not block:
        parent = op.parent_op()
        assert parent is not None
        op = parent
    return op


def clone(op: Operation, mapping: dict[SSAValue, SSAValue] | None = None) -> Operation:
    """A copy of `op`, location included, with operands replaced as `mapping` says; `mapping` learns the results."""
    if not op.regions:
        return op.clone_without_regions(mapping)  # `clone` would set the operands twice
    copy = op.clone(mapping)
    copy.location = op.location
    return copy


def erase_unused(value: SSAValue) -> None:
    """Erase what computes a value that nobody uses, and what it was computed from alone.

    Ops with effects stay, and those with bodies.
    """
    pending = [value]
    while pending:
        op = pending.pop().owner
        if isinstance(op, Operation) and op.parent is not None and _is_useless(op):
            pending += dict.fromkeys(op.operands)
            Rewriter.erase_op(op)


def _is_useless(op: Operation) -> bool:
    is_used = any(result.first_use is not None for result in op.results)
    return not is_used and not op.regions and is_side_effect_free(op)


def made_by(op: Operation) -> list[SSAValue]:
    """The results of an op, and the arguments of its blocks."""
    return [*op.results, *(argument for region in op.regions for block in region.blocks for argument in block.args)]


def drop_overflow_flags(op: Operation) -> None:
    """Let an integer op wrap around: what was promised of the values that it had does not hold for others."""
    if "overflowFlags" in op.properties:
        op.properties["overflowFlags"] = arith.IntegerOverflowAttr("none")


def inlined(block: Block, values: Sequence[SSAValue]) -> tuple[list[Operation], list[SSAValue]]:
    """Copies of the ops of a block, with `values` for its arguments, and what its terminator hands on.

    The terminator itself is left out.
    """
    mapping: dict[SSAValue, SSAValue] = dict(zip(block.args, values, strict=True))
    terminator = block.last_op
    assert terminator is not None
    ops = [clone(op, mapping) for op in block.ops if op is not terminator]
    return ops, [mapping.get(v, v) for v in terminator.operands]


def identity_of(reduction: str, element: Attribute) -> arith.ConstantOp:
    """The constant that changes nothing when it is combined: 0, 1, or the least or greatest value of the type."""
    if (width := integer_width(element)) is not None:
        least = -(1 << (width - 1))
        # -1 has the bits of the greatest unsigned integer.
        value = {"add": 0, "mul": 1, "max": least, "min": -least - 1, "maxui": 0, "minui": -1}[reduction]
    else:
        value = {"add": 0.0, "mul": 1.0, "max": -math.inf, "min": math.inf, "maxnum": -math.inf}[reduction]
    return arith.ConstantOp(scalar_attribute(value, element))


def symbols_in(op: Operation) -> Iterator[str]:
    """The names of the symbols that the attributes of `op` refer to."""
    pending: list[Attribute] = [*op.properties.values(), *op.attributes.values()]
    while pending:
        attribute = pending.pop()
        if isinstance(attribute, SymbolRefAttr):
            yield attribute.root_reference.data
            yield from (part.data for part in attribute.nested_references)
        elif isinstance(attribute, ArrayAttr):
            pending += cast(ArrayAttr[Any], attribute).data
        elif isinstance(attribute, DictionaryAttr):
            pending += attribute.data.values()


def zero_of(element: Attribute) -> arith.ConstantOp:
    """The constant 0 of a number type."""
    return identity_of("add", element)


def is_made_in(value: SSAValue, op: Operation) -> bool:
    """Whether `value` is made by an op in `op`, or by `op` for its own body: each iteration has one of its own."""
    inner = value.owner.parent_op()
    while inner is not None and inner is not op:
        inner = inner.parent_op()
    return inner is op
