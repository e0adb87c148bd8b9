"""Solving triangular systems by substitution (Golub and Van Loan, Matrix Computations, 4th ed., 3.1)."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from mlc.dialects import graph
from mlc.frontends.operators.complex_numbers import RealOrPair, each_part
from mlc.frontends.operators.fields import div, extents_of, matmul, sub, zeros
from mlc.frontends.operators.graph_builder import GraphBuilder
from mlc.frontends.operators.matrices import (
    Stepped,
    blocks,
    cut,
    masked,
    numbers,
    one,
    padded,
    steps,
    transposed,
    window,
    with_window,
)


def solve_triangular(
    b: GraphBuilder, a: RealOrPair, right: RealOrPair, lower: bool, unit: bool = False, left: bool = True
) -> RealOrPair:
    """`x` with `a x = right`, or with `x a = right` unless `left`, for stacks `[batch, n, n]` and `[batch, n, k]` or,
    from the right, `[batch, k, n]`.

    The other triangle of `a` is not read, nor with `unit` the diagonal, which is 1 then.
    """
    if 0 in extents_of(right):
        return right
    if not left:
        return transposed(b, solve_triangular(b, transposed(b, a), transposed(b, right), not lower, unit))
    if lower:
        return _forward(b, a, right, unit)
    # Rows and columns from the other end make a lower triangle of an upper one.
    found = _forward(b, _reversed(b, a, [1, 2]), _reversed(b, right, [1]), unit)
    return _reversed(b, found, [1])


def _reversed(b: GraphBuilder, x: RealOrPair, axes: Sequence[int]) -> RealOrPair:
    return each_part(x, lambda v: b(graph.ReverseOp, v, axes))


def _forward(b: GraphBuilder, a: RealOrPair, right: RealOrPair, unit: bool) -> RealOrPair:
    batch, n, k = extents_of(right)
    count, size = blocks(n)
    if count == 1:
        return _block(b, a, right, unit)
    whole = count * size
    # In rows that are only there to fill the last block, 0 / 0 would be computed; nobody reads it.
    a, right = padded(b, a, whole, whole), padded(b, right, whole, k)

    def step(b: GraphBuilder, number: SSAValue, carried: Sequence[RealOrPair]) -> Stepped:
        (x,) = carried
        first = b.mul(number, b.number(size, number))
        rows = window(b, a, 1, first, size)
        known = masked(b, b.compare("lt", numbers(b, whole, 2), first), rows)
        rest = sub(b, window(b, right, 1, first, size), matmul(b, known, x))
        return [with_window(b, x, 1, first, _block(b, window(b, rows, 2, first, size), rest, unit))], []

    (found,) = steps(b, count, [zeros(b, right, (batch, whole, k))], step)
    return cut(b, found, n, k)


def _block(b: GraphBuilder, a: RealOrPair, right: RealOrPair, unit: bool) -> RealOrPair:
    """Row after row: what is known by then is subtracted, and the rest divided by the diagonal."""
    batch, n, k = extents_of(right)
    columns = numbers(b, n, 2)

    def step(b: GraphBuilder, i: SSAValue, carried: Sequence[RealOrPair]) -> Stepped:
        (x,) = carried
        row = one(b, a, 1, i)
        known = masked(b, b.compare("lt", columns, i), row)
        value = sub(b, one(b, right, 1, i), matmul(b, known, x))
        if not unit:
            value = div(b, value, one(b, row, 2, i))
        return [with_window(b, x, 1, i, value)], []

    if n == 1:
        return right if unit else div(b, right, a)
    (found,) = steps(b, n, [zeros(b, right, (batch, n, k))], step)
    return found
