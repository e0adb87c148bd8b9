"""PyTorch's operators at the graph level, beside eager torch: the quick part of the tests in tests/numeric."""

from __future__ import annotations

import pytest

pytest.importorskip("torch")

import torch

from mlc.support.errors import UserError
from mlc.testing.torch_graphs import run_graph, traced
from mlc.testing.torch_operators import run_operator, table, totals
from mlc.testing.torch_samples import as_function
from mlc.tests.numeric.torch_calls import (
    CASES,
    DIFFERENTIATED,
    SAMPLED,
    Case,
    check_case,
    check_outcomes,
    function_of,
)

EVERY = 5
"""One operator in this many is tried here."""


@pytest.mark.parametrize("name", SAMPLED[::EVERY])
def test_samples_are_as_in_eager_torch(name: str) -> None:
    for dtype in ("float32", "int64", "bool"):
        check_outcomes(run_operator(name, dtype, limit=3), least=0)


@pytest.mark.parametrize("name", DIFFERENTIATED[::EVERY])
def test_gradients_are_as_in_eager_torch(name: str) -> None:
    check_outcomes(run_operator(name, "float32", limit=2, with_gradients=True))


@pytest.mark.parametrize("case", CASES, ids=[f"{i}: {case[0]}" for i, case in enumerate(CASES)])
def test_calls_that_break_formulas(case: Case) -> None:
    check_case(case, native=False)


def test_memory_that_is_not_in_order_is_not_read() -> None:
    function, tensors = as_function(function_of("x.as_strided((2, 2), (1, 2), 3)"), [torch.zeros(3, 4)], {})
    graph = traced(function, tensors)
    next(iter(graph.graph.nodes)).meta["val"] = torch.zeros(3, 5)[:, 1:]
    with pytest.raises(UserError, match="memory that is not that of its tensor alone"):
        run_graph(graph, tensors, native=False)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("rand_like", "it draws random numbers, which torch's own generator does"),
        ("special.airy_ai", "mlc has no pattern for this operator"),
        ("nonzero", "the shape of"),
        ("cholesky", "it raises an exception if a matrix is not positive definite, which depends on data"),
    ],
)
def test_operators_that_stay_in_torch_say_why(name: str, reason: str) -> None:
    (outcome,) = run_operator(name, "float32", limit=1)
    assert outcome.status == "fallback"
    assert reason in outcome.detail


def test_outcomes_are_counted() -> None:
    outcomes = run_operator("neg", "float32", limit=1) + run_operator("rand_like", "float32", limit=1)
    assert totals(outcomes).splitlines()[0] == "all: 1 pass, 1 fallback, 0 wrong, 0 bug; 50.0% pass"
    assert len(table(outcomes).splitlines()) == 3
