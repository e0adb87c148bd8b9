"""Orthogonal factors by reflections (Golub and Van Loan, Matrix Computations, 4th ed., 5.1 and 5.2), whose products are
blocks of the form `I - V T Vᵀ` (Schreiber and Van Loan, A storage-efficient WY representation, 1989)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue

from mlc.dialects import graph
from mlc.dialects.graph.types import element_of, shape_of
from mlc.frontends.operators.graph_builder import GraphBuilder
from mlc.frontends.operators.matrices import (
    block_by_block,
    blocks,
    cut,
    identity,
    masked,
    numbers,
    one,
    padded,
    steps,
    transposed,
    window,
    with_window,
)
from mlc.frontends.operators.triangular import solve_triangular


def reflections(b: GraphBuilder, a: SSAValue) -> tuple[SSAValue, SSAValue]:
    """`R` of a stack `[batch, m, n]`, the vectors of the reflections below it without their first element, which is 1,
    and their factors `tau`, `[batch, min(m, n)]`: `a = H₀ H₁ … R` with `Hᵢ = I - tauᵢ vᵢ vᵢᵀ`.

    The diagonal of `R` has the other sign than what stood there; a column that is 0 below is left alone, its tau is 0.
    """
    batch, m, n = shape_of(a)
    if 0 in shape_of(a):
        return a, b.splat(0, (batch, min(m, n)), element_of(a))
    return block_by_block(b, a, _with_block)


def orthogonal_factor(b: GraphBuilder, a: SSAValue, taus: SSAValue) -> SSAValue:
    """The first columns, as many as `a` has, of the product of reflections: `[batch, m, n]` with `m >= n`, as
    `reflections` leaves them, and `taus` `[batch, k]` with `k <= n`."""
    batch, m, n = shape_of(a)
    k = shape_of(taus)[1]
    initial = b.broadcast(identity(b, a, m, n), (batch, m, n))
    if k == 0 or 0 in shape_of(a):
        return initial
    count, size = blocks(k)
    whole = count * size
    rows, columns = max(m, whole), max(n, whole)
    a, initial = padded(b, a, rows, columns), padded(b, initial, rows, columns)
    taus = padded(b, b.unsqueeze(taus, [1]), 1, whole)

    def reflected(b: GraphBuilder, q: SSAValue, first: SSAValue) -> SSAValue:
        vectors = _vectors(b, window(b, a, 2, first, size), first)
        factor = transposed(b, _factor(b, vectors, window(b, taus, 2, first, size)))
        return _apply(b, vectors, factor, q)

    def step(b: GraphBuilder, number: SSAValue, carried: Sequence[SSAValue]) -> tuple[list[SSAValue], list[SSAValue]]:
        return [reflected(b, carried[0], b.mul(number, b.number(size, number)))], []

    if count == 1:
        found = reflected(b, initial, b.constant(np.asarray(0, np.int64), i64))
    else:
        (found,) = steps(b, count, [initial], step, backwards=True)
    return cut(b, found, m, n)


def _with_block(b: GraphBuilder, a: SSAValue, first: SSAValue, size: int) -> tuple[SSAValue, SSAValue]:
    """The matrices with one more block of columns reflected, and its taus `[size, batch]`."""
    _, _, n = shape_of(a)
    panel, stack = _panel(b, window(b, a, 2, first, size), first)
    if n == size:
        return panel, stack
    taus = b.unsqueeze(b.transpose(stack, [1, 0]), [1])
    vectors = _vectors(b, panel, first)
    is_right = b.compare("ge", numbers(b, n, 2), b.add(first, b.number(size, first)))
    reflected = _apply(b, vectors, _factor(b, vectors, taus), a)
    return with_window(b, b.where(is_right, reflected, a), 2, first, panel), stack


def _vectors(b: GraphBuilder, panel: SSAValue, first: SSAValue) -> SSAValue:
    """The vectors of a block, with their ones, and zeros above them."""
    _, m, size = shape_of(panel)
    rows, columns = numbers(b, m, 1), numbers(b, size, 2, first)
    below = masked(b, b.compare("gt", rows, columns), panel)
    return b.where(b.compare("eq", rows, columns), b.number(1.0, panel), below)


def _factor(b: GraphBuilder, vectors: SSAValue, taus: SSAValue) -> SSAValue:
    """`Tᵀ` of a block, `[batch, size, size]`, given its taus as rows, `[batch, 1, size]`.

    The inverse of `Tᵀ` is `D⁻¹ + S` with `D = diag(tau)` and `S` the strictly lower part of `VᵀV`; so `Tᵀ` is
    `(I + D S)⁻¹ D`, which needs no inverse of a tau that is 0.
    """
    size = shape_of(vectors)[2]
    products = b.mul(b.matmul(transposed(b, vectors), vectors), transposed(b, taus))
    return solve_triangular(b, products, b.mul(identity(b, taus, size, size), taus), lower=True, unit=True)


def _apply(b: GraphBuilder, vectors: SSAValue, factor: SSAValue, x: SSAValue) -> SSAValue:
    """`x - V F (Vᵀ x)`."""
    return b.sub(x, b.matmul(vectors, b.matmul(factor, b.matmul(transposed(b, vectors), x))))


def _panel(b: GraphBuilder, panel: SSAValue, first: SSAValue) -> tuple[SSAValue, SSAValue]:
    """Some columns `[batch, m, size]`, reflected one after the other from row `first` on, and their taus
    `[size, batch]`."""
    batch, m, size = shape_of(panel)
    rows, columns = numbers(b, m, 1), numbers(b, size, 2)

    def step(b: GraphBuilder, j: SSAValue, carried: Sequence[SSAValue]) -> tuple[list[SSAValue], list[SSAValue]]:
        (x,) = carried
        at = b.add(first, j)
        is_below = b.compare("gt", rows, at)
        column = masked(b, b.compare("ge", rows, at), one(b, x, 2, j))
        zero, unit = b.number(0.0, x), b.number(1.0, x)
        # Scaled by the largest element (as LAPACK's larfg does), squares neither overflow nor vanish, and a column of
        # denormal numbers, as columns that depend on others leave, makes a vector and a tau with all their bits.
        largest = b.reduce("max", b(graph.AbsOp, column), [1], keepdims=True)
        scaled = b.div(column, b.where(b.compare("eq", largest, zero), unit, largest))
        alpha = one(b, scaled, 1, at)
        norm = b(graph.SqrtOp, b.reduce("sum", b.mul(scaled, scaled), [1], keepdims=True))
        tail = b.reduce("max", b(graph.AbsOp, masked(b, is_below, scaled)), [1], keepdims=True)
        is_done = b.compare("eq", tail, zero)
        beta = b.where(b.compare("lt", alpha, zero), norm, b(graph.NegOp, norm))
        tau = b.where(is_done, zero, b.div(b.sub(beta, alpha), b.where(is_done, unit, beta)))
        vector = masked(b, is_below, b.div(scaled, b.where(is_done, unit, b.sub(alpha, beta))))
        vector = b.where(b.compare("eq", rows, at), unit, vector)
        along = b.mul(b.matmul(transposed(b, vector), x), tau)
        right = b.sub(x, b.mul(vector, along))
        diagonal = b.where(b.compare("eq", rows, at), b.mul(b.where(is_done, alpha, beta), largest), one(b, x, 2, j))
        own = b.where(is_below, vector, diagonal)
        found = b.where(b.compare("gt", columns, j), right, b.where(b.compare("eq", columns, j), own, x))
        return [found], [b.reshape(tau, (batch,))]

    found, taus = steps(b, size, [panel], step)
    return found, taus
