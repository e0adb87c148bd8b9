"""Dims of which only the largest extent is known before the model runs, as that of what `NonZero` finds.

Such a value has the shape of the most that there can be. What lies beyond the actual extent is not data, whatever it
is; `Knowledge.extents` names the value, a `tensor<i64>`, that says where it begins. Each graph op that takes such a
value has a rule here. It says which dims of the result are bounded in the same way, and may put numbers behind the
extent that do no harm: zeros under a sum. An op without a rule is refused, so that nobody takes for data what is none.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf, nan
from typing import Any

import numpy as np
from xdsl.dialects.builtin import i64
from xdsl.ir import Operation, SSAValue

from mlc.dialects import graph
from mlc.dialects.graph.elementwise import ElementwiseOp
from mlc.dialects.graph.types import element_of, ints, is_float, shape_of, type_of
from mlc.frontends.operators.beyond_extents import differing, filled, refusal_of
from mlc.frontends.operators.graph_builder import Extents, GraphBuilder
from mlc.frontends.operators.place_extents import gather, gather_nd, scatter_nd
from mlc.frontends.operators.sizes import AnySize, bounds, divided
from mlc.frontends.operators.window_extents import WindowedOp, padding_of, spatial_ends, transposed_ends
from mlc.support.dtypes import to_numpy

Rule = Callable[[Any, Sequence[Extents], GraphBuilder], Extents]
"""From an op that is not in the IR yet, and what is known of its operands, to what is known of its result."""


def result_extents(op: graph.GraphOp, extents: Sequence[Extents], b: GraphBuilder) -> Extents:
    """The actual extents of the result of an op that has operands with such; its operands may be changed.

    Raises:
        Unconvertible: the op would take what lies beyond an extent for data.
    """
    if isinstance(op, ElementwiseOp):
        return _elementwise(op, extents, b)
    if (rule := _RULES.get(type(op))) is None:
        raise refusal_of(op, extents, b)
    return rule(op, extents, b)


def _elementwise(op: ElementwiseOp, extents: Sequence[Extents], b: GraphBuilder) -> Extents:
    """Aligned dims have one extent, or 1."""
    rank = len(shape_of(op.result))
    found = {axis: _aligned(op, extents, axis - rank, b) for axis in range(rank)}
    return {axis: extent for axis, extent in found.items() if extent is not None}


def _aligned(op: Operation, extents: Sequence[Extents], from_end: int, b: GraphBuilder) -> SSAValue | None:
    """The extent of a dim, counted from the end, to which operands broadcast; None if it does not depend on data.

    A dim that is bounded by 1 is none that broadcasting repeats: it may be empty.
    """
    actual: dict[SSAValue, None] = {}
    fixed: dict[int, None] = {}
    for value, known in zip(op.operands, extents, strict=True):
        shape = shape_of(value)
        at = from_end + len(shape)
        if at in known:
            actual[known[at]] = None
        elif at >= 0 and shape[at] != 1:
            fixed[shape[at]] = None
    if len(actual) > 1 or (actual and fixed):
        axis = max(from_end + len(shape_of(v)) for v in op.operands)
        raise differing(axis, [*map(b.size_of, actual), *fixed])
    return next(iter(actual), None)


def _transpose(op: graph.TransposeOp, extents: Sequence[Extents], b: GraphBuilder) -> Extents:
    order = ints(op.permutation)
    return {order.index(axis): extent for axis, extent in extents[0].items()}


def _broadcast(op: graph.BroadcastOp, extents: Sequence[Extents], b: GraphBuilder) -> Extents:
    own, shape = shape_of(op.input), shape_of(op.result)
    behind = len(shape) - len(own)
    if any(own[axis] != shape[behind + axis] for axis in extents[0]):
        raise refusal_of(op, extents, b)
    return {behind + axis: extent for axis, extent in extents[0].items()}


def _reshape(op: graph.ReshapeOp, extents: Sequence[Extents], b: GraphBuilder) -> Extents:
    """A dim with as many elements before it as before begins where it did: it is the same dim, or joined with dims
    after it, or split. Within it, data still comes first.

    Dims of extent 1 may stand anywhere, so it has to be longer than that, or the first one.
    """
    before, after = shape_of(op.input), shape_of(op.result)
    if before == after:
        return extents[0]
    found: dict[int, SSAValue] = {}
    for axis, extent in extents[0].items():
        places = [i for i, e in enumerate(after) if e > 1 and _size(after[:i]) == _size(before[:axis])]
        if axis == 0 and before[0] == 1 and after:
            places = [0]
        elif before[axis] == 1:
            places = []
        if 0 in before or len(places) != 1:
            raise refusal_of(op, extents, b)
        scaled = _scaled(extent, after[places[0]], before[axis], b)
        if scaled is None or places[0] in found:  # or two dims are joined that both depend on data
            raise refusal_of(op, extents, b)
        found[places[0]] = scaled
    return found


def _scaled(extent: SSAValue, after: int, before: int, b: GraphBuilder) -> SSAValue | None:
    """The extent of a dim of `before` elements that is joined with others, or split into itself and others as it was
    joined, to have `after` elements; None if that is not known to be an extent."""
    if after == before:
        return extent
    if (size := b.size_of(extent)) is not None:
        scaled = divided(size * after, before)
        return None if scaled is None else b.extent(scaled)
    whole, factor = b.knowledge.multiples.get(extent, (extent, 1))
    if before % factor or after % (rows := before // factor):
        return None
    other = after // rows
    if other == 1:
        return whole
    known = {key: value for value, key in b.knowledge.multiples.items()}
    if (whole, other) not in known:
        made = b.mul(whole, b.constant(other, i64))
        b.knowledge.multiples[made] = whole, other
        return made
    return known[whole, other]


def _size(shape: Sequence[int]) -> int:
    return int(np.prod(shape, dtype=np.int64))


def _size_along(b: GraphBuilder, value: SSAValue, axis: int, known: Extents) -> AnySize | None:
    """What an axis of an operand ends at; None if that depends on data."""
    return b.size_of(known[axis]) if axis in known else shape_of(value)[axis]


def _concat(op: graph.ConcatOp, extents: Sequence[Extents], b: GraphBuilder) -> Extents:
    """Only the last part may end early; along other axes all parts have the same extents."""
    axis = op.axis.value.data
    if any(axis in known for known in extents[:-1]):
        raise refusal_of(op, extents, b)
    others = [{a: e for a, e in known.items() if a != axis} for known in extents]
    for other in (a for each in others for a in each):
        if any(each.get(other) is not others[0].get(other) for each in others):
            raise differing(
                other, [_size_along(b, v, other, each) for v, each in zip(op.operands, others, strict=True)]
            )
    found = dict(others[0])
    if axis in extents[-1]:
        front = sum(shape_of(v)[axis] for v in op.operands[:-1])
        found[axis] = b.add(extents[-1][axis], b.constant(front, i64))
    return found


def _slice(op: graph.SliceOp, extents: Sequence[Extents], b: GraphBuilder) -> Extents:
    """Of `x[start:end]` as much is data as `x` has of it after `start`.

    Of an extent that the call says, `end` has to be the last one or one that is always there: others come of converters
    that take the largest extent for the actual one.
    """
    found = extents[0]
    extent_of = zip(ints(op.starts), ints(op.ends), ints(op.strides), shape_of(op.input), strict=True)
    for axis, (start, end, stride, largest) in enumerate(extent_of):
        if axis not in extents[0]:
            continue
        extent = extents[0][axis]
        size = b.size_of(extent)
        if size is not None and end <= bounds(size)[0]:
            found = {a: e for a, e in found.items() if a != axis}
            continue
        if stride != 1 or (end < largest and not b.knowledge.is_data(extent)):
            raise refusal_of(op, extents, b)
        if end < largest:
            extent = b(graph.MinOp, extent, b.constant(end, i64))
        if start:
            extent = b(graph.MaxOp, b.sub(extent, b.constant(start, i64)), b.constant(0, i64))
        found = _ended_at(b, found, axis, extent, shape_of(op.result)[axis])
    return found


def _reverse(op: graph.ReverseOp, extents: Sequence[Extents], b: GraphBuilder) -> Extents:
    """Data is moved to the end of a dim that is turned round, so that it comes first then."""
    for axis in (axis for axis in ints(op.axes) if axis in extents[0]):
        x, largest = op.input, shape_of(op.input)[axis]
        others = {a: e for a, e in b.knowledge.extents[x].items() if a != axis}
        whole = b.bounded(b.viewed(x, shape_of(x), {}), others)
        places = b.add(b.constant(np.arange(largest) - largest, i64), extents[0][axis])
        op.operands[0] = b(graph.GatherOp, whole, b.maximum(places, b.constant(0, i64)), axis)
    return extents[0]


def _pad(op: graph.PadOp, extents: Sequence[Extents], b: GraphBuilder) -> Extents:
    """What lies beyond is what the op pads with, so that as much more is a result."""
    more = {axis: low + high for axis, (low, high) in enumerate(zip(ints(op.low), ints(op.high), strict=True))}
    changed = [axis for axis in extents[0] if more[axis]]
    op.operands[0] = filled(b, op.input, op.value.value.data, changed)
    return {a: b.add(e, b.constant(more[a], i64)) if more[a] else e for a, e in extents[0].items()}


_FILLS = {"sum": 0.0, "prod": 1.0, "max": -inf, "min": inf}


def _reduce(op: graph.ReduceOp, extents: Sequence[Extents], b: GraphBuilder) -> Extents:
    """What changes nothing is combined with the data."""
    axes, kind = ints(op.axes), op.kind.data.value
    if any(axis in extents[0] for axis in axes):
        if kind not in _FILLS:
            raise refusal_of(op, extents, b)
        op.operands[0] = filled(b, op.input, nearest_number(op.input, _FILLS[kind]), axes)
    return _without(extents[0], () if op.keepdims is not None else axes, axes)


def _without(extents: Extents, dropped: Sequence[int], axes: Sequence[int]) -> Extents:
    """The extents of other dims than `axes`, of which those `dropped` are not there any more."""
    rest = {a: e for a, e in extents.items() if a not in axes}
    return {a - sum(d < a for d in dropped): e for a, e in rest.items()}


def _arg_extreme(op: graph.ArgMaxOp | graph.ArgMinOp, extents: Sequence[Extents], b: GraphBuilder) -> Extents:
    """Of equal elements the first one counts, and what lies beyond comes last."""
    axis = op.axis.value.data
    last = -inf if isinstance(op, graph.ArgMaxOp) else inf
    op.operands[0] = filled(b, op.input, nearest_number(op.input, last), [axis])
    return _without(extents[0], () if op.keepdims is not None else (axis,), (axis,))


def _argsort(op: graph.ArgsortOp, extents: Sequence[Extents], b: GraphBuilder) -> Extents:
    """What lies beyond comes last, also of equal elements; there are as many places as elements, or as asked for."""
    axis = op.axis.value.data
    if axis not in extents[0]:
        return extents[0]
    last = -inf if op.descending is not None else nan if is_float(type_of(op.input)) else inf
    op.operands[0] = filled(b, op.input, nearest_number(op.input, last), [axis])
    first = shape_of(op.result)[axis]
    return _ended_at(b, extents[0], axis, b(graph.MinOp, extents[0][axis], b.constant(first)), first)


def _ended_at(b: GraphBuilder, extents: Extents, axis: int, extent: SSAValue, largest: int) -> Extents:
    """The extents of a result whose axis ends at another one; at none if that is the `largest` for all calls."""
    known = b.knowledge.array(extent)
    if known is not None and known.item() == largest and b.size_of(extents[axis]) is not None:
        return {a: e for a, e in extents.items() if a != axis}
    return {**extents, axis: extent}


def _softmax(op: graph.SoftmaxOp, extents: Sequence[Extents], b: GraphBuilder) -> Extents:
    """What lies beyond has no weight."""
    op.operands[0] = filled(b, op.input, -inf, [op.axis.value.data])
    return extents[0]


def _matmul(op: graph.MatmulOp, extents: Sequence[Extents], b: GraphBuilder) -> Extents:
    """Rows of the one, columns of the other, and matrices of both; what lies beyond a dim that is summed over is 0."""
    lhs, rhs, rank = len(shape_of(op.lhs)), len(shape_of(op.rhs)), len(shape_of(op.result))
    if lhs < 2 or rhs < 2:
        raise refusal_of(op, extents, b)
    found = {rank - 2: extents[0].get(lhs - 2), rank - 1: extents[1].get(rhs - 1)}
    for axis in range(rank - 2):
        found[axis] = _aligned(op, extents, axis - rank, b)
    summed = extents[0].get(lhs - 1), extents[1].get(rhs - 2)
    if summed[0] is not summed[1]:
        sides = (op.lhs, lhs - 1, extents[0]), (op.rhs, rhs - 2, extents[1])
        raise differing(rhs - 2, [_size_along(b, *side) for side in sides])
    if summed[0] is not None:
        op.operands[0], op.operands[1] = filled(b, op.lhs, 0, [lhs - 1]), filled(b, op.rhs, 0, [rhs - 2])
    return {axis: extent for axis, extent in found.items() if extent is not None}


def _images(op: graph.GraphOp, extents: Sequence[Extents], b: GraphBuilder) -> Extents:
    """Each image is a result of its own; weights are whole."""
    if any(extents[1:]) or any(axis != 0 for axis in extents[0]):
        raise refusal_of(op, extents, b)
    return extents[0]


def _windows(op: WindowedOp, extents: Sequence[Extents], b: GraphBuilder) -> Extents:
    """Images, and pixels of each: windows have padding after the last one. Weights and what they sum over are whole."""
    if any(extents[1:]) or (isinstance(op, graph.ConvOp) and 1 in extents[0]):
        raise refusal_of(op, extents, b)
    ends = spatial_ends(op, extents[0], b)
    if ends:
        op.operands[0] = filled(b, op.operands[0], padding_of(op), list(ends))
    return {**{axis: extent for axis, extent in extents[0].items() if axis < 2}, **ends}


def _transposed_windows(op: graph.ConvTransposeOp, extents: Sequence[Extents], b: GraphBuilder) -> Extents:
    """Images, and pixels of each, after which come zeros, that add nothing. Channels and weights are whole."""
    if any(extents[1:]) or 1 in extents[0]:
        raise refusal_of(op, extents, b)
    ends = transposed_ends(op, extents[0], b)
    if ends:
        op.operands[0] = filled(b, op.operands[0], 0, list(ends))
    return {**{axis: extent for axis, extent in extents[0].items() if axis == 0}, **ends}


def _channels(op: graph.BatchNormOp, extents: Sequence[Extents], b: GraphBuilder) -> Extents:
    """A map with numbers per channel; channels are whole."""
    if any(extents[1:]) or op.axis.value.data in extents[0]:
        raise refusal_of(op, extents, b)
    return extents[0]


def _norm(op: graph.LayerNormOp | graph.RmsNormOp, extents: Sequence[Extents], b: GraphBuilder) -> Extents:
    """Other dims than those that are normalised."""
    if any(extents[1:]) or any(axis >= op.axis.value.data for axis in extents[0]):
        raise refusal_of(op, extents, b)
    return extents[0]


def nearest_number(value: SSAValue, number: float) -> float:
    """The number, or the nearest to an infinity that the elements can be."""
    element = to_numpy(element_of(value))
    if is_float(type_of(value)) or number not in (inf, -inf):
        return number
    limits = np.iinfo(element)
    return int(limits.max if number > 0 else limits.min)


_RULES: dict[type[Operation], Rule] = {
    graph.TransposeOp: _transpose,
    graph.BroadcastOp: _broadcast,
    graph.ReshapeOp: _reshape,
    graph.ConcatOp: _concat,
    graph.SliceOp: _slice,
    graph.PadOp: _pad,
    graph.ReverseOp: _reverse,
    graph.GatherOp: gather,
    graph.GatherNdOp: gather_nd,
    graph.ScatterNdOp: scatter_nd,
    graph.ReduceOp: _reduce,
    graph.ArgMaxOp: _arg_extreme,
    graph.ArgMinOp: _arg_extreme,
    graph.ArgsortOp: _argsort,
    graph.SoftmaxOp: _softmax,
    graph.MatmulOp: _matmul,
    graph.Conv2dOp: _windows,
    graph.Conv3dOp: _windows,
    graph.ConvTranspose2dOp: _transposed_windows,
    graph.ConvTranspose3dOp: _transposed_windows,
    graph.MaxPool2dOp: _windows,
    graph.MaxPool3dOp: _windows,
    graph.ArgMaxPool2dOp: _windows,
    graph.ArgMaxPool3dOp: _windows,
    graph.AvgPool2dOp: _windows,
    graph.AvgPool3dOp: _windows,
    graph.GroupNormOp: _images,
    graph.BatchNormOp: _channels,
    graph.LayerNormOp: _norm,
    graph.RmsNormOp: _norm,
}
