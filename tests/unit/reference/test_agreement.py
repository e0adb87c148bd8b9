"""What counts as the same numbers: bits, and what rounding explains."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from mlc.reference.agreement import beyond_rounding, bits_differ, spread
from mlc.reference.execution import Noise, perturbed, with_open_zeros
from mlc.support.rounding import Rounding

Array = NDArray[Any]
EPSILON = float(np.finfo(np.float32).eps)


def floats(*values: float) -> Array:
    return np.array(values, np.float32)


def beyond(before: Array, after: Array, rounding: Rounding, own: Array | None = None, terms: int = 1) -> list[bool]:
    zeros = np.zeros(before.shape)
    spreads = (zeros if own is None else own, zeros)
    return beyond_rounding(before, after, rounding, terms, False, lambda: spreads).tolist()


def test_bits() -> None:
    before = floats(1, 0.0, np.nan, np.inf, 1e-45, np.nan)
    other_nan = np.array([0xFFC00001], np.uint32).view(np.float32)[0]
    after = floats(1 + EPSILON, -0.0, other_nan, np.inf, 0, 1)
    assert bits_differ(before, after).tolist() == [True, True, False, False, True, True]
    assert bits_differ(np.array([1, 2]), np.array([1, 3])).tolist() == [False, True]


def test_units_in_the_last_place() -> None:
    before = floats(1, 1024, -3, 0)
    moved = before * np.float32(1 + 4 * EPSILON)
    assert beyond(before, moved, Rounding(5, "")) == [False] * 4
    assert beyond(before, moved, Rounding(2, "")) == [True, True, True, False]


def test_noise_moves_every_number() -> None:
    """One that all runs left where it is would have no spread, and the next unit would be an alarm."""
    x = np.random.default_rng(0).uniform(1, 2, 1000).astype(np.float32)
    for number in range(2):
        moved = perturbed(x, Noise(number))
        assert np.all(moved != x)
        assert np.max(np.abs(moved - x)) <= 2 * EPSILON


def test_noise_makes_no_infinity_of_an_input() -> None:
    most = np.full(100, np.finfo(np.float32).max, np.float32)
    x = np.concatenate([most, -most, floats(np.inf, -np.inf)])
    for number in range(2):
        assert np.isfinite(perturbed(x, Noise(number))).tolist() == np.isfinite(x).tolist()
    assert np.isinf(perturbed(x, Noise(0), computed=True)[:200]).any()


def test_what_spreads_has_room() -> None:
    before, after = floats(1e-3, 1e-3, 2, 2, 2), floats(1.001e-3, 1.001e-3, 2.001, 2.001, 2.001)
    own = np.array([1e-6, 0, 1e-3, 0, 0])
    assert beyond(before, after, Rounding(2, ""), own) == [False, True, False, True, True]


def test_integers_are_exact_unless_noise_moves_them() -> None:
    before, after = np.array([5, 5, 5, -7, 2**62]), np.array([5, 5, 6, -6, 2**62 + 1])
    assert beyond(before, after, Rounding(2, "")) == [False, False, True, True, True]
    assert beyond(before, after, Rounding(2, ""), np.array([0, 0, 0, 1, 1])) == [False, False, True, False, False]
    assert spread([before], [[after]])[0].tolist() == [0, 0, 1, 1, 1]


def test_infinity_and_nan_have_to_stay_unless_noise_moves_them_too() -> None:
    before, after = floats(np.inf, np.nan, 1, 3e38), floats(-np.inf, 1, np.nan, np.inf)
    assert beyond(before, after, Rounding(4, "")) == [True] * 4
    assert beyond(before, after, Rounding(4, "", skips_zeros=True)) == [True, False, False, True]
    assert beyond(before, after, Rounding(4, "", finite_only=True)) == [False] * 4
    edge = np.array([0, 0, 0, np.inf])
    assert beyond(before, after, Rounding(4, ""), edge) == [True, True, True, False]


def test_rounding_adds_up() -> None:
    both = Rounding(2, "a") + Rounding(3, "b", skips_zeros=True)
    assert (both.ulps, both.skips_zeros) == (5, True)
    assert Rounding(2, "a") + None == Rounding(2, "a")


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_noise_moves_by_a_unit_and_shows_what_cancels(dtype: type[np.floating[Any]]) -> None:
    rng = Noise(0)
    x = rng.uniform(1, 2, 1000).astype(dtype)
    epsilon = np.finfo(dtype).eps
    moved = perturbed(x, rng)
    assert 0 < np.max(np.abs(moved - x) / x) <= 2 * epsilon
    exact, cancelled = x * dtype(3), (x + dtype(1e4)) - dtype(1e4)
    runs = [[y * dtype(3), perturbed(y + dtype(1e4), rng) - dtype(1e4)] for y in (perturbed(x, rng), perturbed(x, rng))]
    small, large = spread([exact, cancelled], runs)
    assert np.max(small) < 20 * epsilon
    assert np.median(large) > 1000 * epsilon
    assert perturbed(np.arange(3), rng).tolist() == [0, 1, 2]
    assert spread([floats(1, np.inf)], [[floats(np.nan, np.inf)]])[0].tolist() == [np.inf, 0]


def test_noise_gives_what_is_computed_nan_of_both_signs() -> None:
    """So that integers made of its bits may be either, in one of two runs and for each element by itself; a NaN that is
    only moved keeps its bits."""
    x = floats(*[np.nan] * 20, *[-np.nan] * 20, 1)
    first, second = (np.signbit(perturbed(x, Noise(i), computed=True)) for i in range(2))
    assert (first[:40] != second[:40]).all()
    assert {*first[:20]} == {*first[20:40]} == {False, True}
    assert not first[40]
    assert np.signbit(perturbed(x, Noise(1))).tolist() == np.signbit(x).tolist()


def test_noise_moves_denormal_numbers_but_no_zeros() -> None:
    """To 0 or away from it, whatever becomes of those beside them."""
    least = float(np.finfo(np.float32).smallest_subnormal)
    first, second = (perturbed(floats(*[least] * 20, *[-least] * 20), Noise(i)) for i in range(2))
    assert {*first.tolist()} == {*second.tolist()} == {0, 2 * least, -2 * least}
    assert ((first == 0) != (second == 0)).all()
    zeros = floats(*[0.0] * 50, *[-0.0] * 50)
    assert not bits_differ(zeros, perturbed(zeros, Noise(0))).any()


def test_noise_chooses_the_sign_of_zeros_that_are_combined() -> None:
    zeros = floats(*[0.0] * 20, *[-0.0] * 20)
    first, second = (np.signbit(with_open_zeros(zeros, Noise(i))) for i in range(2))
    assert (first != second).all()
    assert {*first[:20]} == {*first[20:]} == {False, True}
