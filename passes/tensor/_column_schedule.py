"""Choosing the loops of reductions over the rows of a matrix that is larger than the caches next to the core.

    for n in pages: t[n] = 0; for k in blocks of rows: for n: t[n] += the rows of the block; y[n] = f(t[n])

Of many rows, sums of some thousand are added up first, in a page of their own. The product of one vector with a matrix
that nobody could pack beforehand is such a sum, with a factor for each row.

A tile of registers that walks down a few columns reads a short piece of each row, and each from another page of memory.
Here whole pages of a few rows are read side by side, front to back, as a prefetcher likes it; the sums of a page of
columns wait in the first cache.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass
from math import prod

from xdsl.dialects.func import FuncOp
from xdsl.ir import BlockArgument

from mlc.dialects.loop.steps import Step
from mlc.dialects.tensor import StructuredOp
from mlc.passes.loop.steps.block_sums import BlockSums
from mlc.passes.loop.steps.hoist_reduction import HoistReduction
from mlc.passes.loop.steps.tile import Tile
from mlc.passes.loop.steps.unroll import Unroll
from mlc.passes.loop.steps.vectorize import Vectorize
from mlc.passes.tensor._row_schedule import column_dim, nests_of, reduced_dims
from mlc.support.dtypes import to_numpy
from mlc.support.types import element_type, tensor_type
from mlc.targets.machine import Machine

TILES_PER_BLOCK_OF_SUMS = 256
"""How many tiles of rows have sums that start from 0, so that errors do not pile up."""
COLUMN_VECTORS = 4
"""Vectors of columns side by side, each with additions that wait for each other."""


def column_steps(ops: Sequence[StructuredOp], lanes: int, machine: Machine) -> list[Step]:
    """The steps for a kernel that sums the rows of one large matrix; none for other kernels."""
    found = _column_reduction(ops, machine)
    if found is None or found.op.contracts or found.bytes <= machine.l2_bytes:
        return []
    return _steps(found, lanes, machine.memory.set_period)


def column_product_steps(
    ops: Sequence[StructuredOp], lanes: int, machine: Machine, constants: Container[tuple[str, int]]
) -> list[Step]:
    """The steps for a kernel that multiplies one vector with a matrix; none for other kernels.

    Nor for a matrix among `constants` (name of the kernel, position), the arguments that are known when the program is
    compiled: these are packed, so that a tile of registers reads them front to back. Half a page of each row at a time
    leaves something for a second thread where a row is one page.
    """
    found = _column_reduction(ops, machine)
    if found is None or not found.op.contracts or found.bytes <= machine.l1_bytes or not found.is_read_once:
        return []
    kernel = found.op.parent_op()
    assert isinstance(kernel, FuncOp)
    known = {value for value in found.op.inputs if isinstance(value, BlockArgument)}
    if any((kernel.sym_name.data, value.index) in constants for value in known):
        return []
    return _steps(found, lanes, machine.memory.set_period // 2)


@dataclass(frozen=True)
class _ColumnReduction:
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
    def is_read_once(self) -> bool:
        """Whether each element of an operand is in one term, so that no order of the loops reads fewer of them."""
        return any(prod(tensor_type(value).get_shape()) == prod(self.op.dim_sizes) for value in self.op.inputs)

    @property
    def bytes(self) -> int:
        """The size of all terms."""
        return prod(self.op.dim_sizes) * self.element_bytes


def _column_reduction(ops: Sequence[StructuredOp], machine: Machine) -> _ColumnReduction | None:
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
    return _ColumnReduction(op, row, column, rows, tile) if rows >= tile * tile else None


def _steps(found: _ColumnReduction, lanes: int, page: int) -> list[Step]:
    """Sums of `page` bytes of columns, which wait in the first cache for the next rows."""
    column = found.columns
    steps: list[Step] = [Tile(column, page // found.element_bytes)]
    levels = [found.rows]
    for size in _blocks(found.count, TILES_PER_BLOCK_OF_SUMS * found.side_by_side):
        steps.append(BlockSums(levels[-1], size))
        levels.append(f"{levels[-1]}i")
    inner = levels[-1]
    return [
        *steps,
        Tile(inner, found.side_by_side),
        *(HoistReduction(name, f"{column}i") for name in levels),
        Tile(f"{column}i", COLUMN_VECTORS * lanes),
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
