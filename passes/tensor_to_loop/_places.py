"""Loops over the points of an op that reaches a tensor at places which are data."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, i64
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap

from mlc.dialects.arith import CmpiOp, ExtSIOp, IndexCastOp, SelectOp
from mlc.dialects.loop import ForOp, LoadOp, LoopKind, YieldOp
from mlc.dialects.tensor.places import PlacedOp
from mlc.support.types import memref_type, scalar_attribute


@dataclass(frozen=True)
class Place:
    """Where a point is, in the body of the innermost loop.

    Attributes:
        counters: of the loops over the dims.
        coordinates: as `index`, each inside of its axis.
        data: a map to the subscripts of the data from the index operands `operands`.
    """

    counters: tuple[SSAValue, ...]
    coordinates: tuple[Coordinate, ...]
    data: AffineMap

    @property
    def operands(self) -> list[SSAValue]:
        """The index operands of an access at this place."""
        return [*self.counters, *(c.nearest for c in self.coordinates)]


@dataclass(frozen=True)
class Coordinate:
    """A coordinate of a point.

    Attributes:
        wrapped: its value as i64, counted from the front; it may be out of range.
        clamped: the nearest that is in range, as i64.
        nearest: the same as `index`, a subscript.
        ops: what computes these.
    """

    wrapped: SSAValue
    clamped: SSAValue
    nearest: SSAValue
    ops: Sequence[Operation]

    @staticmethod
    def read(indices: SSAValue, subscripts: AffineMap, counters: Sequence[SSAValue], extent: int) -> Coordinate:
        """The coordinate along an axis of `extent` elements that `indices` has at `subscripts`.

        The arithmetic is in i64, where adding the extent to a negative index cannot overflow.
        """
        load = place_load(indices, subscripts, counters)
        ops: list[Operation] = [load]
        index = load.result
        if index.type != i64:
            ops.append(wide := ExtSIOp(index, i64))
            index = wide.result
        zero, size, last = (arith.ConstantOp(scalar_attribute(n, i64)) for n in (0, extent, extent - 1))
        from_end = arith.AddiOp(index, size.result)
        is_negative = CmpiOp(index, zero.result, "slt")
        wrapped = SelectOp(is_negative.result, from_end.result, index)
        least = arith.MaxSIOp(wrapped.result, zero.result)
        clamped = arith.MinSIOp(least.result, last.result)
        nearest = IndexCastOp(clamped, IndexType())
        ops += [zero, size, last, from_end, is_negative, wrapped, least, clamped, nearest]
        return Coordinate(wrapped.result, clamped.result, nearest.result, ops)


def place_load(buffer: SSAValue, affine: AffineMap, values: Sequence[SSAValue]) -> LoadOp:
    """A load at `affine`, over `values`, whose index operands are just those that it uses."""
    used = sorted(set[int]().union(*(e.used_dims() for e in affine.results)))
    renumber = [AffineExpr.dimension(used.index(i) if i in used else 0) for i in range(len(values))]
    subscripts = tuple(e.replace_dims_and_symbols(renumber, []) for e in affine.results)
    return LoadOp(buffer, [values[i] for i in used], AffineMap(len(used), 0, subscripts))


def placed_nest(
    op: PlacedOp, kinds: Sequence[LoopKind], body: Callable[[Place], Sequence[Operation]]
) -> list[Operation]:
    """Loops over the dims of `op`, outermost first, around the ops that `body` makes for a point.

    Each coordinate is read, wrapped and clamped before the loops over dims that do not change it.
    """
    dims = zip(op.dim_names, op.dim_sizes, kinds, strict=True)
    loops = [ForOp(name, 0, size, kind=kind) for name, size, kind in dims]
    counters = tuple(loop.induction_variable for loop in loops)
    extents = memref_type(op.data).get_shape()
    ops_inside: list[list[Operation]] = [[] for _ in range(len(loops) + 1)]
    coordinates: list[Coordinate] = []
    for indices, affine, axis in zip(op.indices, op.index_maps, op.coordinate_axes, strict=True):
        coordinate = Coordinate.read(indices, affine, counters, extents[axis])
        coordinates.append(coordinate)
        depth = max((dim + 1 for e in affine.results for dim in e.used_dims()), default=0)
        ops_inside[depth] += coordinate.ops
    inside = [*ops_inside[-1], *body(Place(counters, tuple(coordinates), op.place.data))]
    for loop, before in zip(reversed(loops), reversed(ops_inside[:-1]), strict=True):
        loop.body.block.add_ops([*inside, YieldOp()])
        inside = [*before, loop]
    return inside
