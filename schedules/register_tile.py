"""Choosing the register tile of a contraction.

A tile of `rows` x `vectors` accumulators stays in registers while the reduction runs. Each of its steps loads `vectors`
vectors of one operand, and one number of the other per row, for `rows * vectors` multiply-adds. The fewer of these two
are held in registers as well, and the others pass by one at a time.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, inf

from mlc.schedules.cost.traffic import side_by_side
from mlc.targets.machine import Machine

MOST_VECTORS = 16
FEW_BLOCKS = 4
_ALONE = 4
"""The instructions of a vector of long words that has no second row: its halves are taken apart, and multiplied."""
_LATE_LOADS = 1.1
"""How many times as long loads take where rows are paired: in tiles of two rows some would have to start each cycle."""
OF_SECOND_CACHE = 0.9
"""How much of the second cache a panel may take: rows and results pass by."""


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
    most_rows: int = 16
    """The most rows that the cache can hold at a time; fewer than registers allow where rows fall on each other."""
    column_bytes: int = 0
    """The size of one column of a panel, which is as long as the reduction."""
    padding: float = 0.0
    """The share of products with padding, which can be left out where a tile has all rows."""
    vectors: int = 0
    """How many vectors a tile has, where the order of the weights says it; 0 if that is free."""
    holds_rows: bool = False
    """Whether a register has several steps of a row, of which each takes a lane: rows stay until all are taken."""
    others: int = 0
    """How many registers products take that are added up in several instructions, beside those of a tile."""
    pairs_rows: bool = False
    """Whether words are long, a vector of them two registers, and each multiply-add takes two rows and two columns."""

    def is_ragged(self, tile: RegisterTile) -> bool:
        """Whether the last block of columns ends in the middle of a vector, and not in its first one."""
        left = self.columns % (tile.vectors * self.lanes)
        return left > self.lanes and left % self.lanes != 0

    def has_whole_vectors(self, tile: RegisterTile, machine: Machine) -> bool:
        """Whether a row of each block of columns can be one vector of several registers.

        The last block has a power of two of these, as a loop that is shorter than a vector is made one. LLVM may have
        all vectors of a row at hand, so a tile has to fit into the registers with these, a factor, and one to spare.
        Where factors come from lanes of registers, the vectors of one of these stand together instead.
        """
        left = ceil(self.columns % (tile.vectors * self.lanes) / self.lanes)
        at_hand = tile.vectors if tile.rows > 1 else 0
        fits = tile.rows * tile.vectors + at_hand + 2 + self.others <= machine.vector_registers
        from_lanes = machine.instruction_set.takes_words_from_lanes
        return fits and not from_lanes and not self.is_ragged(tile) and left & (left - 1) == 0

    def smallest_rows(self, tile: RegisterTile) -> int:
        """The rows of the smallest of a few blocks; where there are many, one of them does not count."""
        return self.rows % tile.rows or tile.rows if self.rows <= FEW_BLOCKS * tile.rows else tile.rows

    def registers(self, tile: RegisterTile, machine: Machine) -> int:
        """How many registers a tile takes: one is for what passes by.

        Without a fused multiply-add, a product passes by as well. The parts of a ragged block share its rows, which
        have to stay, and the last one may need a mask.
        """
        ragged = self.is_ragged(tile)
        held = tile.rows if ragged or self.holds_rows else min(tile.rows, tile.vectors)
        return tile.rows * tile.vectors + held + (1 if machine.fma and not ragged else 2) + self.others

    def strain(self, tile: RegisterTile, machine: Machine) -> float:
        """What the loads of panels cost, as a factor: 1 if enough rows use each vector for the next one to arrive.

        For fewer rows a panel has to be in the first cache, and even there its loads take turns with others. One that
        the second cache does not hold comes from the last one for each block of rows.
        """
        panel = self.column_bytes * tile.vectors * self.lanes
        needed, computing = ceil(machine.issue.fma_units / machine.issue.l2_loads), self.busy(tile, machine)
        if self.pairs_rows:
            if panel > machine.l1_bytes // 2 and (waits := self.loaded(tile) / machine.issue.l2_loads / computing) > 1:
                return waits
        elif tile.rows < min(needed, self.rows, self.most_rows):
            return 1.01 if panel <= machine.l1_bytes // 2 else inf
        if panel <= OF_SECOND_CACHE * machine.l2_bytes or tile.rows >= self.rows:
            return 1.0
        arriving = self.loaded(tile) * machine.vector_bits // 8 / machine.memory.l3_read
        return side_by_side(computing, arriving) / computing

    def loaded(self, tile: RegisterTile) -> int:
        """The registers of a panel that a step of the reduction loads."""
        return 2 * tile.vectors if self.pairs_rows else tile.vectors

    def busy(self, tile: RegisterTile, machine: Machine) -> float:
        """The cycles that the multiply-adds of a step take.

        Where rows are paired, a shuffle puts two together, on the same units; one that is left over takes longer.
        """
        started = tile.rows * tile.vectors
        if self.pairs_rows:
            started += tile.rows // 2 + tile.rows % 2 * (_ALONE - 1) * tile.vectors
        return started / machine.issue.fma_units

    def share(self, tile: RegisterTile, machine: Machine) -> float:
        """The share of products that has to be computed, where computing is what takes the time."""
        issue = machine.issue
        is_busy = tile.rows * tile.vectors / issue.fma_units >= (tile.rows + tile.vectors) / issue.loads
        return 1.0 - self.padding if tile.rows == self.rows and is_busy else 1.0


def best_tile(problem: TileProblem, machine: Machine) -> RegisterTile:
    """The tile that needs the fewest cycles for all of the result; the largest among equals."""
    return tiles_near_best(problem, machine)[0]


def tiles_near_best(problem: TileProblem, machine: Machine, within: float = 0.0) -> list[RegisterTile]:
    """All tiles that need at most `within`, a part, more cycles for all of the result than the best, which is first.

    Every candidate is charged for what it leaves over: a smaller block at the right edge, and at the bottom one. Of two
    that cost the same, the one whose smallest block is larger has fewer late results; of two that are as large, the one
    with more rows takes less from the panels, which come from the second cache.
    """
    width = -(-problem.columns // problem.lanes)
    tiles = (
        RegisterTile(r, v)
        for v in ([problem.vectors] if problem.vectors else range(1, min(MOST_VECTORS, width) + 1))
        for r in range(1, min(problem.most_rows, problem.rows, machine.architecture.max_tile_rows) + 1)
    )
    candidates = [t for t in tiles if problem.registers(t, machine) <= machine.vector_registers]
    costs = {t: tile_cycles(t, problem, machine) for t in candidates}
    least = min(costs.values())
    near = [t for t in candidates if costs[t] <= (1 + within) * least]
    return sorted(near, key=lambda t: (costs[t], -problem.smallest_rows(t) * t.vectors, -t.rows * t.vectors, t.vectors))


def tile_cycles(tile: RegisterTile, problem: TileProblem, machine: Machine) -> float:
    """The cycles of one reduction step over the whole result, with what the loads of panels cost."""
    return _cycles(tile, problem, machine) * problem.strain(tile, machine) * problem.share(tile, machine)


def _cycles(tile: RegisterTile, problem: TileProblem, machine: Machine) -> float:
    """The cycles of one reduction step over the whole result."""
    width = -(-problem.columns // problem.lanes)
    row_blocks, rows_left = divmod(problem.rows, tile.rows)
    column_blocks, vectors_left = divmod(width, tile.vectors)
    total = 0.0
    for rows, times in ((tile.rows, row_blocks), (rows_left, 1)):
        for vectors, across in ((tile.vectors, column_blocks), (vectors_left, 1)):
            if rows and vectors:
                total += times * across * _step_cycles(RegisterTile(rows, vectors), problem, machine)
    return round(total, 3)


def _step_cycles(tile: RegisterTile, problem: TileProblem, machine: Machine) -> float:
    """One reduction step of one tile: limited by the multiply-add units, by their latency, or by the loads.

    Short steps are charged a little for the loop around them, and for results that are late where all are waited for.
    """
    fmas, both = tile.rows * tile.vectors, tile.rows + tile.vectors
    issue = machine.issue
    busy = problem.busy(tile, machine)
    loads = (tile.rows + problem.loaded(tile)) / issue.loads * (_LATE_LOADS if problem.pairs_rows else 1)
    late = issue.late if fmas <= issue.fma_units * issue.fma_latency else 0.0
    return max(busy, float(issue.fma_latency), loads) + late + 0.05 * both / issue.fma_units
