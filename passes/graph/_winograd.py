"""What Winograd's filtering costs beside the direct convolution, and how far its results are off."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mlc.schedules.cost.traffic import read_cycles, write_cycles
from mlc.support.winograd import FILTER, RESULT, TAPS, WINDOW, Matrix, span
from mlc.targets.machine import Machine

Array = NDArray[Any]

_SAMPLED_TILES = 16
_SAMPLED_CHANNELS = 128
"""Of the output; all of the input count, for sums of more terms have larger errors."""


@dataclass(frozen=True)
class WinogradProblem:
    """A 3 x 3 convolution of stride 1."""

    batch: int
    rows: int
    columns: int
    """Of the result."""
    channels_in: int
    channels_out: int
    element_bytes: int

    def tiles(self, tile: int) -> int:
        """How many tiles cover the result."""
        return self.batch * -(-self.rows // tile) * -(-self.columns // tile)

    def direct_cycles(self, machine: Machine) -> float:
        """Of the direct convolution: its multiply-adds, or reading its weights if that takes longer."""
        pixels = self.batch * self.rows * self.columns
        weights = TAPS * TAPS * self.channels_in * self.channels_out
        return max(self._products(pixels * weights, machine), self._read(weights, machine))

    def winograd_cycles(self, tile: int, machine: Machine) -> float:
        """Of F(tile x tile, 3 x 3): its products, and the transforms, which move all of their results twice.

        A matrix of weights is used by the tiles only, which are fewer than pixels, so nothing hides its arrival.
        """
        count, positions = self.tiles(tile), span(tile) ** 2
        weights = positions * self.channels_in * self.channels_out
        products = self._products(count * weights, machine) + self._read(weights, machine)
        windows, sums = (count * positions * n for n in (self.channels_in, self.channels_out))
        lanes = machine.lanes(8 * self.element_bytes)
        additions = (windows + sums) * _additions(tile) / (lanes * machine.issue.adds)
        moved = sum(self._read(n, machine) + self._written(n, machine) for n in (windows, sums))
        return products + additions + moved

    def _products(self, count: int, machine: Machine) -> float:
        units = machine.issue.fma_units if self.element_bytes == 4 else machine.issue.f64_fma_units
        return count / (machine.lanes(8 * self.element_bytes) * max(1, units))

    def _read(self, elements: int, machine: Machine) -> float:
        return read_cycles(elements * self.element_bytes, machine)

    def _written(self, elements: int, machine: Machine) -> float:
        return write_cycles(elements * self.element_bytes, machine)


def _additions(tile: int) -> float:
    """About how many operations a transform has for each number of a window: those of two products with a matrix."""
    matrix = WINDOW[tile]
    return 2 * sum(1 for row in matrix for c in row if c) / len(matrix)


def transformed(weights: Array, tile: int) -> Array:
    """`G g G^T` of weights `[3, 3, C, N]`: `[(tile + 2)^2, C, N]`, computed in f64, of the type of the weights."""
    rows = _combined(FILTER[tile], weights.astype(np.float64))
    found = np.stack([_combined(FILTER[tile], row) for row in rows])
    return np.ascontiguousarray(found.reshape(-1, *weights.shape[2:]).astype(weights.dtype))


def _combined(matrix: Matrix, values: Array) -> Array:
    """The product with a matrix along the first axis, added up in order, so that the machine makes no difference."""
    sums = [values[0] * row[0] for row in matrix]
    for number in range(1, len(values)):
        sums = [total + values[number] * row[number] for total, row in zip(sums, matrix, strict=True)]
    return np.stack(sums)


def measured_error(weights: Array, tile: int, seed: int = 0) -> float:
    """The largest error of results of random windows, of normal numbers, relative to the largest result.

    Transforms and products are computed in the type of the weights `[3, 3, C, N]`, and compared with the convolution in
    f64. Few windows and output channels stand for all.
    """
    kept = weights[..., :_SAMPLED_CHANNELS]
    dtype, wide = kept.dtype, span(tile)
    channels = kept.shape[2]
    windows = np.random.default_rng(seed).standard_normal((_SAMPLED_TILES, wide, wide, channels)).astype(dtype)
    window, result = np.asarray(WINDOW[tile], dtype), np.asarray(RESULT[tile], dtype)
    values = np.einsum("ia,tabc->tibc", window, windows)
    values = np.einsum("jb,tibc->ijtc", window, values).reshape(wide * wide, _SAMPLED_TILES, channels)
    sums = np.matmul(values, transformed(kept, tile)).reshape(wide, wide, _SAMPLED_TILES, -1)
    found = np.einsum("ia,abtn->ibtn", result, sums)
    found = np.einsum("jb,ibtn->tijn", result, found).astype(np.float64)
    slid = np.lib.stride_tricks.sliding_window_view(windows.astype(np.float64), (TAPS, TAPS), axis=(1, 2))
    exact = np.einsum("tijcab,abcn->tijn", slid, kept.astype(np.float64), optimize=True)
    largest = float(np.max(np.abs(exact), initial=0.0))
    error = float(np.max(np.abs(found - exact), initial=0.0))
    if not np.isfinite(error):
        return float("inf")
    return error / largest if largest else error
