"""Schedules of contractions whose products are products of matrices in registers.

    for n blocks: for rows …: for k: sums[rows × columns] += x[rows, k] · w[k, columns]; then what follows, row by row

A tile is a few matrices of sums, as of registers elsewhere; `mma` makes them of the loops over their rows and columns.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import ceil, prod

from xdsl.ir.affine import AffineMap

from mlc.analysis.argument_names import argument_name
from mlc.dialects.loop.prefetch import SECOND_CACHE
from mlc.dialects.loop.steps import Step
from mlc.schedules.cost.traffic import side_by_side
from mlc.schedules.steps.dot import Dot
from mlc.schedules.steps.interchange import Interchange
from mlc.schedules.steps.mma import Mma, words_at_once
from mlc.schedules.steps.pack import Pack
from mlc.schedules.steps.prefetch_next import PrefetchNext
from mlc.schedules.steps.store_early import StoreEarly
from mlc.schedules.steps.tile import Tile
from mlc.schedules.steps.unroll import Unroll
from mlc.schedules.steps.vectorize import Vectorize
from mlc.schedules.templates._contractions import Contraction, bytes_apart, can_be_packed
from mlc.schedules.templates._panels import TileStep, brings_next_panel
from mlc.support.affine import affine_bounds, split_terms
from mlc.support.dtypes import bytes_of
from mlc.targets.machine import Machine

_ABOUT_AS_LONG = 1.1
"""Tiles that take so many times as long as the best one may take less: estimates tell no more."""


_OF_SECOND_CACHE = 0.5
"""How much of the second cache a block of rows and its results may take, beside panels."""


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


def mma_steps(contraction: Contraction, machine: Machine, cycles_of_dots: float, weights: int) -> list[Step]:
    """The steps for a contraction with constant words; none where its rows are not evenly apart, or dots are faster.

    Args:
        contraction: one with `per_dot` > 1.
        machine: the target.
        cycles_of_dots: what all products take as dot products of vectors.
        weights: the bytes of all weights of the model.
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
    search = _TileSearch(contraction, machine, row, affine, bytes_apart(image, affine, row))
    tile = search.best()
    if search.cycles(tile) >= cycles_of_dots or not can_be_packed(panel):
        return []
    return search.steps(tile, argument_name(panel), weights)


