"""Linear algebra of JAX as native code, beside NumPy and JAX; factors whose signs are free by what they make up."""

# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false, reportUnknownVariableType=false

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

jax: Any = pytest.importorskip("jax")
from mlc.frameworks import jax as mlc_jax  # noqa: E402
from mlc.support.errors import UserError  # noqa: E402
from tests.conftest import CommandLine  # noqa: E402

jnp: Any = jax.numpy
scipy: Any = __import__("jax.scipy.linalg", fromlist=["lu"])
_TOLERANCE = {np.float32: 1e-5, np.float64: 1e-12}
_DTYPES = pytest.mark.parametrize("dtype", [np.float32, np.float64], ids=["f32", "f64"])
_SHAPES = pytest.mark.parametrize("shape", [(1, 1), (2, 5, 3), (3, 5), (45, 40), (40, 70)], ids=str)


def _wide() -> Any:
    return jax.enable_x64(True)


def _matrix(*shape: int, dtype: Any = np.float64) -> Any:
    return np.random.default_rng(0).standard_normal(shape).astype(dtype)


def _definite(*shape: int, dtype: Any = np.float64) -> Any:
    a = _matrix(*shape)
    return (a @ np.swapaxes(a, -1, -2) + shape[-1] * np.eye(shape[-1])).astype(dtype)


def _deficient(m: int, n: int, rank: int, dtype: Any) -> Any:
    rng = np.random.default_rng(1)
    return (rng.standard_normal((m, rank)) @ rng.standard_normal((rank, n))).astype(dtype)


def _compiled(function: Callable[..., Any], *arguments: Any) -> Any:
    return jax.tree.map(np.asarray, mlc_jax.jit(function)(*map(jnp.asarray, arguments)))


def _assert_near(found: Any, expected: Any, dtype: Any) -> None:
    found, expected = np.asarray(found, np.float64), np.asarray(expected, np.float64)
    assert found.shape == expected.shape
    scale = max(float(np.abs(expected).max(initial=0)), 1e-300)
    assert float(np.abs(found - expected).max(initial=0)) <= _TOLERANCE[dtype] * scale


def _assert_orthonormal(columns: Any, dtype: Any) -> None:
    product = np.swapaxes(columns, -1, -2) @ columns
    _assert_near(product, np.broadcast_to(np.eye(product.shape[-1]), product.shape), dtype)


_CASES: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "cholesky": (lambda a: jnp.linalg.cholesky(a), (_definite(2, 7, 7),)),
    "cholesky_blocks": (lambda a: jnp.linalg.cholesky(a, upper=True), (_definite(70, 70),)),
    "solve": (lambda a, b: jnp.linalg.solve(a, b), (_matrix(2, 6, 6), _matrix(2, 6, 3))),
    "solve_blocks": (lambda a, b: jnp.linalg.solve(a, b), (_definite(70, 70), _matrix(70))),
    "inverse": (lambda a: (jnp.linalg.inv(a), jnp.linalg.det(a), jnp.linalg.slogdet(a)), (_matrix(2, 5, 5),)),
    "lstsq": (lambda a, b: jnp.linalg.lstsq(a, b)[0], (_matrix(12, 5), _matrix(12, 2))),
    "pinv": (lambda a: (jnp.linalg.pinv(a), jnp.linalg.cond(a), jnp.linalg.norm(a, 2)), (_matrix(9, 4),)),
    "triangular": (
        lambda a, b: [scipy.solve_triangular(a, b, lower=w, trans=t) for w in (True, False) for t in (0, 1)],
        (_definite(40, 40), _matrix(40, 2)),
    ),
    "unit": (
        lambda a, b: jax.lax.linalg.triangular_solve(a, b, lower=True, unit_diagonal=True),
        (_matrix(2, 4, 4), _matrix(2, 3, 4)),
    ),
    "cho_solve": (lambda a, b: scipy.cho_solve(scipy.cho_factor(a), b), (_definite(8, 8), _matrix(8, 2))),
    "lu_solve": (lambda a, b: scipy.lu_solve(scipy.lu_factor(a), b), (_matrix(8, 8), _matrix(8, 2))),
    "expm": (lambda a: scipy.expm(a), (_matrix(5, 5),)),
    "gradients": (
        jax.grad(lambda a: jnp.linalg.slogdet(a)[1] + jnp.linalg.cholesky(a).sum() + jnp.linalg.eigh(a)[0][0]),
        (_definite(6, 6),),
    ),
}


@pytest.mark.sampled(7)
@_DTYPES
@pytest.mark.parametrize("name", _CASES)
def test_function(name: str, dtype: Any) -> None:
    function, arguments = _CASES[name]
    with _wide():
        given = [a.astype(dtype) for a in arguments]
        found = jax.tree.leaves(_compiled(function, *given))
        expected = jax.tree.leaves(jax.jit(function)(*given))
        for one, two in zip(found, expected, strict=True):
            _assert_near(one, two, dtype)


