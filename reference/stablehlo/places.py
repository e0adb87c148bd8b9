"""Reads and writes at places that data says."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import numpy as np

from mlc.dialects.stablehlo import GatherAttr, HloOp, ScatterAttr, hlo
from mlc.reference.execution import Array, Frame, evaluates, executes
from mlc.reference.stablehlo.bodies import apply


def index_vectors(indices: Array, vector_dim: int) -> Array:
    """Indices with the parts of each in the last dim."""
    if vector_dim == indices.ndim:
        return indices[..., None]
    return np.moveaxis(indices, vector_dim, -1)


def gathered(x: Array, indices: Array, dims: GatherAttr, sizes: Sequence[int]) -> Array:
    """Slices of `x` that start where the indices say; each stays inside."""
    offset, collapsed = dims.ints("offset_dims"), dims.ints("collapsed_slice_dims")
    batching, mapped = dims.ints("operand_batching_dims"), dims.ints("start_index_map")
    vector = dims.number("index_vector_dim")
    vectors = index_vectors(indices, vector).astype(np.int64 if indices.dtype != np.uint64 else np.uint64)
    batch = vectors.shape[:-1]
    rank = x.ndim
    kept = [d for d in range(rank) if d not in (*collapsed, *batching)]
    window = [sizes[d] for d in kept]
    total = len(batch) + len(window)
    starts: list[Array] = [np.zeros(batch, np.int64)] * rank
    for i, d in enumerate(mapped):
        most = x.shape[d] - sizes[d]
        starts[d] = np.minimum(np.maximum(vectors[..., i], 0), most).astype(np.int64)
    for d, at in zip(batching, dims.ints("start_indices_batching_dims"), strict=True):
        axis = at if at < vector else at - 1
        column = np.asarray(range(batch[axis]), np.int64)
        starts[d] = np.broadcast_to(np.reshape(column, [-1 if a == axis else 1 for a in range(len(batch))]), batch)
    places: list[Array] = []
    for d in range(rank):
        place = np.reshape(starts[d], (*batch, *[1] * len(window)))
        if d in kept:
            at = len(batch) + kept.index(d)
            place = place + np.arange(sizes[d]).reshape([-1 if a == at else 1 for a in range(total)])
        places.append(place)
    found = x[tuple(places)] if places else x
    found = np.broadcast_to(found, (*batch, *window))
    batch_dims = [d for d in range(total) if d not in offset]
    return np.moveaxis(found, range(total), [*batch_dims, *offset])


@evaluates(hlo("gather"))
def gather(op: HloOp, x: Array, indices: Array) -> Array:
    """Slices of which the sizes are known."""
    return gathered(x, indices, cast(GatherAttr, op.properties["dimension_numbers"]), op.ints("slice_sizes"))


@evaluates(hlo("dynamic_gather"))
def dynamic_gather(op: HloOp, x: Array, indices: Array, sizes: Array) -> Array:
    """Slices of which the sizes are data."""
    return gathered(x, indices, cast(GatherAttr, op.properties["dimension_numbers"]), [int(n) for n in sizes])


@executes(hlo("scatter"))
def scatter(op: HloOp, frame: Frame) -> None:
    """One window after the other, in the order of the indices; what lies outside is left out."""
    count = len(op.operands) // 2
    results = [np.array(frame[v]) for v in op.operands[:count]]
    indices = frame[op.operands[count]]
    updates = [frame[v] for v in op.operands[count + 1 :]]
    dims = cast(ScatterAttr, op.properties["scatter_dimension_numbers"])
    window_dims, inserted = dims.ints("update_window_dims"), dims.ints("inserted_window_dims")
    batching, mapped = dims.ints("input_batching_dims"), dims.ints("scatter_dims_to_operand_dims")
    vector = dims.number("index_vector_dim")
    vectors = index_vectors(indices, vector)
    shape = results[0].shape
    kept = [d for d in range(len(shape)) if d not in (*inserted, *batching)]
    scatter_dims = [d for d in range(updates[0].ndim) if d not in window_dims]
    rows = [np.transpose(u, [*scatter_dims, *window_dims]) for u in updates]
    body = op.body()
    for at in np.ndindex(*vectors.shape[:-1]):
        start = [0] * len(shape)
        for i, d in enumerate(mapped):
            start[d] = int(vectors[at][i])
        for d, index_dim in zip(batching, dims.ints("scatter_indices_batching_dims"), strict=True):
            start[d] = at[index_dim if index_dim < vector else index_dim - 1]
        extents = dict(zip(kept, rows[0][at].shape, strict=True))
        inside: list[slice] = []
        taken: dict[int, slice] = {}
        for d, n in enumerate(shape):
            size = extents.get(d, 1)
            low, high = max(start[d], 0), min(start[d] + size, n)
            inside.append(slice(low, max(high, low)))
            taken[d] = slice(low - start[d], max(high, low) - start[d])
        if any(s.start >= s.stop for s in inside):
            continue
        own = tuple(inside)
        windows = [row[at][tuple(taken[d] for d in kept)] for row in rows]
        seen = [r[own] for r in results]
        updates_here = [np.reshape(w, s.shape) for w, s in zip(windows, seen, strict=True)]
        for result, found in zip(results, apply(frame, body, [*seen, *updates_here]), strict=True):
            result[own] = found
    for result, array in zip(op.results, results, strict=True):
        frame[result] = array
