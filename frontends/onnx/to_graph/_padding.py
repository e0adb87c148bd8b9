"""Operators that put something around a tensor."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue

from mlc.dialects import graph
from mlc.dialects.graph.types import shape_of
from mlc.frontends.onnx.to_graph._moves import cut
from mlc.frontends.onnx.to_graph._node import Node, axis_of
from mlc.frontends.onnx.to_graph._patterns import Results, converts
from mlc.frontends.operators.graph_builder import GraphBuilder
from mlc.frontends.operators.open_padding import MODES, padded
from mlc.frontends.operators.open_shapes import all_along, counted
from mlc.frontends.operators.refusal import Unconvertible
from mlc.frontends.operators.sizes import AnySize


@converts("Pad", bounded=True)
def pad(b: Node) -> Results:
    """With a number, or with the elements of the edge, mirrored, or from the other side; negative amounts cut."""
    x, rank = b[0], b.rank()
    mode = b.string("mode", "constant")
    pads: Sequence[AnySize]
    if b.since < 11:
        pads, number = b.ints("pads") or [], b.float("value")
        axes = list(range(rank))
    else:
        pads = b.sizes(1)
        number = b.known(2).reshape(-1)[0].item() if b.has(2) else 0
        axes = [axis_of(a, rank) for a in b.known_ints(3)] if b.has(3) else list(range(rank))
    if len(pads) != 2 * len(axes):
        raise Unconvertible(f"{len(pads)} pads for {len(axes)} dims; two are needed for each")
    if mode not in MODES:
        raise Unconvertible(f"mode '{mode}' is not one of constant, reflect, edge and wrap")
    open_axes = b.knowledge.extents.get(x, {})
    low, high = [0] * rank, [0] * rank
    for axis, before, after in zip(axes, pads, pads[len(axes) :], strict=False):
        if not isinstance(before, int):
            raise Unconvertible("how much it pads in front has to be known when the model is compiled")
        if axis in open_axes or not isinstance(after, int):
            x = padded(b, x, axis, before, after, mode, number)
        else:
            low[axis], high[axis] = before, after
    return _around(b, x, low, high, mode, number)


def _around(b: Node, x: SSAValue, low: list[int], high: list[int], mode: str, number: float) -> SSAValue:
    """Known amounts along axes of known extents."""
    for axis in range(len(low)):
        extent = shape_of(x)[axis]
        if min(low[axis], high[axis]) < 0:
            x = cut(b, x, axis, max(-low[axis], 0), extent + min(high[axis], 0), 1)
            low[axis], high[axis] = max(low[axis], 0), max(high[axis], 0)
    if mode == "constant":
        return b(graph.PadOp, x, low, high, number) if any((*low, *high)) else x
    for axis, (before, after) in enumerate(zip(low, high, strict=True)):
        extent = shape_of(x)[axis]
        if before or after:
            if not extent:
                raise Unconvertible("there is nothing to pad with")
            places = np.pad(np.arange(extent), (before, after), mode)  # type: ignore[call-overload]
            x = b(graph.GatherOp, x, b.constant(places.astype(np.int64)), axis)
    return x


def _centred(b: GraphBuilder, x: SSAValue, axis: int, extent: AnySize, wanted: AnySize) -> SSAValue:
    """The middle of an axis, or the axis with zeros on both sides: which one, the extents of a call say."""
    start = b.div(b.sub(b.extent(extent), b.extent(wanted)), b.constant(2))  # towards zero
    place = b.add(counted(b, 0, wanted, 1, i64), start)
    is_inside = b(graph.AndOp, b.compare("ge", place, b.constant(0)), b.compare("lt", place, b.extent(extent)))
    last = b.constant(shape_of(x)[axis] - 1)
    found = b(graph.GatherOp, all_along(b, x, [axis]), b.minimum(b.maximum(place, b.constant(0)), last), axis)
    along = b.unsqueeze(is_inside, [i for i in range(len(shape_of(x))) if i != axis])
    return b.where(along, found, b.number(0, x))


@converts("CenterCropPad", bounded=True)
def center_crop_pad(b: Node) -> Results:
    """Cut, or padded with zeros, on both sides."""
    x, rank = b[0], b.rank()
    axes = [axis_of(a, rank) for a in b.ints("axes") or range(rank)]
    for axis, wanted in zip(axes, b.sizes(1), strict=True):
        extent = b.axis_size(x, axis)
        if extent is None:
            raise Unconvertible(f"it cuts, or pads, dim {axis}, whose extent depends on data")
        if not isinstance(extent, int) or not isinstance(wanted, int):
            x = _centred(b, x, axis, extent, wanted)
        elif extent > wanted:
            start = (extent - wanted) // 2
            x = cut(b, x, axis, start, start + wanted, 1)
        elif extent < wanted:
            low, high = [0] * rank, [0] * rank
            low[axis] = (wanted - extent) // 2
            high[axis] = wanted - extent - low[axis]
            x = b(graph.PadOp, x, low, high, 0)
    return x
