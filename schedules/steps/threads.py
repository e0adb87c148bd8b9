"""`threads`: spread the iterations of a loop over threads."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Self

from xdsl.dialects.builtin import IntegerAttr, i64

from mlc.dialects.loop import MOST_THREADS, ForOp, LoopKind, LoopKindAttr
from mlc.dialects.loop.plan import LoopPlan
from mlc.dialects.loop.steps import LoopName
from mlc.schedules.steps.base import LoopStep
from mlc.support.context import CompilerContext
from mlc.support.errors import Refused

_LIMITS = (None, None, 2, 3, 4)
"""What a drawn step says of threads."""


def spread(loop: ForOp, limit: int | None = None) -> bool:
    """Mark a parallel loop to be spread over threads; False, and nothing changed, if it is serial.

    Args:
        limit: how many threads may share it; None leaves that to the person who runs the program.
    """
    if not loop.is_parallel:
        return False
    loop.properties["kind"] = LoopKindAttr(LoopKind.THREADS)
    if limit is None:
        loop.attributes.pop(MOST_THREADS, None)
    else:
        loop.attributes[MOST_THREADS] = IntegerAttr(limit, i64)
    return True


@dataclass(frozen=True)
class Threads(LoopStep):
    """the iterations are spread over threads, all that there are; `threads(m, 4)` over 4 of them at most"""

    name = "threads"
    example = "threads(m)"
    settles = True

    loop: LoopName
    limit: int | None = None

    def rewrite(self, loop: ForOp, ctx: CompilerContext) -> None:
        if not spread(loop, self.limit):
            raise Refused("its iterations depend on each other")

    def outcome(self, loop: ForOp) -> str:
        return f"loop '{loop.dim.data}' not spread over threads"

    def words(self, plan: LoopPlan) -> str:
        if self.limit == 1:
            return "the iterations stay on one thread"
        return "the iterations are spread over " + (f"{self.limit} threads at most" if self.limit else "threads")

    @classmethod
    def suits(cls, loop: ForOp) -> bool:
        return loop.is_parallel

    @classmethod
    def drawn(cls, rng: Random, loop: ForOp) -> Self:
        return cls(loop.dim.data, rng.choice(_LIMITS))
