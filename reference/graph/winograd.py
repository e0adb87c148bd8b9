"""Winograd's transforms, by products with the matrices as they are written; factors of 0 are no products."""

from __future__ import annotations

from functools import reduce

import numpy as np

from mlc.dialects.graph.winograd import WinogradInputOp, WinogradOutputOp
from mlc.reference.execution import Array, evaluates
from mlc.support.winograd import RESULT, WINDOW, Matrix, span


@evaluates(WinogradInputOp)
def winograd_input(op: WinogradInputOp, x: Array) -> Array:
    """Windows as a view, then B^T on both sides."""
    windows = np.lib.stride_tricks.sliding_window_view(x, (span(op.width),) * 2, axis=(1, 2))
    windows = windows[:, :: op.width, :: op.width]
    found = _on_both_sides(WINDOW[op.width], np.moveaxis(windows, (4, 5), (0, 1)))
    return found.reshape(-1, *found.shape[2:])


@evaluates(WinogradOutputOp)
def winograd_output(op: WinogradOutputOp, products: Array) -> Array:
    """A^T on both sides, then the tiles side by side, cut off at the size."""
    tiles = products.reshape(span(op.width), span(op.width), *products.shape[1:])
    image = np.transpose(_on_both_sides(RESULT[op.width], tiles), (2, 3, 0, 4, 1, 5))
    batch, rows, _, columns, _, channels = image.shape
    whole = image.reshape(batch, rows * op.width, columns * op.width, channels)
    height, width = op.size.get_values()
    return np.ascontiguousarray(whole[:, :height, :width])


def _on_both_sides(matrix: Matrix, squares: Array) -> Array:
    """The matrix times squares times its transpose; these lie along the first two axes."""
    return np.swapaxes(_times(matrix, np.swapaxes(_times(matrix, squares), 0, 1)), 0, 1)


def _times(matrix: Matrix, values: Array) -> Array:
    sums: list[Array] = []
    for row in matrix:
        terms = [value * values.dtype.type(factor) for factor, value in zip(row, values, strict=True) if factor]
        sums.append(reduce(np.add, terms))
    return np.stack(sums)
