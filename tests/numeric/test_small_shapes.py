"""Small and degenerate shapes of every graph op are lowered for every machine that mlc knows, and computed on this one.

A third of the cases are lowered, each for one machine, and some are computed; with MLC_SWEEP=all, every case is, for
every machine. That takes hours, and is for changes of how loops are chosen.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from itertools import product
from typing import Any

import pytest
from numpy.typing import NDArray

from mlc.dialects import graph
from mlc.tests.numeric.native_cases import SUMMED, case, compile_and_check, data
from mlc.tests.numeric.small_shapes import FAMILIES, TARGETS, lower

Run = Callable[..., list[NDArray[Any]]]

ALL = os.environ.get("MLC_SWEEP") == "all"
NAMES = list(TARGETS.values())
PART = 100
"""The kernels of a module."""


@pytest.mark.sampled(8)
@pytest.mark.parametrize("target", NAMES)
@pytest.mark.parametrize("family", FAMILIES)
def test_lowered(family: str, target: str) -> None:
    cases = list(FAMILIES[family]())
    if not ALL:
        cases = cases[NAMES.index(target) :: 3 * len(NAMES)]
    for start in range(0, len(cases), PART):
        lower(cases[start : start + PART], target)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("family", FAMILIES)
def test_computed(family: str, run_compiled: Run) -> None:
    cases = list(FAMILIES[family]())[:: 1 if ALL else 17]
    for start in range(0, len(cases), PART):
        compile_and_check(cases[start : start + PART], run_compiled, one_kernel=False)


@pytest.mark.parametrize("target", ["native", "aarch64"])
def test_one_channel(target: str, run_compiled: Run) -> None:
    """Convolutions of one channel to one, which are unpadded when they are vectors already."""
    cases = [
        case(
            graph.Conv2dOp, data((1, 1, n, n)), data((1, 1, k, k), seed=1), padding=(k // 2,) * 4, ulps=SUMMED, terms=4
        )
        for n, k in product((7, 8, 14), (3, 5))
    ]
    compile_and_check(cases, run_compiled, target, one_kernel=False)
