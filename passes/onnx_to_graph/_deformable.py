"""Convolutions whose windows read where data says."""

from __future__ import annotations

from math import prod

import numpy as np
from xdsl.dialects.builtin import f32, f64
from xdsl.ir import SSAValue

from mlc.dialects import onnx
from mlc.dialects.graph.types import element_of, shape_of
from mlc.passes.lowering import lowers
from mlc.passes.onnx_to_graph._node import Node
from mlc.passes.onnx_to_graph._patterns import PASS, FromOnnx, Results
from mlc.passes.onnx_to_graph._sampling import ImageAxis, interpolated
from mlc.passes.onnx_to_graph._windows import SlidingWindow
from mlc.passes.shared.graph_builder import GraphBuilder
from mlc.passes.shared.refusal import Unconvertible


@lowers(PASS, onnx.op("DeformConv"))
class DeformConv(FromOnnx):
    """A column of samples for each window, each at its place in the window and an offset, times the weights.

    Channels of an offset group share their offsets, so groups are images of their own while they are sampled. Samples
    lie between pixels, beyond which there are zeros. The sources are Dai et al., 2017, and, for the factor that a mask
    gives each sample, Zhu et al., 2018.
    """

    ROUNDS_ONCE = True

    def build(self, node: Node, b: GraphBuilder) -> Results:
        element = node.element()
        computed = element if element == f64 else f32
        columns = self._columns(node, b, *(b.cast(node[i], computed) for i in (0, 2)))
        images, channels, *_ = node.shape()
        outputs, per_group, *_ = node.shape(1)
        groups, size = node.int("group", 1), prod(node.shape(1)[2:])
        if per_group * groups != channels or outputs % groups:
            raise Unconvertible(f"weights {list(node.shape(1))} do not fit {channels} channels in {groups} groups")
        places = node.shape(2)[2:]
        matrix = b.reshape(b.cast(node[1], computed), (groups, outputs // groups, per_group * size))
        columns = b.reshape(columns, (images, groups, per_group * size, prod(places)))
        result = b.reshape(b.matmul(matrix, columns), (images, outputs, *places))
        if (bias := node.optional(3)) is not None:
            result = b.plus(result, b.reshape(b.cast(bias, computed), (outputs, *[1] * len(places))))
        return b.cast(result, element)

    def _columns(self, node: Node, b: GraphBuilder, x: SSAValue, offsets: SSAValue) -> SSAValue:
        """The samples, [images, channels, places in the window, places of the window]."""
        images, channels, *extents = node.shape()
        kernel, groups = node.shape(1)[2:], node.int("offset_group", 1)
        window = SlidingWindow.of(node, extents, kernel)
        if node.ints("kernel_shape", kernel) != list(kernel):
            raise Unconvertible(f"kernel_shape is {node.ints('kernel_shape')}, the weights are {list(node.shape(1))}")
        places = [
            (extent + low + high - span) // stride + 1
            for extent, low, high, span, stride in zip(
                extents, window.low, window.high, window.spans, window.strides, strict=True
            )
        ]
        rank, size = len(extents), prod(kernel)
        wanted = (images, groups * size * rank, *places)
        if node.shape(2) != wanted or channels % groups or min(places, default=1) < 1:
            raise Unconvertible(
                f"offsets {list(node.shape(2))} where the windows of {groups} groups of channels have {list(wanted)}"
            )
        each = (images * groups, size, *places)
        apart = b.reshape(offsets, (images * groups, size, rank, *places))
        axes = [
            ImageAxis(b, extent, "zeros", align_corners=True).taps_at(
                b.plus(
                    b.reshape(b.slice(apart, 2, axis, axis + 1), each),
                    b.constant(_at_rest(window, axis, places), element_of(x)),
                ),
                "linear",
            )
            for axis, extent in enumerate(extents)
        ]
        image = b.reshape(x, (images * groups, channels // groups, *extents))
        samples = interpolated(b, b.transpose(image, (0, *range(2, rank + 2), 1)), axes)
        if (mask := node.optional(4)) is not None:
            if node.shape(4) != (images, groups * size, *places):
                raise Unconvertible(f"a mask {list(node.shape(4))} for offsets {list(node.shape(2))}")
            samples = b.mul(samples, b.reshape(b.cast(mask, element_of(samples)), (*each, 1)))
        last = len(shape_of(samples)) - 1
        return b.reshape(b.transpose(samples, (0, last, *range(1, last))), (images, channels, size, prod(places)))


def _at_rest(window: SlidingWindow, axis: int, places: list[int]) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
    """The coordinates along an axis without offsets, [1, places in the window, places of the window…]."""
    inside = np.arange(window.kernel[axis]) * window.dilations[axis]
    shape = [1] * len(window.kernel)
    shape[axis] = -1
    inside = np.broadcast_to(inside.reshape(shape), window.kernel).reshape(1, -1, *[1] * len(places))
    shape = [1] * len(places)
    shape[axis] = -1
    return inside + (np.arange(places[axis]) * window.strides[axis] - window.low[axis]).reshape(1, 1, *shape)
