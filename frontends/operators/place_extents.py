"""Gathers and scatters where extents of their operands are known only when the model runs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial, reduce

import numpy as np
from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue

from mlc.dialects import graph
from mlc.dialects.graph.types import element_of, is_float, shape_of, type_of
from mlc.frontends.operators.beyond_extents import differing, filled, refusal_of
from mlc.frontends.operators.graph_builder import Extents, GraphBuilder
from mlc.frontends.operators.places import neutral
from mlc.frontends.operators.sizes import bounds


def gather(op: graph.GatherOp, extents: Sequence[Extents], b: GraphBuilder) -> Extents:
    """Indices beyond their extent become 0, negative ones count from the end of the data."""
    axis = op.axis.value.data
    (data, at), indices = extents, op.indices
    if axis in data:
        op.operands[1] = _from_start(b, indices, [data[axis]])
    op.operands[1] = filled(b, op.operands[1], 0)
    rank = len(shape_of(indices))
    found = {axis + a: extent for a, extent in at.items()}
    return found | {a if a < axis else a + rank - 1: extent for a, extent in data.items() if a != axis}


def gather_nd(op: graph.GatherNdOp, extents: Sequence[Extents], b: GraphBuilder) -> Extents:
    """Coordinates beyond their extent become 0, negative ones count from the end of the data."""
    data, at = extents
    placement, indices = op.placement, op.indices
    rank = len(placement.indices)
    if rank in at:
        raise refusal_of(op, extents, b)
    op.operands[1] = _from_start(b, indices, [data.get(axis) for axis in placement.axes])
    if any(data[axis] != at.get(axis) for axis in placement.own if axis in data):
        raise differing(placement.own[0])
    op.operands[1] = filled(b, op.operands[1], 0)
    whole = {rank + placement.whole.index(axis): e for axis, e in data.items() if axis in placement.whole}
    return {**at, **whole}


def scatter_nd(op: graph.ScatterNdOp, extents: Sequence[Extents], b: GraphBuilder) -> Extents:
    """What lies beyond the last point repeats it, if elements are set, and else changes nothing; coordinates that are
    negative count from the end of the data."""
    (data, at, new), placement, kind = extents, op.placement, op.kind.data.value
    rank = len(placement.indices)
    if rank in at:
        raise refusal_of(op, extents, b)
    whole = {rank + placement.whole.index(axis): extent for axis, extent in data.items() if axis in placement.whole}
    for axis in range(len(shape_of(op.updates))):
        if new.get(axis) != (at if axis < rank else whole).get(axis):
            raise differing(axis)
    if (own := next((a for a in placement.own if data.get(a) != at.get(a)), None)) is not None:
        raise differing(own)
    free = {axis: extent for axis, extent in at.items() if axis not in placement.own}
    indices, updates = _from_start(b, op.indices, [data.get(axis) for axis in placement.axes]), op.updates
    if kind == "set":
        for axis, extent in free.items():
            indices, updates = (_last_repeated(b, value, axis, extent) for value in (indices, updates))
    elif free:
        nothing = -0.0 if kind == "add" and is_float(type_of(updates)) else neutral(kind, element_of(updates))
        updates = filled(b, updates, nothing, list(free))
    indices = filled(b, indices, 0)
    if kind == "set" and (empty := _any_empty(b, free.values())) is not None:
        own = {axis: extent for axis, extent in at.items() if axis in placement.own}
        indices = b.where(empty, b.number(0, indices), indices)
        seen = b.bounded(b.viewed(indices, shape_of(indices), {}), own)
        updates = b.where(empty, b(graph.GatherNdOp, op.data, seen, placement.axes, placement.own), updates)
    op.operands[1], op.operands[2] = indices, updates
    return data


def _from_start(b: GraphBuilder, indices: SSAValue, ends: Sequence[SSAValue | None]) -> SSAValue:
    """Indices, or coordinates in the last dim, of which negative ones counted from where dims end, if that is known at
    the call only."""
    known = b.knowledge.array(indices)
    if not any(end is not None for end in ends) or (known is not None and (not known.size or known.min() >= 0)):
        return indices
    element, zero = element_of(indices), b.number(0, indices)
    each = [zero if end is None else b.cast(end, element) for end in ends]
    shift = each[0] if len(each) == 1 else b.concat([b.reshape(end, (1,)) for end in each], 0)
    return b.where(b.compare("lt", indices, zero), b.add(indices, shift), indices)


def _last_repeated(b: GraphBuilder, value: SSAValue, axis: int, extent: SSAValue) -> SSAValue:
    """A value whose last element along an axis takes the place of what lies beyond it."""
    last = b(graph.MaxOp, b.sub(extent, b.constant(1, i64)), b.constant(0, i64))
    return b(graph.GatherOp, value, b.minimum(b.constant(np.arange(shape_of(value)[axis]), i64), last), axis)


def _any_empty(b: GraphBuilder, extents: Iterable[SSAValue]) -> SSAValue | None:
    """Whether one of the extents is 0; None if none can be."""
    sizes = [(extent, b.size_of(extent)) for extent in extents]
    checks = [b.compare("eq", e, b.constant(0, i64)) for e, size in sizes if size is None or bounds(size)[0] < 1]
    return reduce(partial(b, graph.OrOp), checks) if checks else None
