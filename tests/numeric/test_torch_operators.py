"""PyTorch's operators as native code, beside eager torch."""

from __future__ import annotations

import pytest

pytest.importorskip("torch")

from mlc.testing.torch_operators import run_operator
from mlc.tests.numeric.torch_calls import CASES, DIFFERENTIATED, SAMPLED, Case, check_case, check_outcomes


@pytest.mark.sampled(8)
@pytest.mark.parametrize("name", SAMPLED)
def test_samples_are_as_in_eager_torch(name: str) -> None:
    check_outcomes(run_operator(name, "int64" if name == "gcd" else "float32", native=True, limit=2))


@pytest.mark.sampled(8)
@pytest.mark.parametrize("name", DIFFERENTIATED)
def test_gradients_are_as_in_eager_torch(name: str) -> None:
    check_outcomes(run_operator(name, "float32", native=True, limit=1, with_gradients=True))


@pytest.mark.sampled(10)
@pytest.mark.parametrize("case", CASES, ids=[f"{i}: {case[0]}" for i, case in enumerate(CASES)])
def test_calls_that_break_formulas(case: Case) -> None:
    check_case(case, native=True)
