"""Transposed convolution; it accumulates in the element type."""

from __future__ import annotations

from math import prod

import numpy as np

from mlc.dialects.graph.conv_transpose import ConvTransposeOp
from mlc.dialects.graph.types import ints
from mlc.dialects.graph.windows import has_channels_last
from mlc.reference.any_order import sums
from mlc.reference.execution import Array, evaluates
from mlc.reference.fixed_order import matmul
from mlc.reference.graph.windows import channels_first, in_layout


@evaluates(ConvTransposeOp)
@sums
def conv_transpose(op: ConvTransposeOp, image: Array, weights: Array) -> Array:
    """For each tap a matrix product, channels out by channels in, within each group, added where the tap goes."""
    layout, groups, window = op.layout.data, op.groups.value.data, op.window
    image = channels_first(image, layout)
    # [in, out, taps...] from [taps..., in, out]
    weights = np.moveaxis(weights, (-2, -1), (0, 1)) if has_channels_last(layout) else weights
    batch, channels, *extents = image.shape
    per_group, *kernel = weights.shape[1:]
    reach = [(extent - 1) * stride for extent, stride in zip(extents, window.strides, strict=True)]
    full = [r + span + more for r, span, more in zip(reach, window.spans, ints(op.output_padding), strict=True)]
    result = np.zeros((batch, per_group * groups, *full), image.dtype)
    pixels = np.reshape(image, (batch, groups, channels // groups, prod(extents)))
    matrices = np.reshape(weights, (groups, channels // groups, per_group, *kernel)).swapaxes(1, 2)
    for tap in np.ndindex(*kernel):
        products = np.reshape(matmul(matrices[..., *tap], pixels), (batch, per_group * groups, *extents))
        places = (
            slice(t * dilation, t * dilation + r + 1, stride)
            for t, dilation, r, stride in zip(tap, window.dilations, reach, window.strides, strict=True)
        )
        result[:, :, *places] += products
    low, high = window.padding[: len(full)], window.padding[len(full) :]
    inside = (slice(first, extent - last) for first, extent, last in zip(low, full, high, strict=True))
    return in_layout(result[:, :, *inside], layout)
