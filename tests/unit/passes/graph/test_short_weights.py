"""Which matrices are short weights: what they stand for stays the same, number by number."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from mlc.passes.graph._short_weights import Quantized, ShortWeights, short_weights

Array = NDArray[Any]


def _matrix(weights: ShortWeights, k: int) -> Array:
    """What short weights stand for, in f64."""
    scale, offset = (
        np.repeat(np.asarray(part, np.float64), weights.group, 0)
        for part in (weights.scale, np.zeros_like(weights.scale) if weights.offset is None else weights.offset)
    )
    return ((weights.integers - offset) * scale)[:k]


def _checked(integers: Array, scale: Array, zero: Array) -> ShortWeights:
    k, n = integers.shape
    found = short_weights(Quantized(integers, scale, zero), (k, n))
    assert isinstance(found, ShortWeights)
    assert found.integers.dtype == np.int8 and not found.integers[k:].any()
    assert found.integers.shape == (len(found.scale) * found.group, n)
    np.testing.assert_array_equal(_matrix(found, k), (integers.astype(np.float64) - zero) * scale.astype(np.float64))
    return found


@pytest.mark.parametrize("most, low, zero, has_offset", [
    (15, 0, 8, False), (15, 0, 0, True), (15, 0, 15, True), (15, -8, 0, False), (15, 100, 108, False),
    (255, 0, 128, False), (255, 0, 0, True), (255, 0, 255, True), (255, -128, 0, False), (255, -128, 3, True),
    (50, 100, 130, False), (50, 100, 0, True), (255, -128, 0.5, True), (15, 0, 7.25, True), (255, 0, 1000, True),
])  # fmt: skip
def test_integers_of_every_range(most: int, low: int, zero: float, has_offset: bool) -> None:
    integers = low + np.random.default_rng(0).integers(0, most + 1, (70, 6)).astype(np.int16)
    integers[0], integers[1] = low, low + most
    found = _checked(integers, np.full((), 0.5, np.float32), np.full((1, 6), zero))
    assert (found.offset is not None) == has_offset and found.group == (72 if most == 15 else 70)
    if most == 15:
        assert found.integers.min() >= -8 and found.integers.max() <= 7
    whole = float(zero).is_integer() and zero < 500
    assert found.offset is None or found.offset.dtype == (np.int8 if whole else np.float32)


@pytest.mark.parametrize("part", ["scale", "zero"])
def test_one_number_of_another_group(part: str) -> None:
    """A column whose numbers change elsewhere makes groups of all columns shorter."""
    integers = np.random.default_rng(1).integers(0, 16, (128, 9))
    numbers = {"scale": np.full((128, 9), 0.5, np.float32), "zero": np.full((128, 9), 8.0)}
    numbers[part][96:, 5] = 4
    assert _checked(integers, numbers["scale"], numbers["zero"]).group == 96
    numbers[part][32:64, 5] = 2
    assert _checked(integers, numbers["scale"], numbers["zero"]).group == 32


def test_groups_of_scales_and_of_zero_points_may_differ() -> None:
    integers = np.random.default_rng(2).integers(0, 16, (128, 9))
    scale = np.repeat(np.array([0.5, 2], np.float32), 64)[:, None]
    zero = np.repeat([7.0, 9, 8, 8], 32)[:, None]
    assert _checked(integers, scale, zero).group == 32


def test_zero_points_that_differ_go_into_integers_that_hold_them() -> None:
    rng = np.random.default_rng(3)
    for low, high in ((6, 10), (100, 150)):
        zero = np.repeat(rng.integers(low, high, (4, 9)), 32, 0).astype(np.float64)
        assert _checked(rng.integers(low, high, (128, 9)), np.full((1, 9), 0.5, np.float32), zero).offset is None


@pytest.mark.parametrize("scale", [np.inf, -np.inf, np.nan, 3e38])
def test_what_is_not_finite_is_refused(scale: float) -> None:
    scales = np.full((64, 3), 0.5, np.float32)
    scales[32:, 1] = scale
    found = short_weights(Quantized(np.ones((64, 3), np.int8), scales, np.zeros(())), (64, 3))
    assert found == "a scale is not finite, or a weight overflows"


@pytest.mark.parametrize("element", [None, np.uint8, np.int8])
def test_sums_of_columns_leave_out_the_rows_behind_the_matrix(element: type[np.integer[Any]] | None) -> None:
    rng = np.random.default_rng(4)
    scale, zero = (np.repeat(part, 32, 0)[:100] for part in (rng.uniform(0.5, 2, (4, 9)), rng.integers(0, 16, (4, 9))))
    found = short_weights(
        Quantized(rng.integers(0, 16, (100, 9)), scale.astype(np.float32), zero), (100, 9), element=element
    )
    assert isinstance(found, ShortWeights) and found.offset is not None
    np.testing.assert_allclose(found.column_sums(100), _matrix(found, 100).sum(0), rtol=1e-6)
