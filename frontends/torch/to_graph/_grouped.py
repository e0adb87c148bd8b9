"""Products of groups of rows with a matrix each, as mixtures of experts have them, and those of their gradients; where
groups end is data."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue

from mlc.dialects import graph
from mlc.dialects.graph.types import element_of, shape_of
from mlc.frontends.operators.loop_writer import ScanWriter
from mlc.frontends.operators.refusal import Unconvertible
from mlc.frontends.torch.to_graph._calls import Call, Results
from mlc.frontends.torch.to_graph._orders import search
from mlc.frontends.torch.to_graph._patterns import converts

_ROWS = 32
"""How many rows a product takes at a time, all of one group."""


@converts("_grouped_mm")
def grouped_product(b: Call, self: SSAValue, mat2: SSAValue, offs: SSAValue | None, bias: SSAValue | None) -> Results:
    """Groups end at `offs[0]`, `offs[1]`, and so on: rows of the first operand, each times a matrix; columns of the
    second one, a matrix each times them; or both, along the dim that is summed up, which gives a matrix each.

    What is after the last group is 0, or counts for none.
    """
    if bias is not None:
        raise Unconvertible("it adds a bias, of which torch has no meaning yet")
    if offs is None:
        return b.matmul(self, mat2)
    match len(shape_of(self)), len(shape_of(mat2)):
        case 2, 3:
            return _rows_by_matrices(b, self, mat2, offs)
        case 3, 2:
            by_rows = _rows_by_matrices(b, b.transpose(mat2, (1, 0)), b.transpose(self, (0, 2, 1)), offs)
            return b.transpose(by_rows, (1, 0))
        case _:
            return _columns_by_rows(b, self, mat2, offs)


@dataclass(frozen=True)
class _Tiles:
    """Groups of rows as tiles of rows, the last of which may be partly filled; there are as many tiles as rows fill,
    and one more for each group."""

    starts: SSAValue
    """Of each group, an i64."""
    ends: SSAValue
    first: SSAValue
    """The first tile of each group."""
    groups: SSAValue
    """The group of each tile; the last one for tiles that are not needed."""
    rows: SSAValue
    """[tiles, _ROWS]; those after the end of a group are not its own."""

    @staticmethod
    def of(b: Call, offs: SSAValue, count: int) -> _Tiles:
        """The tiles of `count` rows in groups that end where `offs` says."""
        (groups,) = shape_of(offs)
        tall, last = b.constant(_ROWS), b.constant(groups - 1)
        ends = b.cast(offs, i64)
        starts = b.concat([b.constant([0]), b.slice(ends, 0, 0, groups - 1)], 0) if groups > 1 else b.constant([0])
        tiles = b.div(b.add(b.sub(ends, starts), b.constant(_ROWS - 1)), tall)
        up_to = b.constant(np.tril(np.ones((groups, groups), np.int64)))
        tile_ends = b.reduce("sum", b.mul(up_to, b.reshape(tiles, (1, groups))), [1])
        first = b.sub(tile_ends, tiles)
        number = b.constant(np.arange(-(-count // _ROWS) + groups))
        group = b.minimum(search(b, tile_ends, number, True), last)
        start = b.add(
            b(graph.GatherOp, starts, group, 0), b.mul(b.sub(number, b(graph.GatherOp, first, group, 0)), tall)
        )
        return _Tiles(starts, ends, first, group, b.add(b.unsqueeze(start, [1]), b.constant(np.arange(_ROWS))))


def _rows_by_matrices(b: Call, x: SSAValue, matrices: SSAValue, offs: SSAValue) -> SSAValue:
    """Each step of a scan multiplies a tile of rows by the matrix of its group."""
    (count, _), (groups, _, width) = shape_of(x), shape_of(matrices)
    tiles, last = _Tiles.of(b, offs, count), b.constant(groups - 1)
    steps = shape_of(tiles.groups)[0]
    scan = ScanWriter(b, steps)
    matrix, rows = scan.row(tiles.groups), scan.row(b.minimum(tiles.rows, b.constant(count - 1)))
    inside = scan.inside
    found = inside.matmul(inside(graph.GatherOp, x, rows, 0), inside(graph.GatherOp, matrices, matrix, 0))
    (stack,) = scan.finish([], [found])

    tall, row = b.constant(_ROWS), b.constant(np.arange(count))
    owner = search(b, tiles.ends, row, True)
    known = b.minimum(owner, last)
    within = b.sub(row, b(graph.GatherOp, tiles.starts, known, 0))
    tile = b.add(b(graph.GatherOp, tiles.first, known, 0), b.div(within, tall))
    at = b.add(b.mul(tile, tall), b(graph.RemOp, within, tall))
    at = b.minimum(at, b.constant(steps * _ROWS - 1))
    result = b(graph.GatherOp, b.reshape(stack, (steps * _ROWS, width)), at, 0)
    is_owned = b.unsqueeze(b.compare("le", owner, last), [1])
    return b.where(is_owned, result, b.number(0, result))


def _columns_by_rows(b: Call, x: SSAValue, y: SSAValue, offs: SSAValue) -> SSAValue:
    """Each step of a scan adds the product of a tile of columns and the rows at the same places to that of its group.

    What is not the group's own is 0 in both, since a product of 0 and an infinity is none. Sums of halves are f32.
    """
    (height, count), (_, width), (groups,) = shape_of(x), shape_of(y), shape_of(offs)
    tiles, columns, rows = _Tiles.of(b, offs, count), b.widened(b.transpose(x, (1, 0))), b.widened(y)
    end = b(graph.GatherOp, tiles.ends, tiles.groups, 0)
    is_own = b.unsqueeze(b.compare("lt", tiles.rows, b.unsqueeze(end, [1])), [2])
    scan = ScanWriter(b, shape_of(tiles.groups)[0])
    sums = scan.carry(b.splat(0, (groups, height, width), element_of(rows)))
    group, own = scan.row(tiles.groups), scan.row(is_own)
    places = scan.row(b.minimum(tiles.rows, b.constant(count - 1)))
    inside = scan.inside
    taken = [inside(graph.GatherOp, each, places, 0) for each in (columns, rows)]
    left, right = (inside.where(own, each, inside.number(0, each)) for each in taken)
    product = inside.unsqueeze(inside.matmul(inside.transpose(left, (1, 0)), right), [0])
    return scan.finish([inside(graph.ScatterNdOp, "add", sums, inside.reshape(group, (1, 1)), product, [0])])[0]
