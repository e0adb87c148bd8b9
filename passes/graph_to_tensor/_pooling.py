"""Pooling becomes a reduction over window reads."""

from __future__ import annotations

import math
from itertools import product

from xdsl.dialects import arith
from xdsl.dialects.builtin import i64
from xdsl.ir import Attribute, Operation, SSAValue

from mlc.dialects import graph
from mlc.dialects.arith import CmpfOp, CmpiOp, SelectOp
from mlc.dialects.graph.types import shape_of
from mlc.dialects.graph.windows import Window, channel_dim, image_padding, spatial_dims
from mlc.pass_manager.lowering import lowers
from mlc.passes.graph_to_tensor._builder import Access, Builder, d, every
from mlc.passes.graph_to_tensor._patterns import ToTensor
from mlc.passes.graph_to_tensor._points import Body, Points, is_integer
from mlc.passes.graph_to_tensor._windows import image_dims, in_layout, places, tap_dims
from mlc.support.dtypes import least_of
from mlc.support.types import element_type


def _windows(op: graph.PoolOp, b: Builder, kind: str, fill: float) -> SSAValue:
    """Combine all elements under each window position of the image padded with `fill`."""
    layout, window = op.layout.data, op.window
    return b.reduce(kind, [_read(op, b, fill)], image_dims(layout, shape_of(op.result)), tap_dims(layout, window))


def _read(op: graph.PoolOp, b: Builder, fill: float) -> Access:
    """The element under each tap of each window position."""
    layout, window = op.layout.data, op.window
    image = b.pad(op.input, *image_padding(layout, window.padding), fill)
    return image, in_layout(layout, d(0), d(channel_dim(layout)), places(layout, window))


@lowers("convert-graph-to-tensor", graph.MaxPoolOp)
class MaxPoolToReduce(ToTensor):
    """Padding is the least value of the type, so that it never wins."""

    def build(self, op: Operation, b: Builder) -> SSAValue:
        assert isinstance(op, graph.MaxPoolOp)
        return _windows(op, b, "max", least_of(element_type(op.input.type)))


@lowers("convert-graph-to-tensor", graph.ArgMaxPoolOp)
class ArgMaxPoolToReductions(ToTensor):
    """The largest element `e` under each window, then the least position of what is `e` or NaN.

    A position is a sum of one number per axis, such as `row * width` and `column`: constants that are padded as the
    image is, with numbers that are larger than all positions.
    """

    def build(self, op: Operation, b: Builder) -> SSAValue:
        assert isinstance(op, graph.ArgMaxPoolOp)
        layout, window, result = op.layout.data, op.window, shape_of(op.result)
        rank, over = len(result), image_dims(layout, result)
        image = _read(op, b, least_of(element_type(op.input.type)))
        largest = b.reduce("max", [image], over, tap_dims(layout, window))
        along = _positions(op, b)
        operands = [*along, image, (largest, every(rank))]
        first = b.reduce("min", operands, over, tap_dims(layout, window), _where_largest)
        return b.map([(first, every(rank))], over, i64, _or_minus_one)


_NOWHERE = 1 << 60
"""More than any position; the sum of three of them is an i64."""


def _positions(op: graph.ArgMaxPoolOp, b: Builder) -> list[Access]:
    """What each axis adds to a position, read as the image is."""
    window, reads = op.window, places(op.layout.data, op.window)
    extents = [shape_of(op.input)[i] for i in spatial_dims(op.layout.data)]
    found: list[Access] = []
    for axis, extent in enumerate(extents):
        low, high = window.padding[axis], window.padding[axis + len(extents)]
        inside = (place * math.prod(extents[axis + 1 :]) for place in range(extent))
        numbers = [*[_NOWHERE] * low, *inside, *[_NOWHERE] * high]
        found.append((b.constant(numbers, (len(numbers),), i64), [reads[axis]]))
    return found


def _where_largest(p: Points, *values: SSAValue) -> SSAValue:
    *along, x, largest = values
    place = along[0]
    for more in along[1:]:
        place = p.add(place, more)
    if is_integer(x):
        found = p(CmpiOp, x, largest, "eq")
    else:
        found = p(arith.OrIOp, p(CmpfOp, x, largest, "oeq"), p(CmpfOp, x, x, "uno"))
    return p(SelectOp, found, place, p.number(_NOWHERE, i64))


def _or_minus_one(p: Points, place: SSAValue) -> SSAValue:
    return p(SelectOp, p(CmpiOp, place, p.number(_NOWHERE, i64), "sge"), p.number(-1, i64), place)


@lowers("convert-graph-to-tensor", graph.AvgPoolOp)
class AvgPoolToReduce(ToTensor):
    """A sum, divided by how many elements it has: one number, or one per position where padding does not count."""

    def build(self, op: Operation, b: Builder) -> SSAValue:
        assert isinstance(op, graph.AvgPoolOp)
        total, window = _windows(op, b, "add", 0), op.window
        element, shape = element_type(op.result.type), shape_of(op.result)
        everywhere, over = every(len(shape)), image_dims(op.layout.data, shape)
        if op.count_include_pad.value.data or not any(window.padding):
            return b.map([(total, everywhere)], over, element, _divide_by(math.prod(window.kernel), element))
        spatial = spatial_dims(op.layout.data)
        inside = [_inside(shape_of(op.input)[at], shape[at], window, axis) for axis, at in enumerate(spatial)]
        numbers = [math.prod(counts) for counts in product(*inside)]
        counts = b.constant(numbers, [shape[at] for at in spatial], element)
        return b.map([(total, everywhere), (counts, [d(at) for at in spatial])], over, element, Points.div)


def _divide_by(count: int, element: Attribute) -> Body:
    def body(p: Points, x: SSAValue) -> SSAValue:
        return p.div(x, p.number(count, element))

    return body


def _inside(extent: int, positions: int, window: Window, axis: int) -> list[int]:
    """For each window position along one axis, how many of its taps lie inside the image."""
    starts = (i * window.strides[axis] - window.padding[axis] for i in range(positions))
    steps = range(0, window.spans[axis], window.dilations[axis])
    return [sum(0 <= start + step < extent for step in steps) for start in starts]