@pytest.mark.sampled(3)
@_DTYPES
@_SHAPES
def test_lu(shape: tuple[int, ...], dtype: Any) -> None:
    a = _matrix(*shape, dtype=dtype)
    with _wide():
        found, expected = _compiled(jax.lax.linalg.lu, a), jax.jit(jax.lax.linalg.lu)(a)
    _assert_near(found[0], expected[0], dtype)
    assert np.array_equal(found[1], expected[1]) and np.array_equal(found[2], expected[2])


@pytest.mark.sampled(3)
@_DTYPES
@_SHAPES
def test_qr(shape: tuple[int, ...], dtype: Any) -> None:
    a = _matrix(*shape, dtype=dtype)
    with _wide():
        q, r = _compiled(jnp.linalg.qr, a)
        whole, _ = _compiled(lambda a: jnp.linalg.qr(a, mode="complete"), a)
        expected = jax.jit(jnp.linalg.qr)(a)
    _assert_near(q @ r, a, dtype)
    _assert_near(r, expected[1], dtype)
    _assert_orthonormal(q, dtype)
    _assert_orthonormal(whole, dtype)


@pytest.mark.sampled(3)
@_DTYPES
@pytest.mark.parametrize("shape", [(1, 1), (2, 5, 5), (40, 40)], ids=str)
def test_eigh(shape: tuple[int, ...], dtype: Any) -> None:
    a = _matrix(*shape)
    a = ((a + np.swapaxes(a, -1, -2)) / 2).astype(dtype)
    with _wide():
        values, vectors = _compiled(jnp.linalg.eigh, a)
    _assert_near(values, np.linalg.eigvalsh(a.astype(np.float64)), dtype)
    _assert_near(vectors * values[..., None, :] @ np.swapaxes(vectors, -1, -2), a, dtype)
    _assert_orthonormal(vectors, dtype)


@pytest.mark.sampled(3)
@_DTYPES
@pytest.mark.parametrize("factor", [0.0, 1.0, 1e30, 1e-30])
def test_eigh_of_few_directions(factor: float, dtype: Any) -> None:
    a = _deficient(20, 20, 3, np.float64)
    a = (a @ a.T).astype(dtype) * dtype(factor)
    with _wide():
        values, vectors = _compiled(jnp.linalg.eigh, a)
    _assert_near(values, np.linalg.eigvalsh(a.astype(np.float64)), dtype)
    _assert_orthonormal(vectors, dtype)


@pytest.mark.sampled(6)
@_DTYPES
@pytest.mark.parametrize("shape", [(2, 5, 3), (3, 5), (40, 34)], ids=str)
@pytest.mark.parametrize("full", [False, True], ids=["thin", "full"])
def test_svd(shape: tuple[int, ...], full: bool, dtype: Any) -> None:
    _check_svd(_matrix(*shape, dtype=dtype), full, dtype)


@_DTYPES
def test_svd_of_few_directions(dtype: Any) -> None:
    _check_svd(_deficient(20, 12, 3, dtype), True, dtype)
    _check_svd(np.zeros((4, 3), dtype), True, dtype)


def _check_svd(a: Any, full: bool, dtype: Any) -> None:
    with _wide():
        u, values, v = _compiled(lambda a: jnp.linalg.svd(a, full_matrices=full), a)
    _assert_near(values, np.linalg.svd(a.astype(np.float64), compute_uv=False), dtype)
    k = values.shape[-1]
    _assert_near(u[..., :k] * values[..., None, :] @ v[..., :k, :], a, dtype)
    _assert_orthonormal(u, dtype)
    _assert_orthonormal(np.swapaxes(v, -1, -2), dtype)


# ---- complex matrices


def _complex(*shape: int) -> Any:
    rng = np.random.default_rng(2)
    return rng.standard_normal(shape) + 1j * rng.standard_normal(shape)


def _hermitian(*shape: int) -> Any:
    a = _complex(*shape)
    return a @ np.swapaxes(a.conj(), -1, -2) + shape[-1] * np.eye(shape[-1])


_OF_COMPLEX: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "cholesky": (lambda a: jnp.linalg.cholesky(a), (_hermitian(2, 7, 7),)),
    "solve": (lambda a, b: jnp.linalg.solve(a, b), (_complex(2, 6, 6), _complex(2, 6, 3))),
    "inverse": (lambda a: (jnp.linalg.inv(a), jnp.linalg.det(a), jnp.linalg.slogdet(a)), (_complex(2, 5, 5),)),
    "triangular": (
        lambda a, b: [scipy.solve_triangular(a, b, lower=w, trans=t) for w in (True, False) for t in (0, 1, 2)],
        (_hermitian(7, 7), _complex(7, 2)),
    ),
    "lu": (jax.lax.linalg.lu, (_complex(6, 4),)),
    "qr": (lambda a: jnp.linalg.qr(a), (_complex(2, 6, 4),)),
    "values": (lambda a: (jnp.linalg.eigvalsh(a), jnp.linalg.svd(a, compute_uv=False)), (_hermitian(2, 5, 5),)),
    "pinv": (lambda a: jnp.linalg.pinv(a), (_complex(6, 4),)),
    "products": (lambda a: (jnp.prod(a, 1), jnp.cumprod(a, 1), jnp.einsum("ij,kj->ik", a, a)), (_complex(4, 5),)),
    "gradients": (
        jax.grad(lambda a: jnp.linalg.slogdet(a)[1] + jnp.linalg.cholesky(a).real.sum()),
        (_hermitian(6, 6),),
    ),
}


