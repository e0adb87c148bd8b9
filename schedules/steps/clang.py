"""`clang`: say with which -O level clang compiles a kernel."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Self

from xdsl.dialects.builtin import IntegerAttr, i64
from xdsl.dialects.func import FuncOp

from mlc.dialects.loop import ForOp
from mlc.dialects.loop.plan import LoopPlan
from mlc.schedules.steps.base import KernelStep, Scheduling
from mlc.support.functions import CLANG_LEVEL, CLANG_LEVELS


@dataclass(frozen=True)
class Clang(KernelStep):
    """clang compiles the kernel with this -O level, 0 to 3, whatever that of the whole model is

    A kernel is a module of its own for clang. No level changes the order of operations, so that results keep their
    bits. (`mlc-opt --emit=asm` has one text for all functions, and one level.)
    """

    name = "clang"
    example = "clang(2)"
    numbers = CLANG_LEVELS
    settles = True

    level: int

    def set(self, function: FuncOp, scheduling: Scheduling) -> None:
        function.attributes[CLANG_LEVEL] = IntegerAttr(self.level, i64)

    def words(self, plan: LoopPlan) -> str:
        return f"clang compiles the kernel with -O{self.level}"

    @classmethod
    def drawn(cls, rng: Random, loop: ForOp) -> Self:
        return cls(cls.number(rng))
