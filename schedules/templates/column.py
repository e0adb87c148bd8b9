"""Choosing the loops of reductions over the rows of a matrix that is larger than the caches next to the core.

    for n in pages: t[n] = 0; for k in blocks of rows: for n: t[n] += the rows of the block; y[n] = f(t[n])

Of many rows, sums of some thousand are added up first, in a page of their own.

A tile of registers that walks down a few columns reads a short piece of each row, and each from another page of memory.
Here whole pages of a few rows are read side by side, front to back, as a prefetcher likes it; the sums of a page of
columns wait in the first cache.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod

from xdsl.dialects.builtin import AnyFloat

from mlc.dialects.loop.steps import Step
from mlc.dialects.tensor import StructuredOp
from mlc.schedules.schedule_template import Candidate, ScheduleTemplate, TensorKernel
from mlc.schedules.steps.blocked_summation import BlockedSummation
from mlc.schedules.steps.cache_write import CacheWrite
from mlc.schedules.steps.tile import Tile
from mlc.schedules.steps.unroll import Unroll
from mlc.schedules.steps.vectorize import Vectorize
from mlc.schedules.templates.row import column_dim, nests_of, reduced_dims
from mlc.support.dtypes import to_numpy
from mlc.support.types import element_type, tensor_type
from mlc.targets.machine import Machine

TILES_PER_BLOCK_OF_SUMS = 256
"""How many tiles of rows have sums that start from 0, so that errors do not pile up."""
COLUMN_VECTORS = (4, 8, 2)
"""Vectors of columns side by side, each with additions that wait for each other; the default first."""


class ColumnSums(ScheduleTemplate):
    """Sums over the rows of one large matrix: pages of a few rows side by side, whose sums wait in the first cache."""

    name = "column"

    def candidates(self, kernel: TensorKernel) -> Iterator[Candidate]:
        found = column_reduction(kernel.ops, kernel.machine)
        if found is not None and not found.op.contracts and found.bytes > kernel.machine.l2_bytes:
            yield from column_candidates(found, kernel.lanes, kernel.machine.memory.set_period)


@dataclass(frozen=True)
class ColumnReduction:
    """The one reduction of a kernel, whose rows are added up.

    Attributes:
        rows, columns: its dims.
        count: how many rows there are.
        side_by_side: how many of them are read at a time: what lies a multiple of a page apart falls on the same sets
            of the first cache.
    """

    op: StructuredOp
    rows: str
    columns: str
    count: int
    side_by_side: int

    @property
    def element_bytes(self) -> int:
        """The size of a term."""
        return to_numpy(element_type(self.op.result.type)).itemsize

    @property
    def sums_floats(self) -> bool:
        """Whether it is a sum of floats: errors of no other reduction pile up, and no step makes blocks of it."""
        return self.op.reduction == "add" and isinstance(element_type(self.op.result.type), AnyFloat)

    @property
    def is_read_once(self) -> bool:
        """Whether each element of an operand is in one term, so that no order of the loops reads fewer of them."""
        return any(prod(tensor_type(value).get_shape()) == prod(self.op.dim_sizes) for value in self.op.inputs)

    @property
    def bytes(self) -> int:
        """The size of all terms."""
        return prod(self.op.dim_sizes) * self.element_bytes


def column_reduction(ops: Sequence[StructuredOp], machine: Machine) -> ColumnReduction | None:
    """The one reduction of a kernel over many rows, if that is what it is."""
    nests = nests_of(ops)
    if len(nests) != 1 or len(nests[0].reductions) != 1:
        return None
    column = column_dim(nests)
    reduced = reduced_dims(nests, column) if column is not None else {}
    if column is None or len(reduced) != 1:
        return None
    ((row, rows),) = reduced.items()
    (op,) = nests[0].reductions
    tile = 1 << machine.memory.l1_ways.bit_length() - 1  # a power of two leaves over the fewest rows
    return ColumnReduction(op, row, column, rows, tile) if rows >= tile * tile else None


def column_candidates(found: ColumnReduction, lanes: int, page: int) -> Iterator[Candidate]:
    """Sums of `page` bytes of columns at a time, in vectors of `lanes`."""
    for vectors in COLUMN_VECTORS:
        difference = f"{vectors} vectors of columns at a time" if vectors != COLUMN_VECTORS[0] else ""
        yield Candidate(tuple(_steps(found, lanes, page, vectors)), difference, is_only_shown=bool(difference))


def _steps(found: ColumnReduction, lanes: int, page: int, vectors: int) -> list[Step]:
    """Sums of `page` bytes of columns, which wait in the first cache for the next rows."""
    column = found.columns
    steps: list[Step] = [Tile(column, page // found.element_bytes)]
    levels = [found.rows]
    blocks = _blocks(found.count, TILES_PER_BLOCK_OF_SUMS * found.side_by_side) if found.sums_floats else []
    for size in blocks:
        steps.append(BlockedSummation(levels[-1], size))
        levels.append(f"{levels[-1]}i")
    inner = levels[-1]
    return [
        *steps,
        Tile(inner, found.side_by_side),
        *(CacheWrite(name, f"{column}i") for name in levels),
        Tile(f"{column}i", vectors * lanes),
        Tile(f"{column}ii", lanes),
        Vectorize(f"{column}iii", lanes),
        Unroll(f"{column}ii"),
        Unroll(f"{inner}i"),
    ]


def _blocks(rows: int, least: int) -> list[int]:
    """The sizes of blocks of rows, `least` or more, and of blocks of them, the largest first; none for few rows."""
    sizes: list[int] = []
    size = least
    while rows > 2 * size:
        sizes.insert(0, size)
        size *= 256
    return sizes
