"""Conversions of f16 and bf16 in integer arithmetic, for machines that have no instruction: LLVM would call a library.

All are exact, or rounded once to the nearest, ties to even; infinities stay, and NaN stays NaN.
"""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.dialects.builtin import bf16, f16, i16, i32

from mlc.dialects.arith import ExtUIOp, TruncIOp
from mlc.polynomials.builder import Number, where

_INFINITY = 0x7F800000
"""The bits of f32, as are those below."""
_QUIET = 1 << 22
"""Set in a NaN that is not a signal."""


def f16_to_f32(x: Number) -> Number:
    """The exponent field moves to its place, and a multiplication corrects its bias, of subnormal numbers, too."""
    half = x.cast(arith.BitcastOp, i16).cast(ExtUIOp, i32)
    magnitude = (half & 0x7FFF) << 13
    scaled = (magnitude.as_float() * 2.0**112).bits()
    finite = where(magnitude >= 0x7C00 << 13, scaled | _INFINITY, scaled)
    return (finite | ((half & 0x8000) << 16)).as_float()


def f32_to_f16(x: Number) -> Number:
    """Adding just less than half of what is cut off carries where it rounds up, into the exponent if need be.

    Numbers below the normal ones are rounded by adding 0.5, whose last place is that of subnormal numbers.
    """
    bits = x.bits()
    magnitude = bits & 0x7FFFFFFF
    rebiased = magnitude + (0xFFF - (112 << 23))
    normal = (rebiased + ((magnitude >> 13) & 1)) >> 13
    subnormal = (magnitude.as_float() + 0.5).bits() - 0x3F000000
    finite = where(magnitude < 113 << 23, subnormal, normal)
    large = where(magnitude > _INFINITY, 0x7E00, 0x7C00, like=magnitude)
    result = where(magnitude >= 143 << 23, large, finite)
    return (result | ((bits >> 16) & 0x8000)).cast(TruncIOp, i16).cast(arith.BitcastOp, f16)


def bf16_to_f32(x: Number) -> Number:
    """A bf16 is the upper half of an f32.

    LLVM would do the same, but it also draws what only changes signs or compares before the conversion, where it
    computes with bf16 by way of f32, and calls a library for the way back.
    """
    return (x.cast(arith.BitcastOp, i16).cast(ExtUIOp, i32) << 16).as_float()


def f32_to_bf16(x: Number) -> Number:
    """The upper half of the bits, after just less than half of the lower one, and its last bit, were added."""
    bits = x.bits()
    nearest = bits + (((bits >> 16) & 1) + 0x7FFF)
    return (where(x.equals(x), nearest, bits | _QUIET) >> 16).cast(TruncIOp, i16).cast(arith.BitcastOp, bf16)


def exact_f32_to_bf16(x: Number) -> Number:
    """The upper half of the bits of NaN or of a number whose lower half is 0."""
    return (x.bits() >> 16).cast(TruncIOp, i16).cast(arith.BitcastOp, bf16)
