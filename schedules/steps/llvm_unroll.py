"""`llvm_unroll`: say how many iterations of a loop LLVM puts into one."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Self

from mlc.dialects.loop import ForOp, LoopKind
from mlc.dialects.loop.plan import LoopPlan
from mlc.dialects.loop.steps import LoopName
from mlc.schedules.steps.base import LoopStep, tell_llvm
from mlc.schedules.steps.unroll import MOST_OPS
from mlc.support.context import CompilerContext
from mlc.support.errors import Refused

_COUNTS = (1, 2, 4, 8)
"""What a drawn step says."""


def llvm_unroll(loop: ForOp, count: int) -> None:
    """Let LLVM make copies of the body of `loop` that follow each other: `count` of them, with 1 none but itself.

    Without a word about it LLVM decides, but for loops that carry a register tile, which it leaves as they are. The
    copies keep the order of all operations, so that results keep their bits.
    """
    tell_llvm(loop, "unroll.count", count)


@dataclass(frozen=True)
class LlvmUnroll(LoopStep):
    """LLVM puts 4 iterations into one, or leaves the loop as it is (1), instead of deciding that itself"""

    name = "llvm_unroll"
    example = "llvm_unroll(k, 4)"
    settles = True

    loop: LoopName
    count: int

    def rewrite(self, loop: ForOp, ctx: CompilerContext) -> None:
        trips = len(loop.range)
        if loop.kind.data is LoopKind.THREADS:
            raise Refused("it is spread over threads: each iteration is a call")
        if self.count > trips:
            raise Refused(f"it has {trips} iteration{'s' * (trips != 1)}")
        if (size := self.count * sum(1 for _ in loop.body.walk())) > MOST_OPS:
            raise Refused(f"an iteration would become {size} ops")
        llvm_unroll(loop, self.count)

    def outcome(self, loop: ForOp) -> str:
        return f"LLVM decides how often loop '{loop.dim.data}' is unrolled"

    def words(self, plan: LoopPlan) -> str:
        return "LLVM does not unroll it" if self.count == 1 else f"LLVM puts {self.count} iterations into one"

    @classmethod
    def suits(cls, loop: ForOp) -> bool:
        return loop.kind.data is not LoopKind.THREADS and len(loop.range) > 1

    @classmethod
    def drawn(cls, rng: Random, loop: ForOp) -> Self:
        return cls(loop.dim.data, rng.choice([n for n in _COUNTS if n <= len(loop.range)] or [1]))
