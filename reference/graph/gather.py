"""Gather."""

from __future__ import annotations

import numpy as np

from mlc.dialects.graph.gather import GatherNdOp, GatherOp
from mlc.reference.execution import Array, evaluates
from mlc.reference.graph.placement import places, require_in_range


@evaluates(GatherOp)
def gather(op: GatherOp, data: Array, indices: Array) -> Array:
    """Negative indices count from the end.

    Raises:
        UndefinedBehavior: an index is out of range.
    """
    require_in_range(op, indices)
    return np.take(data, indices, op.axis.value.data)


@evaluates(GatherNdOp)
def gather_nd(op: GatherNdOp, data: Array, indices: Array) -> Array:
    """NumPy's indexing with an array for each axis.

    Raises:
        UndefinedBehavior: a coordinate is out of range.
    """
    require_in_range(op, indices)
    return data[places(op.placement, indices)]
