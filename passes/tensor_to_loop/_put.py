"""`tensor.put` becomes a copy, and loops over points that change it."""

from __future__ import annotations

from xdsl.dialects import arith, memref
from xdsl.dialects.builtin import i1
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineDimExpr
from xdsl.pattern_rewriter import PatternRewriter

from mlc.dialects.arith import CmpiOp, SelectOp
from mlc.dialects.loop import LoadOp, LoopKind, StoreOp
from mlc.dialects.loop.copies import copy_nest
from mlc.dialects.loop.views import unreshaped
from mlc.dialects.tensor import PutOp
from mlc.pass_manager.lowering import StatelessPattern, lowers
from mlc.passes.tensor_to_loop._functions import destination
from mlc.passes.tensor_to_loop._places import Place, place_load, placed_nest
from mlc.support.types import memref_type, scalar_attribute


@lowers("convert-tensor-to-loop", PutOp)
class PutToUpdates(StatelessPattern):
    """y = data; for m { i = indices[m]; for n { y[i, n] = i in range ? combine(y[i, n], updates[m, n]) : y[i, n] } }

    A point out of range stores what is at the nearest place, once more: no branches. A loop over a dim that is itself a
    subscript of the data is parallel, as its iterations change elements apart from each other; the others are serial,
    as coordinates may occur twice. The copy is left out by `write-in-place` where the data has no other reader.
    """

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        assert isinstance(op, PutOp)
        target = destination(rewriter, op.result)
        copy = _copy(op.data, target)
        if 0 in (*op.dim_sizes, *memref_type(target).get_shape()):
            rewriter.replace(op, copy, [target])
            return
        apart = {e.position for e in op.place.data.results if isinstance(e, AffineDimExpr)}
        kinds = [LoopKind.PARALLEL if dim in apart else LoopKind.SERIAL for dim in range(len(op.dims))]

        def update(place: Place) -> list[Operation]:
            new = LoadOp(op.updates, list(place.counters))
            old = place_load(target, place.data, place.operands)
            ops, value = op.emit_update(old.result, new.result)
            tests, in_range = _in_range(place)
            kept = SelectOp(in_range, value, old.result)
            store = StoreOp(kept.result, target, list(old.indices), old.map.data)
            return [new, old, *ops, *tests, kept, store]

        data = op.data
        rewriter.replace(op, [*copy, *placed_nest(op, kinds, update)], [target])
        _erase_unused_views(data, rewriter)


def _copy(data: SSAValue, target: SSAValue) -> list[Operation]:
    """A copy between buffers rather than between views of them where that is the same, as `write-in-place` needs it.

    What a loop changes in place is not copied.
    """
    source, whole = unreshaped(data), unreshaped(target)
    if source is whole:
        return []
    return copy_nest(source, whole) if source.type == whole.type else copy_nest(data, target)


def _erase_unused_views(value: SSAValue, rewriter: PatternRewriter) -> None:
    """Erase `value` if it is a view that nobody needs, and then what that is a view of."""
    while isinstance(view := value.owner, memref.ReinterpretCastOp) and not value.uses:
        value = view.source
        rewriter.erase(view)


def _in_range(place: Place) -> tuple[list[Operation], SSAValue]:
    """Ops that tell whether all coordinates are inside of their axes, and what they tell."""
    ops: list[Operation] = []
    inside: SSAValue | None = None
    for coordinate in place.coordinates:
        ops.append(same := CmpiOp(coordinate.wrapped, coordinate.clamped, "eq"))
        if inside is None:
            inside = same.result
        else:
            ops.append(both := arith.AndIOp(inside, same.result))
            inside = both.result
    if inside is None:
        ops.append(always := arith.ConstantOp(scalar_attribute(1, i1)))
        inside = always.result
    return ops, inside
