"""`unroll`: replace loops by copies of their bodies, jammed into the loops inside."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp

from mlc.analysis.legality import note_if_refused
from mlc.analysis.nests import functions_with_loops, loops_named
from mlc.pass_manager.base import Pass
from mlc.passes.loop._required import require_loops
from mlc.schedules.steps.unroll import unroll
from mlc.support.context import CompilerContext
from mlc.support.errors import Refused, UserError


@dataclass(frozen=True)
class UnrollPass(Pass):
    """Unroll the named loops completely, jamming the copies of parallel ones.

    `--unroll="loops=mi"`: see `unroll` for what becomes of the body. A loop longer than `limit` stays as it is, because
    straight-line code of that size only costs compile time.
    """

    name = "unroll"

    loops: tuple[str, ...] = ()
    """The names of the loops."""
    limit: int = 64
    """The most iterations to unroll."""

    def run(self, module: ModuleOp, ctx: CompilerContext) -> None:
        if not self.loops:
            raise UserError('unroll: expected the names of loops, as in "loops=mi"')
        require_loops(module, self.name, self.loops)
        for function in functions_with_loops(module):
            for name in self.loops:
                # Innermost first: a loop may stand inside another one of the same name.
                for loop in reversed(loops_named(function, name)):
                    with note_if_refused(ctx.remarks, loop, f"loop '{name}' not unrolled"):
                        if len(loop.range) > self.limit:
                            raise Refused(f"{len(loop.range)} iterations, the limit is {self.limit}")
                        unroll(loop)
