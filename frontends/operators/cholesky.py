"""The Cholesky factor (Golub and Van Loan, Matrix Computations, 4th ed., 4.2), a block of rows at a time, each from
those above it."""

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


def cholesky_factor(b: GraphBuilder, a: SSAValue, lower: bool) -> SSAValue:
    """`L` with `L Lᵀ = a`, or with `lower` unset `U` with `Uᵀ U = a`, for a stack `[batch, n, n]`.

    The other triangle of `a` is not read, and that of the factor is 0. Where `a` is not positive definite, a diagonal
    element of the factor is NaN or 0, and so may be all after it.
    """
    if 0 in shape_of(a):
        return a
    return transposed(b, _upper(b, transposed(b, a))) if lower else _upper(b, a)


def _upper(b: GraphBuilder, a: SSAValue) -> SSAValue:
    batch, n, _ = shape_of(a)
    count, size = blocks(n)
    if count == 1:
        return _block(b, a, b.number(0, numbers(b, 1, 1)))
    whole = count * size
    a = padded(b, a, whole, whole)

    def step(b: GraphBuilder, number: SSAValue, carried: Sequence[SSAValue]) -> tuple[list[SSAValue], list[SSAValue]]:
        (u,) = carried
        first = b.mul(number, b.number(size, number))
        done = b.matmul(transposed(b, window(b, u, 2, first, size)), u)
        rest = b.sub(window(b, a, 1, first, size), done)
        return [with_window(b, u, 1, first, _block(b, rest, first))], []

    (found,) = steps(b, count, [b.splat(0, (batch, whole, whole), element_of(a))], step)
    return cut(b, found, n, n)


def _block(b: GraphBuilder, rest: SSAValue, first: SSAValue) -> SSAValue:
    """The rows from `first` on of the factor, `[batch, size, n]`: `rest` is what rows above left of the matrix."""
    batch, size, n = shape_of(rest)
    columns = numbers(b, n, 2)

    def step(b: GraphBuilder, i: SSAValue, carried: Sequence[SSAValue]) -> tuple[list[SSAValue], list[SSAValue]]:
        (u,) = carried
        at = b.add(first, i)
        done = b.matmul(transposed(b, one(b, u, 2, at)), u)
        row = b.sub(one(b, rest, 1, i), done)
        root = b(graph.SqrtOp, one(b, row, 2, at))
        return [with_window(b, u, 1, i, masked(b, b.compare("ge", columns, at), b.div(row, root)))], []

    (found,) = steps(b, size, [b.splat(0, (batch, size, n), element_of(rest))], step)
    return found
