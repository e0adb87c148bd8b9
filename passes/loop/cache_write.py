"""`cache-write`: move a loop that reduces out of the parallel loops around it."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp

from mlc.analysis.nests import functions_with_loops, loops_named
from mlc.pass_manager.base import Pass
from mlc.passes.loop._required import require_loops
from mlc.schedules.steps.cache_write import CacheWrite
from mlc.support.context import CompilerContext
from mlc.support.errors import UserError


@dataclass(frozen=True)
class CacheWritePass(Pass):
    """Move a loop that carries values out of the parallel loops around it; its values wait in a buffer.

    `--cache-write="loop=k out-of=n"`: see `cache_write` for what becomes of the nest.
    """

    name = "cache-write"

    loop: str = ""
    """The name of the loop that reduces."""
    out_of: str = ""
    """The name of the outermost loop that it is to run around."""

    def run(self, module: ModuleOp, ctx: CompilerContext) -> None:
        if not self.loop or not self.out_of:
            raise UserError('cache-write: expected the names of two loops, as in "loop=k out-of=n"')
        require_loops(module, self.name, [self.loop, self.out_of])
        step = CacheWrite(self.loop, self.out_of)
        for function in functions_with_loops(module):
            for loop in loops_named(function, self.loop):
                ctx.remarks += step.attempt(loop, ctx)
