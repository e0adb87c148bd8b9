"""`interchange`: put nested loops in another order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp

from mlc.dialects.loop import ForOp
from mlc.passes.base import Pass
from mlc.passes.loop._nests import functions_with_loops, loops_named, perfect_nest
from mlc.passes.loop._required import require_loops
from mlc.support.context import CompilerContext
from mlc.support.errors import UserError


def interchange(outermost: ForOp, order: Sequence[str]) -> bool:
    """Reorder the loops of a perfect nest: the places of the loops in `order` are filled in that order.

    Only the headers move (dim, bounds, step, kind) and the counters that the body sees. Returns False, and changes
    nothing, where the loops are not parallel loops of one perfect nest.
    """
    nest = perfect_nest(outermost)
    names = [loop.dim.data for loop in nest]
    if not all(names.count(name) == 1 for name in order):
        return False
    chosen = [loop for loop in nest if loop.dim.data in order]
    if not all(loop.is_parallel for loop in chosen):
        return False
    wanted = [nest[names.index(name)] for name in order]
    headers = [dict(loop.properties) for loop in wanted]
    uses = [list(loop.induction_variable.uses) for loop in wanted]
    hints = [loop.induction_variable.name_hint for loop in wanted]
    for loop, header, counter_uses, hint in zip(chosen, headers, uses, hints, strict=True):
        loop.properties.update(header)
        for use in counter_uses:
            use.operation.operands[use.index] = loop.induction_variable
        loop.induction_variable.name_hint = hint
    return True


@dataclass(frozen=True)
class InterchangePass(Pass):
    """Reorder perfectly nested parallel loops.

    `--interchange="order=n,m"`:

        for m in 0..64: for n in 0..200: S(m, n)   ->   for n in 0..200: for m in 0..64: S(m, n)

    Nests without all of these loops, and nests with anything between them, stay as they are.
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
        for function in functions_with_loops(module):
            for loop in [loop for name in self.order for loop in loops_named(function, name)]:
                nest = [level.dim.data for level in perfect_nest(loop)]
                if set(self.order) <= set(nest) and not interchange(loop, self.order):
                    ctx.remark(loop, f"not interchanged: the loops {', '.join(self.order)} are not all parallel")
