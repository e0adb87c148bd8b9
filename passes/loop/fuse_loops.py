"""`fuse-loops`: make one loop of loops that stand side by side."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp

from mlc.analysis.nests import functions_with_loops, loops_named
from mlc.pass_manager.base import Pass
from mlc.passes.loop._required import require_loops
from mlc.schedules.steps.fuse import fuse
from mlc.support.context import CompilerContext
from mlc.support.errors import UserError


@dataclass(frozen=True)
class FuseLoopsPass(Pass):
    """Merge the named loops where they stand side by side.

    `--fuse-loops="loops=m"`:

        for m in 0..8: t[m] = max(x[m, …])
        for m in 0..8: for n in 0..16: y[m, n] = x[m, n] - t[m]
    ->
        for m in 0..8: t[m] = max(x[m, …]); for n in 0..16: y[m, n] = x[m, n] - t[m]

    so that a row is used again while it is in cache. See `fuse` for when that is possible. Loops of different ranges or
    kinds stay as they are.
    """

    name = "fuse-loops"

    loops: tuple[str, ...] = ()
    """The names of the loops, outermost first."""

    def run(self, module: ModuleOp, ctx: CompilerContext) -> None:
        if not self.loops:
            raise UserError('fuse-loops: expected the names of loops, as in "loops=m"')
        require_loops(module, self.name, self.loops)
        for function in functions_with_loops(module):
            for name in self.loops:
                ctx.remarks += fuse(loops_named(function, name))
