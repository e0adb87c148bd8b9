"""Choosing the register tile of a contraction.

A tile of `rows` x `vectors` accumulators stays in registers while the reduction runs. Each of its steps loads `vectors`
vectors of one operand, and one number of the other per row, for `rows * vectors` multiply-adds. The fewer of these two
are held in registers as well, and the others pass by one at a time.
"""

from __future__ import annotations

from dataclasses import dataclass

from mlc.targets.machine import Machine

MOST_VECTORS = 16
MOST_ROWS = 16
PASSING = 2
"""Registers for what passes by: one that is used and one that is being loaded. With one, LLVM spills."""


@dataclass(frozen=True)
class RegisterTile:
    """`rows` rows of `vectors` vectors each."""

    rows: int
    vectors: int

    @property
    def holds_vectors(self) -> bool:
        """Whether the vectors stay in registers while the rows pass by; else it is the other way round."""
        return self.vectors < self.rows


@dataclass(frozen=True)
class TileProblem:
    """What a tile has to cover: a result of `rows` x `columns`, in vectors of `lanes` elements."""

    rows: int
    columns: int
    lanes: int
    most_rows: int = MOST_ROWS
    """The most rows that the cache can hold at a time; fewer than registers allow where rows fall on each other."""

    def is_ragged(self, tile: RegisterTile) -> bool:
        """Whether the last block of columns ends in the middle of a vector, and not in its first one."""
        left = self.columns % (tile.vectors * self.lanes)
        return left > self.lanes and left % self.lanes != 0

    def registers(self, tile: RegisterTile) -> int:
        """How many registers a tile takes; the parts of a ragged block share its rows, which have to stay."""
        held = tile.rows if self.is_ragged(tile) else min(tile.rows, tile.vectors)
        return tile.rows * tile.vectors + held + PASSING


def best_tile(problem: TileProblem, machine: Machine) -> RegisterTile:
    """The tile that needs the fewest cycles for all of the result; the largest among equals.

    Every candidate is charged for what it leaves over: a smaller block at the right edge, and at the bottom one. Of two
    that are as large, the one with more rows takes less from the panels, which come from the second cache.
    """
    width = -(-problem.columns // problem.lanes)
    tiles = (
        RegisterTile(r, v)
        for v in range(1, min(MOST_VECTORS, width) + 1)
        for r in range(1, min(problem.most_rows, problem.rows) + 1)
    )
    candidates = [t for t in tiles if problem.registers(t) <= machine.vector_registers]
    return min(candidates, key=lambda t: (_cycles(t, problem, machine), -t.rows * t.vectors, t.vectors))


def _cycles(tile: RegisterTile, problem: TileProblem, machine: Machine) -> float:
    """The cycles of one reduction step over the whole result."""
    width = -(-problem.columns // problem.lanes)
    row_blocks, rows_left = divmod(problem.rows, tile.rows)
    column_blocks, vectors_left = divmod(width, tile.vectors)
    total = 0.0
    for rows, times in ((tile.rows, row_blocks), (rows_left, 1)):
        for vectors, across in ((tile.vectors, column_blocks), (vectors_left, 1)):
            if rows and vectors:
                total += times * across * _step_cycles(rows, vectors, machine)
    return round(total, 3)


def _step_cycles(rows: int, vectors: int, machine: Machine) -> float:
    """One reduction step of one tile: limited by the multiply-add units, by their latency, or by the loads.

    Short steps are charged a little for the loop around them.
    """
    fmas = rows * vectors
    busy = fmas / machine.issue.fma_units
    loads = (rows + vectors) / machine.issue.loads
    return max(busy, float(machine.issue.fma_latency), loads) + 0.05 * (rows + vectors) / machine.issue.fma_units
