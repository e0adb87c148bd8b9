"""Operators that put something around a tensor."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.ir import SSAValue

from mlc.dialects import graph
from mlc.dialects.graph.types import shape_of
from mlc.frontends.onnx.to_graph._moves import cut
from mlc.frontends.onnx.to_graph._node import Node, axis_of
from mlc.frontends.onnx.to_graph._patterns import Results, converts
from mlc.frontends.operators.open_padding import MODES, padded
from mlc.frontends.operators.open_shapes import require_fixed
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


@converts("CenterCropPad", bounded=True)
def center_crop_pad(b: Node) -> Results:
    """Cut, or padded with zeros, on both sides."""
    x, rank = b[0], b.rank()
    axes = [axis_of(a, rank) for a in b.ints("axes") or range(rank)]
    for axis, wanted in zip(axes, b.known_ints(1), strict=True):
        require_fixed(b, x, "what is cut or padded", [axis])
        extent = shape_of(x)[axis]
        if extent > wanted:
            start = (extent - wanted) // 2
            x = cut(b, x, axis, start, start + wanted, 1)
        elif extent < wanted:
            low, high = [0] * rank, [0] * rank
            low[axis] = (wanted - extent) // 2
            high[axis] = wanted - extent - low[axis]
            x = b(graph.PadOp, x, low, high, 0)
    return x
