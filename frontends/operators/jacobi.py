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
from mlc.frontends.operators.complex_numbers import Complex, Pair, RealOrPair, each_part, number_of
from mlc.frontends.operators.fields import (
    add,
    as_pair,
    conjugate,
    div,
    extents_of,
    matmul,
    mul,
    number,
    real_part,
    size,
    squares,
    sub,
    where,
    zeros,
)
from mlc.frontends.operators.graph_builder import GraphBuilder
from mlc.frontends.operators.householder import orthogonal_factor, reflections
from mlc.frontends.operators.loop_writer import WhileWriter
from mlc.frontends.operators.matrices import (
    Stepped,
    adjoint,
    cut,
    diagonal,
    identities,
    identity,
    numbers,
    padded,
    rows_at,
    steps,
)
from mlc.support import dtypes

_MOST_SWEEPS = 30
"""Convergence is quadratic in the end; 6 to 10 sweeps are usual."""

_Round = Callable[[GraphBuilder, RealOrPair, RealOrPair], tuple[RealOrPair, RealOrPair, SSAValue]]
"""One step on a matrix and the rotations so far: both rotated, and the largest number that a rotation made 0."""


def symmetric_eigen(b: GraphBuilder, a: RealOrPair) -> tuple[SSAValue, RealOrPair]:
    """Eigenvalues `[batch, n]`, ascending, and eigenvectors, the columns of `[batch, n, n]`, of a stack of symmetric
    matrices, or of Hermitian ones, both triangles of which are read."""
    batch, n, _ = extents_of(a)
    if 0 in (n, batch):
        return b.splat(0, (batch, n), element_of(real_part(a))), a
    a, scale = _scaled(b, a)
    even = n + n % 2
    # A row and a column of zeros more are never rotated, for what would become 0 is 0 already.
    vectors = padded(b, identities(b, a, batch, n, n), even, n)
    _, vectors = _sweeps(b, padded(b, a, even, even), vectors, _eigen_round, _epsilon(a) / 4)
    vectors = _orthonormal(b, cut(b, vectors, n, n))
    # Eigenvalues of vectors that are nearly right are right up to the square of that error.
    values = b.reduce("sum", real_part(mul(b, conjugate(b, vectors), matmul(b, vectors, a))), [2])
    order = b.unsqueeze(b(graph.ArgsortOp, values, 1), [2])
    vectors, values = rows_at(b, vectors, order), real_part(rows_at(b, values, order))
    return b.mul(values, b.reshape(scale, (batch, 1))), adjoint(b, vectors)


def singular_values(b: GraphBuilder, a: RealOrPair, full: bool) -> tuple[RealOrPair, SSAValue, RealOrPair]:
    """`U`, the singular values `[batch, k]`, descending, and `Vᴴ` of a stack `[batch, m, n]`, with `k = min(m, n)`.

    `U` is `[batch, m, k]` and `Vᴴ` is `[batch, k, n]`; both are square if `full`.
    """
    batch, m, n = extents_of(a)
    if m < n:
        u, values, v = singular_values(b, adjoint(b, a), full)
        return adjoint(b, v), values, adjoint(b, u)
    element = element_of(real_part(a))
    if 0 in (n, batch):
        u = identities(b, a, batch, m, m if full else n)
        return u, b.splat(0, (batch, n), element), zeros(b, a, (batch, n, n))
    a, scale = _scaled(b, a)
    even = n + n % 2
    initial = padded(b, identities(b, a, batch, n, n), even, n)
    tolerance = _epsilon(a) * m**0.5
    _, vectors = _sweeps(b, padded(b, adjoint(b, a), even, m), initial, _singular_round, tolerance)
    vectors = _orthonormal(b, cut(b, vectors, n, n))
    rows = matmul(b, vectors, adjoint(b, a))
    values = b(graph.SqrtOp, b.reduce("sum", squares(b, rows), [2]))
    order = b.unsqueeze(b(graph.ArgsortOp, values, 1, True), [2])
    values, rows, vectors = real_part(rows_at(b, values, order)), rows_at(b, rows, order), rows_at(b, vectors, order)
    # The columns of A V are orthogonal, so that R is diagonal: Q has their directions, and others where they are 0.
    packed, taus = reflections(b, adjoint(b, rows))
    signs = diagonal(b, real_part(packed), n)
    signs = b.where(b.compare("lt", signs, b.number(0.0, signs)), b.number(-1.0, signs), b.number(1.0, signs))
    if full and m > n:
        packed = padded(b, packed, m, m)
        signs = b.concat([signs, b.splat(1, (batch, m - n), element)], 1)
    u = mul(b, orthogonal_factor(b, packed, taus), b.unsqueeze(signs, [1]))
    return u, b.mul(values, b.reshape(scale, (batch, 1))), vectors


