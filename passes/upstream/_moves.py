"""Ops of the tensor dialect that upstream has and the tensor level has not: slices, casts, single elements."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith, tensor
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    ArrayAttr,
    DenseIntOrFPElementsAttr,
    IndexType,
    IntegerAttr,
    TensorType,
    i64,
)
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineExpr
from xdsl.pattern_rewriter import PatternRewriter

from mlc.dialects.scf import ForallOp
from mlc.dialects.tensor import MapOp, PutOp
from mlc.pass_manager.lowering import StatelessPattern, lowers
from mlc.passes.upstream._points import TO_TENSOR, BodyPoints, integer_of, named_dims, number_of
from mlc.support.locations import error_at
from mlc.support.types import Tensor, tensor_type


def _numbers(op: Operation, what: str, said: Sequence[int], values: Sequence[SSAValue]) -> list[int]:
    """Numbers that stand in an op or are its operands.

    Raises:
        UserError: an operand is not a constant.
    """
    left = iter(values)
    found: list[int] = []
    for number in said:
        if number == DYNAMIC_INDEX:
            known = integer_of(next(left))
            if known is None:
                raise error_at(op, f"{op.name}: found {what} that are values; required: constants")
            number = known
        found.append(number)
    return found


def has_values_as_offsets(op: tensor.ExtractSliceOp | tensor.InsertSliceOp) -> bool:
    """Whether a slice starts at a value that is not a constant."""
    return any(integer_of(value) is None for value in op.offsets)


def sizes_and_strides(op: tensor.ExtractSliceOp | tensor.InsertSliceOp) -> tuple[list[int], list[int]]:
    """How many elements of each axis a slice has, and how far apart.

    Raises:
        UserError: one of these is a value.
    """
    sizes = _numbers(op, "sizes", op.static_sizes.get_values(), op.sizes)
    return sizes, _numbers(op, "strides", op.static_strides.get_values(), op.strides)


def _box(op: tensor.ExtractSliceOp | tensor.InsertSliceOp) -> tuple[list[int], list[int], list[int]]:
    """Offsets, sizes and strides."""
    return _numbers(op, "offsets", op.static_offsets.get_values(), op.offsets), *sizes_and_strides(op)


def kept_axes(op: Operation, sizes: Sequence[int], part: Sequence[int]) -> list[int | None]:
    """For each axis of a whole, the axis of a slice of it that it is; None where it has extent 1 and is left out.

    As upstream does, axes are left out from the front.
    """
    found: list[int | None] = []
    for axis, size in enumerate(sizes):
        at = sum(each is not None for each in found)
        fits = at < len(part) and part[at] == size
        left_out = len(sizes) - axis > len(part) - at
        found.append(None if size == 1 and left_out else at if fits else None)
    if sum(each is not None for each in found) != len(part):
        raise error_at(
            op, f"{op.name}: found a slice of extents {list(part)}; required: {list(sizes)}, or without ones"
        )
    return found


def known_shape(op: Operation, kind: Tensor) -> list[int]:
    """The extents of a type.

    Raises:
        UserError: one of them is not known.
    """
    if not kind.has_static_shape():
        raise error_at(op, f"{op.name}: found {kind}; required: a type with known extents, write them")
    return list(kind.get_shape())


@lowers(TO_TENSOR, tensor.ExtractSliceOp)
class ExtractSliceToMap(StatelessPattern):
    """A slice without some axes of extent 1 is a map; others stay, with constants for values."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        assert isinstance(op, tensor.ExtractSliceOp)
        if isinstance(around := op.parent_op(), ForallOp) and around.outputs:
            return  # which becomes ops over all iterations, this one too
        if has_values_as_offsets(op):
            return  # read where data says, by `_slices`
        offsets, sizes, strides = _box(op)
        shape = known_shape(op, tensor_type(op.result))
        if not (op.offsets or op.sizes or op.strides) and len(shape) == len(sizes):
            return
        rows: list[AffineExpr] = []
        for axis, at in enumerate(kept_axes(op, sizes, shape)):
            start = AffineExpr.constant(offsets[axis])
            rows.append(start if at is None else _scaled(at, strides[axis], offsets[axis]))
        points = BodyPoints()
        value = points.operand(op.source, rows)
        rewriter.replace(op, MapOp([op.source], [rows], named_dims(shape), op.result.type, points.close(value)))


def _scaled(dim: int, stride: int, offset: int) -> AffineExpr:
    expr = AffineExpr.dimension(dim)
    expr = expr if stride == 1 else expr * stride
    return expr + offset if offset else expr


