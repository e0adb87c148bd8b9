"""Factors of matrices, and what is solved with them: triangular, by Cholesky, by reflections.

What fails by its data, torch tells in `info`: the number of the first pivot, from 1 on, at which it failed. Operators
that raise an exception instead are part of exported programs only, which have no place for one: there it shows as
numbers that are not finite.
"""

from __future__ import annotations

import numpy as np
from xdsl.dialects.builtin import i32
from xdsl.ir import SSAValue

from mlc.dialects import graph
from mlc.dialects.graph.types import element_of, shape_of
from mlc.frontends.operators.cholesky import cholesky_factor
from mlc.frontends.operators.householder import orthogonal_factor, reflections
from mlc.frontends.operators.jacobi import singular_values, symmetric_eigen
from mlc.frontends.operators.matrices import (
    cut,
    diagonal,
    first_pivot,
    identity,
    numbers,
    padded,
    stacked,
    transposed,
    triangle,
)
from mlc.frontends.operators.refusal import Unconvertible
from mlc.frontends.operators.triangular import solve_triangular
from mlc.frontends.torch.to_graph._calls import Call, Results
from mlc.frontends.torch.to_graph._patterns import converts
from mlc.support import dtypes


def require_no_check(check_errors: bool) -> None:
    """Raises: Unconvertible if a call is to raise an exception for what its `info` says."""
    if check_errors:
        raise Unconvertible("it raises an exception that depends on data (check_errors), which torch does")


def as_stack(b: Call, x: SSAValue, index: int = 0) -> SSAValue:
    """Matrices as one stack `[batch, m, n]`, repeated for the dims in front of those of a result."""
    return stacked(b, b.broadcast(x, (*b.shape(index)[:-2], *shape_of(x)[-2:])))


# ---- by Cholesky


@converts("linalg_cholesky_ex")
def cholesky(b: Call, self: SSAValue, upper: bool, check_errors: bool) -> Results:
    """The factor, zeros in the other triangle. Of a matrix that is not positive definite there is no more of it than in
    torch, where something else than NaN may stand then."""
    require_no_check(check_errors)
    factor = cholesky_factor(b, stacked(b, self), not upper)
    info = first_pivot(b, diagonal(b, factor), "le")
    return [b.reshape(factor, b.shape()), b.reshape(b.cast(info, i32), b.shape(1))]


@converts("linalg_cholesky")
def linalg_cholesky(b: Call, self: SSAValue, upper: bool) -> Results:
    """The factor `L` of matrices `[..., n, n]`, `L Lᵀ = A`, or with `upper` its transpose; zeros on the other side."""
    return b.reshape(cholesky_factor(b, stacked(b, self), not upper), b.shape())


@converts("cholesky_solve", "_cholesky_solve_helper")
def cholesky_solve(
    b: Call, self: SSAValue, upper: bool, input2: SSAValue | None = None, A: SSAValue | None = None
) -> Results:
    """A system whose matrix is `L Lᵀ`, or `Uᵀ U`."""
    factor = input2 or A
    assert factor is not None
    return b.reshape(_from_factor(b, as_stack(b, factor), as_stack(b, self), upper), b.shape())


@converts("cholesky_inverse")
def cholesky_inverse(b: Call, self: SSAValue, upper: bool) -> Results:
    """The inverse of the matrix whose factor is given."""
    factor = stacked(b, self)
    batch, n, _ = shape_of(factor)
    right = b.broadcast(identity(b, self, n, n), (batch, n, n))
    return b.reshape(_from_factor(b, factor, right, upper), b.shape())


def _from_factor(b: Call, factor: SSAValue, right: SSAValue, upper: bool) -> SSAValue:
    lower = transposed(b, factor) if upper else factor
    found = solve_triangular(b, lower, right, lower=True)
    return solve_triangular(b, transposed(b, lower), found, lower=False)


# ---- triangular systems


@converts("linalg_solve_triangular")
def linalg_solve_triangular(
    b: Call, self: SSAValue, B: SSAValue, upper: bool, left: bool, unitriangular: bool
) -> Results:
    """Substitution; the other triangle is not read."""
    found = solve_triangular(b, as_stack(b, self), as_stack(b, B), not upper, unitriangular, left)
    return b.reshape(found, b.shape())


@converts("triangular_solve")
def triangular_solve(
    b: Call, self: SSAValue, A: SSAValue, upper: bool, transpose: bool, unitriangular: bool
) -> Results:
    """Substitution, with the matrix or with it transposed, and the matrix again."""
    matrix = as_stack(b, A)
    turned = transposed(b, matrix) if transpose else matrix
    found = solve_triangular(b, turned, as_stack(b, self), upper == transpose, unitriangular)
    return [b.reshape(found, b.shape()), b.reshape(matrix, b.shape(1))]


# ---- by reflections


@converts("linalg_qr")
def linalg_qr(b: Call, A: SSAValue, mode: str) -> Results:
    """Orthogonal columns and an upper triangle, whose signs are LAPACK's: on its diagonal stands the other sign than
    was there."""
    packed, taus = reflections(b, stacked(b, A))
    _, m, n = shape_of(packed)
    height = m if mode == "complete" else min(m, n)
    upper = b.reshape(triangle(b, cut(b, packed, height, n), lower=False), b.shape(1))
    if mode == "r":
        return [b.splat(0, b.shape(), b.element()), upper]
    vectors = padded(b, cut(b, packed, m, min(n, height)), m, height)
    return [b.reshape(orthogonal_factor(b, vectors, taus), b.shape()), upper]


