"""What algorithms of linear algebra share: stacks of matrices of rank 3, their rows and columns, and blocks of steps.

Each algorithm is a loop whose body has the same shapes in every step: what a step leaves alone is masked by its number.
So the code is as long for a thousand rows as for ten. Large matrices go block by block, so that most of the work is in
products of matrices.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue

from mlc.dialects import graph
from mlc.dialects.graph.types import element_of, shape_of
from mlc.frontends.operators.graph_builder import GraphBuilder
from mlc.frontends.operators.loop_writer import ScanWriter

_BLOCK = 32
"""How many steps are one block: enough for products, few enough that what is done step by step does not show."""

_Step = Callable[[GraphBuilder, SSAValue, Sequence[SSAValue]], tuple[Sequence[SSAValue], Sequence[SSAValue]]]
"""What a step makes of its number, a `tensor<i64>`, and of what is carried: the next values, a row of each stack."""

_Block = Callable[[GraphBuilder, SSAValue, SSAValue, int], tuple[SSAValue, SSAValue]]
"""What a block of steps makes of matrices, of the number of its first step and of how many it has: the matrices, and a
row for each step, `[size, batch]`."""


def stacked(b: GraphBuilder, x: SSAValue) -> SSAValue:
    """Matrices `[…, m, n]` as one stack `[batch, m, n]`."""
    shape = shape_of(x)
    return b.reshape(x, (int(np.prod(shape[:-2])), *shape[-2:]))


def transposed(b: GraphBuilder, x: SSAValue) -> SSAValue:
    """The matrices of a stack, transposed."""
    return b.transpose(x, [0, 2, 1])


def steps(
    b: GraphBuilder, count: int, initial: Sequence[SSAValue], step: _Step, backwards: bool = False
) -> list[SSAValue]:
    """A loop of `count` steps, numbered from 0, with `backwards` from the last: what is carried in the end, and stacks
    `[count, …]` by number."""
    scan = ScanWriter(b, count)
    carried = [scan.carry(v) for v in initial]
    next, rows = step(scan.inside, scan.number(backwards), carried)
    return scan.finish(next, rows, backwards)


def blocks(count: int) -> tuple[int, int]:
    """How many blocks make up this number of steps, and of how many steps each is; the last one may have too many."""
    size = min(_BLOCK, count)
    return -(-count // size), size


def block_by_block(b: GraphBuilder, a: SSAValue, part: _Block) -> tuple[SSAValue, SSAValue]:
    """A stack `[batch, m, n]` after `min(m, n)` steps, a block of them at a time, and what each gave,
    `[batch, min(m, n)]`.

    Rows and columns of zeros fill the last block.
    """
    batch, m, n = shape_of(a)
    least = min(m, n)
    count, size = blocks(least)
    whole = count * size
    a = padded(b, a, whole, whole)

    def step(b: GraphBuilder, number: SSAValue, carried: Sequence[SSAValue]) -> tuple[list[SSAValue], list[SSAValue]]:
        found, rows = part(b, carried[0], b.mul(number, b.number(size, number)), size)
        return [found], [rows]

    if count == 1:
        found, rows = part(b, a, b.constant(np.asarray(0, np.int64), i64), size)
    else:
        found, stack = steps(b, count, [a], step)
        rows = b.reshape(stack, (whole, batch))
    return cut(b, found, m, n), b.slice(b.transpose(rows, [1, 0]), 1, 0, least)


def numbers(b: GraphBuilder, count: int, axis: int, first: SSAValue | None = None) -> SSAValue:
    """`first`, `first + 1`, …, i64, along an axis of three."""
    found = b.constant(np.arange(count, dtype=np.int64).reshape([count if a == axis else 1 for a in range(3)]), i64)
    return found if first is None else b.add(found, first)


def window(b: GraphBuilder, x: SSAValue, axis: int, first: SSAValue, count: int) -> SSAValue:
    """`count` rows (axis 1) or columns (axis 2) from a `first` one on, which is data."""
    if count == shape_of(x)[axis]:
        return x
    indices = b.add(b.constant(np.arange(count, dtype=np.int64), i64), first)
    return b(graph.GatherOp, x, indices, axis)


def with_window(b: GraphBuilder, x: SSAValue, axis: int, first: SSAValue, part: SSAValue) -> SSAValue:
    """`x` with these rows (axis 1) or columns (axis 2) from a `first` one on."""
    count = shape_of(part)[axis]
    if count == shape_of(x)[axis]:
        return part
    indices = b.reshape(b.add(b.constant(np.arange(count, dtype=np.int64), i64), first), (count, 1))
    return b(graph.ScatterNdOp, "set", x, indices, b.axis_first(part, axis), [axis])


def one(b: GraphBuilder, x: SSAValue, axis: int, index: SSAValue) -> SSAValue:
    """A row (axis 1) or a column (axis 2), whose number is data; the dim stays, with extent 1."""
    return b.unsqueeze(b(graph.GatherOp, x, index, axis), [axis])


def padded(b: GraphBuilder, x: SSAValue, rows: int, columns: int) -> SSAValue:
    """Matrices with zeros below and to the right, up to these extents."""
    _, m, n = shape_of(x)
    if rows <= m and columns <= n:
        return x
    return b(graph.PadOp, x, [0, 0, 0], [0, max(0, rows - m), max(0, columns - n)], 0.0)


def cut(b: GraphBuilder, x: SSAValue, rows: int, columns: int) -> SSAValue:
    """The upper left part of matrices."""
    return b.slice(b.slice(x, 1, 0, rows), 2, 0, columns)


def masked(b: GraphBuilder, condition: SSAValue, x: SSAValue) -> SSAValue:
    """`x` where a condition holds, else 0."""
    return b.where(condition, x, b.number(0.0, x))


def triangle(b: GraphBuilder, x: SSAValue, lower: bool, unit: bool = False) -> SSAValue:
    """The lower or the upper triangles of a stack, zeros elsewhere; with `unit`, ones on the diagonal."""
    _, m, n = shape_of(x)
    if 0 in shape_of(x):
        return x
    rows, columns = numbers(b, m, 1), numbers(b, n, 2)
    found = masked(b, b.compare("ge" if lower else "le", rows, columns), x)
    return b.where(b.compare("eq", rows, columns), b.number(1.0, x), found) if unit else found


def below_diagonal(b: GraphBuilder, rows: int, columns: int, diagonal: int) -> SSAValue:
    """Whether points of a matrix lie below a diagonal or on it; large ones are computed, not stored."""
    row, column = (b.constant(np.arange(n, dtype=np.int64), i64) for n in (rows, columns))
    return b.compare("ge", b.reshape(b.add(row, b.constant(diagonal)), (rows, 1)), column)


def one_side(b: GraphBuilder, x: SSAValue, lower: bool, diagonal: int) -> SSAValue:
    """The elements of matrices `[..., m, n]` below a diagonal, or above it, and on it; zeros elsewhere."""
    rows, columns = shape_of(x)[-2:]
    below = below_diagonal(b, rows, columns, diagonal if lower else diagonal - 1)
    zero = b.number(0, x)
    return b.where(below, x, zero) if lower else b.where(below, zero, x)


def diagonal(b: GraphBuilder, x: SSAValue, count: int | None = None, row: int = 0, column: int = 0) -> SSAValue:
    """The elements `[batch, count]` of a diagonal that begins at a row and a column, all of them by default."""
    batch, m, n = shape_of(x)
    count = min(m - row, n - column) if count is None else count
    if 0 in (batch, count):
        return b.splat(0, (batch, count), element_of(x))
    places = np.stack([np.arange(row, row + count), np.arange(column, column + count)], 1)
    return b.transpose(b(graph.GatherNdOp, x, b.constant(places.astype(np.int64), i64), [1, 2]), [1, 0])


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


def identity(b: GraphBuilder, like: SSAValue, rows: int, columns: int) -> SSAValue:
    """`[1, rows, columns]` with ones on the diagonal, of the element type of `like`."""
    return b.cast(b.compare("eq", numbers(b, rows, 1), numbers(b, columns, 2)), element_of(like))
