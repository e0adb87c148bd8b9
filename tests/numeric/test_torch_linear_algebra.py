"""Linear algebra of PyTorch as native code, beside LAPACK in eager torch: factors with their signs, pivots, and where
what cannot be factored failed."""

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
_compiled = partial(compiled, native=True)
_assert_as_eager = partial(assert_as_eager, native=True)
_DTYPES = pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=["f32", "f64"])


def _large(*shape: Any) -> Any:
    """A size that takes several blocks, and seconds to compile."""
    return pytest.param(shape, marks=pytest.mark.slow)


_SQUARES = pytest.mark.parametrize("shape", [(0, 0), (1, 1), (2, 3, 5, 5), (0, 4, 4), _large(45, 45)], ids=str)
_SHAPES = pytest.mark.parametrize(
    "shape", [(0, 3), (1, 1), (2, 5, 3), (2, 3, 5), _large(45, 40), _large(40, 70)], ids=str
)


def _matrix(*shape: int) -> Any:
    return torch.from_numpy(np.random.default_rng(0).standard_normal(shape))


def _definite(*shape: int) -> Any:
    a = _matrix(*shape)
    return a @ a.mT + shape[-1] * torch.eye(shape[-1], dtype=a.dtype)


_OF_DEFINITE: dict[str, Function] = {
    "cholesky_ex": linalg.cholesky_ex,
    "cholesky_ex, upper": lambda a: linalg.cholesky_ex(a, upper=True),
    "cholesky_inverse": torch.cholesky_inverse,
    "inv_ex": linalg.inv_ex,
    "slogdet": linalg.slogdet,
    "lu": linalg.lu,
    "lu_factor_ex": linalg.lu_factor_ex,
    "det": lambda a: linalg.det(a / 100),
    "det of transposed": lambda a: linalg.det(a.mT / 100),
}


@pytest.mark.sampled(11)
@_DTYPES
@_SQUARES
@pytest.mark.parametrize("name", _OF_DEFINITE)
def test_square_matrices(name: str, shape: tuple[int, ...], dtype: Any) -> None:
    _assert_as_eager(_OF_DEFINITE[name], _definite(*shape).to(dtype))


@pytest.mark.sampled(12)
@_DTYPES
@_SHAPES
@pytest.mark.parametrize("mode", ["reduced", "complete", "r"])
def test_orthogonal_factors_have_the_signs_of_lapack(mode: str, shape: tuple[int, ...], dtype: Any) -> None:
    _assert_as_eager(lambda a: linalg.qr(a, mode), _matrix(*shape).to(dtype))


@pytest.mark.sampled(6)
@_DTYPES
@_SHAPES
def test_triangular_factors_of_matrices_that_are_not_square(shape: tuple[int, ...], dtype: Any) -> None:
    a = _matrix(*shape).to(dtype)
    _assert_as_eager(linalg.lu, a)
    _assert_as_eager(lambda a: torch.lu_unpack(*linalg.lu_factor_ex(a)[:2]), a)
    _assert_as_eager(lambda a: torch.lu_unpack(*linalg.lu_factor_ex(a)[:2], unpack_data=False), a)


def test_orthogonal_factors_of_zeros_of_either_sign() -> None:
    _assert_as_eager(linalg.qr, torch.tensor([[-0.0, 1.0], [1.0, 2.0]]))
    _assert_as_eager(linalg.qr, torch.tensor([[0.0, 1.0], [-0.0, 2.0], [0.0, 0.0]]))


_SYSTEMS: dict[str, Function] = {
    "solve": lambda a, b: linalg.solve_ex(a, b),
    "solve from the right": lambda a, b: linalg.solve_ex(a, b.mT, left=False),
    "solve, all results": lambda a, b: torch.ops.aten._linalg_solve_ex(a, b),
    "triangular": lambda a, b: linalg.solve_triangular(a, b, upper=True),
    "triangular from the right": lambda a, b: linalg.solve_triangular(a, b.mT, upper=False, left=False),
    "unit triangular": lambda a, b: linalg.solve_triangular(a / 50, b, upper=False, unitriangular=True),
    "cholesky_solve": lambda a, b: torch.cholesky_solve(b, a),
    "cholesky_solve, upper": lambda a, b: torch.cholesky_solve(b, a, upper=True),
    "lu_solve": lambda a, b: linalg.lu_solve(*linalg.lu_factor_ex(a)[:2], b),
    "lu_solve, transposed": lambda a, b: linalg.lu_solve(*linalg.lu_factor_ex(a)[:2], b, adjoint=True),
    "lu_solve from the right": lambda a, b: linalg.lu_solve(*linalg.lu_factor_ex(a)[:2], b.mT, left=False),
}
_SIZES = [((3, 3), (3, 2)), ((2, 4, 4), (4, 1)), ((4, 4), (2, 4, 3)), ((2, 1, 1), (2, 1, 1)), _large((40, 40), (40, 3))]


