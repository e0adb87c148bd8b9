"""Ranks of estimates beside ranks of measurements."""

from __future__ import annotations

from pathlib import Path

import pytest

from mlc.benchmarks.cost_model import KERNELS, candidates_of
from mlc.compiler import new_context, parse_verified
from mlc.dialects.graph import GraphOp


def test_candidates_of_a_kernel() -> None:
    rules, *others = candidates_of("exp 64x64", KERNELS["exp 64x64"], 3, 0)
    assert len(others) == 2
    assert len({rules.schedule, *(c.schedule for c in others)}) == 3
    assert all(c.estimated > 0 and c.measured > 0 for c in (rules, *others))


@pytest.mark.parametrize("name", KERNELS)
def test_kernels_are_models(name: str) -> None:
    module = parse_verified(KERNELS[name], name, new_context(), Path())
    assert sum(isinstance(op, GraphOp) for op in module.walk()) == 1