@lowers(TO_TENSOR, tensor.InsertSliceOp)
class InsertSliceToPut(StatelessPattern):
    """What lies side by side is put together of the parts around the slice; elements with gaps are put one by one."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        assert isinstance(op, tensor.InsertSliceOp)
        if has_values_as_offsets(op):
            return  # put where data says, by `_slices`
        offsets, sizes, strides = _box(op)
        whole = known_shape(op, tensor_type(op.dest))
        ops: list[Operation] = []
        part = _expanded(op, sizes, ops)
        if all(stride == 1 or size == 1 for stride, size in zip(strides, sizes, strict=True)):
            result = _between(op.dest, part, whole, offsets, sizes, ops)
        else:
            result = _put(op.dest, part, offsets, sizes, strides, ops)
        rewriter.replace(op, ops, [result])


def _expanded(op: tensor.InsertSliceOp, sizes: Sequence[int], ops: list[Operation]) -> SSAValue:
    """The slice with all axes of the whole."""
    kind = tensor_type(op.source)
    kept = kept_axes(op, sizes, known_shape(op, kind))
    if None not in kept:
        return op.source
    rows = [AffineExpr.dimension(kept.index(i)) for i in range(kind.get_num_dims())]
    points = BodyPoints()
    value = points.operand(op.source, rows)
    full = TensorType(kind.element_type, sizes)
    ops.append(MapOp([op.source], [rows], named_dims(sizes), full, points.close(value)))
    return ops[-1].results[0]


def _between(
    dest: SSAValue,
    part: SSAValue,
    whole: Sequence[int],
    offsets: Sequence[int],
    sizes: Sequence[int],
    ops: list[Operation],
) -> SSAValue:
    """The slice between what is before it and after it, along one axis after the other, the last one first."""
    inner, extents = part, list(sizes)
    starts = list(offsets)
    for axis in reversed(range(len(whole))):
        end = offsets[axis] + sizes[axis]
        pieces = [(0, offsets[axis]), None, (end, whole[axis] - end)]
        found: list[SSAValue] = []
        for piece in pieces:
            if piece is None:
                found.append(inner)
            elif piece[1]:
                at, size = [*starts[:axis], piece[0], *[0] * (len(whole) - axis - 1)], [*extents]
                size[axis] = piece[1]
                ops.append(tensor.ExtractSliceOp.from_static_parameters(dest, at, size))
                found.append(ops[-1].results[0])
        extents[axis] = whole[axis]
        if len(found) > 1:
            kind = TensorType(tensor_type(dest).element_type, extents)
            ops.append(tensor.ConcatOp(found, axis, kind))
            inner = ops[-1].results[0]
    return inner


def _put(
    dest: SSAValue,
    part: SSAValue,
    offsets: Sequence[int],
    sizes: Sequence[int],
    strides: Sequence[int],
    ops: list[Operation],
) -> SSAValue:
    rank = len(sizes)
    coordinates: list[tuple[str, SSAValue, Sequence[AffineExpr]]] = []
    for axis, (offset, size, stride) in enumerate(zip(offsets, sizes, strides, strict=True)):
        numbers = [offset + i * stride for i in range(size)]
        ops.append(arith.ConstantOp(DenseIntOrFPElementsAttr.from_list(TensorType(i64, [size]), numbers)))
        coordinates.append((f"i{axis}", ops[-1].results[0], [AffineExpr.dimension(axis)]))
    place = [AffineExpr.dimension(rank + axis) for axis in range(rank)]
    ops.append(PutOp("set", part, dest, place, coordinates, named_dims(sizes)))
    return ops[-1].results[0]


@lowers(TO_TENSOR, tensor.PadOp)
class PadByConstants(StatelessPattern):
    """Amounts that are constants stand in the op."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        assert isinstance(op, tensor.PadOp)
        if not (op.low or op.high):
            return
        low = _numbers(op, "amounts", op.static_low.get_values(), op.low)
        high = _numbers(op, "amounts", op.static_high.get_values(), op.high)
        known_shape(op, tensor_type(op.result))
        made = tensor.PadOp(op.source, [], [], op.detach_region(op.region), low, high, op.result.type)
        rewriter.replace(op, made)


