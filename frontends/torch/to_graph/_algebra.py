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
from mlc.frontends.operators.complex_numbers import RealOrPair
from mlc.frontends.operators.fields import extents_of, matmul, mul, real_part, reshaped, zeros
from mlc.frontends.operators.householder import orthogonal_factor, reflections
from mlc.frontends.operators.jacobi import singular_values, symmetric_eigen
from mlc.frontends.operators.matrices import (
    Number,
    adjoint,
    cut,
    diagonal,
    first_pivot,
    identities,
    of_one_triangle,
    of_parts,
    padded,
    stacked,
    transposed,
    triangle,
)
from mlc.frontends.operators.refusal import Unconvertible
from mlc.frontends.operators.triangular import solve_triangular
from mlc.frontends.torch.to_graph._calls import Call, Found
from mlc.frontends.torch.to_graph._patterns import of_numbers
from mlc.support import dtypes


def require_no_check(check_errors: bool) -> None:
    """Raises: Unconvertible if a call is to raise an exception for what its `info` says."""
    if check_errors:
        raise Unconvertible("it raises an exception that depends on data (check_errors), which torch does")


def as_stack(b: Call, x: Number, index: int = 0) -> Number:
    """Matrices as one stack `[batch, m, n]`, repeated for the dims before those of a result."""
    shape = (*b.shape(index)[:-2], *extents_of(x)[-2:])
    return stacked(b, of_parts(x, lambda v: b.broadcast(v, shape)))


# ---- by Cholesky


@of_numbers("linalg_cholesky_ex")
def cholesky(b: Call, self: RealOrPair, upper: bool, check_errors: bool) -> Found:
    """The factor, zeros in the other triangle. Of a matrix that is not positive definite there is no more of it than in
    torch, where something else than NaN may stand then."""
    require_no_check(check_errors)
    factor = cholesky_factor(b, stacked(b, self), not upper)
    info = first_pivot(b, diagonal(b, real_part(factor)), "le")
    return [reshaped(b, factor, b.shape()), b.reshape(b.cast(info, i32), b.shape(1))]


@of_numbers("linalg_cholesky")
def linalg_cholesky(b: Call, self: RealOrPair, upper: bool) -> Found:
    """The factor `L` of matrices `[..., n, n]`, `L Lᴴ = A`, or with `upper` its adjoint; zeros on the other side."""
    return reshaped(b, cholesky_factor(b, stacked(b, self), not upper), b.shape())


@of_numbers("cholesky_solve", "_cholesky_solve_helper")
def cholesky_solve(
    b: Call, self: RealOrPair, upper: bool, input2: RealOrPair | None = None, A: RealOrPair | None = None
) -> Found:
    """A system whose matrix is `L Lᴴ`, or `Uᴴ U`."""
    factor = input2 or A
    assert factor is not None
    return reshaped(b, _from_factor(b, as_stack(b, factor), as_stack(b, self), upper), b.shape())


@of_numbers("cholesky_inverse")
def cholesky_inverse(b: Call, self: RealOrPair, upper: bool) -> Found:
    """The inverse of the matrix whose factor is given."""
    factor = stacked(b, self)
    right = identities(b, self, *extents_of(factor))
    return reshaped(b, _from_factor(b, factor, right, upper), b.shape())


def _from_factor(b: Call, factor: RealOrPair, right: RealOrPair, upper: bool) -> RealOrPair:
    lower = adjoint(b, factor) if upper else factor
    found = solve_triangular(b, lower, right, lower=True)
    return solve_triangular(b, adjoint(b, lower), found, lower=False)


# ---- triangular systems


@of_numbers("linalg_solve_triangular")
def linalg_solve_triangular(
    b: Call, self: RealOrPair, B: RealOrPair, upper: bool, left: bool, unitriangular: bool
) -> Found:
    """Substitution; the other triangle is not read."""
    found = solve_triangular(b, as_stack(b, self), as_stack(b, B), not upper, unitriangular, left)
    return reshaped(b, found, b.shape())


@of_numbers("triangular_solve")
def triangular_solve(
    b: Call, self: RealOrPair, A: RealOrPair, upper: bool, transpose: bool, unitriangular: bool
) -> Found:
    """Substitution, with the matrix or with it transposed, and the matrix again."""
    matrix = as_stack(b, A)
    turned = transposed(b, matrix) if transpose else matrix
    found = solve_triangular(b, turned, as_stack(b, self), upper == transpose, unitriangular)
    return [reshaped(b, found, b.shape()), reshaped(b, matrix, b.shape(1))]


# ---- by reflections


