"""`interchange`: put nested loops in another order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Self

from mlc.analysis.legality import require_exchange
from mlc.analysis.nests import perfect_nest
from mlc.dialects.loop import ForOp
from mlc.dialects.loop.control import enclosing_loops
from mlc.dialects.loop.plan import LoopPlan
from mlc.dialects.loop.steps import LoopName
from mlc.schedules.steps.base import LoopStep, Scheduling, other
from mlc.support.context import CompilerContext, Remark
from mlc.support.errors import Refused

_IN_NEST = 0.9
"""How often a drawn step stays within one perfect nest."""


def interchange(outermost: ForOp, order: Sequence[str]) -> None:
    """Reorder the loops of a perfect nest: the places of the loops in `order` are filled in that order.

    Only the headers move (dim, bounds, limit, step, kind, attributes) and the counters that the body sees.

    Raises:
        Refused: they are not parallel loops of one perfect nest, or a serial loop that they move over hands something
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
    headers = [(dict(loop.properties), dict(loop.attributes)) for loop in wanted]
    limits = [(loop.limit, loop.limit_multiple, loop.start) for loop in wanted]
    uses = [list(loop.induction_variable.uses) for loop in wanted]
    hints = [loop.induction_variable.name_hint for loop in wanted]
    for loop, (header, said), limit, counter_uses, hint in zip(chosen, headers, limits, uses, hints, strict=True):
        loop.properties.update(header)
        loop.attributes = said
        loop.set_limit(*limit)
        for use in counter_uses:
            use.operation.operands[use.index] = loop.induction_variable
        loop.induction_variable.name_hint = hint


@dataclass(frozen=True)
class Interchange(LoopStep):
    """perfectly nested parallel loops change places: `n` around `m`"""

    name = "interchange"
    example = "interchange(n, m)"

    outer: LoopName
    inner: LoopName
    others: tuple[LoopName, ...] = ()

    def rewrite_all(self, loops: Sequence[ForOp], scheduling: Scheduling) -> list[Remark]:
        # Where other loops of the name stand in nests without the others, nothing is to be said of them.
        concerned = [loop for loop in loops if self._names_loops_around(loop)]
        return super().rewrite_all(concerned or loops, scheduling)

    def _names_loops_around(self, loop: ForOp) -> bool:
        """Whether all loops that are named are around a loop, or inside."""
        near = {op.dim.data for op in (*enclosing_loops(loop), *loop.walk()) if isinstance(op, ForOp)}
        return near.issuperset(self.loops)

    def rewrite(self, loop: ForOp, ctx: CompilerContext) -> None:
        outermost = loop
        while isinstance(parent := outermost.parent_op(), ForOp) and loop in perfect_nest(parent):
            outermost = parent
        interchange(outermost, self.loops)

    def outcome(self, loop: ForOp) -> str:
        return "not interchanged"

    def words(self, plan: LoopPlan) -> str:
        return f"{self.outer} runs around {', '.join((self.inner, *self.others))}"

    @classmethod
    def suits(cls, loop: ForOp) -> bool:
        return loop.is_parallel and len(perfect_nest(loop)) > 1

    @classmethod
    def drawn(cls, rng: Random, loop: ForOp) -> Self:
        nest = [op.dim.data for op in perfect_nest(loop)]
        known = (
            nest if len(set(nest)) == len(nest) > 1 and rng.random() < _IN_NEST else [loop.dim.data, other(rng, loop)]
        )
        return cls.around(*rng.sample(known, rng.randint(2, len(known))))

    @classmethod
    def around(cls, *names: str) -> Self:
        """The step that puts two or more loops in this order, outermost first."""
        outer, inner, *others = names
        return cls(outer, inner, tuple(others))
