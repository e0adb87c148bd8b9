"""`interchange`: put nested loops in another order."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp

from mlc.analysis.nests import functions_with_loops, loops_named
from mlc.pass_manager.base import Pass
from mlc.passes.loop._required import require_loops
from mlc.schedules.steps.interchange import Interchange
from mlc.support.context import CompilerContext
from mlc.support.errors import UserError


@dataclass(frozen=True)
class InterchangePass(Pass):
    """Reorder perfectly nested parallel loops.

    `--interchange="order=n,m"`:

        for m in 0..64: for n in 0..200: S(m, n)   ->   for n in 0..200: for m in 0..64: S(m, n)

    Nests without all of these loops, and nests with anything between them, stay as they are. So do nests in which a
    serial loop between them hands something from one of their iterations to another.
    """

    name = "interchange"

    order: tuple[str, ...] = ()
    """The names of the loops, in the new order, outermost first."""

    def run(self, module: ModuleOp, ctx: CompilerContext) -> None:
        if len(self.order) < 2:
            raise UserError('interchange: expected two or more loop names, outermost first, as in "order=n,m"')
        if len(set(self.order)) < len(self.order):
            raise UserError(f"interchange: each loop has one place, found the order {', '.join(self.order)}")
        require_loops(module, self.name, self.order)
        step = Interchange.around(*self.order)
        for function in functions_with_loops(module):
            for loop in loops_named(function, self.order[0]):
                ctx.remarks += step.attempt(loop, ctx)
