"""Draws of inputs: what each holds, and that together they hold every special value."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from mlc.reference.inputs import Draw, draw_inputs, draws

F32, I32 = np.dtype(np.float32), np.dtype(np.int32)


def one(kind: Any, shape: tuple[int, ...], dtype: np.dtype[Any], number: int = 0) -> np.ndarray[Any, Any]:
    return draw_inputs([1, 2], [(shape, dtype)], Draw(kind, number))[0]


@pytest.mark.parametrize("size", [1, 3, 7, 20, 500])
def test_the_draws_of_specials_hold_all_of_them(size: int) -> None:
    found = np.concatenate([one("specials", (size,), F32, d.number) for d in draws(size, 1) if d.kind == "specials"])
    held = {str(v) for v in found}
    limits = np.finfo(np.float32)
    assert held >= {"inf", "-inf", "nan", "0.0", "-0.0", str(limits.max), str(limits.smallest_subnormal)}


def test_one_special_is_one() -> None:
    array = one("one special", (30, 10), F32)
    assert np.count_nonzero(~np.isfinite(array)) == 1
    assert np.count_nonzero(np.abs(one("one special", (300,), I32)) > 4) + np.count_nonzero(
        one("one special", (300,), I32) == np.iinfo(np.int32).min
    )


def test_magnitudes_are_far_from_each_other_and_finite() -> None:
    array = one("magnitudes", (400,), F32)
    sizes = np.abs(array[array != 0])
    assert np.all(np.isfinite(array)) and np.min(sizes) < 1e-38 and np.max(sizes) > 1000
    assert np.any(array > 6) and np.any(array < -6)
    bits = np.log2(np.abs(one("magnitudes", (400,), I32).astype(np.float64)) + 1)
    assert np.min(bits) < 3 and np.max(bits) > 28


def test_a_draw_is_fixed_by_its_seed_and_inputs_differ() -> None:
    types = [((64,), F32), ((64,), F32)]
    for draw in draws(64, 1):
        first, second = draw_inputs([3], types, draw)
        again, _ = draw_inputs([3], types, draw)
        other, _ = draw_inputs([4], types, draw)
        assert first.tobytes() == again.tobytes() != other.tobytes()
        assert first.tobytes() != second.tobytes()


def test_long_runs_have_few_draws() -> None:
    assert [len(draws(1000, work)) for work in (10, 1_000_000, 100_000_000)] == [4, 2, 1]
    assert draws(1, 100_000_000) == [Draw("ordinary")]


def test_booleans_are_random_in_all_draws() -> None:
    for draw in draws(64, 1):
        (array,) = draw_inputs([0], [((64,), np.dtype(np.bool_))], draw)
        assert 0 < np.count_nonzero(array) < 64
