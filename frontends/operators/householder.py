"""Orthogonal factors by reflections (Golub and Van Loan, Matrix Computations, 4th ed., 5.1 and 5.2), whose products are
blocks of the form `I - V T Vᵀ` (Schreiber and Van Loan, A storage-efficient WY representation, 1989)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue

from mlc.dialects import graph
from mlc.frontends.operators.complex_numbers import Pair, RealOrPair
from mlc.frontends.operators.fields import (
    conjugate,
    div,
    extents_of,
    matmul,
    mul,
    number,
    real_part,
    reshaped,
    size,
    squares,
    sub,
    where,
    zeros,
)
from mlc.frontends.operators.graph_builder import GraphBuilder
from mlc.frontends.operators.matrices import (
    Stepped,
    adjoint,
    block_by_block,
    blocks,
    cut,
    identities,
    identity,
    masked,
    numbers,
    of_parts,
    one,
    padded,
    steps,
    transposed,
    window,
    with_window,
)
from mlc.frontends.operators.triangular import solve_triangular


def reflections(b: GraphBuilder, a: RealOrPair) -> tuple[RealOrPair, RealOrPair]:
    """`R` of a stack `[batch, m, n]`, the vectors of the reflections below it without their first element, which is 1,
    and their factors `tau`, `[batch, min(m, n)]`: `a = H₀ H₁ … R` with `Hᵢ = I - tauᵢ vᵢ vᵢᴴ`.

    The diagonal of `R` has the other sign than what stood there, of complex numbers than its real part, and is real. A
    column that is 0 below is left alone, its tau is 0, unless what stands above is not real.
    """
    batch, m, n = extents_of(a)
    if 0 in extents_of(a):
        return a, zeros(b, a, (batch, min(m, n)))
    return block_by_block(b, a, _with_block)


def orthogonal_factor(b: GraphBuilder, a: RealOrPair, taus: RealOrPair) -> RealOrPair:
    """The first columns, as many as `a` has, of the product of reflections: `[batch, m, n]` with `m >= n`, as
    `reflections` leaves them, and `taus` `[batch, k]` with `k <= n`."""
    batch, m, n = extents_of(a)
    k = extents_of(taus)[1]
    initial = identities(b, a, batch, m, n)
    if k == 0 or 0 in extents_of(a):
        return initial
    count, size = blocks(k)
    whole = count * size
    rows, columns = max(m, whole), max(n, whole)
    a, initial = padded(b, a, rows, columns), padded(b, initial, rows, columns)
    taus = padded(b, of_parts(taus, lambda v: b.unsqueeze(v, [1])), 1, whole)

    def reflected(b: GraphBuilder, q: RealOrPair, first: SSAValue) -> RealOrPair:
        vectors = _vectors(b, window(b, a, 2, first, size), first)
        factor = adjoint(b, _factor(b, vectors, window(b, taus, 2, first, size)))
        return _apply(b, vectors, factor, q)

    def step(b: GraphBuilder, number: SSAValue, carried: Sequence[RealOrPair]) -> Stepped:
        return [reflected(b, carried[0], b.mul(number, b.number(size, number)))], []

    if count == 1:
        found = reflected(b, initial, b.constant(np.asarray(0, np.int64), i64))
    else:
        (found,) = steps(b, count, [initial], step, backwards=True)
    return cut(b, found, m, n)


def _with_block(b: GraphBuilder, a: RealOrPair, first: SSAValue, size: int) -> tuple[RealOrPair, RealOrPair]:
    """The matrices with one more block of columns reflected, and its taus `[size, batch]`."""
    _, _, n = extents_of(a)
    panel, stack = _panel(b, window(b, a, 2, first, size), first)
    if n == size:
        return panel, stack
    taus = of_parts(stack, lambda v: b.unsqueeze(b.transpose(v, [1, 0]), [1]))
    vectors = _vectors(b, panel, first)
    is_right = b.compare("ge", numbers(b, n, 2), b.add(first, b.number(size, first)))
    reflected = _apply(b, vectors, _factor(b, vectors, taus), a)
    return with_window(b, where(b, is_right, reflected, a), 2, first, panel), stack


def _vectors(b: GraphBuilder, panel: RealOrPair, first: SSAValue) -> RealOrPair:
    """The vectors of a block, with their ones, and zeros above them."""
    _, m, size = extents_of(panel)
    rows, columns = numbers(b, m, 1), numbers(b, size, 2, first)
    below = masked(b, b.compare("gt", rows, columns), panel)
    return where(b, b.compare("eq", rows, columns), number(b, 1.0, panel), below)


def _factor(b: GraphBuilder, vectors: RealOrPair, taus: RealOrPair) -> RealOrPair:
    """`Tᴴ` of a block, `[batch, size, size]`, given its taus as rows, `[batch, 1, size]`.

    The inverse of `Tᴴ` is `D⁻¹ + S` with `D` the conjugate of `diag(tau)` and `S` the strictly lower part of `VᴴV`; so
    `Tᴴ` is `(I + D S)⁻¹ D`, which needs no inverse of a tau that is 0.
    """
    size, taus = extents_of(vectors)[2], conjugate(b, taus)
    products = mul(b, matmul(b, adjoint(b, vectors), vectors), transposed(b, taus))
    return solve_triangular(b, products, mul(b, identity(b, taus, size, size), taus), lower=True, unit=True)


def _apply(b: GraphBuilder, vectors: RealOrPair, factor: RealOrPair, x: RealOrPair) -> RealOrPair:
    """`x - V F (Vᴴ x)`."""
    return sub(b, x, matmul(b, vectors, matmul(b, factor, matmul(b, adjoint(b, vectors), x))))


def _panel(b: GraphBuilder, panel: RealOrPair, first: SSAValue) -> tuple[RealOrPair, RealOrPair]:
    """Some columns `[batch, m, size]`, reflected one after the other from row `first` on, and their taus
    `[size, batch]`."""
    batch, m, count = extents_of(panel)
    rows, columns = numbers(b, m, 1), numbers(b, count, 2)

    def step(b: GraphBuilder, j: SSAValue, carried: Sequence[RealOrPair]) -> Stepped:
        (x,) = carried
        at = b.add(first, j)
        is_below = b.compare("gt", rows, at)
        column = masked(b, b.compare("ge", rows, at), one(b, x, 2, j))
        zero, unit = number(b, 0.0, x), number(b, 1.0, x)
        # Scaled by the largest element (as LAPACK's larfg does), squares neither overflow nor vanish, and a column of
        # denormal numbers, as columns that depend on others leave, makes a vector and a tau with all their bits.
        largest = b.reduce("max", size(b, column), [1], keepdims=True)
        scaled = div(b, column, b.where(b.compare("eq", largest, zero), unit, largest))
        alpha = one(b, scaled, 1, at)
        norm = b(graph.SqrtOp, b.reduce("sum", squares(b, scaled), [1], keepdims=True))
        tail = b.reduce("max", size(b, masked(b, is_below, scaled)), [1], keepdims=True)
        is_done = b.compare("eq", tail, zero)
        if isinstance(alpha, Pair):
            is_done = b(graph.AndOp, is_done, b.compare("eq", alpha.im, zero))
        beta = b.where(b.compare("lt", real_part(alpha), zero), norm, b(graph.NegOp, norm))
        tau = where(b, is_done, zero, div(b, sub(b, beta, alpha), b.where(is_done, unit, beta)))
        vector = masked(b, is_below, div(b, scaled, where(b, is_done, unit, sub(b, alpha, beta))))
        vector = where(b, b.compare("eq", rows, at), unit, vector)
        along = mul(b, matmul(b, adjoint(b, vector), x), conjugate(b, tau))
        right = sub(b, x, mul(b, vector, along))
        own = mul(b, where(b, is_done, alpha, beta), largest)
        diagonal = where(b, b.compare("eq", rows, at), own, one(b, x, 2, j))
        own = where(b, is_below, vector, diagonal)
        found = where(b, b.compare("gt", columns, j), right, where(b, b.compare("eq", columns, j), own, x))
        return [found], [reshaped(b, tau, (batch,))]

    found, taus = steps(b, count, [panel], step)
    return found, taus
