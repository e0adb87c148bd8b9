"""What a product with a matrix costs, alone and side by side with others, by facts of the machine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from mlc.schedules.cost.traffic import read_cycles, write_cycles
from mlc.schedules.register_tile import TileProblem, best_tile, tile_cycles
from mlc.targets.machine import Machine


@dataclass(frozen=True)
class ProductProblem:
    """`repeated` times a matrix of `rows` x `terms` with one of `terms` x `columns`."""

    rows: int
    terms: int
    columns: int
    element_bytes: int
    repeated: int = 1
    """How many blocks of rows there are that no register tile spans: the rows of an image, for a window."""
    copied: int = 0
    """How many columns of the result are read and written once more, if it lies beside that of another product."""

    @property
    def weight_bytes(self) -> int:
        """The size of the matrix that is constant."""
        return self.terms * self.columns * self.element_bytes

    def cycles(self, machine: Machine, among: int) -> float:
        """Of the product on one core: its multiply-adds in register tiles, or its weights if these arrive later.

        They come from the level that holds the weights of all products, `among` bytes: these are read in turn.
        """
        lanes = machine.lanes(8 * self.element_bytes)
        tiles = TileProblem(self.rows, self.columns, lanes, column_bytes=self.terms * self.element_bytes)
        products = _step_cycles(tiles, machine) * self.terms * self.repeated
        return max(products, read_cycles(self.weight_bytes, machine, among))

    def copy_cycles(self, machine: Machine) -> float:
        """Of moving the columns that somebody reads who cannot read them beside others."""
        size = self.rows * self.repeated * self.copied * self.element_bytes
        return read_cycles(size, machine) + write_cycles(size, machine)


@lru_cache(maxsize=256)  # every choice of some products asks for each of them again
def _step_cycles(tiles: TileProblem, machine: Machine) -> float:
    """Of one step of the reduction, with the best register tile."""
    return tile_cycles(best_tile(tiles, machine), tiles, machine)


def beside(problems: Sequence[ProductProblem]) -> ProductProblem:
    """The product of the same rows with all of the matrices side by side."""
    columns, copied = sum(p.columns for p in problems), sum(p.copied for p in problems)
    return replace(problems[0], columns=columns, copied=copied)


def cycles_apart(problems: Sequence[ProductProblem], machine: Machine, threads: int) -> float:
    """Of one kernel after another."""
    among = sum(p.weight_bytes for p in problems)
    return sum(_shared(p.cycles(machine, among), machine, threads) for p in problems)


def cycles_beside(problems: Sequence[ProductProblem], machine: Machine, threads: int) -> float:
    """Of one kernel for all, and of the copies of its parts."""
    product = beside(problems)
    return _shared(product.cycles(machine, product.weight_bytes) + product.copy_cycles(machine), machine, threads)


def _shared(cycles: float, machine: Machine, threads: int) -> float:
    """The cycles of a kernel on all threads, or on one where waiting for the others takes longer."""
    joined = machine.threading.fork_join_ns * machine.frequency_mhz / 1000
    return min(cycles, cycles / threads + joined) if threads > 1 else cycles
