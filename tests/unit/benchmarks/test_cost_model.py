"""Ranks of estimates beside ranks of measurements."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from mlc.benchmarks.cost_model import KERNELS, candidates_of, rank_correlation
from mlc.compiler import new_context, parse_verified
from mlc.dialects.graph import GraphOp


def test_rank_correlation() -> None:
    assert rank_correlation([1, 2, 3, 4], [10, 20, 30, 400]) == pytest.approx(1)
    assert rank_correlation([1, 2, 3, 4], [4, 3, 2, 1]) == pytest.approx(-1)
    # Ranks 1.5, 1.5, 3 beside 1, 2, 3.
    assert rank_correlation([5, 5, 6], [1, 2, 3]) == pytest.approx(math.sqrt(3) / 2)


def test_candidates_of_a_kernel() -> None:
    rules, *others = candidates_of("exp 64x64", KERNELS["exp 64x64"], 3, 0)
    assert len(others) == 2
    assert len({rules.schedule, *(c.schedule for c in others)}) == 3
    assert all(c.estimated > 0 and c.measured > 0 for c in (rules, *others))


@pytest.mark.parametrize("name", KERNELS)
def test_kernels_are_models(name: str) -> None:
    module = parse_verified(KERNELS[name], name, new_context(), Path())
    assert sum(isinstance(op, GraphOp) for op in module.walk()) == 1
