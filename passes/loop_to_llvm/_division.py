"""Integer divisions and shifts, which LLVM defines for some operands only: here each has the value that mlc gives it.

| | |
|---|---|
| `x / 0` | 0, and `x rem 0` is `x` |
| the least integer `/ -1` | wraps: the least integer, and the remainder is 0 |
| a shift by the width or more | every bit is shifted out: 0, or the sign where the shift keeps it |

A CPU would trap, and take the process with it, on the first two; a vector's inactive lanes hold zeros, and divide by
them. What a constant rules out is not tested.
"""

from __future__ import annotations

from typing import Any, cast

from xdsl.dialects import arith, llvm
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, IntegerAttr, i1, i64
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from mlc.dialects.llvm import integers, intrinsics, vectors
from mlc.pass_manager.lowering import StatelessPattern, lowers
from mlc.passes.loop_to_llvm._types import VALUES, bit_width, lower_type, number_of
from mlc.support.types import element_type

_Flag = llvm.ICmpPredicateFlag

_SIGNED = frozenset({arith.DivSIOp, arith.RemSIOp, arith.FloorDivSIOp, arith.CeilDivSIOp})
_QUOTIENTS = frozenset({arith.DivSIOp, arith.DivUIOp})
_REMAINDERS = frozenset({arith.RemSIOp, arith.RemUIOp})


