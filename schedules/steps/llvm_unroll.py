"""`llvm_unroll`: say how many iterations of a loop LLVM puts into one, or that it writes out all of them."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Self

from mlc.dialects.llvm import LoopAnnotationAttr
from mlc.dialects.loop import LOOP_ANNOTATION, ForOp, LoopKind
from mlc.dialects.loop.plan import LoopPlan
from mlc.dialects.loop.steps import LoopName
from mlc.schedules.steps.base import LoopStep, tell_llvm
from mlc.schedules.steps.unroll import MOST_OPS
from mlc.support.context import CompilerContext
from mlc.support.errors import Refused

_ALL = "unroll.full"
_COUNTS = (1, 2, 4, 8)
"""What a drawn step says."""


def llvm_unroll(loop: ForOp, count: int) -> None:
    """Let LLVM make copies of the body of `loop` that follow each other: `count` of them, with 1 none but itself.

    A loop of no more iterations than that becomes straight-line code.

    Without a word about it LLVM decides, but for loops that carry a register tile, which it leaves as they are. The
    copies keep the order of all operations, so that results keep their bits.
    """
    if count > 1 and len(loop.range) <= count:
        tell_llvm(loop, _ALL, True)
    else:
        tell_llvm(loop, "unroll.count", count)


def is_written_out(loop: ForOp) -> bool:
    """Whether LLVM was told to make a copy of the body for each iteration."""
    annotation = loop.attributes.get(LOOP_ANNOTATION)
    return isinstance(annotation, LoopAnnotationAttr) and _ALL in annotation.facts.data


@dataclass(frozen=True)
class LlvmUnroll(LoopStep):
    """LLVM puts 4 iterations into one, or all if there are no more, or leaves the loop as it is (1); else it decides"""

    name = "llvm_unroll"
    example = "llvm_unroll(k, 4)"
    settles = True

    loop: LoopName
    count: int

    def rewrite(self, loop: ForOp, ctx: CompilerContext) -> None:
        if loop.kind.data is LoopKind.THREADS:
            raise Refused("it is spread over threads: each iteration is a call")
        if (size := min(self.count, len(loop.range)) * sum(1 for _ in loop.body.walk())) > MOST_OPS:
            raise Refused(f"an iteration would become {size} ops")
        llvm_unroll(loop, self.count)

    def outcome(self, loop: ForOp) -> str:
        return f"LLVM decides how often loop '{loop.dim.data}' is unrolled"

    def words(self, plan: LoopPlan) -> str:
        if self.count == 1:
            return "LLVM does not unroll it"
        is_whole = plan.trips.get(self.loop, self.count + 1) <= self.count
        return "LLVM makes a copy for each iteration" if is_whole else f"LLVM puts {self.count} iterations into one"

    @classmethod
    def suits(cls, loop: ForOp) -> bool:
        return loop.kind.data is not LoopKind.THREADS and len(loop.range) > 1

    @classmethod
    def drawn(cls, rng: Random, loop: ForOp) -> Self:
        return cls(loop.dim.data, rng.choice([n for n in _COUNTS if n <= len(loop.range)] or [1]))
