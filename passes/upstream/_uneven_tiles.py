"""Tiles that do not divide an extent: a loop for each size of its tiles, in which that is known."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, cast

from xdsl.dialects import affine, arith, tensor
from xdsl.dialects.builtin import DYNAMIC_INDEX, DenseArrayBase, TensorType, i32, i64
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from mlc.dialects.affine import MaxOp
from mlc.dialects.scf import ForallOp, ForOp
from mlc.dialects.tensor.parallel_insert import ParallelInsertSliceOp
from mlc.passes.upstream._forall import share_what_was
from mlc.passes.upstream._points import integer_of
from mlc.passes.upstream._subscripts import index_constant
from mlc.support.ir import clone, inlined
from mlc.support.types import tensor_type

_SLICES = (tensor.ExtractSliceOp, tensor.InsertSliceOp, ParallelInsertSliceOp)
_AFFINE = (affine.ApplyOp, affine.MinOp, MaxOp)
_COMPUTED: dict[type[Operation], Callable[[int, int], int]] = {
    arith.AddiOp: lambda a, b: a + b,
    arith.SubiOp: lambda a, b: a - b,
    arith.MuliOp: lambda a, b: a * b,
    arith.MinSIOp: min,
    arith.MaxSIOp: max,
}
_SEGMENTS = "operandSegmentSizes"
_MOST_SIZES = 4
"""Into how many loops one is split at most: two, as a rule, of which one has the last tile."""
_MOST_STEPS = 1 << 16
"""Loops of more steps stay as they are."""


def split_uneven_tiles(function: FuncOp) -> None:
    """Split loops over tiles of several sizes, and write known sizes into slices and types.

        %y = scf.for %i = %c0 to %c10 step %c4 iter_args(%t = %x) -> (tensor<10xf32>) {
          %n = affine.min affine_map<(d0) -> (-d0 + 10, 4)>(%i)
          %s = tensor.extract_slice %t[%i] [%n] [1] : tensor<10xf32> to tensor<?xf32>
          …
    ->
        %z = scf.for %i = %c0 to %c8 step %c4 iter_args(%t = %x) -> (tensor<10xf32>) {
          %s = tensor.extract_slice %t[%i] [4] [1] : tensor<10xf32> to tensor<4xf32>
          …
        }
        %s = tensor.extract_slice %z[%c8] [2] [1] : tensor<10xf32> to tensor<2xf32>
        …

    (Loop peeling, for the sizes that slices have.) What stays unknown is refused by those that need it.
    """
    if not any(_sizes(op) for op in function.walk()):
        return
    _split_inside(function)
    for op in list(function.walk()):
        _write_known(op)
    for op in reversed(list(function.walk())):
        if isinstance(op, _AFFINE) and not op.results[0].uses:
            Rewriter.erase_op(op)


def _sizes(op: Operation) -> Sequence[SSAValue]:
    """The values that are extents of what an op makes, or of what it writes."""
    if isinstance(op, _SLICES):
        return op.sizes
    return op.dynamic_sizes if isinstance(op, tensor.EmptyOp) else ()


def _value(value: SSAValue, known: Mapping[SSAValue, int]) -> int | None:
    """The number that an index is if some others are known."""
    if value in known:
        return known[value]
    if (number := integer_of(value)) is not None:
        return number
    op = value.owner
    if not isinstance(op, Operation) or not isinstance(op, (*_AFFINE, *_COMPUTED)):
        return None
    operands: list[int] = []
    for each in op.operands:
        if (number := _value(each, known)) is None:
            return None
        operands.append(number)
    if isinstance(op, _AFFINE):
        which = op.map.data
        return (max if isinstance(op, MaxOp) else min)(
            which.eval(operands[: which.num_dims], operands[which.num_dims :])
        )
    return _COMPUTED[type(op)](*operands)


# -- loops ------------------------------------------------------------------------------------------------------------


def _split(ops: Sequence[Operation]) -> None:
    """Split loops among some ops, and inside of them."""
    for op in ops:
        if isinstance(op, ForOp):
            _split_for(op)
            continue
        parts: list[Operation] = [op]
        if isinstance(op, ForallOp):
            for dim in range(len(op.bounds[0][1])):
                parts = [part for each in parts if isinstance(each, ForallOp) for part in _split_forall(each, dim)]
        for part in parts:
            _split_inside(part)


def _split_inside(op: Operation) -> None:
    for region in op.regions:
        for block in region.blocks:
            _split(list(block.ops))


def _runs(loop: Operation, counter: SSAValue, numbers: range) -> list[tuple[range, dict[SSAValue, int]]]:
    """The values of a counter in groups in which sizes of slices are equal, with these; nothing if none depends on
    the counter alone, or if there are too many groups."""
    if not numbers or len(numbers) > _MOST_STEPS:
        return []
    used = dict.fromkeys(v for op in loop.walk() for v in _sizes(op) if integer_of(v) is None)
    sizes = [v for v in used if _value(v, {counter: numbers[0]}) is not None]
    groups = groupby(range(len(numbers)), lambda at: [_value(v, {counter: numbers[at]}) for v in sizes])
    runs: list[tuple[range, dict[SSAValue, int]]] = []
    for found, members in groups:
        places = list(members)
        known = {v: number for v, number in zip(sizes, found, strict=True) if number is not None}
        runs.append((numbers[places[0] : places[-1] + 1], known))
    return runs if sizes and len(runs) <= _MOST_SIZES else []


def _split_for(op: ForOp) -> None:
    lower, upper, step = (integer_of(v) for v in (op.lb, op.ub, op.step))
    runs: list[tuple[range, dict[SSAValue, int]]] = []
    if lower is not None and upper is not None and step is not None and step > 0:
        runs = _runs(op, op.body.block.args[0], range(lower, upper, step))
    if not runs:
        _split_inside(op)
        return
    carried: Sequence[SSAValue] = op.iter_args
    once: list[Operation] = []
    loops: list[Operation] = []
    for values, known in runs:
        if len(values) == 1:
            at = index_constant(values[0])
            made, results = inlined(op.body.block, [at.result, *carried])
            made.insert(0, at)
            Rewriter.insert_op(made, InsertPoint.before(op))
            once += made
        else:
            mapping: dict[SSAValue, SSAValue] = {}
            loop = clone(op, mapping)
            bounds = [index_constant(number) for number in (values.start, values.stop, values.step)]
            loop.operands = [*(each.result for each in bounds), *carried]
            _fix({mapping[v]: number for v, number in known.items()}, loop.regions[0].block)
            results = list(loop.results)
            Rewriter.insert_op([*bounds, loop], InsertPoint.before(op))
            loops.append(loop)
        carried = results
    for old, new in zip(op.results, carried, strict=True):
        new.name_hint = new.name_hint or old.name_hint
    Rewriter.replace_op(op, [], list(carried))
    _split(once)
    for loop in loops:
        _split_inside(loop)


def _split_forall(op: ForallOp, dim: int) -> Iterator[Operation]:
    lower, upper, step = (numbers[dim] for _, numbers in op.bounds)
    runs: list[tuple[range, dict[SSAValue, int]]] = []
    if DYNAMIC_INDEX not in (lower, upper, step) and step > 0 and op.outputs:
        runs = _runs(op, op.body.block.args[dim], range(lower, upper, step))
    if not runs:
        yield op
        return
    share_what_was(op)
    carried: Sequence[SSAValue] = op.outputs
    for values, known in runs:
        mapping: dict[SSAValue, SSAValue] = {}
        loop = clone(op, mapping)
        assert isinstance(loop, ForallOp)
        loop.operands = [*op.operands[: len(op.operands) - len(op.outputs)], *carried]
        loop.static_lower = _with(op.static_lower, dim, values.start)
        loop.static_upper = _with(op.static_upper, dim, values.stop)
        _fix({mapping[v]: number for v, number in known.items()}, loop.body.block)
        Rewriter.insert_op(loop, InsertPoint.before(op))
        carried = loop.outs
        yield loop
    Rewriter.replace_op(op, [], list(carried))


def _with(numbers: DenseArrayBase[Any], at: int, number: int) -> DenseArrayBase[Any]:
    new = list(numbers.get_values())
    new[at] = number
    return DenseArrayBase.from_list(i64, new)


def _fix(known: Mapping[SSAValue, int], block: Block) -> None:
    """Put constants in the place of values."""
    for value, number in known.items():
        Rewriter.insert_op(constant := index_constant(number), InsertPoint.at_start(block))
        value.replace_all_uses_with(constant.results[0])


# -- types ------------------------------------------------------------------------------------------------------------


def _write_known(op: Operation) -> None:
    """Let an op say the extents that are known by now; those of its operands are written already."""
    if sizes := _sizes(op):
        numbers = [number for v in sizes if (number := _value(v, {})) is not None]
        if len(numbers) < len(sizes):
            return
        left = iter(numbers)
        if isinstance(op, tensor.EmptyOp):
            kind = tensor_type(op.tensor)
            shape = [next(left) if n == DYNAMIC_INDEX else n for n in kind.get_shape()]
            Rewriter.replace_op(op, tensor.EmptyOp([], TensorType(kind.element_type, shape)))
            return
        assert isinstance(op, _SLICES)
        whole = [next(left) if n == DYNAMIC_INDEX else n for n in op.static_sizes.get_values()]
        _say_sizes(op, whole)
        if isinstance(op, tensor.ExtractSliceOp) and len(whole) == tensor_type(op.result).get_num_dims():
            _retype(op.result, whole)
    elif isinstance(op, ForOp):
        for argument, result, initial in zip(op.body.block.args[1:], op.results, op.iter_args, strict=True):
            if isinstance(initial.type, TensorType):
                _retype(argument, tensor_type(initial).get_shape())
                _retype(result, tensor_type(initial).get_shape())
    elif op.dialect_name() in ("arith", "math", "linalg"):
        outs: Sequence[SSAValue] = getattr(op, "outputs", None) or [op.operands[-1]] if op.operands else []
        for result, like in zip(op.results, outs, strict=False):
            if isinstance(result.type, TensorType) and isinstance(like.type, TensorType):
                _retype(result, tensor_type(like).get_shape())


def _say_sizes(op: tensor.ExtractSliceOp | tensor.InsertSliceOp | ParallelInsertSliceOp, sizes: Sequence[int]) -> None:
    """Give a slice its sizes as numbers, in the place of operands."""
    rest = len(op.operands) - len(op.strides)
    op.operands = [*op.operands[: rest - len(op.sizes)], *op.operands[rest:]]
    op.static_sizes = DenseArrayBase.from_list(i64, sizes)
    segments = cast("DenseArrayBase[Any]", op.properties[_SEGMENTS]).get_values()
    op.properties[_SEGMENTS] = DenseArrayBase.from_list(i32, [*segments[:-2], 0, segments[-1]])


def _retype(value: SSAValue, shape: Sequence[int]) -> None:
    kind = tensor_type(value)
    if not kind.has_static_shape():
        Rewriter.replace_value_with_new_type(value, TensorType(kind.element_type, shape))
