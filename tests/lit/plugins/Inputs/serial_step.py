"""A step of schedules as a plugin: iterations of a parallel loop follow each other."""

from __future__ import annotations

from dataclasses import dataclass

from mlc.dialects.loop import ForOp, LoopKind, LoopKindAttr
from mlc.dialects.loop.plan import LoopPlan
from mlc.dialects.loop.steps import LoopName
from mlc.schedules.steps.base import LoopStep, Refused
from mlc.support.context import CompilerContext


@dataclass(frozen=True)
class Serial(LoopStep):
    """the iterations of a parallel loop follow each other"""

    name = "serial"
    example = "serial(m)"

    loop: LoopName

    def rewrite(self, loop: ForOp, ctx: CompilerContext) -> None:
        if not loop.is_parallel:
            raise Refused("its iterations follow each other already")
        loop.properties["kind"] = LoopKindAttr(LoopKind.SERIAL)

    def words(self, plan: LoopPlan) -> str:
        return f"{plan.trips.get(self.loop, 'all')} iterations after each other"
