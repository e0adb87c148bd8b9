"""Products of groups of rows with a matrix each, as mixtures of experts have them; where groups end is data."""

from __future__ import annotations

import numpy as np
from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue

from mlc.dialects import graph
from mlc.dialects.graph.types import shape_of
from mlc.passes.aten_to_graph._calls import Call, Results, converts
from mlc.passes.aten_to_graph._orders import search
from mlc.passes.shared.loop_writer import ScanWriter
from mlc.passes.shared.refusal import Unconvertible

_ROWS = 32
"""How many rows a product takes at a time, all of one group."""


@converts("_grouped_mm")
def grouped_product(b: Call, self: SSAValue, mat2: SSAValue, offs: SSAValue | None, bias: SSAValue | None) -> Results:
    """Rows up to `offs[0]` times the first matrix, those up to `offs[1]` times the second, and so on; rows behind the
    last group are 0.

    A group is tiles of rows, the last of which may be partly filled; there are as many tiles as rows fill, and one
    more for each group. Each step of a scan multiplies a tile by the matrix of its group.
    """
    if bias is not None:
        raise Unconvertible("it adds a bias, of which torch has no meaning yet")
    if offs is None:
        return b.matmul(self, mat2)
    if (len(shape_of(self)), len(shape_of(mat2))) != (2, 3):
        raise Unconvertible(
            f"it multiplies {self.type} by {mat2.type} in groups; mlc has groups of rows times a matrix each"
        )
    (count, _), (groups, _, width) = shape_of(self), shape_of(mat2)
    one, tall, last = b.constant(1), b.constant(_ROWS), b.constant(groups - 1)
    ends = b.cast(offs, i64)
    starts = b.concat([b.constant([0]), b.slice(ends, 0, 0, groups - 1)], 0) if groups > 1 else b.constant([0])
    sizes = b.sub(ends, starts)
    tiles = b.div(b.plus(sizes, b.constant(_ROWS - 1)), tall)
    up_to = b.constant(np.tril(np.ones((groups, groups), np.int64)))
    tile_ends = b.reduce("sum", b.mul(up_to, b.reshape(tiles, (1, groups))), [1])
    tile_starts = b.sub(tile_ends, tiles)

    number = b.constant(np.arange(-(-count // _ROWS) + groups))
    group = b.minimum(search(b, tile_ends, number, True), last)
    first = b.plus(
        b(graph.GatherOp, starts, group, 0),
        b.mul(b.sub(number, b(graph.GatherOp, tile_starts, group, 0)), tall),
    )
    places = b.plus(b.unsqueeze(first, [1]), b.constant(np.arange(_ROWS)))
    scan = ScanWriter(b, shape_of(number)[0])
    inside, matrix, rows = scan.inside, scan.row(group), scan.row(b.minimum(places, b.constant(count - 1)))
    found = inside.matmul(inside(graph.GatherOp, self, rows, 0), inside(graph.GatherOp, mat2, matrix, 0))
    (stack,) = scan.finish([], [found])

    row = b.constant(np.arange(count))
    owner = search(b, ends, row, True)
    known = b.minimum(owner, last)
    within = b.sub(row, b(graph.GatherOp, starts, known, 0))
    tile = b.plus(b(graph.GatherOp, tile_starts, known, 0), b.div(within, tall))
    at = b.plus(b.mul(tile, tall), b(graph.RemOp, within, tall))
    at = b.minimum(at, b.constant(shape_of(number)[0] * _ROWS - 1))
    result = b(graph.GatherOp, b.reshape(stack, (shape_of(number)[0] * _ROWS, width)), at, 0)
    is_owned = b.unsqueeze(b.compare("lt", owner, b.plus(last, one)), [1])
    return b.where(is_owned, result, b.number(0, result))
