"""`interchange`: put nested loops in another order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp

from mlc.dialects.loop import ForOp
from mlc.passes.base import Pass
from mlc.passes.loop._legality import Refused, remark_if_refused, require_exchange
from mlc.passes.loop._nests import functions_with_loops, loops_named, perfect_nest
from mlc.passes.loop._required import require_loops
from mlc.support.context import CompilerContext
from mlc.support.errors import UserError


def interchange(outermost: ForOp, order: Sequence[str]) -> None:
    """Reorder the loops of a perfect nest: the places of the loops in `order` are filled in that order.

    Only the headers move (dim, bounds, step, kind) and the counters that the body sees.

    Raises:
        Refused: they are no parallel loops of one perfect nest, or a serial loop that they move over hands something
            from one of their iterations to another; nothing has been changed.
    """
    nest = perfect_nest(outermost)
    names = [loop.dim.data for loop in nest]
    spelled = ", ".join(order)
    if not all(names.count(name) == 1 for name in order):
        raise Refused(f"{spelled} are not loops of one perfect nest")
    chosen = [loop for loop in nest if loop.dim.data in order]
    if serial := [loop.dim.data for loop in chosen if not loop.is_parallel]:
        raise Refused(f"'{serial[0]}' is not parallel")
    wanted = [nest[names.index(name)] for name in order]
    filled = dict(zip(chosen, wanted, strict=True))
    require_exchange(nest, [filled.get(loop, loop) for loop in nest])
    headers = [dict(loop.properties) for loop in wanted]
    uses = [list(loop.induction_variable.uses) for loop in wanted]
    hints = [loop.induction_variable.name_hint for loop in wanted]
    for loop, header, counter_uses, hint in zip(chosen, headers, uses, hints, strict=True):
        loop.properties.update(header)
        for use in counter_uses:
            use.operation.operands[use.index] = loop.induction_variable
        loop.induction_variable.name_hint = hint


def interchange_around(loop: ForOp, order: Sequence[str], ctx: CompilerContext) -> None:
    """`interchange` in the perfect nest that `loop` is part of, or a remark with the reason why not."""
    outermost = loop
    while isinstance(parent := outermost.parent_op(), ForOp) and loop in perfect_nest(parent):
        outermost = parent
    with remark_if_refused(ctx, loop, "not interchanged"):
        interchange(outermost, order)


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
        for function in functions_with_loops(module):
            for loop in loops_named(function, self.order[0]):
                interchange_around(loop, self.order, ctx)