@of_numbers("linalg_qr")
def linalg_qr(b: Call, A: RealOrPair, mode: str) -> Found:
    """Orthogonal columns and an upper triangle, whose signs are LAPACK's: on its diagonal, which is real, stands the
    other sign than was there."""
    packed, taus = reflections(b, stacked(b, A))
    _, m, n = extents_of(packed)
    height = m if mode == "complete" else min(m, n)
    upper = reshaped(b, triangle(b, cut(b, packed, height, n), lower=False), b.shape(1))
    if mode == "r":
        return [zeros(b, A, b.shape()), upper]
    vectors = padded(b, cut(b, packed, m, min(n, height)), m, height)
    return [reshaped(b, orthogonal_factor(b, vectors, taus), b.shape()), upper]


@of_numbers("geqrf")
def geqrf(b: Call, self: RealOrPair) -> Found:
    """The upper triangle, with reflections below it, and their factors."""
    packed, taus = reflections(b, stacked(b, self))
    return [reshaped(b, packed, b.shape()), reshaped(b, taus, b.shape(1))]


@of_numbers("linalg_householder_product")
def linalg_householder_product(b: Call, input: RealOrPair, tau: RealOrPair) -> Found:
    """The first columns of a product of reflections."""
    return reshaped(b, orthogonal_factor(b, stacked(b, input), _rows(b, tau)), b.shape())


@of_numbers("ormqr")
def ormqr(b: Call, self: RealOrPair, input2: RealOrPair, input3: RealOrPair, left: bool, transpose: bool) -> Found:
    """A product with all columns of a product of reflections, or with its adjoint."""
    vectors, other = stacked(b, self), stacked(b, input3)
    m = extents_of(vectors)[1]
    if 0 in extents_of(other):
        return input3
    factor = orthogonal_factor(b, padded(b, vectors, m, m), _rows(b, input2))
    factor = adjoint(b, factor) if transpose else factor
    return reshaped(b, matmul(b, factor, other) if left else matmul(b, other, factor), b.shape())


def _rows(b: Call, x: Number) -> Number:
    """Vectors as one stack `[batch, n]`."""
    return of_parts(x, lambda v: b.squeeze(stacked(b, b.unsqueeze(v, [len(shape_of(v)) - 1])), [1]))


# ---- eigenvalues and singular values


@of_numbers("_linalg_eigh")
def eigenvalues(b: Call, A: RealOrPair, UPLO: str) -> Found:
    """The eigenvalues of symmetric or Hermitian matrices, of which one triangle is read."""
    if b.wants(1):
        raise Unconvertible(
            "eigenvectors are unique but for their signs, and a model may depend on those that LAPACK gives; "
            "eigenvalues alone (torch.linalg.eigvalsh) are native"
        )
    values, _ = symmetric_eigen(b, of_one_triangle(b, stacked(b, A), UPLO.upper() == "L"))
    return [b.reshape(values, b.shape()), None]


@of_numbers("_linalg_svd")
def singular(b: Call, A: RealOrPair) -> Found:
    """The singular values of matrices."""
    if b.wants(0) or b.wants(2):
        raise Unconvertible(
            "singular vectors are unique but for their signs, and a model may depend on those that LAPACK gives; "
            "singular values alone (torch.linalg.svdvals) are native"
        )
    return [None, b.reshape(singular_values(b, stacked(b, A), full=False)[1], b.shape(1)), None]


@of_numbers("linalg_pinv.atol_rtol_tensor")
def pseudoinverse(b: Call, self: RealOrPair, hermitian: bool, atol: SSAValue | None, rtol: SSAValue | None) -> Found:
    """The inverse where singular values, or sizes of eigenvalues, are above a threshold, and 0 elsewhere. Signs of
    vectors cancel in it."""
    a = stacked(b, self)
    batch, m, n = extents_of(a)
    if 0 in (batch, m, n):
        return zeros(b, self, b.shape())
    if hermitian:
        values, v = symmetric_eigen(b, of_one_triangle(b, a, lower=True))
        u = v
        sizes = b(graph.AbsOp, values)
    else:
        u, values, vt = singular_values(b, a, full=False)
        v = adjoint(b, vt)
        sizes = values
    like = real_part(a)
    largest = b.reduce("max", sizes, [1], keepdims=True)
    least = b.mul(largest, _column(b, rtol, like) if rtol is not None else _usual_threshold(b, atol, like))
    if atol is not None:
        least = b(graph.MaxOp, least, _column(b, atol, like))
    is_kept = b.compare("gt", sizes, least)
    inverses = b.where(is_kept, b.div(b.number(1.0, like), values), b.number(0.0, like))
    return reshaped(b, matmul(b, mul(b, v, b.unsqueeze(inverses, [1])), adjoint(b, u)), b.shape())


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
