"""Triangular factors with partial pivoting (Golub and Van Loan, Matrix Computations, 4th ed., 3.4): right-looking, a
block of columns at a time."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue

from mlc.dialects import graph
from mlc.dialects.graph.types import shape_of
from mlc.frontends.operators.graph_builder import GraphBuilder
from mlc.frontends.operators.matrices import (
    block_by_block,
    identity,
    masked,
    numbers,
    one,
    steps,
    transposed,
    window,
    with_window,
)
from mlc.frontends.operators.triangular import solve_triangular


def triangular_factors(b: GraphBuilder, a: SSAValue) -> tuple[SSAValue, SSAValue]:
    """The factors of a stack `[batch, m, n]`, `L` without its diagonal of ones below `U`, and for each step the number
    of the row that changed places with that of the step, i64 `[batch, min(m, n)]`, from 0 on.

    The pivot is the largest element of its column, the first one of several. Where all are 0, the step does nothing.
    """
    batch, m, n = shape_of(a)
    if 0 in shape_of(a):
        return a, b.splat(0, (batch, min(m, n)), i64)
    # Steps in rows and columns that fill the last block find only zeros, and do nothing.
    return block_by_block(b, a, _with_block)


def permutation(b: GraphBuilder, pivots: SSAValue, m: int, inverse: bool = False) -> SSAValue:
    """The order in which pivots from 0 on, i64 `[batch, k]`, put `m` rows, i64 `[batch, m]`: the row that ends up in
    each place, or with `inverse` the place where each row ends up."""
    batch, k = shape_of(pivots)
    initial = b.broadcast(numbers(b, m, 1), (batch, m, 1))
    if 0 in (batch, m, k):
        return b.reshape(initial, (batch, m))
    rows, stack = numbers(b, m, 1), b.reshape(pivots, (batch, k, 1))

    def step(b: GraphBuilder, i: SSAValue, carried: Sequence[SSAValue]) -> tuple[list[SSAValue], list[SSAValue]]:
        return [_swapped(b, carried[0], rows, i, one(b, stack, 1, i))[0]], []

    (found,) = steps(b, k, [initial], step, backwards=inverse)
    return b.reshape(found, (batch, m))


def solve_with_factors(
    b: GraphBuilder, factors: SSAValue, pivots: SSAValue, right: SSAValue, transpose: bool = False
) -> SSAValue:
    """`x` with `a x = right`, or with `aᵀ x = right`, given the factors of `a`, `[batch, n, n]`, and its pivots from 0
    on, as `triangular_factors` has them; `right` is `[batch, n, k]`."""
    n = shape_of(factors)[1]
    if 0 in shape_of(right):
        return right

    def moved(x: SSAValue) -> SSAValue:
        order = b.unsqueeze(permutation(b, pivots, n, inverse=transpose), [2])
        return b(graph.GatherNdOp, x, order, [1], [0])

    if not transpose:
        found = solve_triangular(b, factors, moved(right), lower=True, unit=True)
        return solve_triangular(b, factors, found, lower=False)
    factors = transposed(b, factors)
    found = solve_triangular(b, factors, right, lower=True)
    return moved(solve_triangular(b, factors, found, lower=False, unit=True))


def inverse(b: GraphBuilder, factors: SSAValue, pivots: SSAValue) -> SSAValue:
    """The inverses of matrices with these factors, `[matrices, n, n]`: what gives the identity."""
    right = b.broadcast(identity(b, factors, *shape_of(factors)[1:]), shape_of(factors))
    return solve_with_factors(b, factors, pivots, right)


def _swapped(b: GraphBuilder, x: SSAValue, rows: SSAValue, at: SSAValue, place: SSAValue) -> tuple[SSAValue, SSAValue]:
    """Matrices whose row `at` has changed places with the one at `place`, `[batch, 1, 1]`, and what is in row `at` now;
    `rows` are the numbers of rows."""
    here, there = one(b, x, 1, at), b(graph.GatherNdOp, x, place, [1], [0])
    found = b.where(b.compare("eq", rows, at), there, b.where(b.compare("eq", rows, place), here, x))
    return found, there


def _with_block(b: GraphBuilder, a: SSAValue, first: SSAValue, size: int) -> tuple[SSAValue, SSAValue]:
    """The matrices with one more block factored, and its pivots `[size, batch]`."""
    _, m, n = shape_of(a)
    panel, order, pivots = _panel(b, window(b, a, 2, first, size), first)
    if n == size:
        return panel, pivots
    a = b(graph.GatherNdOp, a, order, [1], [0])
    a = with_window(b, a, 2, first, panel)
    behind = b.add(first, b.number(size, first))
    is_right = b.compare("ge", numbers(b, n, 2), behind)
    rows = window(b, a, 1, first, size)
    solved = solve_triangular(b, window(b, panel, 1, first, size), rows, lower=True, unit=True)
    a = with_window(b, a, 1, first, b.where(is_right, solved, rows))
    is_below = b.compare("ge", numbers(b, m, 1), behind)
    rest = b.sub(a, b.matmul(masked(b, is_below, panel), masked(b, is_right, solved)))
    return b.where(b(graph.AndOp, is_below, is_right), rest, a), pivots


def _panel(b: GraphBuilder, panel: SSAValue, first: SSAValue) -> tuple[SSAValue, SSAValue, SSAValue]:
    """The factors of some columns `[batch, m, size]`, from row `first` on; the order of rows `[batch, m, 1]`, and the
    pivots."""
    batch, m, size = shape_of(panel)
    rows, columns = numbers(b, m, 1), numbers(b, size, 2)

    def step(b: GraphBuilder, j: SSAValue, carried: Sequence[SSAValue]) -> tuple[list[SSAValue], list[SSAValue]]:
        x, order = carried
        at = b.add(first, j)
        column = one(b, x, 2, j)
        sizes = b.where(b.compare("ge", rows, at), b(graph.AbsOp, column), b.number(-1.0, column))
        pivot = b(graph.ArgMaxOp, b.reshape(sizes, (batch, m)), 1)
        place = b.reshape(pivot, (batch, 1, 1))
        found, row = _swapped(b, x, rows, at, place)
        pivots = one(b, row, 2, j)
        divisor = b.where(b.compare("eq", pivots, b.number(0.0, pivots)), b.number(1.0, pivots), pivots)
        factor = b.div(one(b, found, 2, j), divisor)
        right = b.where(b.compare("gt", columns, j), b.sub(found, b.mul(factor, row)), found)
        below = b.where(b.compare("eq", columns, j), factor, right)
        return [b.where(b.compare("gt", rows, at), below, found), _swapped(b, order, rows, at, place)[0]], [pivot]

    found, order, pivots = steps(b, size, [panel, b.broadcast(rows, (batch, m, 1))], step)
    return found, order, pivots
