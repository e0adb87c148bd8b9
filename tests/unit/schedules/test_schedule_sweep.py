"""Schedules of mlc's own name loops that are there: a sample of kernels of all kinds, sizes, types and targets."""

from __future__ import annotations

import pytest

from mlc.testing.schedule_sweep import SWEPT_FAMILIES, failures

FEW = 2 * len(SWEPT_FAMILIES)
MANY = 240


@pytest.mark.slow
def test_some() -> None:
    assert not list(failures(range(FEW)))


@pytest.mark.slow
def test_many() -> None:
    assert not list(failures(range(MANY), seed=1))
