"""Triangular factors with pivots (LU), and what is solved and computed with them.

With a determinant, torch hands out the factors of the transposed matrix if the matrix lies in memory row by row, which
types do not say. So determinants whose factors are read are refused here; in `torch.compile` they are taken apart
before, where strides are known.
"""

from __future__ import annotations

import numpy as np
from xdsl.dialects.builtin import i32, i64
from xdsl.ir import SSAValue

from mlc.dialects import graph
from mlc.dialects.graph.types import element_of, shape_of
from mlc.frontends.operators.complex_numbers import Complex, Pair, RealOrPair, each_part
from mlc.frontends.operators.fields import as_pair, conjugate, extents_of, mul, product, real_part, reshaped, zeros
from mlc.frontends.operators.graph_builder import GraphBuilder
from mlc.frontends.operators.lu import inverse, permutation, solve_with_factors, triangular_factors
from mlc.frontends.operators.matrices import (
    Number,
    cut,
    diagonal,
    first_zero,
    numbers,
    of_parts,
    stacked,
    transposed,
    triangle,
)
from mlc.frontends.operators.refusal import Unconvertible
from mlc.frontends.torch.to_graph._algebra import as_stack, require_no_check
from mlc.frontends.torch.to_graph._calls import Call, Found
from mlc.frontends.torch.to_graph._patterns import of_numbers


def _require_unread(b: Call, *results: int) -> None:
    if any(b.wants(i) for i in results):
        raise Unconvertible(
            "its triangular factors are read: those of the matrix or of the transposed one, as it lies in memory"
        )


def _require_pivots(pivot: bool) -> None:
    if not pivot:
        raise Unconvertible("it is to factor without pivots, which torch does not do on a CPU")


# ---- factors


@of_numbers("linalg_lu_factor_ex")
def linalg_lu_factor_ex(b: Call, A: RealOrPair, pivot: bool, check_errors: bool) -> Found:
    """Both factors in one matrix, and its pivots from 1 on."""
    require_no_check(check_errors)
    _require_pivots(pivot)
    return _factored(b, A, 0)[2]


@of_numbers("linalg_lu_factor")
def linalg_lu_factor(b: Call, A: RealOrPair, pivot: bool) -> Found:
    """The same, without a word of a pivot that is 0."""
    _require_pivots(pivot)
    return _factored(b, A, 0, 2)[2]


def _factored(b: Call, a: RealOrPair, first: int, count: int = 3) -> tuple[RealOrPair, SSAValue, list[RealOrPair]]:
    """The factors of stacks and their pivots from 0 on; and factors, pivots from 1 on and info, or as many of them as
    `count`, as results of a call, of which these are the `first` one and those after it."""
    factors, pivots = triangular_factors(b, stacked(b, a))
    told = [factors, b.add(pivots, b.number(1, pivots)), first_zero(b, factors)]
    results = [
        each_part(each, lambda v, i=i: b.cast(b.reshape(v, b.shape(first + i)), b.element(first + i)))
        for i, each in enumerate(told[:count])
    ]
    return factors, pivots, results


@of_numbers("lu_unpack")
def lu_unpack(b: Call, LU_data: RealOrPair, LU_pivots: SSAValue, unpack_data: bool, unpack_pivots: bool) -> Found:
    """Factors that stand in one matrix, each for itself, and pivots as a matrix; what is not asked for has no
    elements."""
    pivots = _pivots(b, LU_pivots, extents_of(LU_data)[-2])
    return _apart(b, stacked(b, LU_data), pivots, unpack_data, unpack_pivots)


@of_numbers("linalg_lu")
def linalg_lu(b: Call, A: RealOrPair, pivot: bool) -> Found:
    """The permutation and both factors."""
    _require_pivots(pivot)
    return _apart(b, *triangular_factors(b, stacked(b, A)), True, True)


def _apart(b: Call, factors: RealOrPair, pivots: SSAValue, data: bool, order: bool) -> list[RealOrPair]:
    batch, m, n = extents_of(factors)
    found: list[RealOrPair] = [zeros(b, factors, b.shape(i)) for i in range(3)]
    if order:
        # `P` has in column `i` a one where the row was that is in place `i` now.
        rows = b.reshape(permutation(b, pivots, m), (batch, 1, m))
        places = b.cast(b.compare("eq", numbers(b, m, 1), rows), b.element())
        found[0] = as_pair(b, places) if isinstance(factors, Pair) else places
    if data:
        found[1] = triangle(b, cut(b, factors, m, min(m, n)), lower=True, unit=True)
        found[2] = triangle(b, cut(b, factors, min(m, n), n), lower=False)
    return [reshaped(b, each, b.shape(i)) for i, each in enumerate(found)]


# ---- systems


@of_numbers("linalg_lu_solve")
def linalg_lu_solve(b: Call, LU: RealOrPair, pivots: SSAValue, B: RealOrPair, left: bool, adjoint: bool) -> Found:
    """A system whose matrix is factored, or that of its adjoint, from either side."""
    batch = b.shape()[:-2]
    places = _pivots(b, b.broadcast(pivots, (*batch, shape_of(pivots)[-1])), extents_of(LU)[-1])
    right = as_stack(b, B)
    # With the conjugate of the transposed matrix, the conjugates of both sides are a system with that itself.
    right = conjugate(b, right) if adjoint else right
    found = _solved(b, as_stack(b, LU), places, right, left, adjoint)
    return reshaped(b, conjugate(b, found) if adjoint else found, b.shape())


