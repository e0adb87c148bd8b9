"""`degree`: say of which degree the polynomial of a function is."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Self

from xdsl.dialects import math
from xdsl.dialects.builtin import DictionaryAttr, IntegerAttr, f32, i64
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from mlc.dialects.loop import ForOp
from mlc.dialects.loop.plan import LoopPlan
from mlc.dialects.loop.steps import FunctionName
from mlc.polynomials.exp import ALLOWED_ULP, DEGREES, EXP_F32
from mlc.schedules.steps.base import KernelStep, Refused, Scheduling
from mlc.support.errors import UserError
from mlc.support.types import element_type


@dataclass(frozen=True)
class Degree(KernelStep):
    """`exp` of f32 is computed by a polynomial of degree 4, 5 or 6, as a rule 6; less needs `--accuracy fast`

    The degree is that of the polynomial on |r| <= ln(2) / 2, where one instruction multiplies by a power of two, as
    with AVX-512. Elsewhere the interval is twice as wide, and 7 is the rule: 5 changes nothing there, 4 makes it 6.
    """

    name = "degree"
    example = "degree(exp, 5)"
    numbers = range(min(EXP_F32), max(EXP_F32) + 1)
    settles = True

    function: FunctionName
    degree: int

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.function != "exp":
            raise UserError(
                f"schedule step '{self.name}' has no choice of degrees for '{self.function}'; required: exp"
            )

    @property
    def error(self) -> float:
        """The largest error, in units in the last place."""
        return EXP_F32[self.degree].error

    def set(self, function: FuncOp, scheduling: Scheduling) -> None:
        if not _computes_exp(function):
            raise Refused("it computes no exp of f32")
        if self.error > ALLOWED_ULP and scheduling.accuracy != "fast":
            raise Refused(
                f"exp would be off by up to {self.error} units in the last place, where {ALLOWED_ULP} are allowed; "
                "--accuracy fast allows more, or --apply-schedule=accuracy=fast for the pass alone"
            )
        function.attributes[DEGREES] = DictionaryAttr({"exp": IntegerAttr(self.degree, i64)})

    def words(self, plan: LoopPlan) -> str:
        return f"a polynomial of degree {self.degree}; exp is off by {self.error} units in the last place at most"

    @classmethod
    def suits(cls, loop: ForOp) -> bool:
        return _computes_exp(loop)

    @classmethod
    def drawn(cls, rng: Random, loop: ForOp) -> Self:
        return cls("exp", cls.number(rng))


def _computes_exp(root: Operation) -> bool:
    return any(isinstance(op, math.ExpOp) and element_type(op.result.type) == f32 for op in root.walk())
