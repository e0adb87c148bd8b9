"""From the numbers that a tensor has to the scale and the zero point that it is quantised with."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from mlc.compiler.model_inputs import Array

METHODS = ("minmax", "percentile", "mse")
"""How ranges are chosen: all numbers; all but one of 10,000 at each end; what makes the mean square error least."""
_OUTSIDE = 1e-4
"""The part of all numbers that `percentile` leaves out at each end."""
_BINS = 2048
_TRIED = np.linspace(1, 0.2, 81)
"""The parts of the whole range that `mse` tries."""


@dataclass(frozen=True)
class Scale:
    """A tensor is quantised with these: the zero point's dtype is that of the integers."""

    scale: np.float32
    zero_point: np.int8 | np.uint8


@dataclass
class Numbers:
    """What is known of the numbers that a tensor has: their range, and then how often which are."""

    low: float = 0.0
    high: float = 0.0
    counts: Array = field(default_factory=lambda: np.zeros(_BINS))

    def widen(self, array: Array) -> None:
        """Learn the range of more numbers. It always holds 0, with which images are padded: that has to be exact."""
        if array.size:
            self.low, self.high = min(self.low, float(array.min())), max(self.high, float(array.max()))

    def count(self, array: Array) -> None:
        """Learn how often numbers are, once the range is known."""
        self.counts += np.histogram(array, _BINS, (self.low, self.high))[0] if self.high > self.low else 0

    def scale(self, method: str, symmetric: bool) -> Scale:
        """The scale and the zero point, of ui8, or 0 of i8 if ranges are to be `symmetric`."""
        low, high = self.low, self.high
        if method == "percentile" and self.counts.any():
            low, high = self._percentiles()
        elif method == "mse" and self.counts.any():
            tried = [(low * part, high * part) for part in _TRIED]
            low, high = min(tried, key=lambda bounds: self._error(scale_of(*bounds, symmetric)))
        return scale_of(low, high, symmetric)

    def _centres(self) -> Array:
        edges = np.linspace(self.low, self.high, _BINS + 1)
        return (edges[1:] + edges[:-1]) / 2

    def _percentiles(self) -> tuple[float, float]:
        below = np.cumsum(self.counts) / self.counts.sum()
        edges = np.linspace(self.low, self.high, _BINS + 1)
        low = edges[np.searchsorted(below, _OUTSIDE, "right")]
        high = edges[np.searchsorted(below, 1 - _OUTSIDE, "left") + 1]
        return min(float(low), 0.0), max(float(high), 0.0)

    def _error(self, scale: Scale) -> float:
        """The sum of the squares of what all numbers are off."""
        numbers = self._centres()
        limits, step, zero = np.iinfo(scale.zero_point.dtype), float(scale.scale), int(scale.zero_point)
        steps = np.clip(np.rint(numbers / step) + zero, limits.min, limits.max) - zero
        return float(np.sum(self.counts * (steps * step - numbers) ** 2))


def scale_of(low: float, high: float, symmetric: bool) -> Scale:
    """The scale that spreads the integers over a range that holds 0; a normal number, and 1 if there is only 0."""
    if symmetric:
        return Scale(_normal(max(-low, high) / 127), np.int8(0))
    scale = _normal((high - low) / 255)
    return Scale(scale, np.uint8(np.clip(np.rint(-low / float(scale)), 0, 255)))


def quantized_weights(weights: Array, axis: int) -> tuple[Array, Array]:
    """Integers of 8 bits from -127 to 127 and a scale for each element of an axis, as it broadcasts with them."""
    others = tuple(a for a in range(weights.ndim) if a != axis)
    largest = np.max(np.abs(weights), axis=others, keepdims=True, initial=0).astype(np.float64)
    scales = np.vectorize(_normal, otypes=[np.float32])(largest / 127)
    return np.clip(np.rint(weights / scales), -127, 127).astype(np.int8), scales


def _normal(scale: float) -> np.float32:
    tiny = np.finfo(np.float32).smallest_normal
    return np.float32(1) if scale == 0 else np.float32(max(scale, float(tiny)))
