"""Conversions of floats to integers, which take the nearest integer that there is, and 0 for NaN.

LLVM has intrinsics for that. For x86, which has no such instructions, it computes them element by element; there they
are spelled out: limits, which are two instructions, a plain conversion of what is within, and a comparison for NaN.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from xdsl.dialects import llvm
from xdsl.dialects.builtin import IntegerType, f32, f64
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from mlc.dialects.arith import FPToSIOp, FPToUIOp
from mlc.dialects.llvm import intrinsics, vectors
from mlc.pass_manager.lowering import lowers
from mlc.passes.loop_to_llvm._machine_pattern import MachinePattern
from mlc.passes.loop_to_llvm._types import VALUES, bit_width, lower_type, number_of, truncate
from mlc.support.types import element_type, vector_type

_WORD = 32
_BELOW_WORD = 2.0**31 - 128
"""The greatest f32 that is an i32."""


@lowers(VALUES, FPToSIOp, FPToUIOp)
class LowerSaturatingCast(MachinePattern):
    """`arith.fptosi %x : vector<8xf32> to vector<8xi8>` -> `llvm.fptosi` of numbers from -128 to 127, truncated."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        (x,), kind = op.operands, lower_type(op.results[0].type)
        is_signed, width = isinstance(op, FPToSIOp), bit_width(element_type(kind))
        fits = element_type(x.type) in (f32, f64) and width + (not is_signed) <= _WORD
        if not fits or self.machine.arch != "x86_64":
            intrinsic = intrinsics.FPToSISatOp if is_signed else intrinsics.FPToUISatOp
            rewriter.replace(op, intrinsic.create(operands=[x], result_types=[kind]))
            return
        spelled = _Spelled(x.type)
        result = spelled.saturated(x, kind, is_signed, width)
        rewriter.replace(op, spelled.ops, [result])


@dataclass
class _Spelled:
    """Collects ops on floats of one type, and on as many i32."""

    floats: Attribute
    ops: list[Operation] = field(default_factory=list[Operation])

    def saturated(self, x: SSAValue, kind: Attribute, is_signed: bool, width: int) -> SSAValue:
        """`x` as integers of type `kind`."""
        words = _like(self.floats, IntegerType(_WORD))
        most = 2.0 ** (width - is_signed) - 1
        exact = element_type(self.floats) == f64 or width < _WORD
        if is_signed:
            least = self._number(self.floats, -(2.0 ** (width - 1)))
            low = self._select(self._compare(x, least, "olt"), least, x)
        else:  # NaN is not greater than 0
            least = self._number(self.floats, 0.0)
            low = self._select(self._compare(x, least, "ogt"), x, least)
        high = self._number(self.floats, most if exact else _BELOW_WORD)
        within = self._select(self._compare(low, high, "ogt"), high, low)
        if is_signed:
            within = self._select(self._compare(x, x, "uno"), self._number(self.floats, 0.0), within)
        whole = self._add(vectors.FPToSIOp.create(operands=[within], result_types=[words]))
        if not exact:
            beyond = self._compare(x, self._number(self.floats, most + 1), "oge")
            whole = self._select(beyond, self._number(words, most), whole)
        return whole if width == _WORD else self._add(truncate(whole, kind))

    def _add(self, op: Operation) -> SSAValue:
        self.ops.append(op)
        return op.results[0]

    def _number(self, kind: Attribute, value: float) -> SSAValue:
        number = int(value) if element_type(kind) == IntegerType(_WORD) else value
        return self._add(llvm.ConstantOp.create(result_types=[kind], properties={"value": number_of(kind, number)}))

    def _compare(self, a: SSAValue, b: SSAValue, predicate: str) -> SSAValue:
        return self._add(vectors.FCmpOp(a, b, llvm.FCmpPredicateFlag(predicate)))

    def _select(self, condition: SSAValue, on_true: SSAValue, on_false: SSAValue) -> SSAValue:
        return self._add(vectors.SelectOp(condition, on_true, on_false))


def _like(kind: Attribute, element: Attribute) -> Attribute:
    """As many elements of another type."""
    vector = vector_type(kind)
    return element if vector is None else type(vector)(element, vector.get_shape())
