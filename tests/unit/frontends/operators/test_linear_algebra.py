"""Factors of matrices at the graph level, run by its reference, beside what they have to make up and beside NumPy's.

Blocks are of three steps here, so that small matrices have several of them, and a last one that is not full. Matrices
of all sizes of numbers stand in one stack, with one that is not a number: none may disturb another.
"""

# pyright: reportUnknownLambdaType=false, reportUnknownArgumentType=false

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp, f64
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import SSAValue

from mlc.dialects.graph.types import tensor
from mlc.frontends.operators import matrices
from mlc.frontends.operators.cholesky import cholesky_factor
from mlc.frontends.operators.complex_numbers import Pair, RealOrPair
from mlc.frontends.operators.extents import result_extents
from mlc.frontends.operators.fields import as_pair, product, real_part, running_product
from mlc.frontends.operators.graph_builder import GraphBuilder, Knowledge
from mlc.frontends.operators.householder import orthogonal_factor, reflections
from mlc.frontends.operators.jacobi import singular_values, symmetric_eigen
from mlc.frontends.operators.lu import permutation, solve_with_factors, triangular_factors
from mlc.frontends.operators.triangular import solve_triangular
from mlc.reference.interpreter import run_function
from mlc.support.resources import Resources

Array = NDArray[Any]
_EPSILON = 100 * np.finfo(np.float64).eps
_SHAPES = [(7, 5), (5, 7), (7, 7), (1, 1), (4, 1)]


@pytest.fixture(autouse=True)
def blocks_of_three(monkeypatch: pytest.MonkeyPatch) -> None:
    """Several blocks for few columns."""
    monkeypatch.setattr(matrices, "_BLOCK", 3)


def _run(build: Callable[..., Sequence[RealOrPair]], *operands: Array) -> list[Array]:
    """What the ops compute that `build` writes with a builder and a value for each operand."""
    function = FuncOp("main", ([tensor(each.shape, f64) for each in operands], []))
    block, knowledge = function.body.block, Knowledge(Resources(), result_extents)
    block.add_op(end := ReturnOp())
    end.operands = [real_part(each) for each in build(GraphBuilder(end, knowledge), *block.args)]
    function.function_type = type(function.function_type).from_lists(block.arg_types, [v.type for v in end.operands])
    with np.errstate(all="ignore"):
        return run_function(ModuleOp([function]), "main", operands, knowledge.resources)


