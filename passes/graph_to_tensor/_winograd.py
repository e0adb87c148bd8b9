"""Winograd's transforms become `tensor.tile_map`: additions that the points of a tile share, written out."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.tensor import YieldOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineExpr

from mlc.dialects import graph
from mlc.dialects.graph.types import shape_of
from mlc.dialects.tensor import TileMapOp
from mlc.pass_manager.lowering import lowers
from mlc.passes.graph_to_tensor._builder import Builder, d
from mlc.passes.graph_to_tensor._patterns import ToTensor
from mlc.passes.graph_to_tensor._points import Points
from mlc.support.types import element_type
from mlc.support.winograd import RESULT, WINDOW, Matrix, span

_NAMES = ("b", "y", "x", "n")


@lowers("convert-graph-to-tensor", graph.WinogradInputOp)
class WinogradInputToTileMap(ToTensor):
    """A point is a window of all elements of one channel; its numbers lie one image of windows apart."""

    def build(self, op: Operation, b: Builder) -> SSAValue:
        assert isinstance(op, graph.WinogradInputOp)
        tile, wide = op.width, span(op.width)
        reads = [[d(0), d(1) * tile + i, d(2) * tile + j, d(3)] for i in range(wide) for j in range(wide)]
        places = [[AffineExpr.constant(p), *(d(i) for i in range(4))] for p in range(wide * wide)]
        sizes = shape_of(op.result)[1:]
        return _tile_map(op, b, reads, places, sizes, WINDOW[tile])


@lowers("convert-graph-to-tensor", graph.WinogradOutputOp)
class WinogradOutputToTileMap(ToTensor):
    """A point is a tile of results of one channel."""

    def build(self, op: Operation, b: Builder) -> SSAValue:
        assert isinstance(op, graph.WinogradOutputOp)
        tile, wide = op.width, span(op.width)
        reads = [[AffineExpr.constant(p), *(d(i) for i in range(4))] for p in range(wide * wide)]
        places = [[d(0), d(1) * tile + i, d(2) * tile + j, d(3)] for i in range(tile) for j in range(tile)]
        sizes = shape_of(op.input)[1:]
        return _tile_map(op, b, reads, places, sizes, RESULT[tile])


def _tile_map(
    op: graph.WinogradOp,
    b: Builder,
    reads: Sequence[Sequence[AffineExpr]],
    places: Sequence[Sequence[AffineExpr]],
    sizes: Sequence[int],
    matrix: Matrix,
) -> SSAValue:
    """`matrix` times a square of numbers times `matrix^T`, rows first."""
    wide = len(matrix[0])
    block = Block(arg_types=[element_type(op.input.type)] * wide * wide)
    points = Points()
    columns = [_product(points, matrix, block.args[j::wide]) for j in range(wide)]
    rows = [_product(points, matrix, [column[i] for column in columns]) for i in range(len(matrix))]
    block.add_ops([*points.ops, YieldOp(*(value for row in rows for value in row))])
    dims = list(zip(_NAMES, sizes, strict=True))
    return b.insert(TileMapOp([op.input] * wide * wide, reads, dims, places, op.result.type, Region(block)))


def _product(p: Points, matrix: Matrix, values: Sequence[SSAValue]) -> list[SSAValue]:
    """`matrix` times a vector, in few additions.

    Interpolation points come in pairs of a number and its negative. So two columns are equal but for signs, which makes
    a sum and a difference of what they are multiplied with; or two rows are a sum and a difference of what is even and
    what is odd in them.
    """
    terms = list(values)
    rows = [list(row) for row in matrix]
    for j in range(len(terms) - 1):
        first, second = [row[j] for row in rows], [row[j + 1] for row in rows]
        if _are_opposite(first, second) and sum(1 for c in first if c) > 2:
            even, odd = p.add(terms[j], terms[j + 1]), p.sub(terms[j], terms[j + 1])
            terms[j], terms[j + 1] = even, odd
            for row in rows:
                row[j], row[j + 1] = (row[j] + row[j + 1]) / 2, (row[j] - row[j + 1]) / 2
    found: list[SSAValue] = []
    while len(found) < len(rows):
        row, following = rows[len(found)], rows[len(found) + 1] if len(found) + 1 < len(rows) else None
        if following is not None and _are_opposite(row, following) and sum(1 for c in row if c) > 2:
            even = _sum(p, [(x + y) / 2 for x, y in zip(row, following, strict=True)], terms)
            odd = _sum(p, [(x - y) / 2 for x, y in zip(row, following, strict=True)], terms)
            found += [p.add(even, odd), p.sub(even, odd)]
        else:
            found.append(_sum(p, row, terms))
    return found


def _are_opposite(first: Sequence[float], second: Sequence[float]) -> bool:
    """Whether two vectors are equal in some places and opposite in the others, with some of both."""
    pairs = [(x, y) for x, y in zip(first, second, strict=True) if x or y]
    return all(abs(x) == abs(y) for x, y in pairs) and 0 < sum(x == y for x, y in pairs) < len(pairs)


def _sum(p: Points, factors: Sequence[float], terms: Sequence[SSAValue]) -> SSAValue:
    """The sum of products; factors of 0, 1 and -1 are not multiplications."""
    pairs = sorted(((c, t) for c, t in zip(factors, terms, strict=True) if c), key=lambda pair: pair[0] < 0)
    total: SSAValue | None = None
    for factor, term in pairs:
        size = 1 if total is not None and factor < 0 else 0
        magnitude = -factor if size else factor
        product = term if magnitude == 1 else p.mul(term, p.number(magnitude, term.type))
        total = product if total is None else p.sub(total, product) if size else p.add(total, product)
    assert total is not None
    return total
