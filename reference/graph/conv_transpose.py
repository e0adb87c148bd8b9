"""Transposed convolution; it accumulates in the element type."""

from __future__ import annotations

from itertools import product

import numpy as np

from mlc.dialects.graph.conv_transpose import ConvTranspose2dOp
from mlc.dialects.graph.types import ints
from mlc.reference.execution import Array, evaluates
from mlc.reference.fixed_order import matmul
from mlc.reference.graph.windows import channels_first, in_layout


@evaluates(ConvTranspose2dOp)
def conv_transpose2d(op: ConvTranspose2dOp, image: Array, weights: Array) -> Array:
    """For each tap a matrix product, channels out by channels in, within each group, added where the tap goes."""
    layout, groups = op.layout.data, op.groups.value.data
    image = channels_first(image, layout)
    weights = np.transpose(weights, (2, 3, 0, 1)) if layout == "NHWC" else weights
    batch, channels, height, width = image.shape
    per_group, rows, columns = weights.shape[1:]
    (sy, sx), (dy, dx) = ints(op.strides), ints(op.dilations)
    top, left, bottom, right = ints(op.padding)
    more_y, more_x = ints(op.output_padding)
    full = (height - 1) * sy + (rows - 1) * dy + 1 + more_y, (width - 1) * sx + (columns - 1) * dx + 1 + more_x
    result = np.zeros((batch, per_group * groups, *full), image.dtype)
    pixels = np.reshape(image, (batch, groups, channels // groups, -1))
    matrices = np.reshape(weights, (groups, channels // groups, per_group, rows, columns)).swapaxes(1, 2)
    for i, j in product(range(rows), range(columns)):
        products = np.reshape(matmul(matrices[..., i, j], pixels), (batch, -1, height, width))
        y, x = i * dy, j * dx
        result[:, :, y : y + (height - 1) * sy + 1 : sy, x : x + (width - 1) * sx + 1 : sx] += products
    return in_layout(result[:, :, top : full[0] - bottom, left : full[1] - right], layout)