@lowers(TO_TENSOR, tensor.SplatOp)
class SplatToMap(StatelessPattern):
    """A constant, or a map that yields the scalar everywhere."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        assert isinstance(op, tensor.SplatOp)
        kind = tensor_type(op.result)
        shape, number = known_shape(op, kind), number_of(op.input)
        if number is not None:
            rewriter.replace(op, arith.ConstantOp(DenseIntOrFPElementsAttr.from_list(kind, [number])))
        else:
            points = BodyPoints()
            rewriter.replace(op, MapOp([], [], named_dims(shape), kind, points.close(op.input)))


@lowers(TO_TENSOR, tensor.FromElementsOp)
class FromElementsToConstant(StatelessPattern):
    """A constant, or one element after the other."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        assert isinstance(op, tensor.FromElementsOp)
        kind = tensor_type(op.result)
        known = [number for v in op.elements if (number := number_of(v)) is not None]
        if len(known) == len(op.elements):
            rewriter.replace(op, arith.ConstantOp(DenseIntOrFPElementsAttr.from_list(kind, known)))
            return
        if not kind.get_num_dims():
            rewriter.replace(op, MapOp([], [], [], kind, BodyPoints().close(op.elements[0])))
            return
        one: Tensor = TensorType(kind.element_type, [1])
        ops: list[Operation] = []
        for value in op.elements:
            ops.append(MapOp([], [], named_dims([1]), one, BodyPoints().close(value)))
        result = ops[0].results[0]
        if len(ops) > 1:
            row = TensorType(kind.element_type, [len(op.elements)])
            ops.append(tensor.ConcatOp([each.results[0] for each in ops], 0, row))
            result = ops[-1].results[0]
        rewriter.replace(op, ops, [_reshaped(result, kind, ops)])


def _reshaped(value: SSAValue, kind: Tensor, ops: list[Operation]) -> SSAValue:
    """The same elements in row-major order, by way of one axis."""
    rank, count = tensor_type(value).get_num_dims(), 1
    for extent in kind.get_shape():
        count *= extent
    if rank != 1:
        flat = TensorType(kind.element_type, [count])
        groups = groups_of([range(rank)] if rank else [])
        make = tensor.CollapseShapeOp if rank else tensor.ExpandShapeOp
        ops.append(reshape(make, value, groups, flat))
        value = ops[-1].results[0]
    rank = kind.get_num_dims()
    if rank != 1:
        groups = groups_of([range(rank)] if rank else [])
        ops.append(reshape(tensor.ExpandShapeOp if rank else tensor.CollapseShapeOp, value, groups, kind))
    return ops[-1].results[0] if ops else value


def groups_of(groups: Sequence[Sequence[int]]) -> ArrayAttr[ArrayAttr[IntegerAttr]]:
    """The reassociation of a reshape: the axes that become one."""
    return ArrayAttr([ArrayAttr([IntegerAttr(n, i64) for n in group]) for group in groups])


def reshape(
    make: type[tensor.CollapseShapeOp | tensor.ExpandShapeOp],
    value: SSAValue,
    groups: ArrayAttr[ArrayAttr[IntegerAttr]],
    kind: Tensor,
) -> Operation:
    if make is tensor.CollapseShapeOp:
        return make.create(operands=[value], result_types=[kind], properties={"reassociation": groups})
    return tensor.ExpandShapeOp(value, [], groups, kind.get_shape(), kind)


@lowers(TO_TENSOR, tensor.ReshapeOp)
class ReshapeToGroups(StatelessPattern):
    """A reshape to known extents says them in its type."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        assert isinstance(op, tensor.ReshapeOp)
        known_shape(op, tensor_type(op.result))
        ops: list[Operation] = []
        result = _reshaped(op.source, tensor_type(op.result), ops)
        rewriter.replace(op, ops, [result])


@lowers(TO_TENSOR, tensor.CastOp)
class DropCast(StatelessPattern):
    """A cast between types of one shape says nothing new."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        assert isinstance(op, tensor.CastOp)
        if op.source.type == op.dest.type:
            rewriter.replace(op, [], [op.source])


@lowers(TO_TENSOR, tensor.DimOp)
class DimToConstant(StatelessPattern):
    """Extents are known."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        assert isinstance(op, tensor.DimOp)
        shape, axis = known_shape(op, tensor_type(op.source)), integer_of(op.index)
        if axis is None or not 0 <= axis < len(shape):
            raise error_at(
                op, f"{op.name}: found the dim {axis} of {op.source.type}; required: a constant below its rank"
            )
        rewriter.replace(op, arith.ConstantOp(IntegerAttr(shape[axis], IndexType())))
