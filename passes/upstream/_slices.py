"""Elements and slices at places that are values: `tensor.take` and `tensor.put`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from xdsl.dialects import arith, tensor
from xdsl.dialects.builtin import DYNAMIC_INDEX, DenseIntOrFPElementsAttr, TensorType, i64
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineExpr

from mlc.dialects.tensor import MapOp, PutOp, TakeOp
from mlc.passes.upstream._moves import groups_of, kept_axes, known_shape, reshape, sizes_and_strides
from mlc.passes.upstream._points import BodyPoints, integer_of, named_dims
from mlc.passes.upstream._scalars import Scalars
from mlc.support.locations import error_at
from mlc.support.types import tensor_type


def take_element(op: tensor.ExtractOp, scalars: Scalars) -> None:
    """`tensor.extract %x[%i, 3]` -> `tensor.take` of one element; that of a tensor of rank 0 is the tensor itself."""
    if not op.indices:
        if op.result not in scalars:
            scalars.let(op.result, op.tensor)
        return
    place = _Place(op, op.tensor, scalars, 0)
    for position in op.indices:
        place.add_element(position)
    scalars.let(op.result, place.take([]))


def put_element(op: tensor.InsertOp, scalars: Scalars) -> SSAValue:
    """`tensor.insert %s into %x[%i, 3]` -> `tensor.put` of one element."""
    place = _Place(op, op.dest, scalars, 0)
    for position in op.indices:
        place.add_element(position)
    return place.put(scalars.tensor_of(op.scalar))


def take_slice(op: tensor.ExtractSliceOp, scalars: Scalars) -> SSAValue:
    """A slice that starts at values -> `tensor.take`.

    Raises:
        UserError: sizes or strides are values, or an extent is not known.
    """
    part = known_shape(op, tensor_type(op.result))
    return _place_of(op, op.source, part, scalars).take(part)


def put_slice(op: tensor.InsertSliceOp, scalars: Scalars) -> SSAValue:
    """A slice that starts at values -> `tensor.put`.

    Raises:
        UserError: sizes or strides are values, or an extent is not known.
    """
    part = known_shape(op, tensor_type(op.source))
    return _place_of(op, op.dest, part, scalars).put(op.source)


def _place_of(
    op: tensor.ExtractSliceOp | tensor.InsertSliceOp, whole: SSAValue, part: Sequence[int], scalars: Scalars
) -> _Place:
    sizes, strides = sizes_and_strides(op)
    place, left = _Place(op, whole, scalars, len(part)), iter(op.offsets)
    offsets = [next(left) if number == DYNAMIC_INDEX else number for number in op.static_offsets.get_values()]
    for offset, size, stride, at in zip(offsets, sizes, strides, kept_axes(op, sizes, part), strict=True):
        if at is None:
            place.add_element(offset)
        else:
            place.add_axis(offset, size, stride, at)
    return place


@dataclass
class _Place:
    """Where a part of `whole` is, axis by axis; the whole may be seen with an axis cut in two, of tiles.

    Attributes:
        op: the op that it is for, before which others are made.
        whole: what is read or changed.
        rank: how many dims the part has.
    """

    op: Operation
    whole: SSAValue
    scalars: Scalars
    rank: int
    _shape: list[int] = field(default_factory=list[int])
    _groups: list[list[int]] = field(default_factory=list[list[int]])
    _subscripts: list[AffineExpr] = field(default_factory=list[AffineExpr])
    _coordinates: list[tuple[str, SSAValue, Sequence[AffineExpr]]] = field(
        default_factory=list[tuple[str, SSAValue, Sequence[AffineExpr]]]
    )

    def add_element(self, position: SSAValue | int) -> None:
        """The next axis has one element of the part, which has no dim for it."""
        extent = self._extent
        number = position if isinstance(position, int) else integer_of(position)
        if number is None:
            assert isinstance(position, SSAValue)
            self._add([extent], [self._coordinate(self.scalars.tensor_of(position), [])])
        elif 0 <= number < extent:
            self._add([extent], [AffineExpr.constant(number)])
        else:
            kind = tensor_type(self.whole)
            raise error_at(self.op, f"{self.op.name}: found {number}; required: an element of {kind}")

    def add_axis(self, offset: SSAValue | int, size: int, stride: int, dim: int) -> None:
        """The next axis has some elements, which are `dim` of the part."""
        extent, along = self._extent, AffineExpr.dimension(dim)
        number = offset if isinstance(offset, int) else integer_of(offset)
        if number is not None:
            self._add([extent], [(along if stride == 1 else along * stride) + number])
            return
        assert isinstance(offset, SSAValue)
        if size == extent:
            self._add([extent], [along])
        elif stride == 1 and extent % size == 0 and self.scalars.divisor(offset) % size == 0:
            self._add([extent // size, size], [self._coordinate(self.scalars.tile_of(offset, size), []), along])
        else:
            numbers = [i * stride for i in range(size)]
            row = arith.ConstantOp(DenseIntOrFPElementsAttr.from_list(TensorType(i64, [size]), numbers))
            self._insert(row)
            points, first = BodyPoints(), [AffineExpr.dimension(0)]
            at = points.operand(self.scalars.tensor_of(offset), [])
            body = points.close(points.add([arith.AddiOp(at, points.operand(row.result, first))]))
            places = self._insert(MapOp(points.operands, points.subscripts, named_dims([size]), row.result.type, body))
            self._add([extent], [self._coordinate(places, [along])])

    def take(self, part: Sequence[int]) -> SSAValue:
        """What is there."""
        source = self._seen(self.whole)
        if self._coordinates:
            return self._insert(TakeOp(source, self._subscripts, self._coordinates, named_dims(part)))
        points = BodyPoints()
        body = points.close(points.operand(source, self._subscripts))
        kind = TensorType(tensor_type(source).element_type, part)
        return self._insert(MapOp([source], [self._subscripts], named_dims(part), kind, body))

    def put(self, part: SSAValue) -> SSAValue:
        """The whole with `part` there."""
        dims = named_dims(tensor_type(part).get_shape())
        put = PutOp("set", part, self._seen(self.whole), self._subscripts, self._coordinates, dims)
        result = self._insert(put)
        if len(self._shape) == len(self._groups):
            return result
        return self._insert(reshape(tensor.CollapseShapeOp, result, groups_of(self._groups), tensor_type(self.whole)))

    @property
    def _extent(self) -> int:
        return tensor_type(self.whole).get_shape()[len(self._groups)]

    def _add(self, extents: Sequence[int], subscripts: Sequence[AffineExpr]) -> None:
        first = len(self._shape)
        self._groups.append(list(range(first, first + len(extents))))
        self._shape += extents
        self._subscripts += subscripts

    def _coordinate(self, numbers: SSAValue, row: Sequence[AffineExpr]) -> AffineExpr:
        self._coordinates.append((f"at{len(self._coordinates)}", numbers, row))
        return AffineExpr.dimension(self.rank + len(self._coordinates) - 1)

    def _seen(self, whole: SSAValue) -> SSAValue:
        if len(self._shape) == len(self._groups):
            return whole
        kind = TensorType(tensor_type(whole).element_type, self._shape)
        return self._insert(reshape(tensor.ExpandShapeOp, whole, groups_of(self._groups), kind))

    def _insert(self, op: Operation) -> SSAValue:
        return self.scalars.insert(op, self.op)
