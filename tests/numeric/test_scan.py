"""Loops that carry values compute what NumPy's loops do, at all levels of optimisation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import mlc
from mlc.tests.numeric.scan_models import CASES, Case

Array = NDArray[Any]


def _close(found: Sequence[Array], wanted: Sequence[Array]) -> None:
    assert len(found) == len(wanted)
    for a, b in zip(found, wanted, strict=True):
        assert a.shape == b.shape
        np.testing.assert_allclose(a, b, rtol=2e-5, atol=2e-5)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_all_levels(case: Case) -> None:
    inputs = case.inputs()
    wanted = case.oracle(*inputs)
    for opt_level in range(4):
        for threads in (1, 2):
            model = mlc.compile(case.text, opt_level=opt_level, threads=threads)
            outputs = model.run({info.name: array for info, array in zip(model.inputs, inputs, strict=True)})
            _close([outputs[info.name] for info in model.outputs], wanted)


@pytest.mark.parametrize(
    "case", [c for c in CASES if "cumsum" not in c.name or "3d-axis1" in c.name], ids=lambda c: c.name
)
def test_arm(case: Case, run_compiled: Callable[..., list[Array]]) -> None:
    inputs = case.inputs()
    _close(run_compiled(mlc.parse(case.text), inputs, "aarch64"), case.oracle(*inputs))
