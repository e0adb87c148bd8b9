"""What multiplies in a kernel: the types of its factors, and the instruction that its schedule makes of products."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from xdsl.dialects.func import FuncOp

from mlc.architectures.instructions import PER_WORD
from mlc.dialects.loop.dot import LONG_WORD_BITS
from mlc.dialects.loop.schedule import ScheduleAttr
from mlc.dialects.tensor import StructuredOp
from mlc.schedules.steps.dot import Dot
from mlc.schedules.steps.dot_taps import DotTaps
from mlc.schedules.steps.mma import Mma
from mlc.schedules.steps.unpack import Unpack
from mlc.targets.machine import Machine

_PAIR = "i16"
_ONE_BY_ONE = "llvm.fmuladd"
"""How LLVM spells a multiply-add: one instruction, where the target has it."""


@dataclass(frozen=True)
class KernelProducts:
    """Products of one kind that contractions of a kernel compute."""

    types: tuple[str, str]
    """Of the factors, with the sign of integers."""
    instruction: str
    """LLVM's name of what multiplies, and what has to be done first."""
    gain: float
    """How many times as many multiply-adds as of f32 it does."""

    @property
    def words(self) -> str:
        """The types for a column of a table: one if both are equal."""
        lhs, rhs = self.types
        return lhs if lhs == rhs else f"{lhs}*{rhs}"


def products_of(kernel: FuncOp, machine: Machine) -> KernelProducts | None:
    """The products of a kernel at the tensor level, of several types those that are most; None where it has none."""
    ops = [op for op in kernel.body.block.ops if isinstance(op, StructuredOp) and op.contracts and len(op.inputs) == 2]
    if not ops:
        return None
    lhs, rhs = max(ops, key=lambda op: prod(op.dim_sizes)).read_types
    types = str(lhs), str(rhs)
    schedule = kernel.attributes.get("schedule")
    steps = schedule.steps if isinstance(schedule, ScheduleAttr) else ()
    if any(isinstance(step, Unpack) for step in steps):
        return KernelProducts(types, f"{_ONE_BY_ONE}, of weights that are widened", 1.0)
    if any(isinstance(step, Mma) for step in steps) and (name := machine.matrix_instruction(*types)) is not None:
        return KernelProducts(types, name, machine.products(*types) / machine.issue.fma_units)
    dots = [step for step in steps if isinstance(step, Dot | DotTaps)]
    if not dots or types[1] not in PER_WORD:
        is_widened = types[0] != types[1] or types[1] in PER_WORD
        return KernelProducts(types, f"{_ONE_BY_ONE}, of numbers that are widened" if is_widened else _ONE_BY_ONE, 1.0)
    per_word, count = PER_WORD[types[1]], dots[0].count
    if (rate := machine.outer_dots(*types)) and isinstance(dots[0], Dot) and dots[0].bits == LONG_WORD_BITS:
        found = machine.outer_dot_instruction(*types) or machine.outer_dot_instruction(*types[::-1])
        assert found is not None
        return KernelProducts(types, found.intrinsic, count * rate / machine.issue.fma_units)
    has_fields = isinstance(dots[0], Dot) and dots[0].has_fields
    rate = machine.dots(*types, in_i16=has_fields)
    instruction = _dot(types, count, machine, has_fields=has_fields)
    return KernelProducts(types, instruction, per_word * rate / machine.issue.fma_units)


def _dot(types: tuple[str, str], count: int, machine: Machine, *, has_fields: bool) -> str:
    """What adds `count` products of words, as `convert-loop-to-llvm` chooses it; sums of two products of numbers in
    fields fit in 16 bits."""
    lhs, rhs, bits = *types, machine.vector_bits
    found = machine.dot_instruction(lhs, rhs, bits) or machine.dot_instruction(rhs, lhs, bits)
    if found is not None and (has_fields or count == PER_WORD[rhs]):
        return found.intrinsic
    if PER_WORD[rhs] == 4 and (pairs := machine.dot_instruction(_PAIR, _PAIR, bits)) is not None:
        of_bytes = machine.byte_products(lhs, rhs, bits)
        if of_bytes and has_fields:
            return f"{of_bytes}, and {pairs.intrinsic} of its sums of two products"
        sums = ", or of sums of two products that fit there" if of_bytes and count == PER_WORD[rhs] else ""
        return f"{pairs.intrinsic}, of bytes that are widened to pairs of 16 bits{sums}"
    return f"{_ONE_BY_ONE}, of words that are taken apart" if rhs == "bf16" else "a multiplication for each number"
