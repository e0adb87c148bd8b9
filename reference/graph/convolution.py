"""Convolutions; they accumulate in the element type of the result."""

from __future__ import annotations

from math import prod

import numpy as np

from mlc.dialects.graph.convolution import ConvOp
from mlc.dialects.graph.types import element_of
from mlc.dialects.graph.windows import has_channels_last
from mlc.reference.any_order import sums
from mlc.reference.execution import Array, evaluates
from mlc.reference.fixed_order import matmul
from mlc.reference.graph.windows import channels_first, in_layout, taps
from mlc.support.dtypes import to_numpy


@evaluates(ConvOp)
@sums
def conv(op: ConvOp, image: Array, weights: Array) -> Array:
    """For each tap of the kernel a matrix product, channels out by channels in, within each group."""
    layout, groups = op.layout.data, op.groups.value.data
    wide = np.promote_types(image.dtype, to_numpy(element_of(op.result)))  # halves come as f32
    image, weights = channels_first(image.astype(wide, copy=False), layout), weights.astype(wide, copy=False)
    # [out, in, taps...] from [taps..., in, out]
    weights = np.moveaxis(weights, (-1, -2), (0, 1)) if has_channels_last(layout) else weights
    out, per_group = weights.shape[:2]
    matrices = np.reshape(weights, (groups, out // groups, per_group, prod(op.window.kernel)))
    total, positions = np.zeros((), image.dtype), ()
    for number, tap in enumerate(taps(image, op.window, 0)):
        batch, _, *positions = tap.shape
        pixels = np.reshape(tap, (batch, groups, per_group, prod(positions)))
        total = total + matmul(matrices[..., number], pixels)
    return in_layout(np.reshape(total, (len(image), out, *positions)), layout)
