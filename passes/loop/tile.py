"""`tile`: split loops into blocks."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp

from mlc.analysis.nests import functions_with_loops, inline_single_iterations, outermost_loops, perfect_nest
from mlc.dialects.loop import ForOp
from mlc.pass_manager.base import Pass
from mlc.schedules.steps.interchange import interchange
from mlc.schedules.steps.tile import tile
from mlc.support.context import CompilerContext
from mlc.support.errors import Refused, UserError


@dataclass(frozen=True)
class TilePass(Pass):
    """Tile the outermost loops of every nest, blocks outside, points inside.

    `--tile="sizes=8,48"`:

        for m in 0..64: for n in 0..200: S(m, n)
    ->
        for m in 0..64 step 8: for n in 0..192 step 48: for mi in 0..8: for ni in 0..48: S(m + mi, n + ni)
        … and a nest for the last 8 of n

    A nest with fewer parallel loops than sizes uses the first sizes. Loops that carry values stay as they are.
    """

    name = "tile"

    sizes: tuple[int, ...] = ()
    """The block size of each loop, outermost first; 0 leaves a loop alone."""

    def run(self, module: ModuleOp, ctx: CompilerContext) -> None:
        del ctx
        if not self.sizes or any(size < 0 for size in self.sizes):
            raise UserError('tile: expected positive sizes, one for each loop from the outside in, as in "sizes=8,48"')
        for function in functions_with_loops(module):
            for root in outermost_loops(function):
                self._tile_nest(root)
            inline_single_iterations(function)

    def _tile_nest(self, root: ForOp) -> None:
        nest = [loop for loop in perfect_nest(root) if loop.is_parallel]
        wanted = [(loop.dim.data, size) for loop, size in zip(nest, self.sizes, strict=False) if size]
        if wanted:
            self._tile_from(root, wanted, points=0)

    def _tile_from(self, root: ForOp, wanted: list[tuple[str, int]], points: int) -> None:
        """Tile the loops of `wanted` under `root`, outermost first; `points` loops over points are at the bottom."""
        (name, size), *others = wanted
        loop = next(level for level in perfect_nest(root) if level.dim.data == name)
        for block in tile(loop, size):
            points_loop = perfect_nest(block)[1]
            names = [level.dim.data for level in perfect_nest(points_loop)]
            below = names[1 : 1 + len(others) + points]
            with suppress(Refused):  # over a serial loop: points stay where they are
                interchange(points_loop, [*below, names[0]])
            if others:
                self._tile_from(points_loop, others, points + 1)
