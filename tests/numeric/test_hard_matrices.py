"""Decompositions of the matrices that LAPACK's own tests find hard, in one stack: none may disturb another.

Held against what the factors make up and against NumPy's singular values and eigenvalues in f64.
"""

# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false, reportUnknownVariableType=false

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

jax: Any = pytest.importorskip("jax")
from mlc.frameworks import jax as mlc_jax  # noqa: E402

jnp: Any = jax.numpy
_DTYPES = pytest.mark.parametrize(
    "dtype", [np.float32, pytest.param(np.float64, marks=pytest.mark.slow)], ids=["f32", "f64"]
)
_ALLOWED = 40
"""Errors, in units of the rounding of 1, relative to the largest singular value; LAPACK's own tests allow 30."""
_SIZES = [9, pytest.param(33, marks=pytest.mark.slow)]


def _wilkinson(n: int) -> Any:
    return np.diag(abs(np.arange(n) - n // 2).astype(float)) + np.eye(n, k=1) + np.eye(n, k=-1)


def _kahan(n: int) -> Any:
    sine, cosine = np.sin(0.3), np.cos(0.3)
    return np.diag(sine ** np.arange(n)) @ (np.eye(n) - cosine * np.triu(np.ones((n, n)), 1))


def _with_values(n: int, values: Any) -> Any:
    rng = np.random.default_rng(2)
    left, right = (np.linalg.qr(rng.standard_normal((n, n)))[0] for _ in range(2))
    return left * values @ right


def _hilbert(n: int) -> Any:
    return 1 / (1 + np.arange(n)[:, None] + np.arange(n))


def _stack(n: int, dtype: Any) -> dict[str, Any]:
    info, rng = np.finfo(dtype), np.random.default_rng(3)
    plain, rank = rng.standard_normal((n, n)), rng.standard_normal((n, 2))
    found = {
        "zeros": np.zeros((n, n)),
        "ones": np.ones((n, n)),
        "identity": np.eye(n),
        "wilkinson": _wilkinson(n),
        "kahan": _kahan(n),
        "hilbert": _hilbert(n),
        "rank 1": np.outer(plain[0], plain[1]),
        "rank 2": rank @ rank.T,
        "graded rows": plain * 10.0 ** -np.arange(n)[:, None],
        "graded columns": plain * 10.0 ** -np.arange(n),
        "geometric values": _with_values(n, float(info.eps) ** (np.arange(n) / (n - 1))),
        "clustered values": _with_values(n, np.where(np.arange(n) == 0, 1.0, float(info.eps))),
        "one small value": _with_values(n, np.where(np.arange(n) == n - 1, float(info.eps), 1.0)),
        "huge": plain / abs(plain).max() * float(info.max) / 8 / n,
        "tiny": plain * float(info.tiny) * 4,
        "denormal": plain * float(info.tiny) / 64,
        "mixed": plain * np.where(np.arange(n) % 2, 1.0, float(info.tiny) / 64),
        "zero column": plain * (np.arange(n) != 1),
        "permutation": np.roll(np.eye(n), 1, 0),
        "not a number": np.where(np.eye(n, k=1), np.nan, plain),
        "plain": plain,
    }
    return {name: a.astype(dtype) for name, a in found.items()}


def _compiled(function: Callable[..., Any], stack: dict[str, Any]) -> list[dict[str, Any]]:
    found = jax.tree.leaves(mlc_jax.jit(function)(jnp.asarray(np.stack(list(stack.values())))))
    return [dict(zip(stack, np.asarray(each, np.float64), strict=True)) for each in found]


def _assert_small(error: Any, scale: float, dtype: Any, name: str) -> None:
    # A unit of the denormal numbers for each element counts, too.
    allowed = _ALLOWED * float(np.finfo(dtype).eps) * scale + 40 * float(np.finfo(dtype).smallest_subnormal)
    worst = float(abs(error).max())
    assert worst <= allowed, f"{name}: {worst:.3g}, allowed {allowed:.3g}"


def _assert_orthogonal(q: Any, dtype: Any, name: str) -> None:
    _assert_small(q.T @ q - np.eye(q.shape[1]), 1.0, dtype, f"{name}, orthogonality")


def _sizes(stack: dict[str, Any]) -> dict[str, tuple[Any, float]]:
    """The matrices in f64 and their largest singular values; what is not finite is left out."""
    wide = {name: a.astype(np.float64) for name, a in stack.items() if np.isfinite(a).all()}
    return {name: (a, float(np.linalg.svd(a / (abs(a).max() or 1))[1][0] * abs(a).max())) for name, a in wide.items()}


@pytest.mark.sampled(2)
@_DTYPES
@pytest.mark.parametrize("n", _SIZES)
def test_orthogonal_triangular(n: int, dtype: Any) -> None:
    stack = _stack(n, dtype)
    with jax.enable_x64(True):
        q, r = _compiled(lambda a: jnp.linalg.qr(a), stack)
    for name, (a, size) in _sizes(stack).items():
        _assert_orthogonal(q[name], dtype, name)
        _assert_small(q[name] @ r[name] - a, size, dtype, f"{name}, residual")
        assert not np.tril(r[name], -1).any()
    assert np.isnan(r["not a number"]).any()


@pytest.mark.sampled(2)
@_DTYPES
@pytest.mark.parametrize("n", _SIZES)
def test_singular_values(n: int, dtype: Any) -> None:
    stack = _stack(n, dtype)
    with jax.enable_x64(True):
        u, s, v = _compiled(lambda a: jnp.linalg.svd(a), stack)
    for name, (a, size) in _sizes(stack).items():
        _assert_orthogonal(u[name], dtype, f"{name}, U")
        _assert_orthogonal(v[name].T, dtype, f"{name}, V")
        _assert_small((u[name] * s[name]) @ v[name] - a, size, dtype, f"{name}, residual")
        scale = abs(a).max() or 1
        _assert_small(s[name] - np.linalg.svd(a / scale)[1] * scale, size, dtype, f"{name}, values")
        assert (np.diff(s[name]) <= 0).all() and (s[name] >= 0).all()
    assert np.isnan(s["not a number"]).any()


@pytest.mark.sampled(2)
@_DTYPES
@pytest.mark.parametrize("n", _SIZES)
def test_eigenvalues(n: int, dtype: Any) -> None:
    stack = {name: (a + a.T) / dtype(2) for name, a in _stack(n, dtype).items()}
    with jax.enable_x64(True):
        values, vectors = _compiled(lambda a: jnp.linalg.eigh(a, symmetrize_input=False), stack)
    for name, (a, size) in _sizes(stack).items():
        _assert_orthogonal(vectors[name], dtype, name)
        _assert_small((vectors[name] * values[name]) @ vectors[name].T - a, size, dtype, f"{name}, residual")
        scale = abs(a).max() or 1
        _assert_small(values[name] - np.linalg.eigvalsh(a / scale) * scale, size, dtype, f"{name}, values")
    assert np.isnan(values["not a number"]).any()


@pytest.mark.sampled(2)
@_DTYPES
@pytest.mark.parametrize("n", _SIZES)
def test_triangular_factors(n: int, dtype: Any) -> None:
    """L has elements up to 1; the growth of U is no more than that of NumPy's random matrices here."""
    stack = _stack(n, dtype)
    with jax.enable_x64(True):
        packed, _, order = _compiled(lambda a: jax.lax.linalg.lu(a), stack)
    for name, (a, size) in _sizes(stack).items():
        lower, upper = np.tril(packed[name], -1) + np.eye(n), np.triu(packed[name])
        assert abs(lower).max() <= 1
        _assert_small(lower @ upper - a[order[name].astype(int)], size, dtype, f"{name}, residual")


@pytest.mark.sampled(2)
@_DTYPES
@pytest.mark.parametrize("n", _SIZES)
def test_factors_of_definite_matrices(n: int, dtype: Any) -> None:
    """Products with the transposed are definite, where they are not singular; what is not is NaN, as in LAPACK."""
    stack = _stack(n, dtype)
    singular = ("zeros", "ones", "rank 1", "rank 2", "huge", "tiny", "denormal", "mixed", "zero column")
    stack = {name: a @ a.T + np.eye(n, dtype=dtype) * dtype(0.5) for name, a in stack.items() if name not in singular}
    stack["huge"] = stack["plain"] * dtype(np.finfo(dtype).max / 1024)
    stack["tiny"] = stack["plain"] * np.finfo(dtype).tiny
    stack["indefinite"] = _wilkinson(n).astype(dtype)
    with jax.enable_x64(True):
        (factor,) = _compiled(lambda a: jax.lax.linalg.cholesky(a, symmetrize_input=False), stack)
    for name, (a, size) in _sizes(stack).items():
        if name != "indefinite":
            _assert_small(factor[name] @ factor[name].T - a, size, dtype, f"{name}, residual")
    assert np.isnan(factor["indefinite"]).any()
    assert np.isnan(factor["not a number"]).any()
