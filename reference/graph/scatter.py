"""Scatter."""

from __future__ import annotations

import numpy as np

from mlc.dialects.graph.scatter import ScatterKind, ScatterNdOp
from mlc.reference.execution import Array, evaluates
from mlc.reference.graph.placement import places, require_in_range

_COMBINE = {
    ScatterKind.ADD: np.add,
    ScatterKind.MUL: np.multiply,
    ScatterKind.MAX: np.maximum,
    ScatterKind.MIN: np.minimum,
}


@evaluates(ScatterNdOp)
def scatter_nd(op: ScatterNdOp, data: Array, indices: Array, updates: Array) -> Array:
    """One update after the other, in row-major order.

    Raises:
        UndefinedBehavior: a coordinate is out of range.
    """
    require_in_range(op, indices)
    where = tuple(np.ravel(subscript) for subscript in places(op.placement, indices))
    result = np.array(data)
    if op.kind.data is ScatterKind.SET:
        result[where] = np.ravel(updates)
    else:
        _COMBINE[op.kind.data].at(result, where, np.ravel(updates))
    return result