def _stack(m: int, n: int) -> Array:
    """Ordinary numbers, a column of zeros, dependent columns, huge ones, denormal ones, graded ones, and NaN."""
    rng, info = np.random.default_rng(m * n), np.finfo(np.float64)
    plain = rng.standard_normal((m, n))
    zeros, dependent, missing = plain.copy(), plain.copy(), plain.copy()
    zeros[:, n // 2], dependent[:, -1], missing[0, 0] = 0, plain[:, 0], np.nan
    graded = plain * 10.0 ** -np.arange(n)
    huge, tiny = plain * (float(info.max) / 1e3 / m), plain * (float(info.tiny) / 64)
    return np.stack([plain, zeros, dependent, huge, tiny, graded, 0 * plain, missing])


def _close(found: Array, wanted: Array, scale: Array) -> None:
    """All but the last of a stack are as near as rounding goes, relative to the largest number of the matrix."""
    error = abs(found - wanted).reshape(len(found), -1).max(1)
    assert np.all(error[:-1] <= _EPSILON * scale[:-1] + 64 * np.finfo(np.float64).smallest_subnormal), error / scale


def _largest(a: Array) -> Array:
    return abs(a).reshape(len(a), -1).max(1)


@pytest.mark.parametrize("shape", _SHAPES)
def test_reflections(shape: tuple[int, int]) -> None:
    a = _stack(*shape)
    m, n = shape

    def build(b: GraphBuilder, x: SSAValue) -> list[RealOrPair]:
        packed, taus = reflections(b, x)
        square = matrices.cut(b, packed, m, min(m, n)) if m < n else packed
        return [packed, taus, orthogonal_factor(b, square, taus)]

    packed, taus, q = _run(build, a)
    r = np.triu(packed)[:, : min(m, n)]
    _close(q.swapaxes(1, 2) @ q, np.eye(q.shape[2])[None] + 0 * q[:, :1, :1], np.ones(len(a)))
    with np.errstate(all="ignore"):
        _close(q @ r, a, _largest(a))
    assert np.all((taus[:-1] == 0) | ((taus[:-1] >= 1 - 1e-9) & (taus[:-1] <= 2 + 1e-9)))
    assert np.all(taus[6] == 0), "a matrix of zeros is left alone"
    if m <= n:
        assert np.all(taus[:-1, -1] == 0), "and so is the last row, below which is nothing"


@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize("shape", _SHAPES)
def test_singular_values(shape: tuple[int, int], full: bool) -> None:
    a = _stack(*shape)
    u, s, v = _run(lambda b, x: singular_values(b, x, full), a)
    wanted = np.linalg.svd(a[:-1], compute_uv=False)
    k = min(shape)
    scale = _largest(a)
    for one, other, size in zip(s[:-1], wanted, scale, strict=False):
        assert np.all(abs(one - other) <= 10 * _EPSILON * size + 1e-322) and np.all(np.diff(one) <= 0)
    _close(u[:, :, :k] * s[:, None] @ v[:, :k], a, 10 * scale)
    for factor in (u.swapaxes(1, 2), v):
        _close(factor @ factor.swapaxes(1, 2), np.eye(factor.shape[1])[None] + 0 * a[:, :1, :1], np.ones(len(a)))


@pytest.mark.parametrize("n", [1, 4, 7])
def test_eigenvalues(n: int) -> None:
    a = _stack(n, n)
    a = a / 2 + a.swapaxes(1, 2) / 2
    values, vectors = _run(symmetric_eigen, a)
    scale = _largest(a)
    with np.errstate(all="ignore"):
        _close(values, np.concatenate([np.linalg.eigvalsh(a[:-1]), values[-1:]]), 10 * scale)
        _close(a @ vectors, vectors * values[:, None], 10 * scale)
    _close(vectors.swapaxes(1, 2) @ vectors, np.eye(n)[None] + 0 * a[:, :1, :1], np.ones(len(a)))


@pytest.mark.parametrize("shape", _SHAPES)
def test_triangular_factors(shape: tuple[int, int]) -> None:
    a = _stack(*shape)
    m, n = shape

    def build(b: GraphBuilder, x: SSAValue) -> list[RealOrPair]:
        packed, pivots = triangular_factors(b, x)
        return [packed, permutation(b, pivots, m), permutation(b, pivots, m, inverse=True)]

    packed, order, back = _run(build, a)
    k = min(m, n)
    lower, upper = np.tril(packed, -1)[:, :, :k] + np.eye(m, k), np.triu(packed)[:, :k]
    assert np.all(abs(lower[:-1]) <= 1), "the largest element is the pivot"
    with np.errstate(all="ignore"):
        _close(lower @ upper, np.take_along_axis(a, order[:, :, None], 1), _largest(a))
    np.testing.assert_array_equal(np.take_along_axis(order, back, 1), np.broadcast_to(np.arange(m), (len(a), m)))


@pytest.mark.parametrize("transpose", [False, True])
def test_solving(transpose: bool) -> None:
    rng = np.random.default_rng(0)
    a, right = rng.standard_normal((2, 7, 7)), rng.standard_normal((2, 7, 2))

    def build(b: GraphBuilder, x: SSAValue, y: SSAValue) -> list[RealOrPair]:
        return [solve_with_factors(b, *triangular_factors(b, x), y, transpose)]

    (found,) = _run(build, a, right)
    np.testing.assert_allclose((a.swapaxes(1, 2) if transpose else a) @ found, right, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("lower", [False, True])
def test_cholesky(lower: bool) -> None:
    x = np.random.default_rng(1).standard_normal((3, 7, 7))
    a = x @ x.swapaxes(1, 2) + np.eye(7)
    other = np.triu(np.full((7, 7), np.nan), 1)
    (found,) = _run(lambda b, x: [cholesky_factor(b, x, lower)], a + (other if lower else other.T))
    wanted = np.linalg.cholesky(a)
    np.testing.assert_allclose(found, wanted if lower else wanted.swapaxes(1, 2), rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("unit", [False, True])
@pytest.mark.parametrize("left", [False, True])
@pytest.mark.parametrize("lower", [False, True])
@pytest.mark.parametrize("n", [1, 7])
def test_triangular_systems(n: int, lower: bool, left: bool, unit: bool) -> None:
    """What is not read is NaN."""
    rng = np.random.default_rng(2)
    full = rng.standard_normal((2, n, n)) / 3 + 2 * np.eye(n)
    right = rng.standard_normal((2, n, 3) if left else (2, 3, n))
    a = np.tril(full, -1) if lower else np.triu(full, 1)
    unread = np.triu(np.full((n, n), np.nan), 1)
    given = a + (unread if lower else unread.T) + (np.nan if unit else full) * np.where(np.eye(n), 1, 0)
    if unit:
        given[:, ~np.eye(n, dtype=bool)] = (a + (unread if lower else unread.T))[:, ~np.eye(n, dtype=bool)]
    a = a + np.eye(n) * (1 if unit else full)
    (found,) = _run(lambda b, x, y: [solve_triangular(b, x, y, lower, unit, left)], given, right)
    np.testing.assert_allclose(a @ found if left else found @ a, right, rtol=1e-10, atol=1e-12)


# ---- complex numbers


def _run_complex(build: Callable[..., Sequence[RealOrPair]], *operands: Array) -> list[Array]:
    """What ops compute of complex operands; all results are complex here."""

    def parts(b: GraphBuilder, *given: SSAValue) -> list[SSAValue]:
        found = build(b, *(Pair(re, im) for re, im in zip(given[::2], given[1::2], strict=True)))
        return [part for each in found for part in (as_pair(b, each).re, as_pair(b, each).im)]

    found = _run(parts, *(part for each in operands for part in (np.real(each), np.imag(each))))
    return [re + 1j * im for re, im in zip(found[::2], found[1::2], strict=True)]


def _complex_stack(m: int, n: int) -> Array:
    """As `_stack` has them, in both parts; the sizes of the parts differ by row."""
    a = _stack(m, n)
    return a + 1j * a[:, ::-1, ::-1]


@pytest.mark.parametrize("shape", _SHAPES)
def test_complex_reflections(shape: tuple[int, int]) -> None:
    a = _complex_stack(*shape)
    m, n = shape

    def build(b: GraphBuilder, x: Pair) -> list[RealOrPair]:
        packed, taus = reflections(b, x)
        return [packed, taus, orthogonal_factor(b, matrices.cut(b, packed, m, min(m, n)), taus)]

    packed, _, q = _run_complex(build, a)
    r = np.triu(packed)[:, : min(m, n)]
    _close(q.conj().swapaxes(1, 2) @ q, np.eye(q.shape[2])[None] + 0 * q[:, :1, :1], np.ones(len(a)))
    _close(q @ r, a, _largest(a))
    diagonal = np.diagonal(r, axis1=1, axis2=2)[:-1]
    assert np.all(np.imag(diagonal) == 0), "the diagonal is real"


@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize("shape", _SHAPES)
def test_complex_singular_values(shape: tuple[int, int], full: bool) -> None:
    a = _complex_stack(*shape)
    u, s, v = _run_complex(lambda b, x: singular_values(b, x, full), a)
    k, scale, s = min(shape), _largest(a), np.real(s)
    for one, other, size in zip(s[:-1], np.linalg.svd(a[:-1], compute_uv=False), scale, strict=False):
        assert np.all(abs(one - other) <= 10 * _EPSILON * size + 1e-321) and np.all(np.diff(one) <= 0)
    _close(u[:, :, :k] * s[:, None] @ v[:, :k], a, 10 * scale)
    for factor in (u.conj().swapaxes(1, 2), v):
        unit = np.eye(factor.shape[1])[None] + 0 * a[:, :1, :1]
        _close(factor @ factor.conj().swapaxes(1, 2), unit, np.ones(len(a)))


@pytest.mark.parametrize("n", [1, 4, 7])
def test_eigenvalues_of_hermitian_matrices(n: int) -> None:
    a = _complex_stack(n, n)
    a = a / 2 + a.conj().swapaxes(1, 2) / 2
    values, vectors = _run_complex(symmetric_eigen, a)
    scale = _largest(a)
    _close(values, np.concatenate([np.linalg.eigvalsh(a[:-1]), values[-1:]]), 10 * scale)
    _close(a @ vectors, vectors * values[:, None], 10 * scale)
    unit = np.eye(n)[None] + 0 * a[:, :1, :1]
    _close(vectors.conj().swapaxes(1, 2) @ vectors, unit, np.ones(len(a)))


@pytest.mark.parametrize("shape", _SHAPES)
def test_complex_triangular_factors(shape: tuple[int, int]) -> None:
    a = _complex_stack(*shape)
    m, n = shape

    def build(b: GraphBuilder, x: Pair) -> list[RealOrPair]:
        packed, pivots = triangular_factors(b, x)
        return [packed, b.cast(permutation(b, pivots, m), f64)]

    packed, order = _run_complex(build, a)
    k = min(m, n)
    lower, upper = np.tril(packed, -1)[:, :, :k] + np.eye(m, k), np.triu(packed)[:, :k]
    _close(lower @ upper, np.take_along_axis(a, np.real(order).astype(np.int64)[:, :, None], 1), _largest(a))


@pytest.mark.parametrize("lower", [False, True])
def test_complex_cholesky(lower: bool) -> None:
    rng = np.random.default_rng(1)
    x = rng.standard_normal((3, 7, 7)) + 1j * rng.standard_normal((3, 7, 7))
    a = x @ x.conj().swapaxes(1, 2) + np.eye(7)
    other = np.triu(np.full((7, 7), np.nan), 1)
    (found,) = _run_complex(lambda b, x: [cholesky_factor(b, x, lower)], a + (other if lower else other.T))
    wanted = np.linalg.cholesky(a)
    np.testing.assert_allclose(found, wanted if lower else wanted.conj().swapaxes(1, 2), rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("count", [0, 1, 2, 7, 8])
def test_products_of_complex_numbers(count: int) -> None:
    rng = np.random.default_rng(3)
    x = rng.standard_normal((2, count, 3)) + 1j * rng.standard_normal((2, count, 3))
    (found,) = _run_complex(lambda b, x: [product(b, x, 1)], x)
    np.testing.assert_allclose(found, x.prod(1), rtol=1e-12)
    (found,) = _run_complex(lambda b, x: [running_product(b, x, 1)], x)
    np.testing.assert_allclose(found, x.cumprod(1), rtol=1e-12)