@dataclass(frozen=True)
class _TileSearch:
    """The tiles that a contraction may have, and what they take."""

    contraction: Contraction
    machine: Machine
    row: int
    affine: AffineMap
    """The subscripts of the operand without lanes."""
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

    def best(self) -> MatrixTile:
        """The tile that takes the least; of those that take about as long, the one that loads the fewest rows."""
        cycles = {tile: self.cycles(tile) for tile in self.tiles()}
        least = min(cycles.values())
        near = [tile for tile, taken in cycles.items() if taken <= _ABOUT_AS_LONG * least]
        return min(near, key=lambda tile: (self._loads(tile), cycles[tile], -tile.down * tile.rows))

    def _loads(self, tile: MatrixTile) -> int:
        """The rows of operands that are loaded for a step of the reduction, by all tiles together."""
        return sum(
            times * columns * (down * rows + across * self._registers.words)
            for rows, down, times in self._matrices_below(tile)
            for across, columns in _parts(self._width, tile.across)
        ) * self._others(tile)

    def cycles(self, tile: MatrixTile) -> float:
        """The cycles of all products and of the way of their sums through memory."""
        machine, steps, passes = self.machine, self._steps, self._passes(tile)
        total = 0.0
        for rows, down, times in self._matrices_below(tile):
            for across, columns in _parts(self._width, tile.across):
                sums = down * across * rows * (1 / machine.issue.stores + 1 / machine.issue.loads)
                total += times * columns * (steps * self._step_cycles(rows, down, across, passes) + sums)
        return total * self._others(tile)

    def _step_cycles(self, rows: int, down: int, across: int, passes: int) -> float:
        """The cycles of one step of the reduction of `down` x `across` matrices with so many rows each.

        Args:
            passes: how many steps read the same lines of rows while these are in the first cache.
        """
        machine, registers = self.machine, self._registers
        at_once, steps = self._words_at_once, self._steps
        busy = max(down * across * machine.matrix_cycles(rows), machine.issue.mma_latency)
        moved = (down * rows + across * at_once) / machine.issue.loads
        far = self._lines_of_rows(down * rows) / passes
        if across * at_once * registers.row_bytes * steps > machine.l1_bytes // 2:
            far += across * at_once
        return side_by_side(busy, max(moved, far * registers.row_bytes / machine.memory.l2_read))

    @property
    def _words_at_once(self) -> int:
        """How many words along the reduction one product takes."""
        return words_at_once(self.contraction.reduced_sizes[-1], self._registers.words)

    @property
    def _steps(self) -> int:
        """How many products are added to a matrix of sums."""
        return prod(self.contraction.reduced_sizes) // self._words_at_once

    def _others(self, tile: MatrixTile) -> int:
        """The iterations of the dims around those that matrices are made of."""
        known = {self.row, self.row - 1} if tile.apart else {self.row}
        return prod(self.contraction.op.dim_sizes[i] for i in range(self.contraction.lane_dim) if i not in known)

    def _lines_of_rows(self, rows: int) -> int:
        """How many lines come from the second cache for so many rows of a few words, one line each.

        Rows for which the sets of the first cache on which they fall have no room come twice: the lines after them,
        which are brought along, have gone when their turn comes.
        """
        memory = self.machine.memory
        if self.contraction.bytes_of_rows <= self.machine.l1_bytes // 2:
            return 0
        return rows + max(0, rows - memory.sets_of(self.row_bytes) * memory.l1_ways)

    def _passes(self, tile: MatrixTile) -> int:
        """How many steps of the reduction read the same lines of rows while these are in the first cache."""
        return prod(self.contraction.reduced_sizes[:-1]) if self._stays_near(tile) else 1

    def _stays_near(self, tile: MatrixTile) -> bool:
        """Whether the taps of a window find in the first cache what others have read."""
        op, memory = self.contraction.op, self.machine.memory
        sizes = [1] * op.num_parallel + list(op.dim_sizes[op.num_parallel :])
        sizes[self.row] = tile.rows if tile.apart else tile.down * tile.rows
        if tile.apart:
            sizes[self.row - 1] = tile.down
        *places, _ = (affine_bounds(place, sizes) for place in self.affine.results)
        rows = prod(last - first + 1 for first, last in places)
        row_bytes = self.contraction.reduced_sizes[-1] * self.contraction.step_bytes
        fits = rows * row_bytes <= self.machine.l1_bytes // 2
        return fits and rows <= memory.sets_of(self.row_bytes) * memory.l1_ways

    def steps(self, tile: MatrixTile, panel: str, weights: int) -> list[Step]:
        """The schedule with a tile; `panel` is the argument that is stored in words."""
        op, contraction, words = self.contraction.op, self.contraction, self._registers.words
        lane, reduction = op.dim_names[contraction.lane_dim], op.dim_names[-1]
        dims = sorted(range(contraction.lane_dim), key=lambda dim: (dim == self.row, dim == self.row - 1, dim))
        names = {dim: op.dim_names[dim] for dim in dims}
        steps: list[Step] = [Dot(reduction, contraction.per_dot)]
        outside, length = self._row_blocks(tile, dims)
        inside = dims[outside:]
        before = [names[dim] for dim in dims[:outside]]
        if length is not None:
            before.append(names[inside[0]])
            steps.append(Tile(before[-1], length))
            names[inside[0]] += "i"
        around = [names[dim] for dim in inside]
        steps.append(Interchange.around(*before, lane, *around))
        row, up = names[self.row], names.get(self.row - 1, "")
        steps += [Tile(lane, tile.across * words), Pack(panel, lane), Tile(f"{lane}i", words)]
        steps.append(Interchange.around(*around, f"{lane}i", f"{lane}ii"))
        if tile.apart:
            steps += [Tile(up, tile.down), Tile(row, tile.rows)]
            below, rows, moved = f"{up}i", f"{row}i", (row, f"{up}i", f"{lane}i", f"{row}i")
        else:
            steps += [Tile(row, tile.down * tile.rows), Tile(f"{row}i", tile.rows)]
            below, rows, moved = f"{row}i", f"{row}ii", (f"{lane}i", f"{row}ii")
        store, block = self._early_stores(tile)
        if block is not None:
            steps.append(Tile(reduction, block))
            reduction += "i"
        steps += [Interchange.around(*moved), Mma(rows, f"{lane}ii", reduction)]
        steps += [Unroll(below), Unroll(f"{lane}i"), *([store] if store else []), Vectorize(f"{lane}ii", words)]
        sizes = [op.dim_sizes[dim] for dim in inside]
        together = prod([length or sizes[0], *sizes[1:]]) / prod(op.dim_sizes[dim] for dim in dims)
        return [*steps, *self._next_panel(tile, (reduction, lane), together, weights)]

    def _early_stores(self, tile: MatrixTile) -> tuple[StoreEarly | None, int | None]:
        """Stores of sums that are not complete, where all of a tile's products take longer than stores stay awake.

        The outermost loop of the reduction stores whose iterations are short enough; the innermost one is cut into
        blocks for it, whose length in words comes with it.
        """
        most = self._steps_between_stores(tile)
        if most is None or self._steps <= most:
            return None, None
        names = self.contraction.op.dim_names[self.contraction.op.num_parallel :]
        *outer, words = self.contraction.reduced_sizes
        inside = self._steps
        for name, size in zip(names, outer, strict=False):
            inside //= size
            if size > 1 and inside <= most:
                return StoreEarly(name), None
        steps = words // self._words_at_once
        block = next(n for n in range(min(most, steps), 0, -1) if steps % n == 0)
        return StoreEarly(names[-1]), block * self._words_at_once

    def _steps_between_stores(self, tile: MatrixTile) -> int | None:
        """How many steps of the reduction take half as long as stores stay awake; None where they always do."""
        awake = self.machine.issue.mma_awake
        cycles = self._step_cycles(tile.rows, tile.down, tile.across, self._passes(tile))
        return max(int(awake / 2 / cycles), 1) if awake else None

    def _next_panel(self, tile: MatrixTile, loops: tuple[str, str], together: float, weights: int) -> list[Step]:
        """Let the tiles that use a panel bring the next one, if that is worth it.

        Args:
            tile: one of them.
            loops: the innermost loop of the reduction, and the one over panels.
            together: the part of all tiles that use a panel before the next one.
            weights: the bytes of all weights of the model.
        """
        contraction, machine = self.contraction, self.machine
        tiles = self._others(tile) * sum(down and times for _, down, times in self._matrices_below(tile))
        width = min(tile.across * self._registers.words, contraction.columns)
        panel = prod(contraction.reduced_sizes) * contraction.step_bytes * width
        others = contraction.bytes_of_rows + bytes_of(contraction.root.result)
        cycles = self._step_cycles(tile.rows, tile.down, tile.across, self._passes(tile))
        step = TileStep(cycles, tile.down * tile.rows + tile.across * self._words_at_once)
        is_worth_it = brings_next_panel(
            step,
            blocks=round(together * tiles),
            steps=self._steps,
            panel=panel,
            others=round(together * others),
            among=weights + others,
            machine=machine,
        )
        return [PrefetchNext(*loops, SECOND_CACHE)] if is_worth_it else []

    def _row_blocks(self, tile: MatrixTile, dims: Sequence[int]) -> tuple[int, int | None]:
        """How many of the dims over rows run around the panels, and the blocks into which the next one is cut, if any.

        Rows, and the results of a panel, that are more than the second cache holds come from the last one for each
        panel. In blocks that stay there while all panels pass by, they come once, and panels once for each block.
        """
        op, machine = self.contraction.op, self.machine
        rows, panels = prod(op.dim_sizes[dim] for dim in dims), -(-self._width // tile.across)
        size = self.contraction.bytes_of_rows + bytes_of(self.contraction.root.result)
        most = machine.l2_bytes * _OF_SECOND_CACHE
        blocks = size / most
        if size <= machine.l2_bytes or size * (panels - 1) <= self._panels_bytes * (blocks - 1):
            return 0, None
        wanted = rows / blocks
        for place, dim in enumerate(dims):
            rows //= op.dim_sizes[dim]
            if rows >= wanted:
                continue
            at_least = {self.row: tile.rows if tile.apart else tile.down * tile.rows}
            at_least[self.row - 1] = tile.down if tile.apart else 1
            step = at_least.get(dim, 1)
            parts = ceil(op.dim_sizes[dim] / max(wanted / rows, step))
            length = ceil(op.dim_sizes[dim] / (parts * step)) * step
            return place, length if length < op.dim_sizes[dim] else None
        return 0, None

    @property
    def _registers(self):
        registers = self.machine.matrix_registers
        assert registers is not None
        return registers

    @property
    def _panels_bytes(self) -> int:
        """The size of all panels."""
        return sum(bytes_of(value) for value, _ in self.contraction.operands_with_lanes())

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
