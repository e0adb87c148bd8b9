"""Matrix products and convolutions; they accumulate in the element type."""

from __future__ import annotations

import numpy as np

from mlc.dialects.graph.contraction import Conv2dOp, MatmulOp
from mlc.dialects.graph.types import ints
from mlc.dialects.graph.windows import Window
from mlc.reference.execution import Array, evaluates
from mlc.reference.fixed_order import matmul as product_of_matrices
from mlc.reference.graph.windows import channels_first, in_layout, taps


@evaluates(MatmulOp)
def matmul(op: MatmulOp, lhs: Array, rhs: Array) -> Array:
    """`[..., m, k] x [..., k, n]`."""
    return product_of_matrices(lhs, rhs)


@evaluates(Conv2dOp)
def conv2d(op: Conv2dOp, image: Array, weights: Array) -> Array:
    """For each tap of the kernel a matrix product, channels out by channels in, within each group."""
    layout, groups = op.layout.data, op.groups.value.data
    image = channels_first(image, layout)
    weights = np.transpose(weights, (3, 2, 0, 1)) if layout == "NHWC" else weights
    out, per_group, *kernel = weights.shape
    window = Window(tuple(kernel), ints(op.strides), ints(op.padding), ints(op.dilations))
    matrices = np.reshape(weights, (groups, out // groups, per_group, -1))
    total, positions = np.zeros((), image.dtype), ()
    for number, tap in enumerate(taps(image, window, 0)):
        batch, _, *positions = tap.shape
        pixels = np.reshape(tap, (batch, groups, per_group, -1))
        total = total + product_of_matrices(matrices[..., number], pixels)
    return in_layout(np.reshape(total, (len(image), out, *positions)), layout)
