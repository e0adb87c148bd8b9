"""Pooling and resampling of images."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import f32, f64, i64
from xdsl.ir import SSAValue

from mlc.dialects import graph
from mlc.dialects.graph.types import element_of, shape_of
from mlc.frontends.operators.graph_builder import is_float
from mlc.frontends.operators.images import lowest, slide, surround
from mlc.frontends.operators.open_shapes import require_fixed
from mlc.frontends.operators.statistics import mean
from mlc.frontends.operators.weighted_rows import weighted
from mlc.frontends.torch.to_graph._calls import Call, Results, dtypes_integer
from mlc.frontends.torch.to_graph._patterns import converts
from mlc.support.dtypes import least_of, most_of, to_numpy

Dtype = np.dtype[Any]


def batched(b: Call, x: SSAValue, spatial: int) -> SSAValue:
    """An image with a batch, which is 1 where there was none."""
    return b.unsqueeze(x, [0]) if len(shape_of(x)) == spatial + 1 else x


def per_dim(values: Sequence[int] | None, spatial: int, default: Sequence[int] = ()) -> list[int]:
    """A number for each spatial dim, of which one may stand for all, and none for the default."""
    found = list(values or default)
    return found * spatial if len(found) == 1 else found


def _reach(
    b: Call, image: Sequence[int], kernel: list[int], stride: list[int], low: list[int], step: list[int]
) -> list[int]:
    """How far windows reach behind the image, given how many there are: less than the padding, or more ("ceil")."""
    counts = b.shape()[-len(kernel) :]
    return [
        max((n - 1) * s + (k - 1) * d + 1 - extent - p, 0)
        for n, s, k, d, extent, p in zip(counts, stride, kernel, step, image, low, strict=True)
    ]


@converts("max_pool2d_with_indices", "max_pool3d_with_indices", "max_pool2d", "max_pool1d", "max_pool3d",
          bounded=True)  # fmt: skip
def max_pool(
    b: Call, self: SSAValue, kernel_size: Sequence[int], stride: Sequence[int], padding: Sequence[int],
    dilation: Sequence[int],
) -> Results:  # fmt: skip
    """The largest element under each window of images `[N, C, ...]` or `[C, ...]`, and perhaps its index (i64) in the
    flattened image. Padding is never the largest."""
    name = b.before.name
    spatial = 1 if "1d" in name else 3 if "3d" in name else 2
    kernel = per_dim(kernel_size, spatial)
    strides, low, step = per_dim(stride, spatial, kernel), per_dim(padding, spatial), per_dim(dilation, spatial)
    x = batched(b, self, spatial)
    high = _reach(b, shape_of(x)[2:], kernel, strides, low, step)
    options = {"kernel": tuple(kernel), "strides": tuple(strides), "dilations": tuple(step)}
    if any(h >= (k - 1) * d + 1 for h, k, d in zip(high, kernel, step, strict=True)):
        x, high = surround(b, x, [0] * spatial, high, lowest(x)), [0] * spatial
    options["padding"] = (*low, *high)
    found = b.reshape(slide(b, graph.MaxPoolOp, (x,), **options), b.shape())
    if len(b.op.results) == 1 or not b.wants(1):
        return [found]
    return [found, b.reshape(slide(b, graph.ArgMaxPoolOp, (x,), **options), b.shape(1))]


@converts("avg_pool2d", "avg_pool3d", "avg_pool1d", bounded=True)
def avg_pool(
    b: Call, self: SSAValue, kernel_size: Sequence[int], stride: Sequence[int], padding: Sequence[int], ceil_mode: bool,
    count_include_pad: bool, divisor_override: int | None = None,
) -> Results:  # fmt: skip
    """Padding counts as zeros if it is to be counted; what "ceil" adds after it never does."""
    if not is_float(self):
        self = b.cast(self, f64)  # quotients of integers are rounded towards zero, as they are
    name = b.before.name
    spatial = 1 if "1d" in name else 3 if "3d" in name else 2
    kernel = per_dim(kernel_size, spatial)
    strides, low = per_dim(stride, spatial, kernel), per_dim(padding, spatial)
    x = batched(b, self, spatial)
    image = list(shape_of(x)[2:])
    if divisor_override is not None:
        high = _reach(b, image, kernel, strides, low, [1] * spatial)
        x = surround(b, x, low, high, 0)
        found = slide(b, graph.AvgPoolOp, (x,), kernel=tuple(kernel), strides=tuple(strides))
        return b.reshape(b.scaled(found, prod(kernel) / divisor_override), b.shape())
    if count_include_pad and any(low):
        x = surround(b, x, low, low, 0)
        image, low = [e + 2 * p for e, p in zip(image, low, strict=True)], [0] * spatial
    high = _reach(b, image, kernel, strides, low, [1] * spatial)
    found = slide(b, graph.AvgPoolOp, (x,), kernel=tuple(kernel), strides=tuple(strides), padding=(*low, *high))
    return b.reshape(found, b.shape())


@converts("_adaptive_avg_pool2d", "_adaptive_avg_pool3d", "adaptive_avg_pool2d", "adaptive_avg_pool1d",
          "adaptive_avg_pool3d", bounded=True)  # fmt: skip
def adaptive_avg_pool(b: Call, self: SSAValue, output_size: Sequence[int]) -> Results:
    """The mean of each of some parts, which share elements where the extents do not divide."""
    spatial = len(output_size)
    rank = len(shape_of(self))
    image = shape_of(self)[rank - spatial :]
    if all(n == 1 for n in b.shape()[rank - spatial :]):
        return mean(b, self, list(range(rank - spatial, rank)), True)
    require_fixed(b, self, "what is divided into parts")
    if all(extent % parts == 0 for extent, parts in zip(image, b.shape()[rank - spatial :], strict=True)):
        kernel = tuple(e // n for e, n in zip(image, b.shape()[rank - spatial :], strict=True))
        x = batched(b, self, spatial)
        return b.reshape(slide(b, graph.AvgPoolOp, (x,), kernel=kernel, strides=kernel), b.shape())
    x = self
    for i in range(spatial):
        axis, parts = rank - spatial + i, b.shape()[rank - spatial + i]
        x = weighted(b, x, axis, part_weights(image[i], parts, to_numpy(element_of(x))))
    return x


def part_weights(extent: int, parts: int, dtype: Dtype) -> NDArray[Any]:
    """A row for each part, with the weight of each element in its mean."""
    matrix = np.zeros((parts, extent), dtype)
    for n in range(parts):
        first, last = n * extent // parts, -(-(n + 1) * extent // parts)
        matrix[n, first:last] = 1 / (last - first)
    return matrix


@converts("upsample_nearest1d", "upsample_nearest2d", "upsample_nearest3d", "upsample_nearest1d.vec",
          "upsample_nearest2d.vec", "upsample_nearest3d.vec", "_upsample_nearest_exact2d",
          "_upsample_nearest_exact2d.vec", "_upsample_nearest_exact1d", "_upsample_nearest_exact3d")  # fmt: skip
def upsample_nearest(
    b: Call, input: SSAValue | None = None, self: SSAValue | None = None,
    scale_factors: Sequence[float] | None = None, scales: float | None = None, scales_d: float | None = None,
    scales_h: float | None = None, scales_w: float | None = None,
) -> Results:  # fmt: skip
    """Each element from the nearest one below, or, exactly, from the one that lies nearest to its centre."""
    x = input or self
    assert x is not None
    spatial = len(shape_of(x)) - 2
    given = given_scales(spatial, scale_factors, scales, scales_d, scales_h, scales_w)
    for i in range(spatial):
        axis, before, after = 2 + i, shape_of(x)[2 + i], b.shape()[2 + i]
        places = nearest_places(before, after, given[i], "exact" in b.before.name)
        if after % before == 0 and np.array_equal(places, np.arange(after) // (after // before)):
            shape = shape_of(x)
            wide = b.broadcast(b.unsqueeze(x, [axis + 1]), (*shape[: axis + 1], after // before, *shape[axis + 1 :]))
            x = b.reshape(wide, (*shape[:axis], after, *shape[axis + 1 :]))
        else:
            x = b(graph.GatherOp, x, b.constant(places, i64), axis)
    return x


@converts("upsample_bilinear2d", "upsample_bilinear2d.vec", "upsample_linear1d", "upsample_linear1d.vec",
          "upsample_trilinear3d", "upsample_trilinear3d.vec")  # fmt: skip
def upsample_linear(
    b: Call, align_corners: bool, input: SSAValue | None = None, self: SSAValue | None = None,
    scale_factors: Sequence[float] | None = None, scales: float | None = None, scales_d: float | None = None,
    scales_h: float | None = None, scales_w: float | None = None,
) -> Results:  # fmt: skip
    """Each axis is a product with a matrix of two weights a row; integers are rounded."""
    pixels = input or self
    assert pixels is not None
    x = as_floats(b, pixels)
    spatial = len(shape_of(x)) - 2
    given = given_scales(spatial, scale_factors, scales, scales_d, scales_h, scales_w)
    for i in range(spatial):
        axis, before, after = 2 + i, shape_of(x)[2 + i], b.shape()[2 + i]
        if before == after and not given[i]:
            continue
        x = weighted(b, x, axis, linear_weights(before, after, given[i], align_corners, to_numpy(element_of(x))))
    return as_pixels(b, x, pixels)


def as_floats(b: Call, pixels: SSAValue) -> SSAValue:
    """Pixels that are integers as f32, in which they are weighted."""
    return b.cast(pixels, f32) if isinstance(element_of(pixels), dtypes_integer()) else pixels


def as_pixels(b: Call, x: SSAValue, like: SSAValue) -> SSAValue:
    """The nearest pixels of a type, if that is one of integers."""
    element = element_of(like)
    if not isinstance(element, dtypes_integer()):
        return x
    bounded = b.minimum(b.maximum(x, b.number(least_of(element), x)), b.number(most_of(element), x))
    return b.cast(b(graph.RoundOp, bounded), element)


def given_scales(
    spatial: int, factors: Sequence[float] | None, of_line: float | None, *of_axes: float | None
) -> list[float | None]:
    """The scale of each spatial axis, as far as one is given: all in a list, or the only one, or those of the last
    axes."""
    if factors:
        return list(factors)
    return [of_line] if spatial == 1 else list(of_axes)[3 - spatial :]


def nearest_places(before: int, after: int, scale: float | None, exact: bool) -> NDArray[np.int64]:
    """Where each element of a resampled axis is copied from, computed in f32 as torch does."""
    step = np.float32(1 / scale if scale else before / after)
    at = np.arange(after, dtype=np.float32) + np.float32(0.5 if exact else 0)
    return np.minimum(np.floor(at * step).astype(np.int64), before - 1)


def linear_weights(before: int, after: int, scale: float | None, align_corners: bool, dtype: Dtype) -> NDArray[Any]:
    """A row for each element of a resampled axis, with the weights of the two that it lies between."""
    kind = np.float64 if dtype == np.float64 else np.float32
    at = np.arange(after, dtype=kind)
    if align_corners:
        at = at * kind((before - 1) / (after - 1) if after > 1 else 0)
    else:
        at = np.maximum((at + kind(0.5)) * kind(1 / scale if scale else before / after) - kind(0.5), 0)
    low = np.minimum(at.astype(np.int64), before - 1)
    high = np.minimum(low + 1, before - 1)
    rest = np.clip(at - low, 0, 1)
    matrix = np.zeros((after, before), kind)
    np.add.at(matrix, (np.arange(after), low), 1 - rest)
    np.add.at(matrix, (np.arange(after), high), rest)
    return matrix.astype(dtype)
