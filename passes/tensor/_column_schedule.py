"""Choosing the loops of reductions over the rows of a matrix that is larger than the caches next to the core.

    for n in pages: t[n] = 0; for k in blocks of rows: for n: t[n] += the rows of the block; y[n] = f(t[n])

Of many rows, sums of some thousand are added up first, in a page of their own.

A tile of registers that walks down a few columns reads a short piece of each row, and each from another page of memory.
Here whole pages of a few rows are read side by side, front to back, as a prefetcher likes it; the sums of a page of
columns wait in the first cache.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from mlc.dialects.tensor import StructuredOp
from mlc.passes.tensor._contraction_schedule import SET_PERIOD, WAYS, Step
from mlc.passes.tensor._row_schedule import column_dim, nests_of, reduced_dims
from mlc.support.dtypes import to_numpy
from mlc.support.types import element_type
from mlc.targets.machine import Machine

ROWS_PER_TILE = WAYS
"""Rows side by side: what lies a multiple of a page apart falls on the same sets of the first cache."""
BLOCK = 256 * ROWS_PER_TILE
"""Rows whose sums start from 0, so that errors do not pile up."""
COLUMN_VECTORS = 4
"""Vectors of columns side by side, each with additions that wait for each other."""


def column_steps(ops: Sequence[StructuredOp], lanes: int, machine: Machine) -> list[Step]:
    """The steps for a kernel that reduces the rows of one large matrix; none for other kernels."""
    nests = nests_of(ops)
    if len(nests) != 1 or len(nests[0].reductions) != 1:
        return []
    column = column_dim(nests)
    reduced = reduced_dims(nests, column) if column is not None else {}
    if column is None or len(reduced) != 1:
        return []
    ((row, rows),) = reduced.items()
    (op,) = nests[0].reductions
    size = to_numpy(element_type(op.result.type)).itemsize
    page = SET_PERIOD // size
    if rows < ROWS_PER_TILE * ROWS_PER_TILE or prod(op.dim_sizes) * size <= machine.l2_bytes:
        return []
    steps: list[Step] = [("tile", column, page)]
    levels = [row]
    for size in _blocks(rows):
        steps.append(("block_sums", levels[-1], size))
        levels.append(f"{levels[-1]}i")
    inner = levels[-1]
    return [
        *steps,
        ("tile", inner, ROWS_PER_TILE),
        *(("hoist_reduction", name, f"{column}i") for name in levels),
        ("tile", f"{column}i", COLUMN_VECTORS * lanes),
        ("tile", f"{column}ii", lanes),
        ("vectorize", f"{column}iii", lanes),
        ("unroll", f"{column}ii"),
        ("unroll", f"{inner}i"),
    ]


def _blocks(rows: int) -> list[int]:
    """The sizes of blocks of rows, and of blocks of them, the largest first; none for rows that are few."""
    sizes: list[int] = []
    size = BLOCK
    while rows > 2 * size:
        sizes.insert(0, size)
        size *= 256
    return sizes
