"""Winograd's transforms, by products with the matrices as they are written."""

from __future__ import annotations

import numpy as np

from mlc.dialects.graph.winograd import WinogradInputOp, WinogradOutputOp
from mlc.reference.execution import Array, evaluates
from mlc.support.winograd import RESULT, WINDOW, span


@evaluates(WinogradInputOp)
def winograd_input(op: WinogradInputOp, x: Array) -> Array:
    """Windows as a view, then B^T on both sides."""
    windows = np.lib.stride_tricks.sliding_window_view(x, (span(op.width),) * 2, axis=(1, 2))
    windows = windows[:, :: op.width, :: op.width]
    matrix = np.asarray(WINDOW[op.width], x.dtype)
    found = np.einsum("ia,jc,byxnac->ijbyxn", matrix, matrix, windows, optimize=True)
    return found.reshape(-1, *found.shape[2:])


@evaluates(WinogradOutputOp)
def winograd_output(op: WinogradOutputOp, products: Array) -> Array:
    """A^T on both sides, then the tiles side by side, cut off at the size."""
    matrix, wide = np.asarray(RESULT[op.width], products.dtype), span(op.width)
    tiles = products.reshape(wide, wide, *products.shape[1:])
    image = np.einsum("ia,jc,acbyxn->byixjn", matrix, matrix, tiles, optimize=True)
    batch, rows, _, columns, _, channels = image.shape
    whole = image.reshape(batch, rows * op.width, columns * op.width, channels)
    height, width = op.size.get_values()
    return np.ascontiguousarray(whole[:, :height, :width])
