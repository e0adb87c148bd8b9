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
from mlc.frontends.operators.fields import real_part
from mlc.frontends.operators.graph_builder import GraphBuilder
from mlc.frontends.operators.loop_writer import ScanWriter
from mlc.frontends.operators.lu import inverse, triangular_factors
from mlc.frontends.operators.matrices import stacked
from mlc.frontends.operators.refusal import Unconvertible


@converts("Det", rounds_once=True)
def determinant(b: Node) -> Results:
    """Gaussian elimination with partial pivoting, in f64: each step of a scan removes a column of all matrices."""
    _require_square(b)
    *batch, rows, _ = shape = b.shape()
    if not rows:
        return b.splat(1, batch, b.element())
    matrices = b.reshape(b.cast(b[0], f64), (prod(batch), *shape[-2:]))
    scan = ScanWriter(b, rows)
    matrix = scan.carry(matrices)
    product = scan.carry(b.splat(1, (prod(batch),), f64))
    found = scan.finish(_step(scan.inside, matrix, product, scan.number()))[1]
    return b.cast(b.reshape(found, batch), b.element())


@converts("Inverse", domain=RUNTIME_DOMAIN, rounds_once=True)
def inverse_of(b: Node) -> Results:
    """What a matrix gives the identity with."""
    _require_square(b)
    return b.reshape(real_part(inverse(b, *triangular_factors(b, stacked(b, b[0])))), b.shape())


def _require_square(b: Node) -> None:
    """Raises: Unconvertible if the operand is not a stack of square matrices."""
    *_, rows, columns = (0, -1, *b.shape())
    if b.rank() < 2 or rows != columns:
        raise Unconvertible(f"x has shape {list(b.shape())}, whose last two dims are not a square matrix")


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
