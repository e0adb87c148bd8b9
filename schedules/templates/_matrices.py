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


@dataclass(frozen=True)
class MatrixTile:
    """Matrices of sums beside each other: `down` times `across` of them, each of `rows` rows.

    Matrices below each other have more rows of the row dim, or, if they are `apart`, those of the next dim around it.
    """

    down: int
    across: int
    rows: int
    apart: bool = False

    def registers(self) -> int:
        """How many registers it takes: one for each matrix of sums, and for the fewer operands, and one that passes by."""
        return self.down * self.across + min(self.down, self.across) + 1


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
    if tile.apart:
        *_, up = around
        steps += [Tile(up, tile.down), Tile(name, tile.rows)]
        below, rows, moved = f"{up}i", f"{name}i", (name, f"{up}i", f"{lane}i", f"{name}i")
    else:
        steps += [Tile(name, tile.down * tile.rows), Tile(f"{name}i", tile.rows)]
        below, rows, moved = f"{name}i", f"{name}ii", (f"{lane}i", f"{name}ii")
    steps += [Interchange.around(*moved), Matrix(rows, f"{lane}ii", reduction)]
    return [*steps, Unroll(below), Unroll(f"{lane}i"), Vectorize(f"{lane}ii", registers.words)]


def best_matrix_tile(
    contraction: Contraction, registers: MatrixRegisters, machine: Machine
) -> tuple[MatrixTile, float]:
    """The tile that takes the fewest cycles for all products, and these."""
    candidates = list(_tiles(contraction, registers))
    costs = [
        (_cycles(tile, contraction, registers, machine), -tile.down * tile.rows, tile.across) for tile in candidates
    ]
    best = min(range(len(candidates)), key=lambda n: costs[n])
    return candidates[best], costs[best][0]


def _tiles(contraction: Contraction, registers: MatrixRegisters) -> Iterator[MatrixTile]:
    """The tiles that fit: rows in equal parts of what there is, or as many as a register holds."""
    row = contraction.row_dim
    assert row is not None
    rows, width = contraction.op.dim_sizes[row], -(-contraction.columns // registers.words)
    up = contraction.op.dim_sizes[row - 1] if row else 1
    for down in range(1, registers.count):
        for across in range(1, min(width, registers.count) + 1):
            blocks = -(-rows // (down * registers.rows))
            tiles = [
                MatrixTile(down, across, size) for size in (min(rows, registers.rows), -(-rows // (blocks * down)))
            ]
            if 1 < down <= up:
                tiles.append(MatrixTile(down, across, -(-rows // -(-rows // registers.rows)), apart=True))
            yield from (tile for tile in dict.fromkeys(tiles) if tile.registers() <= registers.count)


def _cycles(tile: MatrixTile, contraction: Contraction, registers: MatrixRegisters, machine: Machine) -> float:
    """The cycles of all products and of the way of their sums through memory."""
    row = contraction.row_dim
    assert row is not None
    sizes = contraction.op.dim_sizes
    others = prod(sizes[i] for i in range(contraction.lane_dim) if i != row and not (tile.apart and i == row - 1))
    *outer, words = contraction.reduced_sizes
    at_once = words_at_once(words, registers.words)
    steps = prod(outer) * words // at_once
    width = -(-contraction.columns // registers.words)
    total = 0.0
    for part, down, times in _matrices_below(tile, sizes[row], sizes[row - 1]):
        for across, columns in _parts(width, tile.across):
            busy = max(down * across * machine.matrix_cycles(part), machine.issue.tile_latency)
            loads = (down * part + across * at_once) / machine.issue.loads
            panel = across * registers.row_bytes * steps * at_once
            if panel > machine.l1_bytes // 2:
                loads = max(loads, across * at_once * registers.row_bytes / machine.memory.l2_read)
            sums = down * across * part * (1 / machine.issue.stores + 1 / machine.issue.loads)
            total += times * columns * (steps * side_by_side(busy, loads) + sums)
    return total * others


def _matrices_below(tile: MatrixTile, rows: int, up: int) -> Iterator[tuple[int, int, int]]:
    """The rows of matrices of sums, how many of them are below each other, and how many times."""
    if tile.apart:
        for part, times in _parts(rows, tile.rows):
            yield from ((part, down, times * blocks) for down, blocks in _parts(up, tile.down))
    else:
        for block, times in _parts(rows, tile.down * tile.rows):
            yield from ((part, down, times) for part, down in _parts(block, tile.rows))


def _parts(size: int, block: int) -> Iterator[tuple[int, int]]:
    """The sizes of blocks, and how many there are of each."""
    whole, rest = divmod(size, block)
    if whole:
        yield block, whole
    if rest:
        yield rest, 1
