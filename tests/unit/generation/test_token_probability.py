"""Probabilities of tokens, of logits with infinities, NaN and equal numbers."""

from __future__ import annotations

import math

import numpy as np
import pytest

from mlc.generation.token_probability import LEAST, token_probability


def test_logarithms() -> None:
    found = token_probability(np.log(np.array([1, 5, 2, 2], np.float32)), 2, 3)
    assert found.token == 2 and found.logarithm == pytest.approx(math.log(0.2), abs=1e-6)
    assert [token for token, _ in found.likeliest] == [1, 2, 3], "of equal ones the first"
    assert [number for _, number in found.likeliest] == pytest.approx([math.log(0.5), *[math.log(0.2)] * 2], abs=1e-6)


def test_more_than_there_are_and_none() -> None:
    logits = np.array([1e30, 0, -1e30], np.float32)
    assert [each for each, _ in token_probability(logits, 0, 9).likeliest] == [0, 1, 2]
    assert token_probability(logits, 1, 0) == type(token_probability(logits, 1, 0))(1, LEAST, [])


def test_equal_ones_at_the_end_of_the_list() -> None:
    assert [each for each, _ in token_probability(np.zeros(5, np.float32), 4, 2).likeliest] == [0, 1]


@pytest.mark.parametrize("number", [math.inf, math.nan, -math.inf])
def test_numbers_are_finite(number: float) -> None:
    found = token_probability(np.array([0, number], np.float32), 1, 2)
    assert all(map(math.isfinite, [found.logarithm, *(each for _, each in found.likeliest)]))
