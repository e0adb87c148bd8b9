"""What surrounds a value along an axis: numbers, its edge, its mirror image, or its other side.

Where data ends at an extent of the call, what is after it is made of the data's own end.
"""

from __future__ import annotations

import numpy as np
from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue

from mlc.dialects import graph
from mlc.dialects.graph.types import shape_of
from mlc.frontends.operators.beyond_extents import filled
from mlc.frontends.operators.graph_builder import GraphBuilder
from mlc.frontends.operators.open_shapes import all_along, counted, cut, shape_sizes
from mlc.frontends.operators.refusal import Unconvertible
from mlc.frontends.operators.sizes import AnySize, SymbolicSize, bounds, in_symbols

MODES = ("constant", "reflect", "edge", "wrap")
"""How values are padded, in the words of NumPy and ONNX."""


def padded(
    b: GraphBuilder, x: SSAValue, axis: int, low: int, high: AnySize, mode: str = "constant", number: float = 0
) -> SSAValue:
    """`x` with `low` elements before it and `high` after it along an axis; negative amounts cut.

    Raises:
        Unconvertible: an extent depends on data, or how much there is to pad does in a way that is no size.
    """
    size = b.axis_size(x, axis)
    if size is None:
        raise Unconvertible(f"it pads dim {axis}, whose extent depends on data")
    if bounds(high)[0] < 0 and bounds(high)[1] > 0:
        raise Unconvertible(f"it pads, or cuts, {in_symbols(high)} elements; required: one of both for all extents")
    if low < 0 or bounds(high)[0] < 0:
        end = size + (high if bounds(high)[0] < 0 else 0)
        x = cut(b, x, axis, max(-low, 0), end, 1)
        low, high = max(low, 0), high if bounds(high)[0] >= 0 else 0
        size = b.axis_size(x, axis)
        assert size is not None
    if low == 0 and high == 0:
        return x
    total = size + (high + low)
    room = bounds(total)[1]
    if mode == "constant":
        found = _surrounded(b, filled(b, x, number, [axis]), axis, low, room, number)
    elif bounds(size)[0] < 1:
        raise Unconvertible(f"it pads dim {axis}, which may be empty, with elements of its own")
    else:
        places = b.constant(np.arange(room, dtype=np.int64) - low, i64)
        found = b(graph.GatherOp, all_along(b, x, [axis]), _source(b, places, size, mode), axis)
    return b.sized(found, {axis: total}) if isinstance(total, SymbolicSize) else found


def padded_by_sizes(b: GraphBuilder, x: SSAValue, value: SSAValue, dim: int, low: AnySize, high: AnySize) -> SSAValue:
    """A number before and after the elements along a dim, as often as the extents of a call say.

    Raises:
        Unconvertible: it may take more elements away than there are.
    """
    size = shape_sizes(b, x)[dim]
    if bounds(low + size + high)[0] < 0:
        amounts = f"{in_symbols(low)} and {in_symbols(high)}"
        raise Unconvertible(
            f"it adds {amounts} to {in_symbols(size)} elements along dim {dim}, which may be less than 0"
        )
    place = b.sub(counted(b, 0, low + size + high, 1, i64), b.extent(low))
    here = b(graph.AndOp, b.compare("ge", place, b.constant(0)), b.compare("lt", place, b.extent(size)))
    place = b.maximum(b.minimum(place, b.constant(shape_of(x)[dim] - 1)), b.constant(0))
    moved = b(graph.GatherOp, all_along(b, x, [dim]), place, dim)
    others = [d for d in range(len(shape_of(x))) if d != dim]
    return b.where(b.unsqueeze(here, others), moved, b.reshape(value, ()))


def _surrounded(b: GraphBuilder, x: SSAValue, axis: int, low: int, room: int, number: float) -> SSAValue:
    """An axis brought to an extent of `room`."""
    shape = shape_of(x)
    end = min(shape[axis], room - low)
    x = b.slice(x, axis, 0, end)
    before, after = [0] * len(shape), [0] * len(shape)
    before[axis], after[axis] = low, room - low - end
    return b(graph.PadOp, x, before, after, number)


def _source(b: GraphBuilder, places: SSAValue, size: AnySize, mode: str) -> SSAValue:
    """The places in the data that places before it, in it and after it take their elements from."""
    count, one, zero = b.extent(size), b.constant(1), b.constant(0)
    last = b.sub(count, one)
    if mode == "edge":
        return b.minimum(b.maximum(places, zero), last)
    if mode == "wrap":
        return b(graph.ModOp, places, count)
    # There and back again, in steps of twice the distance of both ends.
    around = b(graph.ModOp, places, b.maximum(b.mul(last, b.constant(2)), one))
    return b.sub(last, b(graph.AbsOp, b.sub(last, around)))


def extended(b: GraphBuilder, x: SSAValue, axis: int) -> SSAValue:
    """A value whose last element of data is repeated along an axis, as far as there is room: all of it is data then.

    Raises:
        Unconvertible: an extent depends on data, or there may be no element.
    """
    size = b.axis_size(x, axis)
    if size is None or bounds(size)[0] < 1:
        raise Unconvertible(f"the extent of dim {axis} depends on data, or may be 0")
    places = b.constant(np.arange(shape_of(x)[axis], dtype=np.int64), i64)
    return b(graph.GatherOp, all_along(b, x, [axis]), _source(b, places, size, "edge"), axis)
