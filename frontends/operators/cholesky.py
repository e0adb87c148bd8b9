"""The Cholesky factor (Golub and Van Loan, Matrix Computations, 4th ed., 4.2), a block of rows at a time, each from
those above it."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from mlc.dialects import graph
from mlc.frontends.operators.complex_numbers import Pair, RealOrPair
from mlc.frontends.operators.fields import div, extents_of, matmul, real_part, sub, zeros
from mlc.frontends.operators.graph_builder import GraphBuilder
from mlc.frontends.operators.matrices import (
    Stepped,
    adjoint,
    blocks,
    cut,
    masked,
    numbers,
    one,
    padded,
    steps,
    window,
    with_window,
)


def cholesky_factor(b: GraphBuilder, a: RealOrPair, lower: bool) -> RealOrPair:
    """`L` with `L Lᴴ = a`, or with `lower` unset `U` with `Uᴴ U = a`, for a stack `[batch, n, n]`.

    The other triangle of `a` is not read, nor are imaginary parts on the diagonal, and that of the factor is 0. Where
    `a` is not positive definite, a diagonal element of the factor is NaN or 0, and so may be all after it.
    """
    if 0 in extents_of(a):
        return a
    return adjoint(b, _upper(b, adjoint(b, a))) if lower else _upper(b, a)


def _upper(b: GraphBuilder, a: RealOrPair) -> RealOrPair:
    batch, n, _ = extents_of(a)
    count, size = blocks(n)
    if count == 1:
        return _block(b, a, b.number(0, numbers(b, 1, 1)))
    whole = count * size
    a = padded(b, a, whole, whole)

    def step(b: GraphBuilder, number: SSAValue, carried: Sequence[RealOrPair]) -> Stepped:
        (u,) = carried
        first = b.mul(number, b.number(size, number))
        done = matmul(b, adjoint(b, window(b, u, 2, first, size)), u)
        rest = sub(b, window(b, a, 1, first, size), done)
        return [with_window(b, u, 1, first, _block(b, rest, first))], []

    (found,) = steps(b, count, [zeros(b, a, (batch, whole, whole))], step)
    return cut(b, found, n, n)


def _block(b: GraphBuilder, rest: RealOrPair, first: SSAValue) -> RealOrPair:
    """The rows from `first` on of the factor, `[batch, size, n]`: `rest` is what rows above left of the matrix."""
    batch, size, n = extents_of(rest)
    columns = numbers(b, n, 2)

    def step(b: GraphBuilder, i: SSAValue, carried: Sequence[RealOrPair]) -> Stepped:
        (u,) = carried
        at = b.add(first, i)
        done = matmul(b, adjoint(b, one(b, u, 2, at)), u)
        row = sub(b, one(b, rest, 1, i), done)
        if isinstance(row, Pair):  # what stands on the diagonal is real
            row = Pair(row.re, masked(b, b.compare("ne", columns, at), row.im))
        root = b(graph.SqrtOp, real_part(one(b, row, 2, at)))
        return [with_window(b, u, 1, i, masked(b, b.compare("ge", columns, at), div(b, row, root)))], []

    (found,) = steps(b, size, [zeros(b, rest, (batch, size, n))], step)
    return found