@converts("geqrf")
def geqrf(b: Call, self: SSAValue) -> Results:
    """The upper triangle, with reflections below it, and their factors."""
    packed, taus = reflections(b, stacked(b, self))
    return [b.reshape(packed, b.shape()), b.reshape(taus, b.shape(1))]


@converts("linalg_householder_product")
def linalg_householder_product(b: Call, input: SSAValue, tau: SSAValue) -> Results:
    """The first columns of a product of reflections."""
    return b.reshape(orthogonal_factor(b, stacked(b, input), _rows(b, tau)), b.shape())


@converts("ormqr")
def ormqr(b: Call, self: SSAValue, input2: SSAValue, input3: SSAValue, left: bool, transpose: bool) -> Results:
    """A product with all columns of a product of reflections."""
    vectors, other = stacked(b, self), stacked(b, input3)
    m = shape_of(vectors)[1]
    if 0 in shape_of(other):
        return input3
    factor = orthogonal_factor(b, padded(b, vectors, m, m), _rows(b, input2))
    factor = transposed(b, factor) if transpose else factor
    return b.reshape(b.matmul(factor, other) if left else b.matmul(other, factor), b.shape())


def _rows(b: Call, x: SSAValue) -> SSAValue:
    """Vectors as one stack `[batch, n]`."""
    return b.squeeze(stacked(b, b.unsqueeze(x, [len(shape_of(x)) - 1])), [1])


# ---- eigenvalues and singular values


@converts("_linalg_eigh")
def eigenvalues(b: Call, A: SSAValue, UPLO: str) -> Results:
    """The eigenvalues of symmetric matrices, of which one triangle is read."""
    if b.wants(1):
        raise Unconvertible(
            "eigenvectors are unique but for their signs, and a model may depend on those that LAPACK gives; "
            "eigenvalues alone (torch.linalg.eigvalsh) are native"
        )
    values, _ = symmetric_eigen(b, _symmetric(b, stacked(b, A), UPLO.upper() == "L"))
    return [b.reshape(values, b.shape()), None]


def _symmetric(b: Call, a: SSAValue, lower: bool) -> SSAValue:
    """Matrices of which one triangle is read."""
    n = shape_of(a)[1]
    if 0 in shape_of(a):
        return a
    return b.where(b.compare("ge" if lower else "le", numbers(b, n, 1), numbers(b, n, 2)), a, transposed(b, a))


@converts("_linalg_svd")
def singular(b: Call, A: SSAValue) -> Results:
    """The singular values of matrices."""
    if b.wants(0) or b.wants(2):
        raise Unconvertible(
            "singular vectors are unique but for their signs, and a model may depend on those that LAPACK gives; "
            "singular values alone (torch.linalg.svdvals) are native"
        )
    return [None, b.reshape(singular_values(b, stacked(b, A), full=False)[1], b.shape(1)), None]


@converts("linalg_pinv.atol_rtol_tensor")
def pseudoinverse(b: Call, self: SSAValue, hermitian: bool, atol: SSAValue | None, rtol: SSAValue | None) -> Results:
    """The inverse where singular values, or sizes of eigenvalues, are above a threshold, and 0 elsewhere. Signs of
    vectors cancel in it."""
    a = stacked(b, self)
    batch, m, n = shape_of(a)
    if 0 in (batch, m, n):
        return b.splat(0, b.shape(), b.element())
    if hermitian:
        values, v = symmetric_eigen(b, _symmetric(b, a, lower=True))
        u = v
        sizes = b(graph.AbsOp, values)
    else:
        u, values, vt = singular_values(b, a, full=False)
        v = transposed(b, vt)
        sizes = values
    largest = b.reduce("max", sizes, [1], keepdims=True)
    least = b.mul(largest, _column(b, rtol, a) if rtol is not None else _usual_threshold(b, atol, a))
    if atol is not None:
        least = b(graph.MaxOp, least, _column(b, atol, a))
    is_kept = b.compare("gt", sizes, least)
    inverses = b.where(is_kept, b.div(b.number(1.0, a), values), b.number(0.0, a))
    return b.reshape(b.matmul(b.mul(v, b.unsqueeze(inverses, [1])), transposed(b, u)), b.shape())


def _column(b: Call, threshold: SSAValue, like: SSAValue) -> SSAValue:
    """A threshold for each matrix of a stack `like`, `[batch, 1]`."""
    whole = b.broadcast(b.cast(threshold, element_of(like)), b.shape()[:-2])
    return b.reshape(whole, (shape_of(like)[0], 1))


def _usual_threshold(b: Call, atol: SSAValue | None, a: SSAValue) -> SSAValue:
    """The relative threshold if none is given: what rounding leaves of 0, unless there is an absolute one."""
    usual = b.number(float(np.finfo(dtypes.to_numpy(element_of(a))).eps) * max(shape_of(a)[1:]), a)
    if atol is None:
        return usual
    zero = b.number(0.0, a)
    return b.where(b.compare("gt", _column(b, atol, a), zero), zero, usual)
