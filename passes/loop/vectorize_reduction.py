"""`vectorize-reduction`: keep many partial results side by side, and combine them at the end."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp

from mlc.analysis.nests import functions_with_loops, inline_single_iterations, loops_named
from mlc.pass_manager.base import Pass
from mlc.passes.loop._required import require_loops
from mlc.schedules.steps.vectorize_reduction import VectorizeReduction
from mlc.support.context import CompilerContext
from mlc.support.errors import UserError
from mlc.support.rounding import Rounding


@dataclass(frozen=True)
class VectorizeReductionPass(Pass):
    """Turn the named loops that reduce into loops over vectors of partial results.

    `--vectorize-reduction="loops=k lanes=64"`: see `vectorize_reduction`. More lanes than a register has keep several
    registers busy. A loop that cannot be vectorized stays, with a remark that says why.
    """

    name = "vectorize-reduction"
    rounding = Rounding(4, "a sum is split into partial ones")

    loops: tuple[str, ...] = ()
    """The names of the loops."""
    lanes: int = 16
    """How many partial results there are."""

    def run(self, module: ModuleOp, ctx: CompilerContext) -> None:
        if not self.loops or self.lanes < 2:
            raise UserError(
                'vectorize-reduction: expected the names of loops and two or more lanes, as in "loops=k lanes=16"'
            )
        require_loops(module, self.name, self.loops)
        for function in functions_with_loops(module):
            for name in self.loops:
                for loop in reversed(loops_named(function, name)):
                    ctx.remarks += VectorizeReduction(name, self.lanes).attempt(loop, ctx)
            inline_single_iterations(function)
