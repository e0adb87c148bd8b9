"""`split-reduction`: reduce into several results in turn, and combine them at the end."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp

from mlc.analysis.nests import functions_with_loops, inline_single_iterations, loops_named
from mlc.pass_manager.base import Pass
from mlc.passes.loop._required import require_loops
from mlc.schedules.steps.split_reduction import SplitReduction
from mlc.support.context import CompilerContext
from mlc.support.errors import UserError
from mlc.support.rounding import Rounding


@dataclass(frozen=True)
class SplitReductionPass(Pass):
    """Let the named loops that reduce keep several results, which take turns.

    `--split-reduction="loops=k parts=4"`: see `split_reduction`. A loop that cannot be split stays, with a remark.
    """

    name = "split-reduction"
    rounding = Rounding(4, "a sum is split into partial ones")

    loops: tuple[str, ...] = ()
    """The names of the loops."""
    parts: int = 4
    """How many results there are."""

    def run(self, module: ModuleOp, ctx: CompilerContext) -> None:
        if not self.loops or self.parts < 2:
            raise UserError(
                'split-reduction: expected the names of loops and two or more parts, as in "loops=k parts=4"'
            )
        require_loops(module, self.name, self.loops)
        for function in functions_with_loops(module):
            for name in self.loops:
                for loop in reversed(loops_named(function, name)):
                    ctx.remarks += SplitReduction(name, self.parts).attempt(loop, ctx)
            inline_single_iterations(function)
