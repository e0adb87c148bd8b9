"""Linear algebra of complex matrices of PyTorch beside LAPACK in eager torch: by the reference of the graph level, and
some of it as native code."""

# Torch may be missing, so that its functions are of any type here.
# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest

torch: Any = pytest.importorskip("torch")
from mlc.support.errors import UserError  # noqa: E402
from mlc.tests.numeric.torch_eager import Function, assert_as_eager, compiled  # noqa: E402

linalg = torch.linalg
_compiled = partial(compiled, native=False)
_assert_as_eager = partial(assert_as_eager, native=False)
_DTYPES = pytest.mark.parametrize("dtype", [torch.complex64, torch.complex128], ids=["c64", "c128"])


def _matrix(*shape: int) -> Any:
    rng = np.random.default_rng(0)
    return torch.from_numpy(rng.standard_normal(shape) + 1j * rng.standard_normal(shape))


def _definite(*shape: int) -> Any:
    a = _matrix(*shape)
    return a @ a.mH + shape[-1] * torch.eye(shape[-1], dtype=a.dtype)


_OF_DEFINITE: dict[str, Function] = {
    "cholesky_ex": linalg.cholesky_ex,
    "cholesky_ex, upper": lambda a: linalg.cholesky_ex(a, upper=True),
    "cholesky_inverse": torch.cholesky_inverse,
    "inv_ex": linalg.inv_ex,
    "slogdet": lambda a: linalg.slogdet(a * (1 + 2j)),
    "det": lambda a: linalg.det(a / (2 * a.shape[-1] + 1)),
    "eigvalsh": linalg.eigvalsh,
    "eigvalsh, upper": lambda a: linalg.eigvalsh(a, UPLO="U"),
}
_OF_ANY: dict[str, Function] = {
    "lu": linalg.lu,
    "lu_factor_ex": linalg.lu_factor_ex,
    "qr": linalg.qr,
    "qr, complete": lambda a: linalg.qr(a, "complete"),
    "qr, r": lambda a: linalg.qr(a, "r"),
    "geqrf": torch.geqrf,
    "svdvals": linalg.svdvals,
    "pinv": linalg.pinv,
    "prod": lambda a: (a.prod(), a.prod(-1), a.prod(-2, keepdim=True)),
    "cumprod": lambda a: (a.cumprod(-1), a.cumprod(-2)),
    "prod of real numbers": lambda a: (a.real.prod(-1, dtype=a.dtype), a.real.cumprod(-1, dtype=a.dtype)),
}
_SYSTEMS: dict[str, Function] = {
    "solve": lambda a, b: linalg.solve_ex(a, b),
    "solve from the right": lambda a, b: linalg.solve_ex(a, b.mT, left=False),
    "triangular": lambda a, b: linalg.solve_triangular(a, b, upper=True),
    "triangular from the right": lambda a, b: linalg.solve_triangular(a, b.mT, upper=False, left=False),
    "unit triangular": lambda a, b: linalg.solve_triangular(a / 50, b, upper=False, unitriangular=True),
    "cholesky_solve": lambda a, b: torch.cholesky_solve(b, a),
    "cholesky_solve, upper": lambda a, b: torch.cholesky_solve(b, a, upper=True),
    "lu_solve": lambda a, b: linalg.lu_solve(*linalg.lu_factor_ex(a)[:2], b),
    "lu_solve, adjoint": lambda a, b: linalg.lu_solve(*linalg.lu_factor_ex(a)[:2], b, adjoint=True),
    "lu_solve from the right": lambda a, b: linalg.lu_solve(*linalg.lu_factor_ex(a)[:2], b.mT, left=False),
    "lu_solve, adjoint from the right": lambda a, b: linalg.lu_solve(
        *linalg.lu_factor_ex(a)[:2], b.mT, left=False, adjoint=True
    ),
    "matrix of real numbers": lambda a, b: linalg.solve_triangular(a.real.to(a.dtype), b, upper=True),
}


@_DTYPES
@pytest.mark.parametrize("shape", [(0, 0), (1, 1), (2, 5, 5), (40, 40)], ids=str)
@pytest.mark.parametrize("name", _OF_DEFINITE)
def test_definite_matrices(name: str, shape: tuple[int, ...], dtype: Any) -> None:
    _assert_as_eager(_OF_DEFINITE[name], _definite(*shape).to(dtype))


