"""What algorithms of linear algebra share: stacks of matrices of rank 3, their rows and columns, and blocks of steps.

Each algorithm is a loop whose body has the same shapes in every step: what a step leaves alone is masked by its number.
So the code is as long for a thousand rows as for ten. Large matrices go block by block, so that most of the work is in
products of matrices.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar, cast

import numpy as np
from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue

from mlc.dialects import graph
from mlc.dialects.graph.types import element_of, shape_of
from mlc.frontends.operators.complex_numbers import Pair, RealOrPair, each_part, number_of
from mlc.frontends.operators.fields import conjugate, extents_of, number, real_part, size, where, zeros
from mlc.frontends.operators.graph_builder import GraphBuilder
from mlc.frontends.operators.loop_writer import ScanWriter

Number = TypeVar("Number", bound=RealOrPair)

_BLOCK = 32
"""How many steps are one block: enough for products, few enough that what is done step by step does not show."""

Stepped = tuple[Sequence[RealOrPair], Sequence[RealOrPair]]
"""What a step makes: the next values of what is carried, and a row of each stack."""

_Step = Callable[[GraphBuilder, SSAValue, Sequence[RealOrPair]], Stepped]
"""A step, given its number, a `tensor<i64>`, and what is carried."""

_Block = Callable[[GraphBuilder, RealOrPair, SSAValue, int], tuple[RealOrPair, RealOrPair]]
"""What a block of steps makes of matrices, of the number of its first step and of how many it has: the matrices, and a
row for each step, `[size, batch]`."""


def of_parts(x: Number, function: Callable[[SSAValue], SSAValue]) -> Number:
    """A function of a tensor, of both parts of a complex one: what it was of, it stays."""
    return cast(Number, each_part(x, function))


def stacked(b: GraphBuilder, x: Number) -> Number:
    """Matrices `[…, m, n]` as one stack `[batch, m, n]`."""
    shape = extents_of(x)
    return of_parts(x, lambda v: b.reshape(v, (int(np.prod(shape[:-2])), *shape[-2:])))


def transposed(b: GraphBuilder, x: Number) -> Number:
    """The matrices of a stack, transposed."""
    return of_parts(x, lambda v: b.transpose(v, [0, 2, 1]))


def adjoint(b: GraphBuilder, x: RealOrPair) -> RealOrPair:
    """The matrices of a stack, transposed, and of complex ones the conjugates."""
    return conjugate(b, transposed(b, x))


def steps(
    b: GraphBuilder, count: int, initial: Sequence[RealOrPair], step: _Step, backwards: bool = False
) -> list[RealOrPair]:
    """A loop of `count` steps, numbered from 0, with `backwards` from the last: what is carried in the end, and stacks
    `[count, …]` by number."""
    scan = ScanWriter(b, count)
    carried = [each_part(v, scan.carry) for v in initial]
    ahead, rows = step(scan.inside, scan.number(backwards), carried)
    next_parts, row_parts = ([part for v in each for part in number_of(v)] for each in (ahead, rows))
    found = iter(scan.finish(next_parts, row_parts, backwards))
    return [each_part(v, lambda _: next(found)) for v in (*ahead, *rows)]


def blocks(count: int) -> tuple[int, int]:
    """How many blocks make up this number of steps, and of how many steps each is; the last one may have too many."""
    size = min(_BLOCK, count)
    return -(-count // size), size


def block_by_block(b: GraphBuilder, a: RealOrPair, part: _Block) -> tuple[RealOrPair, RealOrPair]:
    """A stack `[batch, m, n]` after `min(m, n)` steps, a block of them at a time, and what each gave,
    `[batch, min(m, n)]`.

    Rows and columns of zeros fill the last block.
    """
    batch, m, n = extents_of(a)
    least = min(m, n)
    count, size = blocks(least)
    whole = count * size
    a = padded(b, a, whole, whole)

    def step(b: GraphBuilder, number: SSAValue, carried: Sequence[RealOrPair]) -> Stepped:
        found, rows = part(b, carried[0], b.mul(number, b.number(size, number)), size)
        return [found], [rows]

    if count == 1:
        found, rows = part(b, a, b.constant(np.asarray(0, np.int64), i64), size)
    else:
        found, stack = steps(b, count, [a], step)
        rows = of_parts(stack, lambda v: b.reshape(v, (whole, batch)))
    return cut(b, found, m, n), of_parts(rows, lambda v: b.slice(b.transpose(v, [1, 0]), 1, 0, least))


def numbers(b: GraphBuilder, count: int, axis: int, first: SSAValue | None = None) -> SSAValue:
    """`first`, `first + 1`, …, i64, along an axis of three."""
    found = b.constant(np.arange(count, dtype=np.int64).reshape([count if a == axis else 1 for a in range(3)]), i64)
    return found if first is None else b.add(found, first)


def window(b: GraphBuilder, x: Number, axis: int, first: SSAValue, count: int) -> Number:
    """`count` rows (axis 1) or columns (axis 2) from a `first` one on, which is data."""
    if count == extents_of(x)[axis]:
        return x
    indices = b.add(b.constant(np.arange(count, dtype=np.int64), i64), first)
    return of_parts(x, lambda v: b(graph.GatherOp, v, indices, axis))


def with_window(b: GraphBuilder, x: RealOrPair, axis: int, first: SSAValue, part: RealOrPair) -> RealOrPair:
    """`x` with these rows (axis 1) or columns (axis 2) from a `first` one on."""
    count = extents_of(part)[axis]
    if count == extents_of(x)[axis]:
        return part
    indices = b.reshape(b.add(b.constant(np.arange(count, dtype=np.int64), i64), first), (count, 1))
    values = iter(number_of(part))
    return each_part(x, lambda v: b(graph.ScatterNdOp, "set", v, indices, b.axis_first(next(values), axis), [axis]))


def one(b: GraphBuilder, x: Number, axis: int, index: SSAValue) -> Number:
    """A row (axis 1) or a column (axis 2), whose number is data; the dim stays, with extent 1."""
    return of_parts(x, lambda v: b.unsqueeze(b(graph.GatherOp, v, index, axis), [axis]))


def rows_at(b: GraphBuilder, x: RealOrPair, places: SSAValue) -> RealOrPair:
    """Rows of the matrices or elements of the vectors of a stack, each of whose has places of its own, i64
    `[batch, count, 1]`."""
    return each_part(x, lambda v: b(graph.GatherNdOp, v, places, [1], [0]))


def padded(b: GraphBuilder, x: Number, rows: int, columns: int) -> Number:
    """Matrices with zeros below and to the right, up to these extents."""
    _, m, n = extents_of(x)
    if rows <= m and columns <= n:
        return x
    ends = [0, max(0, rows - m), max(0, columns - n)]
    return of_parts(x, lambda v: b(graph.PadOp, v, [0, 0, 0], ends, 0.0))


def cut(b: GraphBuilder, x: Number, rows: int, columns: int) -> Number:
    """The upper left part of matrices."""
    return of_parts(x, lambda v: b.slice(b.slice(v, 1, 0, rows), 2, 0, columns))


def masked(b: GraphBuilder, condition: SSAValue, x: Number) -> Number:
    """`x` where a condition holds, else 0."""
    return of_parts(x, lambda v: b.where(condition, v, b.number(0.0, v)))


def triangle(b: GraphBuilder, x: RealOrPair, lower: bool, unit: bool = False) -> RealOrPair:
    """The lower or the upper triangles of a stack, zeros elsewhere; with `unit`, ones on the diagonal."""
    _, m, n = extents_of(x)
    if 0 in extents_of(x):
        return x
    rows, columns = numbers(b, m, 1), numbers(b, n, 2)
    found = masked(b, b.compare("ge" if lower else "le", rows, columns), x)
    return where(b, b.compare("eq", rows, columns), number(b, 1.0, x), found) if unit else found


def of_one_triangle(b: GraphBuilder, a: RealOrPair, lower: bool) -> RealOrPair:
    """A stack of symmetric or Hermitian matrices of which one triangle is read, and of the diagonal the real parts."""
    n = extents_of(a)[1]
    if 0 in extents_of(a):
        return a
    rows, columns = numbers(b, n, 1), numbers(b, n, 2)
    found = where(b, b.compare("ge" if lower else "le", rows, columns), a, adjoint(b, a))
    if isinstance(found, Pair):
        found = Pair(found.re, masked(b, b.compare("ne", rows, columns), found.im))
    return found


def below_diagonal(b: GraphBuilder, rows: int, columns: int, diagonal: int) -> SSAValue:
    """Whether points of a matrix lie below a diagonal or on it; large ones are computed, not stored."""
    row, column = (b.constant(np.arange(n, dtype=np.int64), i64) for n in (rows, columns))
    return b.compare("ge", b.reshape(b.add(row, b.constant(diagonal)), (rows, 1)), column)


def as_long(b: GraphBuilder, matrix: SSAValue, x: SSAValue) -> SSAValue:
    """A matrix that ends where the last two dims of `x` do, if extents of these are known when the model runs."""
    rank = len(shape_of(x))
    ends = b.knowledge.extents.get(x, {})
    found = {axis - rank + 2: ends[axis] for axis in (rank - 2, rank - 1) if axis in ends}
    return b.bounded(b.viewed(matrix, shape_of(matrix), {}), found) if found else matrix


def one_side(b: GraphBuilder, x: SSAValue, lower: bool, diagonal: int) -> SSAValue:
    """The elements of matrices `[..., m, n]` below a diagonal, or above it, and on it; zeros elsewhere."""
    rows, columns = shape_of(x)[-2:]
    below = below_diagonal(b, rows, columns, diagonal if lower else diagonal - 1)
    below = as_long(b, below, x)
    zero = b.number(0, x)
    return b.where(below, x, zero) if lower else b.where(below, zero, x)


def diagonal(b: GraphBuilder, x: Number, count: int | None = None, row: int = 0, column: int = 0) -> Number:
    """The elements `[batch, count]` of a diagonal that begins at a row and a column, all of them by default."""
    batch, m, n = extents_of(x)
    count = min(m - row, n - column) if count is None else count
    if 0 in (batch, count):
        return cast(Number, zeros(b, x, (batch, count)))
    places = np.stack([np.arange(row, row + count), np.arange(column, column + count)], 1)
    at = b.constant(places.astype(np.int64), i64)
    return of_parts(x, lambda v: b.transpose(b(graph.GatherNdOp, v, at, [1, 2]), [1, 0]))


def first_pivot(b: GraphBuilder, pivots: SSAValue, predicate: str) -> SSAValue:
    """Of pivots `[batch, n]`, the number, from 1 on, of the first that compares so with 0, or that is not a number
    where it must be positive; 0 if there is none: i64 `[batch]`."""
    batch, n = shape_of(pivots)
    if 0 in (batch, n):
        return b.splat(0, (batch,), i64)
    zero = b.number(0.0, pivots)
    # What is not greater is less, equal or NaN.
    found = b(graph.NotOp, b.compare("gt", pivots, zero)) if predicate == "le" else b.compare(predicate, pivots, zero)
    places = b.constant(np.arange(1, n + 1, dtype=np.int64).reshape(1, n), i64)
    first = b.reduce("min", b.where(found, places, b.number(n + 1, places)), [1])
    return b.where(b.compare("gt", first, b.number(n, first)), b.number(0, first), first)


def first_zero(b: GraphBuilder, factors: RealOrPair) -> SSAValue:
    """The number, from 1 on, of the first pivot of triangular factors that is 0; 0 if there is none: i64 `[batch]`."""
    pivots = diagonal(b, factors)
    return first_pivot(b, size(b, pivots) if isinstance(pivots, Pair) else pivots, "eq")


def identity(b: GraphBuilder, like: RealOrPair, rows: int, columns: int) -> SSAValue:
    """`[1, rows, columns]` with ones on the diagonal, real, of the element type of `like`."""
    return b.cast(b.compare("eq", numbers(b, rows, 1), numbers(b, columns, 2)), element_of(real_part(like)))


def identities(b: GraphBuilder, like: RealOrPair, batch: int, rows: int, columns: int) -> RealOrPair:
    """A stack of them, complex where `like` is."""
    found = b.broadcast(identity(b, like, rows, columns), (batch, rows, columns))
    return Pair(found, b.splat(0, shape_of(found), element_of(found))) if isinstance(like, Pair) else found
