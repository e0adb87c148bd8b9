"""Schedules of contractions whose products are products of matrices in registers.

    for n blocks: for rows …: for k: sums[rows × columns] += x[rows, k] · w[k, columns]; then what follows, row by row

A tile is a few matrices of sums, as of registers elsewhere; `mma` makes them of the loops over their rows and columns.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod

from mlc.analysis.argument_names import argument_name
from mlc.dialects.loop.steps import Step
from mlc.schedules.cost.traffic import side_by_side
from mlc.schedules.steps.dot import Dot
from mlc.schedules.steps.interchange import Interchange
from mlc.schedules.steps.mma import Mma, words_at_once
from mlc.schedules.steps.pack import Pack
from mlc.schedules.steps.tile import Tile
from mlc.schedules.steps.unroll import Unroll
from mlc.schedules.steps.vectorize import Vectorize
from mlc.schedules.templates._contractions import Contraction, bytes_apart, can_be_packed
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
        """How many registers it takes: one for each matrix of sums, for the fewer operands, and for what passes by."""
        return self.down * self.across + min(self.down, self.across) + 1


def mma_steps(contraction: Contraction, machine: Machine, cycles_of_dots: float) -> list[Step]:
    """The steps for a contraction with constant words; none where its rows are not evenly apart, or dots are faster.

    Args:
        contraction: one with `per_dot` > 1.
        machine: the target.
        cycles_of_dots: what all products take as dot products of vectors.
    """
    op, row = contraction.op, contraction.row_dim
    if machine.matrix_registers is None or row is None or contraction.is_grouped or contraction.unshared_dims:
        return []
    panel = contraction.operands_with_lanes()[0][0]
    reads = list(zip(op.inputs, op.index_maps, map(str, op.read_types), strict=True))
    (image, affine, lhs), *_ = (read for read in reads if read[0] is not panel)
    rhs = next(kind for value, _, kind in reads if value is panel)
    moving = [factors[row] for factors in map(split_terms, affine.results) if row in factors]
    if machine.matrix_instruction(lhs, rhs) is None or len(moving) != 1 or not moving[0]:
        return []
    search = _TileSearch(contraction, machine, row, bytes_apart(image, affine, row))
    tile = min(search.tiles(), key=lambda tile: (search.cycles(tile), -tile.down * tile.rows, tile.across))
    if search.cycles(tile) >= cycles_of_dots or not can_be_packed(panel):
        return []
    return search.steps(tile, argument_name(panel))


@dataclass(frozen=True)
class _TileSearch:
    """The tiles that a contraction may have, and what they take."""

    contraction: Contraction
    machine: Machine
    row: int
    row_bytes: int
    """From one row of the operand without lanes to the next."""

    def tiles(self) -> Iterator[MatrixTile]:
        """The tiles that fit: rows in equal parts of what there is, or as many as a register holds."""
        rows, most = self.contraction.op.dim_sizes[self.row], self._registers.rows
        for down in range(1, self._registers.number):
            for across in range(1, min(self._width, self._registers.number) + 1):
                blocks = -(-rows // (down * most))
                tiles = [MatrixTile(down, across, size) for size in (min(rows, most), -(-rows // (blocks * down)))]
                if 1 < down <= self._rows_around:
                    tiles.append(MatrixTile(down, across, -(-rows // -(-rows // most)), apart=True))
                yield from (each for each in dict.fromkeys(tiles) if each.registers() <= self._registers.number)

    def cycles(self, tile: MatrixTile) -> float:
        """The cycles of all products and of the way of their sums through memory."""
        machine, registers, dims = self.machine, self._registers, range(self.contraction.lane_dim)
        known = {self.row, self.row - 1} if tile.apart else {self.row}
        others = prod(self.contraction.op.dim_sizes[i] for i in dims if i not in known)
        *outer, words = self.contraction.reduced_sizes
        at_once = words_at_once(words, registers.words)
        steps = prod(outer) * words // at_once
        total = 0.0
        for rows, down, times in self._matrices_below(tile):
            for across, columns in _parts(self._width, tile.across):
                busy = max(down * across * machine.matrix_cycles(rows), machine.issue.mma_latency)
                moved = (down * rows + across * at_once) / machine.issue.loads
                far = self._lines_of_rows(down * rows) / prod(outer)  # taps of a window find what others have read
                if across * at_once * registers.row_bytes * steps > machine.l1_bytes // 2:
                    far += across * at_once
                moved = max(moved, far * registers.row_bytes / machine.memory.l2_read)
                sums = down * across * rows * (1 / machine.issue.stores + 1 / machine.issue.loads)
                total += times * columns * (steps * side_by_side(busy, moved) + sums)
        return total * others

    def _lines_of_rows(self, rows: int) -> int:
        """How many lines come from the second cache for so many rows of a few words, one line each.

        Rows that fill the sets of the first cache on which they fall come twice: the lines behind them, which are
        brought along, have gone when their turn comes.
        """
        memory = self.machine.memory
        if self.contraction.bytes_of_rows <= self.machine.l1_bytes // 2:
            return 0
        return rows if rows <= memory.sets_of(self.row_bytes) * memory.l1_ways else 2 * rows

    def steps(self, tile: MatrixTile, panel: str) -> list[Step]:
        """The schedule with a tile; `panel` is the argument that is stored in words."""
        op, contraction, words = self.contraction.op, self.contraction, self._registers.words
        lane, row, reduction = op.dim_names[contraction.lane_dim], op.dim_names[self.row], op.dim_names[-1]
        up = op.dim_names[self.row - 1]
        dims = sorted(range(contraction.lane_dim), key=lambda dim: (dim == self.row, dim == self.row - 1, dim))
        around = [op.dim_names[dim] for dim in dims]
        steps: list[Step] = [Dot(reduction, contraction.per_dot), Interchange.around(lane, *around)]
        steps += [Tile(lane, tile.across * words), Pack(panel, lane), Tile(f"{lane}i", words)]
        steps.append(Interchange.around(*around, f"{lane}i", f"{lane}ii"))
        if tile.apart:
            steps += [Tile(up, tile.down), Tile(row, tile.rows)]
            below, rows, moved = f"{up}i", f"{row}i", (row, f"{up}i", f"{lane}i", f"{row}i")
        else:
            steps += [Tile(row, tile.down * tile.rows), Tile(f"{row}i", tile.rows)]
            below, rows, moved = f"{row}i", f"{row}ii", (f"{lane}i", f"{row}ii")
        steps += [Interchange.around(*moved), Mma(rows, f"{lane}ii", reduction)]
        return [*steps, Unroll(below), Unroll(f"{lane}i"), Vectorize(f"{lane}ii", words)]

    @property
    def _registers(self):
        registers = self.machine.matrix_registers
        assert registers is not None
        return registers

    @property
    def _width(self) -> int:
        """How many matrices all columns are."""
        return -(-self.contraction.columns // self._registers.words)

    @property
    def _rows_around(self) -> int:
        """The iterations of the dim around the rows; 1 without one."""
        return self.contraction.op.dim_sizes[self.row - 1] if self.row else 1

    def _matrices_below(self, tile: MatrixTile) -> Iterator[tuple[int, int, int]]:
        """The rows of matrices of sums, how many of them are below each other, and how many times."""
        size = self.contraction.op.dim_sizes[self.row]
        if tile.apart:
            for rows, times in _parts(size, tile.rows):
                yield from ((rows, down, times * blocks) for down, blocks in _parts(self._rows_around, tile.down))
        else:
            for block, times in _parts(size, tile.down * tile.rows):
                yield from ((rows, down, times) for rows, down in _parts(block, tile.rows))


def _parts(size: int, block: int) -> Iterator[tuple[int, int]]:
    """The sizes of blocks, and how many there are of each."""
    whole, rest = divmod(size, block)
    if whole:
        yield block, whole
    if rest:
        yield rest, 1
