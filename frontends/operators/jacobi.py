"""Eigenvalues and singular values by rotations, many at once (Brent and Luk, The solution of singular-value and
symmetric eigenvalue problems on multiprocessor arrays, 1985; Golub and Van Loan, Matrix Computations, 4th ed., 8.5 and
8.6).

The rows of a matrix stand in two halves, and row `i` of the upper one is rotated with row `i` of the lower one, all
pairs in one step. Then rows move on as the players of a tournament do: after as many steps as there are rows but one, a
sweep, each has met each, and all are where they were.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue

from mlc.dialects import graph
from mlc.dialects.graph.types import element_of, shape_of
from mlc.frontends.operators.graph_builder import GraphBuilder
from mlc.frontends.operators.householder import orthogonal_factor, reflections
from mlc.frontends.operators.loop_writer import WhileWriter
from mlc.frontends.operators.matrices import cut, diagonal, identity, numbers, padded, steps, transposed
from mlc.support import dtypes

_MOST_SWEEPS = 30
"""Convergence is quadratic in the end; 6 to 10 sweeps are usual."""

_Round = Callable[[GraphBuilder, SSAValue, SSAValue], tuple[SSAValue, SSAValue, SSAValue]]
"""One step on a matrix and the rotations so far: both rotated, and the largest number that a rotation made 0."""


def symmetric_eigen(b: GraphBuilder, a: SSAValue) -> tuple[SSAValue, SSAValue]:
    """Eigenvalues `[batch, n]`, ascending, and eigenvectors, the columns of `[batch, n, n]`, of a stack of symmetric
    matrices, both triangles of which are read."""
    batch, n, _ = shape_of(a)
    if 0 in (n, batch):
        return b.splat(0, (batch, n), element_of(a)), a
    a, scale = _scaled(b, a)
    even = n + n % 2
    # A row and a column of zeros more are never rotated, for what would become 0 is 0 already.
    vectors = padded(b, b.broadcast(identity(b, a, n, n), (batch, n, n)), even, n)
    _, vectors = _sweeps(b, padded(b, a, even, even), vectors, _eigen_round, _epsilon(a) / 4)
    vectors = _orthonormal(b, cut(b, vectors, n, n))
    # Eigenvalues of vectors that are nearly right are right up to the square of that error.
    values = b.reduce("sum", b.mul(vectors, b.matmul(vectors, a)), [2])
    order = b.unsqueeze(b(graph.ArgsortOp, values, 1), [2])
    vectors, values = (b(graph.GatherNdOp, x, order, [1], [0]) for x in (vectors, values))
    return b.mul(values, b.reshape(scale, (batch, 1))), transposed(b, vectors)


def singular_values(b: GraphBuilder, a: SSAValue, full: bool) -> tuple[SSAValue, SSAValue, SSAValue]:
    """`U`, the singular values `[batch, k]`, descending, and `Vᵀ` of a stack `[batch, m, n]`, with `k = min(m, n)`.

    `U` is `[batch, m, k]` and `Vᵀ` is `[batch, k, n]`; both are square if `full`.
    """
    batch, m, n = shape_of(a)
    if m < n:
        u, values, v = singular_values(b, transposed(b, a), full)
        return transposed(b, v), values, transposed(b, u)
    if 0 in (n, batch):
        u = b.broadcast(identity(b, a, m, m if full else n), (batch, m, m if full else n))
        return u, b.splat(0, (batch, n), element_of(a)), b.splat(0, (batch, n, n), element_of(a))
    a, scale = _scaled(b, a)
    even = n + n % 2
    initial = padded(b, b.broadcast(identity(b, a, n, n), (batch, n, n)), even, n)
    tolerance = _epsilon(a) * m**0.5
    _, vectors = _sweeps(b, padded(b, transposed(b, a), even, m), initial, _singular_round, tolerance)
    vectors = _orthonormal(b, cut(b, vectors, n, n))
    rows = b.matmul(vectors, transposed(b, a))
    values = b(graph.SqrtOp, b.reduce("sum", b.mul(rows, rows), [2]))
    order = b.unsqueeze(b(graph.ArgsortOp, values, 1, True), [2])
    values, rows, vectors = (b(graph.GatherNdOp, x, order, [1], [0]) for x in (values, rows, vectors))
    # The columns of A V are orthogonal, so that R is diagonal: Q has their directions, and others where they are 0.
    packed, taus = reflections(b, transposed(b, rows))
    signs = diagonal(b, packed, n)
    signs = b.where(b.compare("lt", signs, b.number(0.0, signs)), b.number(-1.0, signs), b.number(1.0, signs))
    if full and m > n:
        packed = padded(b, packed, m, m)
        signs = b.concat([signs, b.splat(1, (batch, m - n), element_of(a))], 1)
    u = b.mul(orthogonal_factor(b, packed, taus), b.unsqueeze(signs, [1]))
    return u, b.mul(values, b.reshape(scale, (batch, 1))), vectors


def _epsilon(like: SSAValue) -> float:
    return float(np.finfo(dtypes.to_numpy(element_of(like))).eps)


def _scaled(b: GraphBuilder, a: SSAValue) -> tuple[SSAValue, SSAValue]:
    """Matrices divided by their largest elements, so that squares neither overflow nor vanish, and these."""
    largest = b.reduce("max", b(graph.AbsOp, a), [1, 2], keepdims=True)
    scale = b.where(b.compare("eq", largest, b.number(0.0, a)), b.number(1.0, a), largest)
    return b.div(a, scale), scale


def _orthonormal(b: GraphBuilder, rows: SSAValue) -> SSAValue:
    """Rows that are orthonormal but for what many rotations have lost, by a step of Newton's iteration for the nearest
    orthogonal matrix (Higham, Functions of Matrices, 8.3): what is left is the square of that."""
    identity_like = b.mul(identity(b, rows, *shape_of(rows)[1:]), b.number(1.5, rows))
    halves = b.mul(b.matmul(rows, transposed(b, rows)), b.number(0.5, rows))
    return b.matmul(b.sub(identity_like, halves), rows)


def _sweeps(
    b: GraphBuilder, a: SSAValue, vectors: SSAValue, round: _Round, tolerance: float
) -> tuple[SSAValue, SSAValue]:
    """Sweeps until one has nothing larger than `tolerance` to make 0, or there were too many of them."""
    count, largest = b.constant(np.asarray(0, np.int64), i64), b.number(np.inf, a)
    writer = WhileWriter(b, [count, largest, a, vectors])
    check, (done, left, *_) = writer.check, writer.ahead
    is_early = check.compare("lt", done, check.number(_MOST_SWEEPS, done))
    go_on = check(graph.AndOp, is_early, check.compare("gt", left, check.number(tolerance, left)))

    def step(b: GraphBuilder, _: SSAValue, carried: Sequence[SSAValue]) -> tuple[list[SSAValue], list[SSAValue]]:
        a, vectors, left = round(b, carried[1], carried[2])
        return [b(graph.MaxOp, carried[0], left), a, vectors], []

    inside, (done, _, *carried) = writer.inside, writer.carried
    found = steps(inside, shape_of(a)[1] - 1, [inside.number(0.0, a), *carried], step)
    _, _, a, vectors = writer.finish(go_on, [inside.add(done, inside.number(1, done)), *found])
    return a, vectors


def _eigen_round(b: GraphBuilder, a: SSAValue, vectors: SSAValue) -> tuple[SSAValue, SSAValue, SSAValue]:
    half = shape_of(a)[1] // 2
    upper, lower, off = (diagonal(b, a, half, *at) for at in ((0, 0), (half, half), (0, half)))
    cos, sin, tan = _rotation(b, upper, lower, off)
    halves = _rotated(b, _halves(b, a, 1), cos, sin, 1)
    blocks = [_rotated(b, _halves(b, x, 2), cos, sin, 2) for x in halves]
    # What the rotations are for is written as it is meant: rounding would leave something in place of 0.
    shift, is_own = b.mul(tan, off), b.compare("eq", numbers(b, half, 1), numbers(b, half, 2))
    zero = b.number(0.0, a)
    blocks[0][0] = b.where(is_own, b.unsqueeze(b.sub(upper, shift), [2]), blocks[0][0])
    blocks[1][1] = b.where(is_own, b.unsqueeze(b.add(lower, shift), [2]), blocks[1][1])
    blocks[0][1], blocks[1][0] = b.where(is_own, zero, blocks[0][1]), b.where(is_own, zero, blocks[1][0])
    a = _moved_on(b, [_moved_on(b, pair, 2) for pair in blocks], 1)
    vectors = _moved_on(b, _rotated(b, _halves(b, vectors, 1), cos, sin, 1), 1)
    return a, vectors, _largest(b, b(graph.AbsOp, off))


def _singular_round(b: GraphBuilder, a: SSAValue, vectors: SSAValue) -> tuple[SSAValue, SSAValue, SSAValue]:
    one, two = _halves(b, a, 1)
    upper, lower, off = (b.reduce("sum", b.mul(x, y), [2]) for x, y in ((one, one), (two, two), (one, two)))
    cos, sin, _ = _rotation(b, upper, lower, off)
    a = _moved_on(b, _rotated(b, [one, two], cos, sin, 1), 1)
    vectors = _moved_on(b, _rotated(b, _halves(b, vectors, 1), cos, sin, 1), 1)
    lengths = b.mul(b(graph.SqrtOp, upper), b(graph.SqrtOp, lower))
    is_zero = b.compare("eq", lengths, b.number(0.0, a))
    angle = b.div(b(graph.AbsOp, off), b.where(is_zero, b.number(1.0, a), lengths))
    return a, vectors, _largest(b, angle)


def _largest(b: GraphBuilder, sizes: SSAValue) -> SSAValue:
    """The largest of some sizes `[batch, n]` that are not NaN: a matrix with NaN does not end the sweeps of others."""
    return b.reduce("max", b.where(b.compare("eq", sizes, sizes), sizes, b.number(0.0, sizes)), [0, 1])


def _rotation(b: GraphBuilder, upper: SSAValue, lower: SSAValue, off: SSAValue) -> tuple[SSAValue, SSAValue, SSAValue]:
    """Cosines, sines and tangents `[batch, half]` of the angles that make `off` 0 in `[[upper, off], [off, lower]]`, of
    two the smaller one."""
    zero, unit = b.number(0.0, off), b.number(1.0, off)
    is_done = b.compare("eq", off, zero)
    ratio = b.div(b.sub(lower, upper), b.where(is_done, unit, b.mul(off, b.number(2.0, off))))
    size = b.add(b(graph.AbsOp, ratio), b(graph.SqrtOp, b.add(unit, b.mul(ratio, ratio))))
    tan = b.div(b.where(b.compare("lt", ratio, zero), b.number(-1.0, off), unit), size)
    tan = b.where(is_done, zero, tan)
    cos = b.div(unit, b(graph.SqrtOp, b.add(unit, b.mul(tan, tan))))
    return cos, b.mul(cos, tan), tan


def _halves(b: GraphBuilder, x: SSAValue, axis: int) -> list[SSAValue]:
    whole = shape_of(x)[axis]
    return [b.slice(x, axis, 0, whole // 2), b.slice(x, axis, whole // 2, whole)]


def _rotated(b: GraphBuilder, halves: Sequence[SSAValue], cos: SSAValue, sin: SSAValue, axis: int) -> list[SSAValue]:
    """The two halves along an axis, each pair rotated."""
    cos, sin = (b.unsqueeze(x, [3 - axis]) for x in (cos, sin))
    one, two = halves
    return [b.sub(b.mul(cos, one), b.mul(sin, two)), b.add(b.mul(sin, one), b.mul(cos, two))]


def _moved_on(b: GraphBuilder, halves: Sequence[SSAValue], axis: int) -> SSAValue:
    """Two halves as one, each but the first of the upper one a place on: along the upper half, back along the lower."""
    one, two = halves
    half = shape_of(one)[axis]
    if half == 1:
        return b.concat([one, two], axis)
    parts = [
        b.slice(one, axis, 0, 1),
        b.slice(two, axis, 0, 1),
        b.slice(one, axis, 1, half - 1),
        b.slice(two, axis, 1, half),
        b.slice(one, axis, half - 1, half),
    ]
    return b.concat([part for part in parts if shape_of(part)[axis]], axis)