class _Ops:
    """The ops that replace one op on integers of a type, or on vectors of them."""

    def __init__(self, kind: Attribute) -> None:
        self.kind = kind
        self.new: list[Operation] = []
        self._numbers: dict[int, SSAValue] = {}

    def add(self, op: Operation) -> SSAValue:
        """Append an op; its result."""
        self.new.append(op)
        return op.results[0]

    def of(self, op_type: type[Operation], lhs: SSAValue, rhs: SSAValue) -> SSAValue:
        """Append an op; its result has the lowered type, even if the left operand, a counter, does not have it yet."""
        return self.add(op_type.create(operands=[lhs, rhs], result_types=[self.kind]))

    def number(self, value: int) -> SSAValue:
        """A constant, in each lane."""
        if value not in self._numbers:
            properties = {"value": number_of(self.kind, value)}
            self._numbers[value] = self.add(llvm.ConstantOp.create(result_types=[self.kind], properties=properties))
        return self._numbers[value]

    def compare(self, predicate: llvm.ICmpPredicateFlag, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
        """True, or false, in each lane."""
        return self.add(llvm.ICmpOp(lhs, rhs, IntegerAttr(predicate.to_int(), i64)))


def _lanes_of(value: SSAValue) -> list[int] | None:
    """The numbers in the lanes of a constant; None for other values."""
    if not isinstance(owner := value.owner, llvm.ConstantOp):
        return None
    match owner.value:
        case IntegerAttr() as number:
            return [number.value.data]
        case DenseIntOrFPElementsAttr() as numbers:
            return [int(v) for v in cast(Any, numbers).get_values()]
        case _:
            return None


@lowers(VALUES, *_SIGNED, arith.DivUIOp, arith.RemUIOp, arith.CeilDivUIOp)
class LowerDivision(StatelessPattern):
    """A division by 1 where there is no quotient, and a correction by one where it is not rounded towards zero.

    divsi a, b       ->  c = b == 0 or (a == least and b == -1) ? 1 : b; b == 0 ? 0 : a sdiv c
    remsi a, b       ->  b == 0 ? a : a srem c
    floordivsi a, b  ->  q = a sdiv c; r = a srem c; b == 0 ? 0 : q - (r != 0 and r xor c < 0)
    ceildivsi a, b   ->  b == 0 ? 0 : q + (r != 0 and r xor c >= 0)
    ceildivui a, b   ->  b == 0 ? 0 : q + (r != 0)
    """

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        lhs, rhs = op.operands
        ops = _Ops(lower_type(lhs.type))
        if element_type(lhs.type) == i1:
            _divide_bits(ops, op)
        else:
            divisor, by_zero = _safe_divisor(ops, lhs, rhs, type(op) in _SIGNED)
            result = _divide(ops, op, lhs, divisor)
            if by_zero is not None:
                instead = lhs if type(op) in _REMAINDERS else ops.number(0)
                ops.add(vectors.SelectOp(by_zero, instead, result))
        rewriter.replace(op, ops.new)


def _divide_bits(ops: _Ops, op: Operation) -> None:
    """Of two bits, which are 0 and 1 or 0 and -1: a / b is a and b, and what remains is a and not b."""
    lhs, rhs = op.operands
    if type(op) in _REMAINDERS:
        rhs = ops.add(llvm.XOrOp(rhs, ops.number(1)))
    ops.add(llvm.AndOp(lhs, rhs))


def _safe_divisor(ops: _Ops, lhs: SSAValue, rhs: SSAValue, signed: bool) -> tuple[SSAValue, SSAValue | None]:
    """A divisor for which there is a quotient, and where `rhs` is 0; None if it is a constant that divides anything."""
    known = _lanes_of(rhs)
    if known is not None and 0 not in known and not (signed and -1 in known):
        return rhs, None
    by_zero = undefined = ops.compare(_Flag.EQ, rhs, ops.number(0))
    if signed:
        least = ops.compare(_Flag.EQ, lhs, ops.number(-(1 << (bit_width(lhs.type) - 1))))
        negates = ops.compare(_Flag.EQ, rhs, ops.number(-1))
        overflows = ops.add(llvm.AndOp(least, negates))
        undefined = ops.add(llvm.OrOp(by_zero, overflows))
    return ops.add(vectors.SelectOp(undefined, ops.number(1), rhs)), by_zero


def _divide(ops: _Ops, op: Operation, lhs: SSAValue, divisor: SSAValue) -> SSAValue:
    divide, remain = (llvm.SDivOp, llvm.SRemOp) if type(op) in _SIGNED else (llvm.UDivOp, llvm.URemOp)
    if type(op) in _QUOTIENTS:
        return ops.of(divide, lhs, divisor)
    if type(op) in _REMAINDERS:
        return ops.of(remain, lhs, divisor)
    quotient, remainder = ops.of(divide, lhs, divisor), ops.of(remain, lhs, divisor)
    zero = ops.number(0)
    rounded = ops.compare(_Flag.NE, remainder, zero)
    if type(op) in _SIGNED:
        signs = ops.add(llvm.XOrOp(remainder, divisor))
        wanted = _Flag.SLT if isinstance(op, arith.FloorDivSIOp) else _Flag.SGE
        rounded = ops.add(llvm.AndOp(rounded, ops.compare(wanted, signs, zero)))
    correct = integers.SubOp if isinstance(op, arith.FloorDivSIOp) else integers.AddOp
    return ops.add(correct(quotient, ops.add(llvm.ZExtOp(rounded, ops.kind))))


@lowers(VALUES, arith.ShLIOp, arith.ShRSIOp, arith.ShRUIOp)
class LowerShift(StatelessPattern):
    """A shift by a number of places that is unsigned, and may be the width or more.

    shli a, b   ->  b < width ? a shl b : 0
    shrui a, b  ->  b < width ? a lshr b : 0
    shrsi a, b  ->  a ashr umin(b, width - 1)
    """

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        lhs, places = op.operands
        ops = _Ops(lower_type(lhs.type))
        width = bit_width(lhs.type)
        known = _lanes_of(places)
        fits = known is not None and all(0 <= n < width for n in known)
        if isinstance(op, arith.ShRSIOp):
            ops.of(llvm.AShrOp, lhs, places if fits else ops.add(intrinsics.UMinOp(places, ops.number(width - 1))))
        else:
            shift = ops.of(integers.ShlOp if isinstance(op, arith.ShLIOp) else llvm.LShrOp, lhs, places)
            if not fits:
                inside = ops.compare(_Flag.ULT, places, ops.number(width))
                ops.add(vectors.SelectOp(inside, shift, ops.number(0)))
        rewriter.replace(op, ops.new)
