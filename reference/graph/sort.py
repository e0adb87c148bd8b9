"""Sorting."""

from __future__ import annotations

import numpy as np

from mlc.dialects.graph.sort import ArgsortOp
from mlc.reference.execution import Array, evaluates


@evaluates(ArgsortOp)
def argsort(op: ArgsortOp, x: Array) -> Array:
    """Descending is ascending of the reversed axis, reversed, so that equal elements stay in their order."""
    axis, first = op.axis.value.data, op.first.value.data
    if op.descending is None:
        order = np.argsort(x, axis, kind="stable")
    else:
        backwards = np.flip(np.argsort(np.flip(x, axis), axis, kind="stable"), axis)
        order = x.shape[axis] - 1 - backwards
    return np.take(order, np.arange(first), axis).astype(np.int64)