@pytest.mark.sampled(11)
@_DTYPES
@pytest.mark.parametrize("sizes", _SIZES, ids=str)
@pytest.mark.parametrize("name", _SYSTEMS)
def test_systems(name: str, sizes: tuple[tuple[int, ...], tuple[int, ...]], dtype: Any) -> None:
    a, b = _definite(*sizes[0]), _matrix(*sizes[1])
    _assert_as_eager(_SYSTEMS[name], a.to(dtype), b.to(dtype))


@pytest.mark.parametrize("sizes", [((3, 3), (3,)), ((2, 4, 4), (2, 4)), ((2, 4, 4), (4,))], ids=str)
def test_systems_of_one_vector(sizes: tuple[tuple[int, ...], tuple[int, ...]]) -> None:
    _assert_as_eager(linalg.solve_ex, _definite(*sizes[0]), _matrix(*sizes[1]))


@pytest.mark.sampled(2)
@pytest.mark.parametrize("left", [True, False], ids=["left", "right"])
@pytest.mark.parametrize("transpose", [True, False], ids=["transposed", "plain"])
def test_products_of_reflections(left: bool, transpose: bool) -> None:
    a, other = _matrix(2, 5, 3), _matrix(2, 5, 4)
    _assert_as_eager(torch.geqrf, a)
    _assert_as_eager(lambda a: linalg.householder_product(*torch.geqrf(a)), a)
    other = other if left else other.mT.contiguous()
    _assert_as_eager(lambda a, c: torch.ormqr(*torch.geqrf(a), c, left=left, transpose=transpose), a, other)


@pytest.mark.sampled(2)
@pytest.mark.filterwarnings("ignore:torch.triangular_solve is deprecated")
@pytest.mark.parametrize("transpose", [True, False], ids=["transposed", "plain"])
@pytest.mark.parametrize("upper", [True, False], ids=["upper", "lower"])
def test_triangular_solve_gives_its_matrix_back(upper: bool, transpose: bool) -> None:
    _assert_as_eager(
        lambda b, a: torch.triangular_solve(b, a, upper=upper, transpose=transpose), _matrix(2, 4, 3), _definite(4, 4)
    )


@pytest.mark.parametrize("upper", ["L", "U"])
def test_values_of_eigenvectors_and_singular_vectors(upper: str) -> None:
    _assert_as_eager(lambda a: linalg.eigvalsh(a, UPLO=upper), _matrix(2, 7, 7))
    _assert_as_eager(linalg.svdvals, _matrix(2, 7, 4))
    _assert_as_eager(linalg.svdvals, _matrix(0, 3))


def test_pseudoinverses() -> None:
    deficient = _matrix(2, 5, 2) @ _matrix(2, 2, 4)
    functions: list[Function] = [
        linalg.pinv,
        lambda a: linalg.pinv(a, atol=0.5),
        lambda a: linalg.pinv(a, rtol=torch.tensor([0.1, 0.9])),
        lambda a: linalg.pinv(a @ a.mT, hermitian=True),
    ]
    for function in functions:
        _assert_as_eager(function, deficient)
    _assert_as_eager(linalg.pinv, _matrix(2, 0, 3))


# ---- what cannot be factored


def _indefinite() -> Any:
    a = torch.eye(5, dtype=torch.float64).repeat(4, 1, 1)
    a[1, 2, 2], a[2, 0, 0], a[3, 4, 4] = -1, 0, torch.nan
    return a


def test_cholesky_tells_the_first_pivot_that_is_not_positive() -> None:
    _, info = _compiled(linalg.cholesky_ex, _indefinite())
    assert info.tolist() == [0, 3, 1, 5] == linalg.cholesky_ex(_indefinite())[1].tolist()


def test_singular_matrices() -> None:
    ones = torch.ones(3, 3)
    _assert_as_eager(linalg.lu_factor_ex, ones)
    _assert_as_eager(linalg.lu_factor_ex, torch.zeros(2, 3, 3))
    _assert_as_eager(linalg.det, ones)
    assert [r.tolist() for r in _compiled(linalg.slogdet, ones)] == [0.0, -float("inf")]
    functions: list[Function] = [linalg.inv_ex, lambda a: linalg.solve_ex(a, a)]
    for function in functions:
        found, expected = _compiled(function, ones), function(ones)
        assert torch.equal(found[1], expected[1])
        assert not found[0].isfinite().all() and not expected[0].isfinite().all()


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda a: linalg.inv_ex(a, check_errors=True), "it raises an exception that depends on data"),
        (linalg.eigh, "eigenvectors are unique but for their signs"),
        (linalg.svd, "singular vectors are unique but for their signs"),
        (linalg.ldl_factor_ex, "mlc has no factors of symmetric matrices that are not definite"),
        (torch.linalg.eigvals, "mlc has no eigenvalues of matrices that are not symmetric"),
    ],
)
def test_what_stays_in_torch_says_why(function: Function, message: str) -> None:
    with pytest.raises(UserError, match=message):
        _compiled(function, _definite(3, 3))


@pytest.mark.skipif(not hasattr(torch.ops.aten, "cholesky"), reason="this torch has only linalg.cholesky")
def test_an_operator_that_raises_by_data_stays_in_torch() -> None:
    with pytest.raises(UserError, match="it raises an exception if a matrix is not positive definite"):
        _compiled(torch.ops.aten.cholesky, _definite(3, 3))
