"""Regions of images, of which each becomes an image of the same size (He et al., "Mask R-CNN", 2017, section 3)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from itertools import product
from math import ceil

import numpy as np
from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue

from mlc.dialects import graph
from mlc.dialects.graph.types import element_of, shape_of
from mlc.frontends.operators.graph_builder import Array, GraphBuilder
from mlc.frontends.operators.refusal import Unconvertible
from mlc.frontends.operators.sampling import Tap, clamp, linear_weights


def aligned_regions(
    b: GraphBuilder,
    images: SSAValue,
    corners: SSAValue,
    batches: SSAValue,
    bins: tuple[int, int],
    ratio: int,
    least_size: float = 0,
    kind: str = "avg",
) -> SSAValue:
    """Means, or maxima for the kind `max`, of samples on a grid in each bin of each region, read between four pixels.

    Args:
        images: channels first.
        corners: of regions, [regions, 4], x and y of the first and x and y of the second, in pixels.
        batches: the image of each region, an i64.
        bins: how many there are along both axes.
        ratio: how many samples a bin has along an axis. If it is not positive, that follows from the size of the
            region, which has to be known then, and the same for all.
        least_size: what smaller regions are taken for.

    Returns:
        [regions, channels, *bins].
    """
    _, channels, height, width = shape_of(images)
    regions = shape_of(corners)[0]
    taps: list[list[Tap]] = []
    samples: list[int] = []
    for axis, extent in enumerate((height, width)):
        start, end = (b.slice(corners, 1, at, at + 1) for at in (1 - axis, 3 - axis))
        size = b.sub(end, start)
        if least_size:
            size = b(graph.MaxOp, size, b.number(least_size, size))
        count = ratio if ratio > 0 else _adaptive(b.knowledge.array(size), bins[axis])
        samples.append(count)
        steps = (np.arange(bins[axis] * count) + 0.5) / (bins[axis] * count)
        at = b.add(start, b.mul(size, b.constant(steps.reshape(1, -1), element_of(size))))
        points = bins[axis] * count
        shape = (regions, points, 1) if axis == 0 else (regions, 1, points)
        taps.append(_roi_taps(b, b.reshape(at, shape), extent))
    values = _samples(b, b.transpose(images, (0, 2, 3, 1)), batches, taps, kind)
    apart = b.reshape(values, (regions, bins[0], samples[0], bins[1], samples[1], channels))
    found = b.reduce("max" if kind == "max" else "mean", apart, [2, 4])
    return b.transpose(found, (0, 3, 1, 2))


def _adaptive(sizes: Array | None, bins: int) -> int:
    """How many samples a bin has along an axis: one for each pixel that it is long."""
    if sizes is None:
        raise Unconvertible("sampling_ratio is 0 and the regions are not known: it cannot be said how many samples")
    counts = {max(ceil(size / bins), 1) for size in sizes.reshape(-1).tolist()}
    if len(counts) != 1:
        raise Unconvertible("sampling_ratio is 0 and regions of different sizes have samples of different numbers")
    return counts.pop()


def _roi_taps(b: GraphBuilder, at: SSAValue, extent: int) -> list[Tap]:
    """The pixels before and after each sample; there is none more than a pixel beyond the ends."""
    exists = b(graph.AndOp, b.compare("ge", at, b.number(-1, at)), b.compare("le", at, b.number(extent, at)))
    inside = clamp(b, at, extent)
    floor = b(graph.FloorOp, inside)
    behind = clamp(b, b.add(floor, b.number(1, floor)), extent)
    weights = linear_weights(b, b.sub(inside, floor))
    return [Tap(b.cast(pixel, i64), weight, exists) for pixel, weight in zip((floor, behind), weights, strict=True)]


def _samples(b: GraphBuilder, image: SSAValue, batches: SSAValue, taps: Sequence[Sequence[Tap]], kind: str) -> SSAValue:
    """The sample at each point of each region: the sum of four weighted pixels, or, for maxima, the largest of them."""
    terms: list[SSAValue] = []
    rows, columns = taps
    regions = shape_of(batches)[0]
    shape = (regions, shape_of(rows[0].place)[1], shape_of(columns[0].place)[2])
    batch = b.broadcast(b.reshape(batches, (regions, 1, 1, 1)), (*shape, 1))
    for pair in product(rows, columns):
        places = [b.reshape(b.broadcast(tap.place, shape), (*shape, 1)) for tap in pair]
        pixels = b(graph.GatherNdOp, image, b.concat([batch, *places], 3), [0, 1, 2])
        first, second = pair
        assert first.weight and second.weight and first.exists and second.exists
        weight = b.cast(b.mul(first.weight, second.weight), element_of(image))
        weighted = b.mul(pixels, b.reshape(weight, (*shape, 1)))
        exists = b(graph.AndOp, first.exists, second.exists)
        terms.append(b.where(b.reshape(exists, (*shape, 1)), weighted, b.number(0, weighted)))
    if kind == "max":
        return reduce(lambda p, q: b(graph.MaxOp, p, q), terms)
    return reduce(b.add, terms)
