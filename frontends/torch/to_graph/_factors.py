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
from mlc.frontends.operators.graph_builder import GraphBuilder
from mlc.frontends.operators.lu import inverse, permutation, solve_with_factors, triangular_factors
from mlc.frontends.operators.matrices import (
    cut,
    diagonal,
    first_pivot,
    numbers,
    stacked,
    transposed,
    triangle,
)
from mlc.frontends.operators.refusal import Unconvertible
from mlc.frontends.torch.to_graph._algebra import as_stack, require_no_check
from mlc.frontends.torch.to_graph._calls import Call, Results
from mlc.frontends.torch.to_graph._patterns import converts


def _require_unread(b: Call, *results: int) -> None:
    if any(b.wants(i) for i in results):
        raise Unconvertible(
            "its triangular factors are read: those of the matrix or of the transposed one, as it lies in memory"
        )


def _require_pivots(pivot: bool) -> None:
    if not pivot:
        raise Unconvertible("it is to factor without pivots, which torch does not do on a CPU")


# ---- factors


@converts("linalg_lu_factor_ex")
def linalg_lu_factor_ex(b: Call, A: SSAValue, pivot: bool, check_errors: bool) -> Results:
    """Both factors in one matrix, and its pivots from 1 on."""
    require_no_check(check_errors)
    _require_pivots(pivot)
    return _factored(b, A, 0)[2:]


@converts("linalg_lu_factor")
def linalg_lu_factor(b: Call, A: SSAValue, pivot: bool) -> Results:
    """The same, without a word of a pivot that is 0."""
    _require_pivots(pivot)
    return _factored(b, A, 0, 2)[2:]


def _factored(b: Call, a: SSAValue, first: int, count: int = 3) -> list[SSAValue]:
    """The factors of stacks and their pivots from 0 on; and factors, pivots from 1 on and info, or as many of them as
    `count`, as results of a call, of which these are the `first` one and those behind it."""
    factors, pivots = triangular_factors(b, stacked(b, a))
    told = [factors, b.add(pivots, b.number(1, pivots)), first_pivot(b, diagonal(b, factors), "eq")]
    results = [b.cast(b.reshape(each, b.shape(first + i)), b.element(first + i)) for i, each in enumerate(told[:count])]
    return [factors, pivots, *results]


@converts("lu_unpack")
def lu_unpack(b: Call, LU_data: SSAValue, LU_pivots: SSAValue, unpack_data: bool, unpack_pivots: bool) -> Results:
    """Factors that stand in one matrix, each for itself, and pivots as a matrix; what is not asked for has no
    elements."""
    pivots = _pivots(b, LU_pivots, shape_of(LU_data)[-2])
    return _apart(b, stacked(b, LU_data), pivots, unpack_data, unpack_pivots)


@converts("linalg_lu")
def linalg_lu(b: Call, A: SSAValue, pivot: bool) -> Results:
    """The permutation and both factors."""
    _require_pivots(pivot)
    return _apart(b, *triangular_factors(b, stacked(b, A)), True, True)


def _apart(b: Call, factors: SSAValue, pivots: SSAValue, data: bool, order: bool) -> list[SSAValue]:
    batch, m, n = shape_of(factors)
    found: list[SSAValue | None] = [None, None, None]
    if order:
        # `P` has in column `i` a one where the row was that is in place `i` now.
        rows = b.reshape(permutation(b, pivots, m), (batch, 1, m))
        found[0] = b.cast(b.compare("eq", numbers(b, m, 1), rows), b.element())
    if data:
        found[1] = triangle(b, cut(b, factors, m, min(m, n)), lower=True, unit=True)
        found[2] = triangle(b, cut(b, factors, min(m, n), n), lower=False)
    return [
        b.splat(0, b.shape(i), b.element(i)) if each is None else b.reshape(each, b.shape(i))
        for i, each in enumerate(found)
    ]


# ---- systems


@converts("linalg_lu_solve")
def linalg_lu_solve(b: Call, LU: SSAValue, pivots: SSAValue, B: SSAValue, left: bool, adjoint: bool) -> Results:
    """A system whose matrix is factored, or that of the transposed matrix, from either side."""
    batch = b.shape()[:-2]
    places = _pivots(b, b.broadcast(pivots, (*batch, shape_of(pivots)[-1])), shape_of(LU)[-1])
    found = _solved(b, as_stack(b, LU), places, as_stack(b, B), left, adjoint)
    return b.reshape(found, b.shape())


