"""`prefetch`: ask before a loop for what is read and written after it."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp

from mlc.analysis.nests import functions_with_loops, loops_named
from mlc.pass_manager.base import Pass
from mlc.passes.loop._required import require_loops
from mlc.schedules.steps.prefetch import Prefetch
from mlc.support.context import CompilerContext
from mlc.support.errors import UserError


@dataclass(frozen=True)
class PrefetchPass(Pass):
    """Ask before the named loops for what is read and written after them.

    `--prefetch="loops=k"`: see `prefetch` for what this concerns.
    """

    name = "prefetch"

    loops: tuple[str, ...] = ()
    """The names of the loops."""

    def run(self, module: ModuleOp, ctx: CompilerContext) -> None:
        if not self.loops:
            raise UserError('prefetch: expected the names of loops, as in "loops=k"')
        require_loops(module, self.name, self.loops)
        for function in functions_with_loops(module):
            for name in self.loops:
                for loop in loops_named(function, name):
                    ctx.remarks += Prefetch(name).attempt(loop, ctx)
