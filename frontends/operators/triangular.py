"""Solving triangular systems by substitution (Golub and Van Loan, Matrix Computations, 4th ed., 3.1)."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from mlc.dialects import graph
from mlc.dialects.graph.types import element_of, shape_of
from mlc.frontends.operators.graph_builder import GraphBuilder
from mlc.frontends.operators.matrices import (
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
    b: GraphBuilder, a: SSAValue, right: SSAValue, lower: bool, unit: bool = False, left: bool = True
) -> SSAValue:
    """`x` with `a x = right`, or with `x a = right` unless `left`, for stacks `[batch, n, n]` and `[batch, n, k]` or,
    from the right, `[batch, k, n]`.

    The other triangle of `a` is not read, nor with `unit` the diagonal, which is 1 then.
    """
    if 0 in shape_of(right):
        return right
    if not left:
        return transposed(b, solve_triangular(b, transposed(b, a), transposed(b, right), not lower, unit))
    if lower:
        return _forward(b, a, right, unit)
    # Rows and columns from the other end make a lower triangle of an upper one.
    found = _forward(b, b(graph.ReverseOp, a, [1, 2]), b(graph.ReverseOp, right, [1]), unit)
    return b(graph.ReverseOp, found, [1])


def _forward(b: GraphBuilder, a: SSAValue, right: SSAValue, unit: bool) -> SSAValue:
    batch, n, k = shape_of(right)
    count, size = blocks(n)
    if count == 1:
        return _block(b, a, right, unit)
    whole = count * size
    # In rows that are only there to fill the last block, 0 / 0 would be computed; nobody reads it.
    a, right = padded(b, a, whole, whole), padded(b, right, whole, k)

    def step(b: GraphBuilder, number: SSAValue, carried: Sequence[SSAValue]) -> tuple[list[SSAValue], list[SSAValue]]:
        (x,) = carried
        first = b.mul(number, b.number(size, number))
        rows = window(b, a, 1, first, size)
        known = masked(b, b.compare("lt", numbers(b, whole, 2), first), rows)
        rest = b.sub(window(b, right, 1, first, size), b.matmul(known, x))
        return [with_window(b, x, 1, first, _block(b, window(b, rows, 2, first, size), rest, unit))], []

    (found,) = steps(b, count, [b.splat(0, (batch, whole, k), element_of(right))], step)
    return cut(b, found, n, k)


def _block(b: GraphBuilder, a: SSAValue, right: SSAValue, unit: bool) -> SSAValue:
    """Row after row: what is known by then is subtracted, and the rest divided by the diagonal."""
    batch, n, k = shape_of(right)
    columns = numbers(b, n, 2)

    def step(b: GraphBuilder, i: SSAValue, carried: Sequence[SSAValue]) -> tuple[list[SSAValue], list[SSAValue]]:
        (x,) = carried
        row = one(b, a, 1, i)
        known = masked(b, b.compare("lt", columns, i), row)
        value = b.sub(one(b, right, 1, i), b.matmul(known, x))
        if not unit:
            value = b.div(value, one(b, row, 2, i))
        return [with_window(b, x, 1, i, value)], []

    if n == 1:
        return right if unit else b.div(right, a)
    (found,) = steps(b, n, [b.splat(0, (batch, n, k), element_of(right))], step)
    return found
