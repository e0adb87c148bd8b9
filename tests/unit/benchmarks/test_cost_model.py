"""Ranks of estimates beside ranks of measurements."""

from __future__ import annotations

from mlc.benchmarks.cost_model import KERNELS, candidates_of


def test_candidates_of_a_kernel() -> None:
    rules, *others = candidates_of("exp 64x64", KERNELS["exp 64x64"], 3, 0)
    assert len(others) == 2
    assert len({rules.schedule, *(c.schedule for c in others)}) == 3
    assert all(c.estimated > 0 and c.measured > 0 for c in (rules, *others))
