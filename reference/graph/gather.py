"""Gather."""

from __future__ import annotations

import numpy as np

from mlc.dialects.graph.gather import GatherOp
from mlc.reference.execution import Array, UndefinedBehavior, evaluates


@evaluates(GatherOp)
def gather(op: GatherOp, data: Array, indices: Array) -> Array:
    """Negative indices count from the end.

    Raises:
        UndefinedBehavior: an index is out of range.
    """
    axis = op.axis.value.data
    extent = data.shape[axis]
    wrong = indices[(indices < -extent) | (indices >= extent)]
    if wrong.size:
        raise UndefinedBehavior(f"graph.gather: index {wrong[0]} is out of range for axis {axis} of extent {extent}")
    return np.take(data, indices, axis)
