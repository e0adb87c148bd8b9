"""`parallel`: spread the iterations of a loop over threads."""

from __future__ import annotations

from dataclasses import dataclass

from mlc.dialects.loop import ForOp, LoopKind, LoopKindAttr
from mlc.dialects.loop.plan import LoopPlan
from mlc.dialects.loop.steps import LoopName
from mlc.passes.loop._legality import Refused
from mlc.passes.loop.steps.base import LoopStep
from mlc.support.context import CompilerContext


def spread(loop: ForOp) -> bool:
    """Mark a parallel loop to be spread over threads; False, and nothing changed, if it is serial."""
    if not loop.is_parallel:
        return False
    loop.properties["kind"] = LoopKindAttr(LoopKind.THREADS)
    return True


@dataclass(frozen=True)
class Parallel(LoopStep):
    """the iterations are spread over threads"""

    name = "parallel"
    example = "parallel(m)"

    loop: LoopName

    def rewrite(self, loop: ForOp, ctx: CompilerContext) -> None:
        if not spread(loop):
            raise Refused("its iterations depend on each other")

    def outcome(self, loop: ForOp) -> str:
        return f"loop '{loop.dim.data}' not spread over threads"

    def words(self, plan: LoopPlan) -> str:
        return "the iterations are spread over threads"

    @classmethod
    def suits(cls, loop: ForOp) -> bool:
        return loop.is_parallel
