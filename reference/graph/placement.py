"""Places of a tensor that an index tensor says."""

from __future__ import annotations

import numpy as np

from mlc.dialects.graph import ConstantOp
from mlc.dialects.graph.placement import IndexedOp, Placement
from mlc.reference.execution import Array, InputsUndefined, UndefinedBehavior


def require_in_range(op: IndexedOp, indices: Array) -> None:
    """Check the indices of an op.

    Raises:
        UndefinedBehavior: one is out of range. It is `InputsUndefined` unless the indices are constant.
    """
    if (wrong := op.out_of_range(indices)) is not None:
        kind = UndefinedBehavior if isinstance(op.indices.owner, ConstantOp) else InputsUndefined
        raise kind(f"{op.name}: {wrong}")


def places(placement: Placement, indices: Array) -> tuple[Array, ...]:
    """For each axis of the data, its subscripts; together they have the shape of all points."""
    shape = placement.points
    rank, outer = len(shape), len(placement.indices)
    subscripts: list[Array] = [np.zeros(0, np.int64)] * len(placement.data)
    for axis in placement.own:
        subscripts[axis] = _along(axis, shape[axis], rank)
    for number, axis in enumerate(placement.whole):
        subscripts[axis] = _along(outer + number, placement.data[axis], rank)
    for axis, each in placement.coordinates(indices):
        coordinate = np.where(each < 0, each.astype(np.int64) + placement.data[axis], each)
        subscripts[axis] = np.reshape(coordinate, coordinate.shape + (1,) * (rank - outer))
    return tuple(np.broadcast_arrays(*subscripts, np.empty(shape, bool))[: len(subscripts)])


def _along(axis: int, extent: int, rank: int) -> Array:
    """0, 1, 2, … along one of `rank` axes."""
    return np.reshape(np.arange(extent), (1,) * axis + (extent,) + (1,) * (rank - axis - 1))
