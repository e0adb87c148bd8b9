"""Operators that read images between pixels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import product
from math import ceil

import numpy as np
from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue

from mlc.dialects import graph, onnx
from mlc.dialects.graph.types import element_of, shape_of
from mlc.passes.lowering import lowers
from mlc.passes.onnx_to_graph._node import Node
from mlc.passes.onnx_to_graph._patterns import PASS, FromOnnx, Results
from mlc.passes.shared.graph_builder import Array, GraphBuilder
from mlc.passes.shared.refusal import Unconvertible

_A = -0.75
"""The parameter of cubic convolution (Keys, 1981) that PyTorch and ONNX use."""


@dataclass(frozen=True)
class Tap:
    """One of the pixels along an axis that a sample is made of, for each sample."""

    place: SSAValue
    """A subscript that exists, as i64."""
    weight: SSAValue | None
    """None for 1."""
    exists: SSAValue | None = None
    """Whether there is a pixel rather than a zero; None for always."""


@lowers(PASS, onnx.op("GridSample"))
class GridSample(FromOnnx):
    """Samples of images of any rank at coordinates from -1 to 1, of which that along the last axis comes first."""

    ROUNDS_ONCE = True

    def build(self, node: Node, b: GraphBuilder) -> Results:
        x, grid, extents = node[0], node[1], node.shape()[2:]
        rank = len(extents)
        if node.rank(1) != node.rank() or node.shape(1)[-1] != rank:
            raise Unconvertible(f"the grid {list(node.shape(1))} has no coordinates of {list(node.shape())}")
        mode = node.string("mode", "linear").removeprefix("bi")
        padding = node.one_of("padding_mode", "zeros", "border", "reflection")
        if mode not in _TAPS:
            raise Unconvertible(f"mode '{mode}' is none of {', '.join(_TAPS)}")
        axes: list[list[Tap]] = []
        for axis, extent in enumerate(extents):
            at = rank - 1 - axis
            normalised = b.reshape(b.slice(grid, rank + 1, at, at + 1), node.shape(1)[:-1])
            image_axis = ImageAxis(b, extent, padding, node.flag("align_corners"))
            axes.append(image_axis.taps(normalised, mode))
        image = b.transpose(x, (0, *range(2, rank + 2), 1))
        found = interpolated(b, image, axes)
        return b.transpose(found, (0, rank + 1, *range(1, rank + 1)))


def interpolated(b: GraphBuilder, image: SSAValue, axes: Sequence[Sequence[Tap]]) -> SSAValue:
    """The weighted sum over all combinations of a tap of each axis; channels are last, and own is the batch."""
    terms: list[SSAValue] = []
    for taps in product(*axes):
        shape = shape_of(taps[0].place)
        places = b.concat([b.reshape(tap.place, (*shape, 1)) for tap in taps], len(shape))
        pixels = b(graph.GatherNdOp, image, places, range(1, len(axes) + 1), [0])
        exists = [tap.exists for tap in taps if tap.exists is not None]
        if exists:
            all_exist = reduce(lambda a, c: b(graph.AndOp, a, c), exists)
            pixels = b.where(b.reshape(all_exist, (*shape, 1)), pixels, b.number(0, pixels))
        weights = [tap.weight for tap in taps if tap.weight is not None]
        if weights:
            weight = b.cast(reduce(b.mul, weights), element_of(image))
            pixels = b.mul(pixels, b.reshape(weight, (*shape, 1)))
        terms.append(pixels)
    return reduce(b.plus, terms)


_TAPS = {"nearest": 1, "linear": 2, "cubic": 4}
"""How many pixels of an axis a sample is made of."""


@dataclass(frozen=True)
class ImageAxis:
    """An axis of an image, and what is beyond its ends."""

    b: GraphBuilder
    extent: int
    padding: str
    align_corners: bool

    @property
    def ends(self) -> tuple[float, float]:
        """What -1 and 1 are: the middle of the first and the last pixel, or their outer ends."""
        return (0, self.extent - 1) if self.align_corners else (-0.5, self.extent - 0.5)

    def taps(self, normalised: SSAValue, mode: str) -> list[Tap]:
        """The pixels along this axis, and their weights, for each coordinate.

        Four pixels are brought inside one by one, not their place: beyond the border it still says what they weigh.
        """
        at = self._in_pixels(normalised, mode)
        is_cubic_border = (mode, self.padding) == ("cubic", "border")
        return self.taps_at(at if is_cubic_border else self._inside(at), mode)

    def taps_at(self, at: SSAValue, mode: str) -> list[Tap]:
        """The same for coordinates that count pixels; those of mode `nearest` are whole numbers."""
        b = self.b
        if mode == "nearest":
            return [self._tap(at, None)]
        floor = b(graph.FloorOp, at)
        weights = (_linear if mode == "linear" else _cubic)(b, b.sub(at, floor))
        first = 0 if mode == "linear" else -1
        return [
            self._tap(b.plus(floor, b.number(first + number, floor)), weight) for number, weight in enumerate(weights)
        ]

    def _in_pixels(self, normalised: SSAValue, mode: str) -> SSAValue:
        b = self.b
        from_end = b.plus(normalised, b.number(1, normalised))
        half = b.number(0.5, normalised)
        if self.align_corners:
            at = b.mul(b.mul(from_end, half), b.number(self.extent - 1, normalised))
        else:
            scaled = b.mul(from_end, b.number(self.extent, normalised))
            at = b.mul(b.sub(scaled, b.number(1, normalised)), half)
        return b(graph.RoundOp, at) if mode == "nearest" else at

    def _inside(self, at: SSAValue) -> SSAValue:
        """Coordinates beyond the ends moved inside, where that is how it is padded."""
        b, (low, high) = self.b, self.ends
        if self.padding == "zeros":
            return at
        beyond = b(graph.OrOp, b.compare("lt", at, b.number(low, at)), b.compare("gt", at, b.number(high, at)))
        moved = _clamp(b, at, self.extent) if self.padding == "border" else self._reflected(at)
        return b.where(beyond, moved, at)

    def _reflected(self, at: SSAValue) -> SSAValue:
        """Mirrored at both ends, as often as it takes."""
        b, (low, high) = self.b, self.ends
        if high == low:
            return b.broadcast(b.number(low, at), shape_of(at))
        period = b.number(high - low, at)
        distance = b(graph.AbsOp, b.sub(at, b.number(low, at)))
        turns = b(graph.FloorOp, b.div(distance, period))
        rest = b.sub(distance, b.mul(turns, period))
        half = b.mul(turns, b.number(0.5, at))
        is_even = b.compare("eq", half, b(graph.FloorOp, half))
        return b.where(is_even, b.plus(rest, b.number(low, at)), b.sub(b.number(high, at), rest))

    def _tap(self, pixel: SSAValue, weight: SSAValue | None) -> Tap:
        """The pixel of a whole number, which may be beyond the ends."""
        b = self.b
        exists = None
        if self.padding == "zeros":
            last = b.number(self.extent - 1, pixel)
            exists = b(graph.AndOp, b.compare("ge", pixel, b.number(0, pixel)), b.compare("le", pixel, last))
        elif self.padding == "reflection":
            pixel = b(graph.RoundOp, self._inside(pixel))
        return Tap(b.cast(_clamp(b, pixel, self.extent), i64), weight, exists)


def _clamp(b: GraphBuilder, at: SSAValue, extent: int) -> SSAValue:
    """The nearest of 0 to `extent - 1`."""
    return b(graph.MinOp, b(graph.MaxOp, at, b.number(0, at)), b.number(extent - 1, at))


def _linear(b: GraphBuilder, t: SSAValue) -> list[SSAValue]:
    """The weights of the pixels in front of and behind a place that is `t` behind the first one."""
    return [b.sub(b.number(1, t), t), t]


def _cubic(b: GraphBuilder, t: SSAValue) -> list[SSAValue]:
    """The weights of two pixels in front and two behind (cubic convolution)."""

    def polynomial(x: SSAValue, *coefficients: float) -> SSAValue:
        value = b.number(coefficients[0], x)
        for coefficient in coefficients[1:]:
            value = b.plus(b.mul(value, x), b.number(coefficient, x))
        return value

    def near(x: SSAValue) -> SSAValue:
        return polynomial(x, _A + 2, -(_A + 3), 0, 1)

    def far(x: SSAValue) -> SSAValue:
        return polynomial(x, _A, -5 * _A, 8 * _A, -4 * _A)

    one = b.number(1, t)
    rest = b.sub(one, t)
    return [far(b.plus(t, one)), near(t), near(rest), far(b.plus(rest, one))]


@lowers(PASS, onnx.op("RoiAlign"))
class RoiAlign(FromOnnx):
    """Means, or maxima, of samples on a grid in each bin of each region, which are read between four pixels.

    How many samples a bin has follows from the size of the region if `sampling_ratio` is 0; then it has to be known,
    and the same for all.
    """

    ROUNDS_ONCE = True

    def build(self, node: Node, b: GraphBuilder) -> Results:
        x, (_, channels, height, width) = node[0], node.shape()
        regions, half = node.shape(1)[0], node.string("coordinate_transformation_mode", "half_pixel")
        shift = 0.5 if half == "half_pixel" and node.since >= 16 else 0.0
        bins = node.int("output_height", 1), node.int("output_width", 1)
        corners = b.sub(b.mul(node[1], b.number(node.float("spatial_scale", 1.0), node[1])), b.number(shift, node[1]))
        taps: list[list[Tap]] = []
        samples: list[int] = []
        for axis, extent in enumerate((height, width)):
            start, end = (b.slice(corners, 1, at, at + 1) for at in (1 - axis, 3 - axis))
            size = b.sub(end, start)
            if not shift:
                size = b(graph.MaxOp, size, b.number(1, size))
            count = node.int("sampling_ratio") or _adaptive(b.knowledge.array(size), bins[axis])
            samples.append(count)
            steps = (np.arange(bins[axis] * count) + 0.5) / (bins[axis] * count)
            at = b.plus(start, b.mul(size, b.constant(steps.reshape(1, -1), element_of(size))))
            points = bins[axis] * count
            shape = (regions, points, 1) if axis == 0 else (regions, 1, points)
            taps.append(_roi_taps(b, b.reshape(at, shape), extent))
        kind = node.string("mode", "avg")
        values = _samples(b, b.transpose(x, (0, 2, 3, 1)), b.cast(node[2], i64), taps, kind)
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
    """The pixels in front of and behind each sample; there is none more than a pixel beyond the ends."""
    exists = b(graph.AndOp, b.compare("ge", at, b.number(-1, at)), b.compare("le", at, b.number(extent, at)))
    inside = _clamp(b, at, extent)
    floor = b(graph.FloorOp, inside)
    behind = _clamp(b, b.plus(floor, b.number(1, floor)), extent)
    weights = _linear(b, b.sub(inside, floor))
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
    return reduce(b.plus, terms)
