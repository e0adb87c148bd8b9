"""The support matrix of ONNX says what is, and a case for each operator has the outcome that it says."""

from __future__ import annotations

import json
import runpy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("onnx")

from mlc.testing import onnx_conformance as conformance

_DOCS = Path(__file__).parents[2] / "docs"
_OUTCOMES: dict[str, list[str]] = json.loads((_DOCS / "onnx_outcomes.json").read_text(encoding="utf-8"))
_PARTS = 8
_NOISE = {"node/test_dft_inverse", "node/test_dft_inverse_opset19"}
"""Cases that want rounding errors of f32, such as 2e-7 for a 0 beside numbers of 15; in f64 they are smaller."""


def test_the_page_is_up_to_date() -> None:
    made: dict[str, Any] = runpy.run_path(str(_DOCS / "generate_onnx.py"))
    assert made["PAGE"].read_text(encoding="utf-8") == made["page"](), "run: python docs/generate_onnx.py"


@pytest.mark.slow
def test_every_case_has_an_outcome() -> None:
    assert set(conformance.cases()) == set(_OUTCOMES)


def test_nothing_that_is_computed_is_wrong() -> None:
    wrong = {name for name, (status, _) in _OUTCOMES.items() if status in ("mismatch", "bug")}
    assert wrong == _NOISE


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize("part", range(_PARTS))
def test_a_case_of_each_operator(part: int) -> None:
    """As native code. A case that passes now and did not is not a failure, but is to be noted."""
    for name in conformance.sample()[part::_PARTS]:
        outcome = conformance.run_case(name)
        if outcome.status != _OUTCOMES[name][0]:
            assert _OUTCOMES[name][0] != "pass" and outcome.status == "pass", (outcome, _OUTCOMES[name])


def test_differences_are_seen() -> None:
    """The comparison is not a formality."""
    x = np.asarray([1, 2], np.float32)
    difference = conformance.difference
    assert difference([x], [x], 1e-3, 1e-7) is None
    assert difference([x], [x.astype(np.float64)], 1e-3, 1e-7) == "output 0 is of float32, wanted float64"
    assert difference([x], [x[None]], 1e-3, 1e-7) == "output 0 has shape (2,), wanted (1, 2)"
    assert difference([x], [], 1e-3, 1e-7) == "1 outputs, wanted 0"
    assert "Mismatched elements: 1 / 2" in str(difference([x], [np.asarray([1, 2.1], np.float32)], 1e-3, 1e-7))
    assert difference([np.asarray([np.nan], np.float32)], [np.asarray([np.nan], np.float32)], 1e-3, 1e-7) is None
