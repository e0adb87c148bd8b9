"""Places of a tensor that an index tensor says."""

from __future__ import annotations

import numpy as np

from mlc.dialects.graph.placement import Placement
from mlc.reference.execution import Array, UndefinedBehavior


def places(op_name: str, placement: Placement, indices: Array) -> tuple[Array, ...]:
    """For each axis of the data, its subscripts; together they have the shape of all points.

    Raises:
        UndefinedBehavior: a coordinate is out of range.
    """
    shape = placement.points
    rank, outer = len(shape), len(placement.indices)
    subscripts: list[Array] = [np.zeros(0, np.int64)] * len(placement.data)
    for axis in placement.own:
        subscripts[axis] = _along(axis, shape[axis], rank)
    for number, axis in enumerate(placement.whole):
        subscripts[axis] = _along(outer + number, placement.data[axis], rank)
    for number, axis in enumerate(placement.axes):
        extent, coordinate = placement.data[axis], indices[..., number].astype(np.int64)
        wrong = coordinate[(coordinate < -extent) | (coordinate >= extent)]
        if wrong.size:
            raise UndefinedBehavior(f"{op_name}: index {wrong[0]} is out of range for axis {axis} of extent {extent}")
        coordinate = np.where(coordinate < 0, coordinate + extent, coordinate)
        subscripts[axis] = np.reshape(coordinate, coordinate.shape + (1,) * (rank - outer))
    return tuple(np.broadcast_arrays(*subscripts, np.empty(shape, bool))[: len(subscripts)])


def _along(axis: int, extent: int, rank: int) -> Array:
    """0, 1, 2, … along one of `rank` axes."""
    return np.reshape(np.arange(extent), (1,) * axis + (extent,) + (1,) * (rank - axis - 1))
