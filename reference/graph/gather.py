"""Gather."""

from __future__ import annotations

import numpy as np

from mlc.dialects.graph.gather import GatherNdOp, GatherOp
from mlc.reference.execution import Array, UndefinedBehavior, evaluates
from mlc.reference.graph.placement import places


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


@evaluates(GatherNdOp)
def gather_nd(op: GatherNdOp, data: Array, indices: Array) -> Array:
    """NumPy's indexing with an array for each axis.

    Raises:
        UndefinedBehavior: a coordinate is out of range.
    """
    return data[places(op.name, op.placement, indices)]