def _epsilon(like: RealOrPair) -> float:
    return float(np.finfo(dtypes.to_numpy(element_of(real_part(like)))).eps)


def _scaled(b: GraphBuilder, a: RealOrPair) -> tuple[RealOrPair, SSAValue]:
    """Matrices divided by their largest elements, so that squares neither overflow nor vanish, and these."""
    largest = b.reduce("max", size(b, a), [1, 2], keepdims=True)
    scale = b.where(b.compare("eq", largest, number(b, 0.0, a)), number(b, 1.0, a), largest)
    return div(b, a, scale), scale


def _orthonormal(b: GraphBuilder, rows: RealOrPair) -> RealOrPair:
    """Rows that are orthonormal but for what many rotations have lost, by a step of Newton's iteration for the nearest
    orthogonal matrix (Higham, Functions of Matrices, 8.3): what is left is the square of that."""
    identity_like = b.mul(identity(b, rows, *extents_of(rows)[1:]), number(b, 1.5, rows))
    halves = mul(b, matmul(b, rows, adjoint(b, rows)), number(b, 0.5, rows))
    return matmul(b, sub(b, identity_like, halves), rows)


def _sweeps(
    b: GraphBuilder, a: RealOrPair, vectors: RealOrPair, round: _Round, tolerance: float
) -> tuple[RealOrPair, RealOrPair]:
    """Sweeps until one has nothing larger than `tolerance` to make 0, or there were too many of them."""
    count, largest = b.constant(np.asarray(0, np.int64), i64), number(b, np.inf, a)
    writer = WhileWriter(b, [count, largest, *number_of(a), *number_of(vectors)])
    check, (done, left, *_) = writer.check, writer.ahead
    is_early = check.compare("lt", done, check.number(_MOST_SWEEPS, done))
    go_on = check(graph.AndOp, is_early, check.compare("gt", left, check.number(tolerance, left)))

    def step(b: GraphBuilder, _: SSAValue, carried: Sequence[RealOrPair]) -> Stepped:
        a, vectors, left = round(b, carried[1], carried[2])
        return [b(graph.MaxOp, real_part(carried[0]), left), a, vectors], []

    inside, (done, _, *arguments) = writer.inside, writer.carried
    following = iter(arguments)
    carried = [each_part(x, lambda _: next(following)) for x in (a, vectors)]
    found = steps(inside, extents_of(a)[1] - 1, [number(inside, 0.0, a), *carried], step)
    ahead = [part for x in found for part in number_of(x)]
    _, _, *ended = writer.finish(go_on, [inside.add(done, inside.number(1, done)), *ahead])
    parts = iter(ended)
    a, vectors = (each_part(x, lambda _: next(parts)) for x in (a, vectors))
    return a, vectors


def _eigen_round(b: GraphBuilder, a: RealOrPair, vectors: RealOrPair) -> tuple[RealOrPair, RealOrPair, SSAValue]:
    half = extents_of(a)[1] // 2
    upper, lower = (real_part(diagonal(b, a, half, at, at)) for at in (0, half))
    off, turn = _size_and_phase(b, diagonal(b, a, half, 0, half))
    cos, sin, tan = _rotation(b, upper, lower, off)
    halves = _rotated(b, _halves(b, a, 1), cos, sin, turn, 1)
    back = None if turn is None else Complex(b).conjugate(turn)
    blocks = [_rotated(b, _halves(b, x, 2), cos, sin, back, 2) for x in halves]
    # What the rotations are for is written as it is meant: rounding would leave something in place of 0.
    shift, is_own = b.mul(tan, off), b.compare("eq", numbers(b, half, 1), numbers(b, half, 2))
    zero = number(b, 0.0, a)
    blocks[0][0] = where(b, is_own, b.unsqueeze(b.sub(upper, shift), [2]), blocks[0][0])
    blocks[1][1] = where(b, is_own, b.unsqueeze(b.add(lower, shift), [2]), blocks[1][1])
    blocks[0][1], blocks[1][0] = where(b, is_own, zero, blocks[0][1]), where(b, is_own, zero, blocks[1][0])
    a = _moved_on(b, [_moved_on(b, pair, 2) for pair in blocks], 1)
    vectors = _moved_on(b, _rotated(b, _halves(b, vectors, 1), cos, sin, turn, 1), 1)
    return a, vectors, _largest(b, b(graph.AbsOp, off))


