"""Types whose elements are codes: these, in the low bits of bytes, to numbers that are computed with and back.

All formats are described alike: by the bits of exponent and mantissa, the bias, and which codes are infinity and NaN
(`SEMANTICS` of their types). Every conversion follows from that, and rounds once, to the nearest number; of two that
are as near to the one whose last bit is 0.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf, isfinite, nan

from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    FloatNanEncoding,
    FloatNonfiniteBehavior,
    ReducedPrecisionFloatType,
    f32,
    i8,
    i32,
)
from xdsl.ir import Attribute, Operation, SSAValue

from mlc.dialects.arith import CmpiOp, ExtUIOp, FPToSIOp, SelectOp, TruncIOp
from mlc.passes.graph_to_tensor._points import Points, is_integer
from mlc.support.dtypes import is_unsigned, least_of, most_of, unsigned
from mlc.support.types import integer_width

_MANTISSA, _BIAS, _INFINITY = 23, 127, 0x7F800000
"""Of f32: the bits of its mantissa, the bias of its exponent, the code of infinity. Greater codes are NaN."""


@dataclass(frozen=True)
class _Word:
    """An i32 at a point, with Python's operators; shifts bring in zeros."""

    p: Points
    value: SSAValue

    def __add__(self, other: _Word | int) -> _Word:
        return self._apply(arith.AddiOp, other)

    def __sub__(self, other: _Word | int) -> _Word:
        return self._apply(arith.SubiOp, other)

    def __and__(self, other: _Word | int) -> _Word:
        return self._apply(arith.AndIOp, other)

    def __or__(self, other: _Word | int) -> _Word:
        return self._apply(arith.OrIOp, other)

    def __lshift__(self, other: int) -> _Word:
        return self._apply(arith.ShLIOp, other)

    def __rshift__(self, other: int) -> _Word:
        return self._apply(arith.ShRUIOp, other)

    def where(self, predicate: str, bound: int, other: _Word | int, against: _Word | None = None) -> _Word:
        """`other` where `against`, or this word, compares so with `bound`; else this word."""
        holds = self.p(CmpiOp, (against or self).value, self.p.number(bound, i32), predicate)
        return _Word(self.p, self.p(SelectOp, holds, self._operand(other), self.value))

    def as_float(self) -> SSAValue:
        """The f32 of these bits."""
        return self.p(arith.BitcastOp, self.value, f32)

    def _apply(self, op: Callable[[SSAValue, SSAValue], Operation], other: _Word | int) -> _Word:
        return _Word(self.p, self.p(op, self.value, self._operand(other)))

    def _operand(self, other: _Word | int) -> SSAValue:
        return other.value if isinstance(other, _Word) else self.p.number(_signed(other), i32)


def decoded(p: Points, code: SSAValue) -> SSAValue:
    """The number that a code stands for: an f32, or an i8 or ui8."""
    kind = code.type
    if isinstance(kind, ReducedPrecisionFloatType):
        return _float_of(p, _Word(p, p(ExtUIOp, code, i32)), kind)
    width = integer_width(kind)
    assert width is not None
    spare = p.number(8 - width, i8)
    high = p(arith.ShLIOp, code, spare)
    if not is_unsigned(kind):
        return p(arith.ShRSIOp, high, spare, i8)
    return p(arith.ShRUIOp, high, spare, unsigned(i8))


def encoded(p: Points, x: SSAValue, kind: Attribute) -> SSAValue:
    """The code of a number: an f32 for floats, and for integers an i8, of which the low bits count, or an f32."""
    if isinstance(kind, ReducedPrecisionFloatType):
        return p(TruncIOp, _code_of(p, x, kind).value, kind)
    if not is_integer(x):
        least, most = (p.number(limit, i32) for limit in (least_of(kind), most_of(kind)))
        whole = p(FPToSIOp, x, i32)
        x = p(TruncIOp, p(arith.MinSIOp, p(arith.MaxSIOp, whole, least), most), i8)
    width = integer_width(kind)
    assert width is not None
    return p(arith.AndIOp, x, p.number((1 << width) - 1, i8), kind)


