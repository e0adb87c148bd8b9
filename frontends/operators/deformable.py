"""Convolutions whose windows read where data says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import f32, f64
from xdsl.ir import SSAValue

from mlc.dialects.graph.types import element_of, shape_of
from mlc.frontends.operators.graph_builder import GraphBuilder
from mlc.frontends.operators.refusal import Unconvertible
from mlc.frontends.operators.sampling import ImageAxis, interpolated


@dataclass(frozen=True)
class DeformedWindow:
    """How a window slides, per spatial dim, before its places are moved."""

    strides: Sequence[int]
    dilations: Sequence[int]
    low: Sequence[int]
    high: Sequence[int]
    groups: int
    """Of the convolution."""
    offset_groups: int
    """Channels of one of them share their offsets."""

    def places(self, extents: Sequence[int], kernel: Sequence[int]) -> list[int]:
        """How many places the window has along each axis."""
        sides = zip(extents, self.low, self.high, kernel, self.dilations, self.strides, strict=True)
        return [(e + low + high - (k - 1) * d - 1) // stride + 1 for e, low, high, k, d, stride in sides]

    def at_rest(self, axis: int, places: Sequence[int], kernel: Sequence[int]) -> NDArray[np.int64]:
        """The coordinates along an axis without offsets, [1, places in the window, places of the window…]."""
        inside = np.arange(kernel[axis]) * self.dilations[axis]
        shape = [1] * len(kernel)
        shape[axis] = -1
        inside = np.broadcast_to(inside.reshape(shape), kernel).reshape(1, -1, *[1] * len(places))
        shape = [1] * len(places)
        shape[axis] = -1
        return inside + (np.arange(places[axis]) * self.strides[axis] - self.low[axis]).reshape(1, 1, *shape)


def deformed_convolution(
    b: GraphBuilder,
    x: SSAValue,
    weights: SSAValue,
    offsets: SSAValue,
    mask: SSAValue | None,
    bias: SSAValue | None,
    window: DeformedWindow,
) -> SSAValue:
    """A column of samples for each window, each at its place in the window and an offset, times the weights.

    Channels of an offset group share their offsets, so groups are images of their own while they are sampled. Samples
    lie between pixels, beyond which there are zeros. The sources are Dai et al., 2017, and, for the factor that a mask
    gives each sample, Zhu et al., 2018.

    Raises:
        Unconvertible: shapes do not fit.
    """
    element = element_of(x)
    computed = element if element == f64 else f32
    images, channels, *extents = shape_of(x)
    outputs, per_group, *kernel = shape_of(weights)
    groups, size = window.groups, prod(kernel)
    places = window.places(extents, kernel)
    columns = _columns(b, b.cast(x, computed), b.cast(offsets, computed), mask, window, kernel)
    if per_group * groups != channels or outputs % groups:
        raise Unconvertible(f"weights {list(shape_of(weights))} do not fit {channels} channels in {groups} groups")
    matrix = b.reshape(b.cast(weights, computed), (groups, outputs // groups, per_group * size))
    columns = b.reshape(columns, (images, groups, per_group * size, prod(places)))
    result = b.reshape(b.matmul(matrix, columns), (images, outputs, *places))
    if bias is not None:
        result = b.add(result, b.reshape(b.cast(bias, computed), (outputs, *[1] * len(places))))
    return b.cast(result, element)


def _columns(
    b: GraphBuilder,
    x: SSAValue,
    offsets: SSAValue,
    mask: SSAValue | None,
    window: DeformedWindow,
    kernel: Sequence[int],
) -> SSAValue:
    """The samples, [images, channels, places in the window, places of the window]."""
    images, channels, *extents = shape_of(x)
    groups, places = window.offset_groups, window.places(extents, kernel)
    rank, size = len(extents), prod(kernel)
    wanted = (images, groups * size * rank, *places)
    if shape_of(offsets) != wanted or channels % groups or min(places, default=1) < 1:
        raise Unconvertible(
            f"offsets {list(shape_of(offsets))} where the windows of {groups} groups of channels have {list(wanted)}"
        )
    each = (images * groups, size, *places)
    apart = b.reshape(offsets, (images * groups, size, rank, *places))
    axes = [
        ImageAxis(b, extent, "zeros", align_corners=True).taps_at(
            b.add(
                b.reshape(b.slice(apart, 2, axis, axis + 1), each),
                b.constant(window.at_rest(axis, places, kernel), element_of(x)),
            ),
            "linear",
        )
        for axis, extent in enumerate(extents)
    ]
    image = b.reshape(x, (images * groups, channels // groups, *extents))
    samples = interpolated(b, b.transpose(image, (0, *range(2, rank + 2), 1)), axes)
    if mask is not None:
        if shape_of(mask) != (images, groups * size, *places):
            raise Unconvertible(f"a mask {list(shape_of(mask))} for offsets {list(shape_of(offsets))}")
        samples = b.mul(samples, b.reshape(b.cast(mask, element_of(samples)), (*each, 1)))
    last = len(shape_of(samples)) - 1
    return b.reshape(b.transpose(samples, (0, last, *range(1, last))), (images, channels, size, prod(places)))
