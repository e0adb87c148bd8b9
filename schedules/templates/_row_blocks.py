"""How many rows of a product use a panel of weights before it is the next panel's turn.

    for blocks of rows: for n blocks: for rows of the block: for k: acc += x[row, k] * panel[n][k]

Usually all. But if they are more than caches hold, they come from main memory for each panel anew. So rows are taken in
blocks that stay near while all panels pass by, of so many rows that the panels, which now come once per block, take
next to no time (the loop over blocks of A in Goto and van de Geijn, "Anatomy of High-Performance Matrix
Multiplication", 2008). From the last cache rows come in time: measured, blocks gain nothing there.
"""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass, replace
from math import ceil, prod

from mlc.dialects.loop.steps import Step
from mlc.schedules.cost.traffic import read_cycles
from mlc.schedules.register_tile import RegisterTile
from mlc.schedules.steps.tile import Tile
from mlc.schedules.templates._contractions import Contraction
from mlc.targets.machine import Machine

_FOR_PANELS = 0.01
"""The part of the time of a block that its panels may take to come."""
_OF_SECOND_CACHE = 0.5
"""How much of the second cache a block may take, beside panels and results."""
_OF_LAST_CACHE = 0.125
"""How much of the last cache, which cores share. Rows that take twice as much are far away."""


@dataclass(frozen=True)
class RowBlocks:
    """The loops over the rows of a product."""

    outside: tuple[str, ...]
    """Around the loop over panels, outermost first."""
    inside: tuple[str, ...]
    """In the loop over panels."""
    rows: int
    """How many rows use a panel at a time."""
    steps: tuple[Step, ...] = ()
    """What makes these loops of those over the dims."""

    def name(self, dim: str) -> str:
        """What the loop over the rows of a block is called that goes along a dim."""
        return dim if dim in self.inside or f"{dim}i" not in self.inside else f"{dim}i"


def all_rows(contraction: Contraction, dims: list[int]) -> RowBlocks:
    """All rows, over `dims`, use a panel before the next one."""
    op = contraction.op
    return RowBlocks((), tuple(op.dim_names[i] for i in dims), prod(op.dim_sizes[i] for i in dims))


def row_blocks(
    contraction: Contraction,
    tile: RegisterTile,
    width: int,
    dims: list[int],
    whole: Container[int],
    machine: Machine,
    *,
    at_once: bool = False,
) -> RowBlocks:
    """Blocks of rows, where all of them are far away; else all rows.

    Args:
        contraction: what is to have blocks.
        tile: its register tile.
        width: the columns of a panel.
        dims: those over rows, the outermost first.
        whole: the dims whose loops must not be cut into blocks.
        machine: whose caches they are for.
        at_once: whether rows are far away that the second cache does not hold.
    """
    op, everything = contraction.op, all_rows(contraction, dims)
    read = contraction.bytes_of_rows
    far = machine.l2_bytes if at_once else max(2 * _OF_LAST_CACHE * machine.l3_bytes, machine.l2_bytes)
    if contraction.columns <= width or read <= far:
        return everything
    wanted = _rows_wanted(contraction, tile, width, read / everything.rows, machine)
    rows = everything.rows
    for place, dim in enumerate(dims):
        size, name = op.dim_sizes[dim], op.dim_names[dim]
        if rows < 2 * wanted or dim in whole:
            return _cut(everything, place, rows)
        each = rows // size
        if each < wanted:
            length = ceil(size / round(rows / wanted))
            if dim == contraction.row_dim:
                length = ceil(length / tile.rows) * tile.rows
            if length in (1, size):
                return _cut(everything, place + (length == 1), length * each)
            names = everything.inside
            inside = (f"{name}i", *names[place + 1 :])
            return RowBlocks((*names[:place], name), inside, length * each, (Tile(name, length),))
        rows = each
    return everything


def _rows_wanted(contraction: Contraction, tile: RegisterTile, width: int, row_bytes: float, machine: Machine) -> int:
    """How many rows a block should have.

    Args:
        row_bytes: what the rows read, per row.
    """
    steps = prod(contraction.reduced_sizes)
    panel = steps * width * contraction.step_bytes
    all_panels = panel * ceil(contraction.columns / width)
    computing = steps * tile.rows * tile.vectors / machine.issue.fma_units
    blocks = read_cycles(panel, machine, among=all_panels) / (_FOR_PANELS * computing)
    near = max(_OF_SECOND_CACHE * machine.l2_bytes, row_bytes * tile.rows * blocks)
    last = max(_OF_LAST_CACHE * machine.l3_bytes, _OF_SECOND_CACHE * machine.l2_bytes)
    return max(int(min(near, last) / row_bytes), tile.rows, 2)


def _cut(rows: RowBlocks, place: int, number: int) -> RowBlocks:
    """The loops before a place stand around that over panels, of which `number` rows are left."""
    return replace(rows, outside=rows.inside[:place], inside=rows.inside[place:], rows=number)
