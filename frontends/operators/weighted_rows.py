"""Sums of a few elements of an axis each, with weights: what resampling is made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue

from mlc.dialects import graph
from mlc.dialects.graph.types import element_of, shape_of
from mlc.frontends.operators.graph_builder import GraphBuilder
from mlc.frontends.operators.places import standing_along
from mlc.support.dtypes import to_numpy

_MOST_TAPS = 4
"""Rows with more weights than a cubic has are products with the matrix of all weights."""


def weighted_rows(b: GraphBuilder, x: SSAValue, axis: int, rows: Sequence[Mapping[int, float]]) -> SSAValue:
    """Sums of elements along an axis, the weights of which are in `rows`."""
    taps = max(map(len, rows))
    if taps > _MOST_TAPS:
        return _product(b, x, axis, rows)
    total: SSAValue | None = None
    for tap in range(taps):
        pairs = [list(row.items())[min(tap, len(row) - 1)] for row in rows]
        weights = np.asarray([w if tap < len(row) else 0.0 for (_, w), row in zip(pairs, rows, strict=True)])
        places = [i for i, _ in pairs]
        same = places == list(range(shape_of(x)[axis]))
        part = x if same else b(graph.GatherOp, x, b.constant(np.asarray(places), i64), axis)
        if not (weights == 1).all():
            column = standing_along(_like(weights, x), axis, len(shape_of(x)))
            part = b.mul(part, b.constant(column, element_of(x)))
        total = part if total is None else b.add(total, part)
    assert total is not None
    return total


def _product(b: GraphBuilder, x: SSAValue, axis: int, rows: Sequence[Mapping[int, float]]) -> SSAValue:
    matrix = np.zeros((len(rows), shape_of(x)[axis]))
    for place, row in enumerate(rows):
        for i, weight in row.items():
            matrix[place, i] = weight
    return weighted(b, x, axis, matrix)


def weighted(b: GraphBuilder, x: SSAValue, axis: int, matrix: NDArray[Any]) -> SSAValue:
    """An axis multiplied by a matrix from the left."""
    rank = len(shape_of(x))
    order = [a for a in range(rank) if a != axis] + [axis]
    found = b.matmul(b.transpose(x, order), b.constant(matrix.T.copy(), element_of(x)))
    return b.untranspose(found, order)


def linear_weight(distance: float) -> float:
    """The weight of a neighbour at a distance in linear interpolation."""
    return max(1 - distance, 0.0)


def cubic_weight(distance: float, a: float) -> float:
    """The same in cubic convolution (Keys, "Cubic Convolution Interpolation for Digital Image Processing", 1981)."""
    if distance <= 1:
        return ((a + 2) * distance - (a + 3)) * distance * distance + 1
    return ((a * distance - 5 * a) * distance + 8 * a) * distance - 4 * a if distance < 2 else 0.0


def _like(numbers: NDArray[Any], x: SSAValue) -> NDArray[Any]:
    return numbers.astype(to_numpy(element_of(x)))