@_DTYPES
@pytest.mark.parametrize("shape", [(0, 3), (1, 1), (2, 5, 3), (3, 5), (4, 4), (40, 34)], ids=str)
@pytest.mark.parametrize("name", _OF_ANY)
def test_matrices(name: str, shape: tuple[int, ...], dtype: Any) -> None:
    a = _matrix(*shape).to(dtype)
    _assert_as_eager(_OF_ANY[name], a / 2 if "prod" in name else a)


@_DTYPES
@pytest.mark.parametrize("sizes", [((3, 3), (3, 2)), ((2, 4, 4), (4, 1)), ((4, 4), (2, 4, 3)), ((40, 40), (40, 3))])
@pytest.mark.parametrize("name", _SYSTEMS)
def test_systems(name: str, sizes: tuple[tuple[int, ...], tuple[int, ...]], dtype: Any) -> None:
    a, b = _definite(*sizes[0]), _matrix(*sizes[1])
    _assert_as_eager(_SYSTEMS[name], a.to(dtype), b.to(dtype))


def test_products_of_reflections() -> None:
    a, other = _matrix(2, 5, 3), _matrix(2, 5, 4)
    for transpose in (False, True):
        _assert_as_eager(lambda a, c, t=transpose: torch.ormqr(*torch.geqrf(a), c, transpose=t), a, other)


def test_a_pseudoinverse_of_few_directions() -> None:
    deficient = _matrix(2, 5, 2) @ _matrix(2, 2, 4)
    _assert_as_eager(linalg.pinv, deficient)
    _assert_as_eager(lambda a: linalg.pinv(a @ a.mH, hermitian=True), deficient)


def test_one_triangle_is_read_and_real_parts_of_the_diagonal() -> None:
    a = _definite(2, 5, 5)
    other = torch.triu(torch.full((5, 5), torch.nan, dtype=a.dtype), 1) + 3j * torch.eye(5, dtype=a.dtype)
    found = _compiled(linalg.cholesky_ex, a + other)[0]
    assert float((found - linalg.cholesky(a)).abs().max()) < 1e-12
    values = _compiled(linalg.eigvalsh, a + other)[0]
    assert float((values - linalg.eigvalsh(a)).abs().max()) < 1e-11


def test_what_is_not_definite_or_singular() -> None:
    wrong = torch.eye(5, dtype=torch.complex128).repeat(3, 1, 1)
    wrong[1, 2, 2], wrong[2, 0, 0] = -1, 0
    assert _compiled(linalg.cholesky_ex, wrong)[1].tolist() == linalg.cholesky_ex(wrong)[1].tolist() == [0, 3, 1]
    ones = torch.ones(3, 3, dtype=torch.complex64) * 1j
    _assert_as_eager(linalg.lu_factor_ex, ones)
    _assert_as_eager(linalg.det, ones)
    assert _compiled(linalg.inv_ex, ones)[1].tolist() == linalg.inv_ex(ones)[1].tolist()


@pytest.mark.slow
@pytest.mark.sampled(2)
@_DTYPES
@pytest.mark.parametrize("name", ["inv_ex", "cholesky_ex", "eigvalsh"])
def test_natively(name: str, dtype: Any) -> None:
    _assert_as_eager(_OF_DEFINITE[name], _definite(2, 5, 5).to(dtype), native=True)


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (linalg.eigh, "eigenvectors are unique but for their signs"),
        (linalg.svd, "singular vectors are unique but for their signs"),
        (torch.linalg.eigvals, "mlc has no eigenvalues of matrices that are not symmetric"),
        (torch.matrix_exp, "it computes with complex numbers, for which mlc has no pattern here"),
        (lambda a: a.to(torch.complex32).conj() * 1, "its elements are torch.complex32, which has no type in the IR"),
    ],
)
def test_what_stays_in_torch_says_why(function: Function, message: str) -> None:
    with pytest.raises(UserError, match=message):
        _compiled(function, _definite(3, 3))
