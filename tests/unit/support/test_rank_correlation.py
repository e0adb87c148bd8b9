"""Spearman's coefficient."""

from __future__ import annotations

import math

import pytest

from mlc.support.rank_correlation import rank_correlation


def test_rank_correlation() -> None:
    assert rank_correlation([1, 2, 3, 4], [10, 20, 30, 400]) == pytest.approx(1)
    assert rank_correlation([1, 2, 3, 4], [4, 3, 2, 1]) == pytest.approx(-1)
    # Ranks 1.5, 1.5, 3 beside 1, 2, 3.
    assert rank_correlation([5, 5, 6], [1, 2, 3]) == pytest.approx(math.sqrt(3) / 2)
    assert math.isnan(rank_correlation([1, 1, 1], [1, 2, 3]))
