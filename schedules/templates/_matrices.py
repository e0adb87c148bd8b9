"""Schedules of contractions whose products are products of matrices in registers.

    for n blocks: for rows …: for k: sums[rows × columns] += x[rows, k] · w[k, columns]; then what follows, row by row

A tile is a few matrices of sums, as of registers elsewhere; `matrix` makes them of the loops over their rows and columns.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod

from mlc.analysis.argument_names import argument_name
from mlc.architectures.architecture import MatrixRegisters
from mlc.dialects.loop.steps import Step
from mlc.schedules.cost.traffic import side_by_side
from mlc.schedules.steps.dot import Dot
from mlc.schedules.steps.interchange import Interchange
from mlc.schedules.steps.matrix import Matrix, words_at_once
from mlc.schedules.steps.pack import Pack
from mlc.schedules.steps.tile import Tile
from mlc.schedules.steps.unroll import Unroll
from mlc.schedules.steps.vectorize import Vectorize
from mlc.schedules.templates._contractions import Contraction
from mlc.support.affine import split_terms
from mlc.targets.machine import Machine

SHORTEST = 10
"""Products of matrices of fewer rows take as long as those of so many."""


@dataclass(frozen=True)
class MatrixTile:
    """Matrices of sums beside each other: `down` times `across` of them, each of `rows` rows."""

    down: int
    across: int
    rows: int

    def registers(self) -> int:
        """How many registers it takes: one for each matrix of sums, and of both operands."""
        return self.down * self.across + self.down + self.across


def matrix_steps(contraction: Contraction, machine: Machine, cycles_of_dots: float) -> list[Step]:
    """The steps for a contraction with constant words; none where its rows are not evenly apart, or dots are faster.

    Args:
        contraction: one with `per_dot` > 1.
        machine: the target.
        cycles_of_dots: what all products take as dot products of vectors.
    """
    registers, op, row = machine.matrix_registers, contraction.op, contraction.row_dim
    if registers is None or row is None or contraction.is_grouped or contraction.unshared_dims:
        return []
    panels = contraction.operands_with_lanes()
    pairs = list(zip(op.inputs, op.index_maps, op.read_types, strict=True))
    (of_rows,) = ((m, kind) for value, m, kind in pairs if value is not panels[0][0])
    (of_panel,) = (kind for value, _, kind in pairs if value is panels[0][0])
    if machine.matrix_instruction(str(of_rows[1]), str(of_panel)) is None:
        return []
    moving = [factors for factors in map(split_terms, of_rows[0].results) if row in factors]
    if len(moving) != 1 or not moving[0][row]:
        return []
    tile, cycles = best_matrix_tile(contraction, registers, machine)
    if cycles >= cycles_of_dots:
        return []
    lane, name, reduction = op.dim_names[contraction.lane_dim], op.dim_names[row], op.dim_names[-1]
    around = [op.dim_names[i] for i in range(contraction.lane_dim) if i != row]
    (argument, _), *_ = panels
    steps: list[Step] = [Dot(reduction, contraction.per_dot), Interchange.around(lane, *around, name)]
    steps += [Tile(lane, tile.across * registers.words), Pack(argument_name(argument), lane)]
    steps += [Tile(f"{lane}i", registers.words), Interchange.around(*around, name, f"{lane}i", f"{lane}ii")]
    steps += [Tile(name, tile.down * tile.rows), Tile(f"{name}i", tile.rows)]
    steps += [Interchange(f"{lane}i", f"{name}ii"), Matrix(f"{name}ii", f"{lane}ii", reduction)]
    return [*steps, Unroll(f"{name}i"), Unroll(f"{lane}i"), Vectorize(f"{lane}ii", registers.words)]


def best_matrix_tile(
    contraction: Contraction, registers: MatrixRegisters, machine: Machine
) -> tuple[MatrixTile, float]:
    """The tile that takes the fewest cycles for all products, and these."""
    candidates = list(_tiles(contraction, registers))
    costs = [(_cycles(tile, contraction, registers, machine), -tile.down * tile.rows, tile.across) for tile in candidates]
    best = min(range(len(candidates)), key=lambda n: costs[n])
    return candidates[best], costs[best][0]


def _tiles(contraction: Contraction, registers: MatrixRegisters) -> Iterator[MatrixTile]:
    """The tiles that fit: rows in equal parts of what there is, or as many as a register holds."""
    row = contraction.row_dim
    assert row is not None
    rows, width = contraction.op.dim_sizes[row], -(-contraction.columns // registers.words)
    for down in range(1, registers.count):
        for across in range(1, min(width, registers.count) + 1):
            blocks = -(-rows // (down * registers.rows))
            for size in {min(rows, registers.rows), -(-rows // (blocks * down))}:
                if (tile := MatrixTile(down, across, size)).registers() <= registers.count:
                    yield tile


def _cycles(tile: MatrixTile, contraction: Contraction, registers: MatrixRegisters, machine: Machine) -> float:
    """The cycles of all products and of the way of their sums through memory."""
    row = contraction.row_dim
    assert row is not None
    sizes = contraction.op.dim_sizes
    others = prod(sizes[i] for i in range(contraction.lane_dim) if i != row)
    *outer, words = contraction.reduced_sizes
    at_once = words_at_once(words, registers.words)
    steps = prod(outer) * words // at_once
    width = -(-contraction.columns // registers.words)
    total = 0.0
    for rows, times in _parts(sizes[row], tile.down * tile.rows):
        for across, columns in _parts(width, tile.across):
            for part, down in _parts(rows, tile.rows):
                busy = down * across * machine.issue.tile_cycles * max(part, SHORTEST) / registers.rows
                loads = (down * part + across * at_once) / machine.issue.loads
                sums = down * across * part * (1 / machine.issue.stores + 1 / machine.issue.loads)
                total += times * columns * (steps * side_by_side(busy, loads) + sums)
    return total * others


def _parts(size: int, block: int) -> Iterator[tuple[int, int]]:
    """The sizes of blocks, and how many there are of each."""
    whole, rest = divmod(size, block)
    if whole:
        yield block, whole
    if rest:
        yield rest, 1