@of_numbers("_linalg_solve_ex")
def linalg_solve_ex(b: Call, A: RealOrPair, B: RealOrPair, left: bool, check_errors: bool) -> Found:
    """A system of equations, from either side; or one for each vector of a stack. The factors are those of the matrix,
    from the right, too."""
    require_no_check(check_errors)
    factors, pivots, told = _factored(b, A, 1)
    return [_solution(b, A, factors, pivots, B, left), *told]


@of_numbers("linalg_solve")
def linalg_solve(b: Call, A: RealOrPair, B: RealOrPair, left: bool) -> Found:
    """The `X` with `A X = B`, or with `left=False` `X A = B`; `A` is `[..., n, n]`, `B` matrices or vectors."""
    return _solution(b, A, *triangular_factors(b, stacked(b, A)), B, left)


def _solution(
    b: Call, matrix: RealOrPair, factors: RealOrPair, pivots: SSAValue, right: RealOrPair, left: bool
) -> RealOrPair:
    """The first result of a call, by the factors of the stack of its matrices."""
    own = extents_of(right)
    is_vector = len(own) == 1 or own == extents_of(matrix)[:-1]
    batch = b.shape()[: -1 if is_vector else -2]

    def repeated(x: Number) -> Number:
        """What there is for each matrix, for each system."""
        own = extents_of(x)[1:]
        shape = (*extents_of(matrix)[:-2], *own)
        return of_parts(x, lambda v: b.broadcast(b.reshape(v, shape), (*batch, *own)))

    def columns(x: SSAValue) -> SSAValue:
        x = b.unsqueeze(x, [len(own)]) if is_vector else x
        return stacked(b, b.broadcast(x, (*batch, *shape_of(x)[-2:])))

    found = _solved(
        b, stacked(b, repeated(factors)), _flat(b, repeated(pivots)), each_part(right, columns), left, False
    )
    return reshaped(b, found, b.shape())


@of_numbers("linalg_inv_ex")
def linalg_inv_ex(b: Call, A: RealOrPair, check_errors: bool) -> Found:
    """Inverses, as what gives the identity."""
    require_no_check(check_errors)
    factors, pivots = triangular_factors(b, stacked(b, A))
    info = first_zero(b, factors)
    return [_inverse(b, factors, pivots), b.reshape(b.cast(info, i32), b.shape(1))]


@of_numbers("linalg_inv", "inverse")
def linalg_inv(b: Call, self: RealOrPair | None = None, A: RealOrPair | None = None) -> Found:
    """The inverses of matrices `[..., n, n]`."""
    matrix = self or A
    assert matrix is not None
    return _inverse(b, *triangular_factors(b, stacked(b, matrix)))


def _inverse(b: Call, factors: RealOrPair, pivots: SSAValue) -> RealOrPair:
    return reshaped(b, inverse(b, factors, pivots), b.shape())


def _solved(
    b: GraphBuilder, factors: RealOrPair, pivots: SSAValue, right: RealOrPair, left: bool, transpose: bool
) -> RealOrPair:
    if left:
        return solve_with_factors(b, factors, pivots, right, transpose)
    return transposed(b, solve_with_factors(b, factors, pivots, transposed(b, right), not transpose))


# ---- determinants


@of_numbers("_linalg_det")
def linalg_det(b: Call, A: RealOrPair) -> Found:
    """The product of pivots, with the sign of their permutation."""
    _require_unread(b, 1, 2)
    factors, pivots = triangular_factors(b, stacked(b, A))
    found = mul(b, product(b, diagonal(b, factors), 1), _parity(b, pivots, real_part(A)))
    return [reshaped(b, found, b.shape()), None, None]


@of_numbers("_linalg_slogdet")
def linalg_slogdet(b: Call, A: RealOrPair) -> Found:
    """The sign of the determinant, of a complex one its direction, and the logarithm of its size."""
    _require_unread(b, 2, 3)
    factors, pivots = triangular_factors(b, stacked(b, A))
    pivot = diagonal(b, factors)
    if isinstance(pivot, Pair):
        signs, sizes = Complex(b).sign(pivot), Complex(b).modulus(pivot)
    else:
        signs, sizes = b(graph.SignOp, pivot), b(graph.AbsOp, pivot)
    sign = mul(b, product(b, signs, 1), _parity(b, pivots, real_part(A)))
    size = b.reduce("sum", b(graph.LogOp, sizes), [1])
    return [reshaped(b, sign, b.shape()), b.reshape(size, b.shape(1)), None, None]


def _parity(b: GraphBuilder, pivots: SSAValue, like: SSAValue) -> SSAValue:
    """1, or -1 where an odd number of rows changed places."""
    places = b.constant(np.arange(shape_of(pivots)[1], dtype=np.int64).reshape(1, -1), i64)
    count = b.reduce("sum", b.cast(b.compare("ne", pivots, places), i64), [1])
    odd = b.cast(b(graph.RemOp, count, b.number(2, count)), element_of(like))
    return b.sub(b.number(1.0, odd), b.mul(odd, b.number(2.0, odd)))


# ---- pivots


def _pivots(b: GraphBuilder, pivots: SSAValue, rows: int) -> SSAValue:
    """Pivots of a call, from 1 on, as a stack of i64, from 0 on. They are data, and may be wrong: no row is read that
    is not there."""
    found = b.cast(_flat(b, pivots), i64)
    found = b(graph.MaxOp, b.sub(found, b.number(1, found)), b.number(0, found))
    return b(graph.MinOp, found, b.number(max(rows - 1, 0), found))


def _flat(b: GraphBuilder, x: SSAValue) -> SSAValue:
    """Vectors as one stack `[batch, n]`."""
    return b.squeeze(stacked(b, b.unsqueeze(x, [len(shape_of(x)) - 1])), [1])
