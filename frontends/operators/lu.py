"""Triangular factors with partial pivoting (Golub and Van Loan, Matrix Computations, 4th ed., 3.4): right-looking, a
block of columns at a time."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue

from mlc.dialects import graph
from mlc.dialects.graph.types import shape_of
from mlc.frontends.operators.complex_numbers import RealOrPair
from mlc.frontends.operators.fields import div, extents_of, is_zero, matmul, mul, number, real_part, size, sub, where
from mlc.frontends.operators.graph_builder import GraphBuilder
from mlc.frontends.operators.matrices import (
    Stepped,
    block_by_block,
    identities,
    masked,
    numbers,
    one,
    rows_at,
    steps,
    transposed,
    window,
    with_window,
)
from mlc.frontends.operators.triangular import solve_triangular


def triangular_factors(b: GraphBuilder, a: RealOrPair) -> tuple[RealOrPair, SSAValue]:
    """The factors of a stack `[batch, m, n]`, `L` without its diagonal of ones below `U`, and for each step the number
    of the row that changed places with that of the step, i64 `[batch, min(m, n)]`, from 0 on.

    The pivot is the largest element of its column, the first one of several; of complex ones that with the largest sum
    of the sizes of both parts, as in LAPACK. Where all are 0, the step does nothing.
    """
    batch, m, n = extents_of(a)
    if 0 in extents_of(a):
        return a, b.splat(0, (batch, min(m, n)), i64)
    # Steps in rows and columns that fill the last block find only zeros, and do nothing.
    factors, pivots = block_by_block(b, a, _with_block)
    return factors, real_part(pivots)


def permutation(b: GraphBuilder, pivots: SSAValue, m: int, inverse: bool = False) -> SSAValue:
    """The order in which pivots from 0 on, i64 `[batch, k]`, put `m` rows, i64 `[batch, m]`: the row that ends up in
    each place, or with `inverse` the place where each row ends up."""
    batch, k = shape_of(pivots)
    initial = b.broadcast(numbers(b, m, 1), (batch, m, 1))
    if 0 in (batch, m, k):
        return b.reshape(initial, (batch, m))
    rows, stack = numbers(b, m, 1), b.reshape(pivots, (batch, k, 1))

    def step(b: GraphBuilder, i: SSAValue, carried: Sequence[RealOrPair]) -> Stepped:
        return [_swapped(b, carried[0], rows, i, one(b, stack, 1, i))[0]], []

    (found,) = steps(b, k, [initial], step, backwards=inverse)
    return b.reshape(real_part(found), (batch, m))


def solve_with_factors(
    b: GraphBuilder, factors: RealOrPair, pivots: SSAValue, right: RealOrPair, transpose: bool = False
) -> RealOrPair:
    """`x` with `a x = right`, or with `aᵀ x = right`, given the factors of `a`, `[batch, n, n]`, and its pivots from 0
    on, as `triangular_factors` has them; `right` is `[batch, n, k]`."""
    n = extents_of(factors)[1]
    if 0 in extents_of(right):
        return right

    def moved(x: RealOrPair) -> RealOrPair:
        return rows_at(b, x, b.unsqueeze(permutation(b, pivots, n, inverse=transpose), [2]))

    if not transpose:
        found = solve_triangular(b, factors, moved(right), lower=True, unit=True)
        return solve_triangular(b, factors, found, lower=False)
    factors = transposed(b, factors)
    found = solve_triangular(b, factors, right, lower=True)
    return moved(solve_triangular(b, factors, found, lower=False, unit=True))


def inverse(b: GraphBuilder, factors: RealOrPair, pivots: SSAValue) -> RealOrPair:
    """The inverses of matrices with these factors, `[matrices, n, n]`: what gives the identity."""
    return solve_with_factors(b, factors, pivots, identities(b, factors, *extents_of(factors)))


def _swapped(
    b: GraphBuilder, x: RealOrPair, rows: SSAValue, at: SSAValue, place: SSAValue
) -> tuple[RealOrPair, RealOrPair]:
    """Matrices whose row `at` has changed places with the one at `place`, `[batch, 1, 1]`, and what is in row `at` now;
    `rows` are the numbers of rows."""
    here, there = one(b, x, 1, at), rows_at(b, x, place)
    found = where(b, b.compare("eq", rows, at), there, where(b, b.compare("eq", rows, place), here, x))
    return found, there


def _with_block(b: GraphBuilder, a: RealOrPair, first: SSAValue, size: int) -> tuple[RealOrPair, SSAValue]:
    """The matrices with one more block factored, and its pivots `[size, batch]`."""
    _, m, n = extents_of(a)
    panel, order, pivots = _panel(b, window(b, a, 2, first, size), first)
    if n == size:
        return panel, pivots
    a = rows_at(b, a, order)
    a = with_window(b, a, 2, first, panel)
    behind = b.add(first, b.number(size, first))
    is_right = b.compare("ge", numbers(b, n, 2), behind)
    rows = window(b, a, 1, first, size)
    solved = solve_triangular(b, window(b, panel, 1, first, size), rows, lower=True, unit=True)
    a = with_window(b, a, 1, first, where(b, is_right, solved, rows))
    is_below = b.compare("ge", numbers(b, m, 1), behind)
    rest = sub(b, a, matmul(b, masked(b, is_below, panel), masked(b, is_right, solved)))
    return where(b, b(graph.AndOp, is_below, is_right), rest, a), pivots


def _panel(b: GraphBuilder, panel: RealOrPair, first: SSAValue) -> tuple[RealOrPair, SSAValue, SSAValue]:
    """The factors of some columns `[batch, m, size]`, from row `first` on; the order of rows `[batch, m, 1]`, and the
    pivots."""
    batch, m, count = extents_of(panel)
    rows, columns = numbers(b, m, 1), numbers(b, count, 2)

    def step(b: GraphBuilder, j: SSAValue, carried: Sequence[RealOrPair]) -> Stepped:
        x, order = carried
        at = b.add(first, j)
        column = size(b, one(b, x, 2, j))
        sizes = b.where(b.compare("ge", rows, at), column, b.number(-1.0, column))
        pivot = b(graph.ArgMaxOp, b.reshape(sizes, (batch, m)), 1)
        place = b.reshape(pivot, (batch, 1, 1))
        found, row = _swapped(b, x, rows, at, place)
        pivots = one(b, row, 2, j)
        divisor = where(b, is_zero(b, pivots), number(b, 1.0, pivots), pivots)
        factor = div(b, one(b, found, 2, j), divisor)
        right = where(b, b.compare("gt", columns, j), sub(b, found, mul(b, factor, row)), found)
        below = where(b, b.compare("eq", columns, j), factor, right)
        ordered, _ = _swapped(b, order, rows, at, place)
        return [where(b, b.compare("gt", rows, at), below, found), ordered], [pivot]

    found, order, pivots = steps(b, count, [panel, b.broadcast(rows, (batch, m, 1))], step)
    return found, real_part(order), real_part(pivots)
