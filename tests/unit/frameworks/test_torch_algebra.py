"""Linear algebra by the backend: with gradients, with the exceptions that torch raises, and what stays in torch."""

# Torch may be missing, so that its functions are of any type here.
# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.frameworks.eager import Function, assert_as_eager, assert_same_gradients, backend, compiled, torch

linalg = torch.linalg


def _matrix(*shape: int) -> Any:
    generator = torch.Generator().manual_seed(0)
    return torch.randn(*shape, generator=generator) + 4 * torch.eye(*shape[-2:])


def _definite(*shape: int) -> Any:
    a = _matrix(*shape)
    return a @ a.mT


_CASES: dict[str, tuple[Function, tuple[Any, ...]]] = {
    "cholesky": (linalg.cholesky, (_definite(2, 5, 5),)),
    "cholesky, upper": (lambda a: linalg.cholesky(a, upper=True), (_definite(3, 3),)),
    "solve": (linalg.solve, (_matrix(2, 4, 4), _matrix(2, 4, 3))),
    "solve from the right": (lambda a, b: linalg.solve(a.mT, b, left=False), (_matrix(4, 4), _matrix(2, 4))),
    "solve for a vector": (linalg.solve, (_matrix(3, 3), torch.arange(3.0))),
    "inv": (linalg.inv, (_matrix(2, 4, 4),)),
    "det": (linalg.det, (_matrix(2, 4, 4) / 4,)),
    "det of columns": (lambda a: linalg.det(a.mT), (_matrix(2, 4, 4) / 4,)),
    "slogdet": (lambda a: linalg.slogdet(a)[1], (_matrix(2, 4, 4),)),
    "solve_triangular": (lambda a, b: linalg.solve_triangular(a, b, upper=True), (_matrix(2, 4, 4), _matrix(4, 3))),
    "qr": (linalg.qr, (_matrix(2, 5, 3),)),
    "lu": (lambda a: linalg.lu(a)[1:], (_matrix(4, 4),)),
    "pinv": (linalg.pinv, (_matrix(2, 5, 3),)),
    "cholesky_solve": (lambda a, b: torch.cholesky_solve(b, linalg.cholesky(a)), (_definite(4, 4), _matrix(4, 2))),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", _CASES)
def test_results_and_gradients_are_as_in_eager_torch(name: str) -> None:
    function, arguments = _CASES[name]
    assert_as_eager(function, *arguments)
    assert {each.operator for graph in backend.report().graphs for each in graph.fallbacks} <= {
        "aten._linalg_check_errors"
    }
    assert_same_gradients(function, *(a.clone().requires_grad_() for a in arguments))
    assert {each.operator for graph in backend.report().graphs for each in graph.fallbacks} <= {
        "aten._linalg_check_errors"
    }


@pytest.mark.slow
def test_what_torch_raises_is_raised() -> None:
    fast = compiled(lambda a: linalg.cholesky(a * 2))
    fast(torch.eye(3))
    with pytest.raises(torch.linalg.LinAlgError, match="leading minor of order 2 is not positive-definite"):
        fast(torch.diag(torch.tensor([1.0, -1.0, 1.0])))
    with pytest.raises(torch.linalg.LinAlgError, match="The diagonal element 2 is zero"):
        compiled(linalg.inv)(torch.ones(2, 2))
    assert "it raises an exception if a matrix is singular" in str(backend.report())


@pytest.mark.slow
def test_a_library_has_numbers_in_place_of_exceptions() -> None:
    functions: list[tuple[Function, Any]] = [
        (linalg.cholesky, -torch.eye(3)),
        (linalg.inv, torch.ones(3, 3)),
        (torch.inverse, torch.ones(3, 3)),
        (lambda a: linalg.solve(a, torch.eye(3)), torch.ones(3, 3)),
        (lambda a: linalg.lu_solve(*linalg.lu_factor(a), torch.eye(3)), torch.ones(3, 3)),
    ]
    for function, bad in functions:
        model = backend.compile(lambda a, function=function: function(a), _definite(3, 3))
        good = _definite(3, 3)
        torch.testing.assert_close(torch.from_numpy(model(good)), function(good))
        assert not torch.from_numpy(model(bad)).isfinite().all()


@pytest.mark.slow
def test_values_of_large_matrices_stay_in_torch() -> None:
    assert_as_eager(linalg.svdvals, _matrix(12, 12))
    assert not backend.report().graphs[0].fallbacks
    assert_as_eager(linalg.svdvals, _matrix(20, 20))
    assert "torch is faster, by LAPACK, for matrices of more than 16 rows and columns" in str(backend.report())
