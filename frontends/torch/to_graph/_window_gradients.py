"""Gradients of pooling and of resampling."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import SSAValue

from mlc.dialects import graph
from mlc.dialects.graph.types import element_of, shape_of
from mlc.frontends.operators.weighted_rows import weighted
from mlc.frontends.torch.to_graph._calls import Call, Results
from mlc.frontends.torch.to_graph._patterns import converts
from mlc.frontends.torch.to_graph._products import transposed_convolution
from mlc.frontends.torch.to_graph._windows import (
    batched,
    given_scales,
    linear_weights,
    nearest_places,
    part_weights,
    per_dim,
)
from mlc.support.dtypes import to_numpy


@converts("max_pool2d_with_indices_backward", "max_pool3d_with_indices_backward", "adaptive_max_pool2d_backward",
          "adaptive_max_pool3d_backward")  # fmt: skip
def max_pool_backward(b: Call, grad_output: SSAValue, self: SSAValue, indices: SSAValue) -> Results:
    """Gradients are added up at the pixels that were the greatest of their windows."""
    spatial = 3 if "3d" in b.before.name else 2
    shape = b.shape()
    rows, pixels = prod(shape[:-spatial]), prod(shape[-spatial:])
    count = prod(shape_of(indices)[-spatial:])
    if not rows * count:
        return b.splat(0, shape, b.element())
    x = b.widened(grad_output)
    zeros = b.splat(0, (rows, pixels), element_of(x))
    places = b.reshape(indices, (rows, count, 1))
    found = b(graph.ScatterNdOp, "add", zeros, places, b.reshape(x, (rows, count)), [1], [0])
    return b.reshape(found, shape)


@converts("avg_pool2d_backward", "avg_pool3d_backward")
def avg_pool_backward(
    b: Call, grad_output: SSAValue, self: SSAValue, kernel_size: Sequence[int], stride: Sequence[int],
    padding: Sequence[int], count_include_pad: bool, divisor_override: int | None,
) -> Results:  # fmt: skip
    """Each gradient goes in equal parts to the pixels of its window."""
    spatial = 3 if "3d" in b.before.name else 2
    kernel = per_dim(kernel_size, spatial)
    strides, low = per_dim(stride, spatial, kernel), per_dim(padding, spatial)
    image = b.shape()[-spatial:]
    if not prod(b.shape()):
        return b.splat(0, b.shape(), b.element())
    x = batched(b, b.widened(grad_output), spatial)
    counts = shape_of(x)[2:]
    if divisor_override is not None:
        x = b.scaled(x, 1 / divisor_override)
    else:
        sizes = np.ones((), np.float64)
        for n, k, s, p, extent in zip(counts, kernel, strides, low, image, strict=True):
            sizes = sizes[..., None] * _covered(n, k, s, p, extent, count_include_pad)
        if (sizes == sizes.flat[0]).all():
            x = b.scaled(x, 1 / float(sizes.flat[0]))
        else:
            x = b.div(x, b.constant(sizes.astype(to_numpy(element_of(x)))))
    return b.reshape(_spread(b, x, kernel, strides, low, image), b.shape())


def _covered(
    count: int, kernel: int, stride: int, padding: int, extent: int, with_padding: bool
) -> NDArray[np.float64]:
    """How many pixels each window has along one dim."""
    first = np.arange(count) * stride - padding
    last = np.minimum(first + kernel, extent + padding)
    if not with_padding:
        first, last = np.maximum(first, 0), np.minimum(last, extent)
    return (last - first).astype(np.float64)


def _spread(
    b: Call, x: SSAValue, kernel: Sequence[int], strides: Sequence[int], low: Sequence[int], image: Sequence[int]
) -> SSAValue:
    """Each pixel given to all pixels of its window."""
    spatial = len(kernel)
    batch, channels, *counts = shape_of(x)
    if (
        list(kernel) == list(strides)
        and not any(low)
        and [n * k for n, k in zip(counts, kernel, strict=True)] == [*image]
    ):
        apart = [n for count in counts for n in (count, 1)]
        wide_ = [n for pair in zip(counts, kernel, strict=True) for n in pair]
        return b.reshape(
            b.broadcast(b.reshape(x, (batch, channels, *apart)), (batch, channels, *wide_)), (batch, channels, *image)
        )
    ones = b.splat(1, (1, 1, *kernel), element_of(x))
    reached = [(n - 1) * s + k - 2 * p for n, s, k, p in zip(counts, strides, kernel, low, strict=True)]
    rest = [extent - n for extent, n in zip(image, reached, strict=True)]
    rows = b.reshape(x, (batch * channels, 1, *counts))
    found = transposed_convolution(b, rows, ones, strides, low, [1] * spatial, rest, 1)
    return b.reshape(found, (batch, channels, *image))


@converts("_adaptive_avg_pool2d_backward", "_adaptive_avg_pool3d_backward")
def adaptive_avg_pool_backward(b: Call, grad_output: SSAValue, self: SSAValue) -> Results:
    """Each gradient goes in equal parts to the pixels of its part."""
    spatial = 3 if "3d" in b.before.name else 2
    x = b.widened(grad_output)
    if not prod(shape_of(x)) or not prod(b.shape()):
        return b.splat(0, b.shape(), b.element())
    counts, image = shape_of(x)[-spatial:], b.shape()[-spatial:]
    if all(extent % n == 0 for extent, n in zip(image, counts, strict=True)):
        kernel = [extent // n for extent, n in zip(image, counts, strict=True)]
        x = b.scaled(batched(b, x, spatial), 1 / prod(kernel))
        return b.reshape(_spread(b, x, kernel, kernel, [0] * spatial, image), b.shape())
    rank = len(shape_of(x))
    for i in range(spatial):
        matrix = part_weights(image[i], counts[i], to_numpy(element_of(x)))
        x = weighted(b, x, rank - spatial + i, matrix.T)
    return x


@converts("upsample_nearest1d_backward", "upsample_nearest2d_backward", "upsample_nearest3d_backward",
          "_upsample_nearest_exact1d_backward", "_upsample_nearest_exact2d_backward",
          "_upsample_nearest_exact3d_backward")  # fmt: skip
def upsample_nearest_backward(
    b: Call, grad_output: SSAValue, scales: float | None = None, scales_d: float | None = None,
    scales_h: float | None = None, scales_w: float | None = None,
) -> Results:  # fmt: skip
    """Gradients are summed over all pixels that were copied from one."""
    x = b.widened(grad_output)
    spatial = len(b.shape()) - 2
    given = given_scales(spatial, None, scales, scales_d, scales_h, scales_w)
    if not prod(shape_of(x)):
        return b.splat(0, b.shape(), b.element())
    for i in range(spatial):
        axis, before, after = 2 + i, b.shape()[2 + i], shape_of(x)[2 + i]
        places = nearest_places(before, after, given[i], "exact" in b.before.name)
        if after % before == 0 and np.array_equal(places, np.arange(after) // (after // before)):
            shape = shape_of(x)
            apart = b.reshape(x, (*shape[:axis], before, after // before, *shape[axis + 1 :]))
            x = b.reduce("sum", apart, [axis + 1])
        else:
            matrix = np.zeros((before, after), to_numpy(element_of(x)))
            matrix[places, np.arange(after)] = 1
            x = weighted(b, x, axis, matrix)
    return x


@converts("upsample_linear1d_backward", "upsample_bilinear2d_backward", "upsample_trilinear3d_backward")
def upsample_linear_backward(
    b: Call, grad_output: SSAValue, align_corners: bool, scales: float | None = None, scales_d: float | None = None,
    scales_h: float | None = None, scales_w: float | None = None,
) -> Results:  # fmt: skip
    """The transposes of the matrices that resampled each axis."""
    x = b.widened(grad_output)
    spatial = len(b.shape()) - 2
    given = given_scales(spatial, None, scales, scales_d, scales_h, scales_w)
    if not prod(shape_of(x)):
        return b.splat(0, b.shape(), b.element())
    for i in range(spatial):
        axis, before, after = 2 + i, b.shape()[2 + i], shape_of(x)[2 + i]
        matrix = linear_weights(before, after, given[i], align_corners, to_numpy(element_of(x)))
        x = weighted(b, x, axis, matrix.T)
    return x