def _parts(x: Any) -> Any:
    x = np.asarray(x)
    return np.stack([x.real, x.imag], -1) if np.iscomplexobj(x) else x


@pytest.mark.sampled(7)
@_DTYPES
@pytest.mark.parametrize("name", _OF_COMPLEX)
def test_function_of_complex_matrices(name: str, dtype: Any) -> None:
    function, arguments = _OF_COMPLEX[name]
    with _wide():
        given = [a.astype(np.result_type(dtype, np.complex64)) for a in arguments]
        found = jax.tree.leaves(_compiled(function, *given))
        expected = jax.tree.leaves(jax.jit(function)(*given))
        for one, two in zip(found, expected, strict=True):
            _assert_near(_parts(one), _parts(two), dtype)


@pytest.mark.sampled(2)
@_DTYPES
def test_vectors_of_complex_matrices(dtype: Any) -> None:
    a, wide = _hermitian(2, 5, 5), _complex(2, 6, 4)
    with _wide():
        given = [x.astype(np.result_type(dtype, np.complex64)) for x in (a, wide)]
        (values, vectors), (u, s, v) = _compiled(
            lambda a, x: (jnp.linalg.eigh(a), jnp.linalg.svd(x, full_matrices=False)), *given
        )
    back = np.swapaxes(vectors.conj(), -1, -2)
    _assert_near(_parts(vectors * values[..., None, :] @ back), _parts(a), dtype)
    _assert_near(_parts(back @ vectors), _parts(np.broadcast_to(np.eye(5) + 0j, a.shape)), dtype)
    _assert_near(_parts(u * s[..., None, :] @ v), _parts(wide), dtype)
    _assert_near(_parts(v @ np.swapaxes(v.conj(), -1, -2)), _parts(np.broadcast_to(np.eye(4) + 0j, (2, 4, 4))), dtype)


def test_what_is_not_definite_or_singular() -> None:
    wrong = np.diag([1.0, 2.0, -1.0, 3.0]).astype(np.float32)
    found, expected = _compiled(jnp.linalg.cholesky, wrong), jax.jit(jnp.linalg.cholesky)(wrong)
    assert np.isnan(found).any() and np.array_equal(found, expected, equal_nan=True)
    singular = np.diag([1.0, 0.0, 2.0]).astype(np.float32)
    assert _compiled(jnp.linalg.det, singular) == 0
    assert np.array_equal(_compiled(jnp.linalg.inv, singular), jax.jit(jnp.linalg.inv)(singular), equal_nan=True)


def test_matrices_without_elements() -> None:
    for shape in ((0, 3, 3), (2, 0, 3), (2, 3, 0)):
        a = np.zeros(shape, np.float32)
        for function in (jax.lax.linalg.lu, jnp.linalg.qr, lambda a: jnp.linalg.svd(a, full_matrices=False)):
            found, expected = _compiled(function, a), jax.jit(function)(a)
            for one, two in zip(jax.tree.leaves(found), jax.tree.leaves(expected), strict=True):
                assert one.shape == two.shape and np.array_equal(one, two)


@pytest.mark.parametrize(
    ("function", "name"),
    [
        (lambda a: jnp.linalg.eig(a), "'lapack_sgeev_ffi' of LAPACK (eigenvalues of a matrix that is not symmetric)"),
        (lambda a: scipy.schur(a), "'lapack_sgees_ffi' of LAPACK (a Schur form)"),
        (
            lambda a: jnp.linalg.eig(a + 0j),
            "'lapack_cgeev_ffi' of LAPACK (eigenvalues of a matrix that is not symmetric)",
        ),
    ],
)
def test_what_there_is_not_is_named(function: Any, name: str) -> None:
    with pytest.raises(UserError) as caught:
        _compiled(function, _definite(3, 3, dtype=np.float32))
    assert name in str(caught.value)


def test_code_does_not_grow(tmp_path: Path, mlc_opt: CommandLine) -> None:
    lengths: list[int] = []
    for n in (40, 200):
        text = jax.jit(jax.lax.linalg.lu).lower(jax.ShapeDtypeStruct((n, n), np.float32)).as_text()
        (tmp_path / "lu.mlir").write_text(text)
        result = mlc_opt(str(tmp_path / "lu.mlir"), "--convert-stablehlo-to-graph")
        assert result.status == 0, result.err
        lengths.append(sum("graph." in line for line in result.out.splitlines()))
    assert lengths[0] == lengths[1] > 0
