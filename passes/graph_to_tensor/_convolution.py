"""Convolutions become `tensor.contract`: they differ from matrix products in their index maps only."""

from __future__ import annotations

from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineExpr

from mlc.dialects import graph
from mlc.dialects.graph.types import element_of, shape_of
from mlc.dialects.graph.windows import channel_dim, has_channels_last, image_padding
from mlc.pass_manager.lowering import lowers
from mlc.passes.graph_to_tensor._builder import Builder, d
from mlc.passes.graph_to_tensor._patterns import ToTensor
from mlc.passes.graph_to_tensor._windows import image_dims, in_layout, places, tap_dims


@lowers("convert-graph-to-tensor", graph.ConvOp)
class ConvToContract(ToTensor):
    """A convolution reads its padded image at `position * stride + tap * dilation`.

    NHWC: `y[b, y, x, n] = sum over ky, kx, k of image[b, y * s + ky * d, x * s + kx * d, k] * w[ky, kx, k, n]`; with
    groups, output channel `n` reads the input channels of its group.
    """

    def build(self, op: Operation, b: Builder) -> SSAValue:
        assert isinstance(op, graph.ConvOp)
        layout, window, rank = op.layout.data, op.window, len(op.layout.data)
        weights, result = shape_of(op.weights), shape_of(op.result)
        image = b.pad(op.input, *image_padding(layout, window.padding), 0)
        batch, n = d(0), d(channel_dim(layout))
        taps, k = [d(rank + i) for i in range(op.SPATIAL)], d(rank + op.SPATIAL)
        per_group = weights[-2] if has_channels_last(layout) else weights[1]
        channel = _input_channel(n, k, result[channel_dim(layout)] // op.groups.value.data, per_group, op)
        return b.contract(
            (image, in_layout(layout, batch, channel, places(layout, window))),
            (op.weights, [*taps, k, n] if has_channels_last(layout) else [n, k, *taps]),
            over=image_dims(layout, result),
            reduce=[*tap_dims(layout, window), ("k", per_group)],
            element=element_of(op.result),
        )


def _input_channel(n: AffineExpr, k: AffineExpr, out_per_group: int, per_group: int, op: graph.ConvOp) -> AffineExpr:
    """The input channel that output channel `n` reads as its `k`-th."""
    if op.groups.value.data == 1:
        return k
    group = n if out_per_group == 1 else n // out_per_group
    return group * per_group + k if per_group > 1 else group + k