@converts("_linalg_solve_ex")
def linalg_solve_ex(b: Call, A: SSAValue, B: SSAValue, left: bool, check_errors: bool) -> Results:
    """A system of equations, from either side; or one for each vector of a stack. The factors are those of the matrix,
    from the right, too."""
    require_no_check(check_errors)
    factors, pivots, *told = _factored(b, A, 1)
    return [_solution(b, A, factors, pivots, B, left), *told]


@converts("linalg_solve")
def linalg_solve(b: Call, A: SSAValue, B: SSAValue, left: bool) -> Results:
    """The `X` with `A X = B`, or with `left=False` `X A = B`; `A` is `[..., n, n]`, `B` matrices or vectors."""
    return _solution(b, A, *triangular_factors(b, stacked(b, A)), B, left)


def _solution(b: Call, matrix: SSAValue, factors: SSAValue, pivots: SSAValue, right: SSAValue, left: bool) -> SSAValue:
    """The first result of a call, by the factors of the stack of its matrices."""
    is_vector = len(shape_of(right)) == 1 or shape_of(right) == shape_of(matrix)[:-1]
    columns = b.unsqueeze(right, [len(shape_of(right))]) if is_vector else right
    batch = b.shape()[: -1 if is_vector else -2]

    def repeated(x: SSAValue) -> SSAValue:
        """What there is for each matrix, for each system."""
        own = shape_of(x)[1:]
        return b.broadcast(b.reshape(x, (*shape_of(matrix)[:-2], *own)), (*batch, *own))

    systems = stacked(b, b.broadcast(columns, (*batch, *shape_of(columns)[-2:])))
    found = _solved(b, stacked(b, repeated(factors)), _flat(b, repeated(pivots)), systems, left, False)
    return b.reshape(found, b.shape())


@converts("linalg_inv_ex")
def linalg_inv_ex(b: Call, A: SSAValue, check_errors: bool) -> Results:
    """Inverses, as what gives the identity."""
    require_no_check(check_errors)
    factors, pivots = triangular_factors(b, stacked(b, A))
    info = first_pivot(b, diagonal(b, factors), "eq")
    return [_inverse(b, factors, pivots), b.reshape(b.cast(info, i32), b.shape(1))]


@converts("linalg_inv", "inverse")
def linalg_inv(b: Call, self: SSAValue | None = None, A: SSAValue | None = None) -> Results:
    """The inverses of matrices `[..., n, n]`."""
    matrix = self or A
    assert matrix is not None
    return _inverse(b, *triangular_factors(b, stacked(b, matrix)))


def _inverse(b: Call, factors: SSAValue, pivots: SSAValue) -> SSAValue:
    return b.reshape(inverse(b, factors, pivots), b.shape())


def _solved(
    b: GraphBuilder, factors: SSAValue, pivots: SSAValue, right: SSAValue, left: bool, transpose: bool
) -> SSAValue:
    if left:
        return solve_with_factors(b, factors, pivots, right, transpose)
    return transposed(b, solve_with_factors(b, factors, pivots, transposed(b, right), not transpose))


# ---- determinants


@converts("_linalg_det")
def linalg_det(b: Call, A: SSAValue) -> Results:
    """The product of pivots, with the sign of their permutation."""
    _require_unread(b, 1, 2)
    factors, pivots = triangular_factors(b, stacked(b, A))
    found = b.mul(b.reduce("prod", diagonal(b, factors), [1]), _parity(b, pivots, A))
    return [b.reshape(found, b.shape()), None, None]


@converts("_linalg_slogdet")
def linalg_slogdet(b: Call, A: SSAValue) -> Results:
    """The sign of the determinant, and the logarithm of its size."""
    _require_unread(b, 2, 3)
    factors, pivots = triangular_factors(b, stacked(b, A))
    on_diagonal = diagonal(b, factors)
    sign = b.mul(b.reduce("prod", b(graph.SignOp, on_diagonal), [1]), _parity(b, pivots, A))
    size = b.reduce("sum", b(graph.LogOp, b(graph.AbsOp, on_diagonal)), [1])
    return [b.reshape(sign, b.shape()), b.reshape(size, b.shape(1)), None, None]


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
