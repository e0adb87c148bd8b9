"""Images that are read between pixels: what patterns of all sources write."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import product

from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue

from mlc.dialects import graph
from mlc.dialects.graph.types import element_of, shape_of
from mlc.frontends.operators.graph_builder import GraphBuilder

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
    return reduce(b.add, terms)


PIXELS_OF_MODE = {"nearest": 1, "linear": 2, "cubic": 4}
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
        weights = (linear_weights if mode == "linear" else _cubic)(b, b.sub(at, floor))
        first = 0 if mode == "linear" else -1
        return [
            self._tap(b.add(floor, b.number(first + number, floor)), weight) for number, weight in enumerate(weights)
        ]

    def _in_pixels(self, normalised: SSAValue, mode: str) -> SSAValue:
        b = self.b
        from_end = b.add(normalised, b.number(1, normalised))
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
        moved = clamp(b, at, self.extent) if self.padding == "border" else self._reflected(at)
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
        return b.where(is_even, b.add(rest, b.number(low, at)), b.sub(b.number(high, at), rest))

    def _tap(self, pixel: SSAValue, weight: SSAValue | None) -> Tap:
        """The pixel of a whole number, which may be beyond the ends."""
        b = self.b
        exists = None
        if self.padding == "zeros":
            last = b.number(self.extent - 1, pixel)
            exists = b(graph.AndOp, b.compare("ge", pixel, b.number(0, pixel)), b.compare("le", pixel, last))
        elif self.padding == "reflection":
            pixel = b(graph.RoundOp, self._inside(pixel))
        return Tap(b.cast(clamp(b, pixel, self.extent), i64), weight, exists)


def clamp(b: GraphBuilder, at: SSAValue, extent: int) -> SSAValue:
    """The nearest of 0 to `extent - 1`."""
    return b(graph.MinOp, b(graph.MaxOp, at, b.number(0, at)), b.number(extent - 1, at))


def linear_weights(b: GraphBuilder, t: SSAValue) -> list[SSAValue]:
    """The weights of the pixels before and after a place that is `t` after the first one."""
    return [b.sub(b.number(1, t), t), t]


def _cubic(b: GraphBuilder, t: SSAValue) -> list[SSAValue]:
    """The weights of two pixels in front and two behind (cubic convolution)."""

    def polynomial(x: SSAValue, *coefficients: float) -> SSAValue:
        value = b.number(coefficients[0], x)
        for coefficient in coefficients[1:]:
            value = b.add(b.mul(value, x), b.number(coefficient, x))
        return value

    def near(x: SSAValue) -> SSAValue:
        return polynomial(x, _A + 2, -(_A + 3), 0, 1)

    def far(x: SSAValue) -> SSAValue:
        return polynomial(x, _A, -5 * _A, 8 * _A, -4 * _A)

    one = b.number(1, t)
    rest = b.sub(one, t)
    return [far(b.add(t, one)), near(t), near(rest), far(b.add(rest, one))]
