"""Two steps that reach down to clang, in one file: one tells LLVM something of a loop, the other one of a kernel."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.func import FuncOp

from mlc.dialects.loop import ForOp
from mlc.dialects.loop.plan import LoopPlan
from mlc.dialects.loop.steps import LoopName
from mlc.schedules.steps.base import KernelStep, LoopStep, Scheduling, tell_clang, tell_llvm
from mlc.support.context import CompilerContext


@dataclass(frozen=True)
class Interleave(LoopStep):
    """LLVM interleaves so many iterations of a loop that it vectorises"""

    name = "interleave"
    example = "interleave(k, 2)"

    loop: LoopName
    count: int

    def rewrite(self, loop: ForOp, ctx: CompilerContext) -> None:
        tell_llvm(loop, "vectorize.disable", False)
        tell_llvm(loop, "interleave.count", self.count)

    def words(self, plan: LoopPlan) -> str:
        return f"LLVM interleaves {self.count} iterations"


@dataclass(frozen=True)
class VectorWidth(KernelStep):
    """LLVM prefers vectors of so many bits"""

    name = "vector_width"
    example = "vector_width(128)"

    bits: int

    def set(self, function: FuncOp, scheduling: Scheduling) -> None:
        tell_clang(function, "prefer-vector-width", str(self.bits))
        tell_clang(function, "cold")

    def words(self, plan: LoopPlan) -> str:
        return f"LLVM prefers vectors of {self.bits} bits"
