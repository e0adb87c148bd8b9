"""`blocked-summation`: add up long sums block by block, so that rounding errors do not pile up."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp

from mlc.analysis.nests import functions_with_loops, inline_single_iterations
from mlc.dialects.loop import ForOp
from mlc.pass_manager.base import Pass
from mlc.schedules.steps.blocked_summation import LoopSums, block_terms, blocked_summation
from mlc.support.context import CompilerContext
from mlc.support.rounding import Rounding
from mlc.targets.machine import resolve_target


@dataclass(frozen=True)
class BlockedSummationPass(Pass):
    """Add up long sums of floats block by block: a few hundred numbers first, then the sums of these blocks.

        s = for k in 0..65536 iter_args(a = 0): a + x[k]
    ->
        s = for k in 0..65536 step 256 iter_args(a = 0): a + (for ki in 0..256 iter_args(b = 0): b + x[k + ki])

    The error of a sum grows with how many additions follow each other. It does so for every loop that carries a sum,
    whatever it belongs to: a mean, a norm, the denominator of a softmax, a product of matrices. Vectors of partial
    results and register tiles are sums, too. See `block_terms` for the size of blocks.
    """

    name = "blocked-summation"
    rounding = Rounding(4, "a sum is split into blocks")

    terms: int = 0
    """How many additions make a block; 0 for what costs next to nothing on the target."""
    target: str = ""
    """The machine to choose for; the target of the compilation if empty."""

    def run(self, module: ModuleOp, ctx: CompilerContext) -> None:
        machine = resolve_target(self.target or ctx.target)
        for function in functions_with_loops(module):
            # Innermost first: what an outer loop adds up are the sums of those inside.
            loops = reversed([op for op in function.walk() if isinstance(op, ForOp)])
            known: LoopSums = {}
            changed = [
                loop
                for loop in loops
                if blocked_summation(loop, self.terms or block_terms(loop, machine, known), known)
            ]
            if changed:
                inline_single_iterations(function)  # iterations that fill no block are one
