"""Determinants, which are products of pivots, and inverses."""

from __future__ import annotations

from math import prod

import numpy as np
from xdsl.dialects.builtin import f64
from xdsl.ir import SSAValue

from mlc.dialects import graph
from mlc.dialects.graph.types import shape_of
from mlc.dialects.onnx.contributed import RUNTIME_DOMAIN
from mlc.frontends.onnx.to_graph._node import Node
from mlc.frontends.onnx.to_graph._patterns import Results, converts
from mlc.frontends.operators.beyond_extents import filled
from mlc.frontends.operators.fields import real_part
from mlc.frontends.operators.graph_builder import Extents, GraphBuilder
from mlc.frontends.operators.loop_writer import ScanWriter
from mlc.frontends.operators.lu import inverse, triangular_factors
from mlc.frontends.operators.matrices import stacked
from mlc.frontends.operators.refusal import Unconvertible
from mlc.frontends.operators.sizes import in_symbols


@converts("Det", bounded=True, rounds_once=True)
def determinant(b: Node) -> Results:
    """Gaussian elimination with partial pivoting, in f64: each step of a scan removes a column of all matrices."""
    *batch, rows, _ = shape = b.shape()
    x, ends = _squares(b)
    of_batch = {axis: extent for axis, extent in ends.items() if axis < len(batch)}
    if not rows:
        return b.bounded(b.viewed(b.splat(1, batch, b.element()), batch, {}), of_batch)
    matrices = b.reshape(b.cast(x, f64), (prod(batch), *shape[-2:]))
    scan = ScanWriter(b, rows)
    matrix = scan.carry(matrices)
    product = scan.carry(b.splat(1, (prod(batch),), f64))
    found = scan.finish(_step(scan.inside, matrix, product, scan.number()))[1]
    return b.bounded(b.cast(b.reshape(found, batch), b.element()), of_batch)


@converts("Inverse", domain=RUNTIME_DOMAIN, bounded=True, rounds_once=True)
def inverse_of(b: Node) -> Results:
    """What a matrix gives the identity with."""
    x, ends = _squares(b)
    return b.bounded(b.reshape(real_part(inverse(b, *triangular_factors(b, stacked(b, x)))), b.shape()), ends)


def _squares(b: Node) -> tuple[SSAValue, Extents]:
    """The operand, of which all is data, and where it ended: matrices that end early have those of the identity after
    that, so that determinants stay, and inverses where they are.

    Raises:
        Unconvertible: the operand is not a stack of square matrices.
    """
    rank, (*_, rows, columns) = b.rank(), (0, -1, *b.shape())
    ends = b.knowledge.extents.get(b[0], {})
    if rank < 2 or rows != columns:
        raise Unconvertible(f"x has shape {list(b.shape())}, whose last two dims are not a square matrix")
    if ends.get(rank - 2) is not ends.get(rank - 1):
        found = [b.axis_size(b[0], axis) for axis in (rank - 2, rank - 1)]
        words = " and ".join("one that depends on data" if size is None else in_symbols(size) for size in found)
        raise Unconvertible(f"the last two dims of x have extents of {words}; required: one, of a square matrix")
    x = filled(b, b[0], 0, [rank - 2, rank - 1])
    if (end := ends.get(rank - 1)) is not None:
        is_behind = b.compare("ge", b.constant(np.arange(rows)), end)
        on_diagonal = b(graph.AndOp, b.constant(np.eye(rows, dtype=np.bool_)), is_behind)
        x = b.where(on_diagonal, b.number(1, x), x)
    return b.viewed(x, shape_of(x), {}) if ends else x, ends


def _step(b: GraphBuilder, matrix: SSAValue, product: SSAValue, k: SSAValue) -> list[SSAValue]:
    """The matrices without what is below the pivots of column `k`, and the products with these.

    Nobody reads rows up to `k` again, so the row of the pivot is not moved there; row `k` takes its place.
    """
    count, extent, _ = shape_of(matrix)
    rows = b.constant(np.arange(extent)[None])
    column = b(graph.GatherOp, matrix, k, 2)
    sizes = b.where(b.compare("ge", rows, k), b(graph.AbsOp, column), b.number(-1, column))
    place = b(graph.ArgMaxOp, sizes, 1, True)
    pivots = b(graph.GatherNdOp, matrix, place, [1], [0])
    pivot = b(graph.GatherNdOp, column, place, [1], [0])
    swapped = b(graph.ScatterNdOp, "set", matrix, place, b(graph.GatherOp, matrix, k, 1), [1], [0])

    leading = b(graph.GatherOp, swapped, k, 2)
    is_zero = b.compare("eq", pivot, b.number(0, pivot))
    divisor = b.reshape(b.where(is_zero, b.number(1, pivot), pivot), (count, 1))
    factors = b.reshape(b.div(leading, divisor), (count, extent, 1))
    below = b.reshape(b.compare("gt", rows, k), (1, extent, 1))
    reduced = b.sub(swapped, b.mul(factors, b.reshape(pivots, (count, 1, extent))))
    signed = b.where(b.compare("eq", b.reshape(place, (count,)), k), pivot, b(graph.NegOp, pivot))
    return [b.where(below, reduced, swapped), b.mul(product, signed)]