def _float_of(p: Points, code: _Word, kind: ReducedPrecisionFloatType) -> SSAValue:
    """The exponent field moves to its place, and a multiplication corrects its bias, of subnormal numbers, too."""
    form = kind.SEMANTICS
    magnitude = (code & ((1 << form.sign_shift) - 1)) << (_MANTISSA - form.mantissa_bits)
    if form.exponent_bias != _BIAS:
        scale = p.number(2.0 ** (_BIAS - form.exponent_bias), f32)
        number = _Word(p, p(arith.BitcastOp, p(arith.MulfOp, magnitude.as_float(), scale), i32))
    else:
        number = magnitude
    if not form.has_zero:
        number = number.where("eq", 0, 1 << (_MANTISSA - 1), magnitude)  # half the least normal number
    if form.nonfinite is FloatNonfiniteBehavior.IEEE:
        number = number.where("sge", form.max_exponent << _MANTISSA, number | _INFINITY, magnitude)
    if form.has_sign:
        number = number | ((code & (1 << form.sign_shift)) << (31 - form.sign_shift))
    if form.nonfinite is FloatNonfiniteBehavior.NAN_ONLY:
        sign = 0 if form.nan_encoding is FloatNanEncoding.NEGATIVE_ZERO else form.has_sign << form.sign_shift
        number = number.where("eq", _code(kind, nan) | sign, _INFINITY | 1 << 22, code | sign)
    return number.as_float()


def _code_of(p: Points, x: SSAValue, kind: ReducedPrecisionFloatType) -> _Word:
    """Adding just less than half of what is cut off carries where it rounds up, into the exponent if need be.

    Numbers below the normal ones are rounded by adding a power of two whose last place is that of theirs.
    """
    form = kind.SEMANTICS
    bits = _Word(p, p(arith.BitcastOp, x, i32))
    magnitude = bits & 0x7FFFFFFF
    dropped = _MANTISSA - form.mantissa_bits
    # Without a mantissa it is the leading 1 that is odd.
    odd = (magnitude >> dropped) & 1 if form.mantissa_bits else 1
    rebiased = magnitude + ((1 << (dropped - 1)) - 1 - ((_BIAS - form.exponent_bias) << _MANTISSA))
    code = (rebiased + odd) >> dropped
    if form.has_zero:
        last_place = (_BIAS + 1 - form.exponent_bias - form.mantissa_bits + _MANTISSA) << _MANTISSA
        shifted = p(arith.AddfOp, magnitude.as_float(), _Word(p, p.number(last_place, i32)).as_float())
        below = _Word(p, p(arith.BitcastOp, shifted, i32)) - last_place
        code = code.where("slt", (_BIAS + 1 - form.exponent_bias) << _MANTISSA, below, magnitude)
    else:  # the least number is half the least normal f32
        code = code.where("slt", 3 << (_MANTISSA - 2), 0, magnitude)
    code = code.where("sgt", _greatest(kind), _code(kind, inf))
    has_nan = form.nonfinite is not FloatNonfiniteBehavior.FINITE_ONLY
    if has_nan:
        code = code.where("sgt", _INFINITY, _code(kind, nan), magnitude)
    if not form.has_sign:
        return code.where("slt", 1, _code(kind, nan), bits)
    signed = code | ((bits >> (31 - form.sign_shift)) & (1 << form.sign_shift))
    if not has_nan:
        return signed.where("sgt", _INFINITY, 0, magnitude)  # machines differ in the sign of a NaN that they make
    return signed.where("eq", 0, 0, code) if form.nan_encoding is FloatNanEncoding.NEGATIVE_ZERO else signed


def _code(kind: ReducedPrecisionFloatType, number: float) -> int:
    """The code of a number, or of what stands for it."""
    return int.from_bytes(kind.pack((number,)), "little")


def _greatest(kind: ReducedPrecisionFloatType) -> int:
    """The code of the greatest number; codes without a sign are in the order of their numbers."""
    return max(code for code in range(1 << kind.SEMANTICS.sign_shift) if isfinite(kind.decode_bits(code)))


def _signed(word: int) -> int:
    return word - (1 << 32) if word >= 1 << 31 else word