def _singular_round(b: GraphBuilder, a: RealOrPair, vectors: RealOrPair) -> tuple[RealOrPair, RealOrPair, SSAValue]:
    one, two = _halves(b, a, 1)
    upper, lower = (b.reduce("sum", squares(b, x), [2]) for x in (one, two))
    along = each_part(mul(b, one, conjugate(b, two)), lambda v: b.reduce("sum", v, [2]))
    off, turn = _size_and_phase(b, along)
    cos, sin, _ = _rotation(b, upper, lower, off)
    a = _moved_on(b, _rotated(b, [one, two], cos, sin, turn, 1), 1)
    vectors = _moved_on(b, _rotated(b, _halves(b, vectors, 1), cos, sin, turn, 1), 1)
    lengths = b.mul(b(graph.SqrtOp, upper), b(graph.SqrtOp, lower))
    is_zero = b.compare("eq", lengths, b.number(0.0, lengths))
    angle = b.div(b(graph.AbsOp, off), b.where(is_zero, b.number(1.0, lengths), lengths))
    return a, vectors, _largest(b, angle)


def _size_and_phase(b: GraphBuilder, off: RealOrPair) -> tuple[SSAValue, Pair | None]:
    """Of complex numbers their sizes and their directions, 1 for 0: a row times such a direction, and the column times
    its conjugate, make what a rotation is to make 0 real. Of real ones there is none."""
    if not isinstance(off, Pair):
        return off, None
    most = b(graph.MaxOp, *(b(graph.AbsOp, v) for v in (off.re, off.im)))
    zero, unit = b.number(0.0, most), b.number(1.0, most)
    is_zero = b.compare("eq", most, zero)
    # Divided by their larger part first, denormal numbers have directions of size 1, too.
    below = b.where(is_zero, unit, most)
    re, im = b.where(is_zero, unit, b.div(off.re, below)), b.div(off.im, below)
    length = b(graph.SqrtOp, b.add(b.mul(re, re), b.mul(im, im)))
    return b.mul(most, length), Pair(b.div(re, length), b.div(im, length))


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


def _halves(b: GraphBuilder, x: RealOrPair, axis: int) -> list[RealOrPair]:
    whole = extents_of(x)[axis]
    return [
        each_part(x, lambda v: b.slice(v, axis, 0, whole // 2)),
        each_part(x, lambda v: b.slice(v, axis, whole // 2, whole)),
    ]


def _rotated(
    b: GraphBuilder, halves: Sequence[RealOrPair], cos: SSAValue, sin: SSAValue, turn: Pair | None, axis: int
) -> list[RealOrPair]:
    """The two halves along an axis, each pair rotated; before that the second half is turned, if it is to be."""
    cos, sin = (b.unsqueeze(x, [3 - axis]) for x in (cos, sin))
    one, two = halves
    if turn is not None:
        two = Complex(b).mul(as_pair(b, two), Pair(*(b.unsqueeze(x, [3 - axis]) for x in (turn.re, turn.im))))
    return [sub(b, mul(b, cos, one), mul(b, sin, two)), add(b, mul(b, sin, one), mul(b, cos, two))]


def _moved_on(b: GraphBuilder, halves: Sequence[RealOrPair], axis: int) -> RealOrPair:
    """Two halves as one, each but the first of the upper one a place on: along the upper half, back along the lower."""
    one, two = halves
    if isinstance(one, Pair) and isinstance(two, Pair):
        return Pair(_moved_on_parts(b, one.re, two.re, axis), _moved_on_parts(b, one.im, two.im, axis))
    return _moved_on_parts(b, real_part(one), real_part(two), axis)


def _moved_on_parts(b: GraphBuilder, one: SSAValue, two: SSAValue, axis: int) -> SSAValue:
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
