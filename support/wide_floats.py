"""Numbers of the types f80 and f128, whose bits xDSL neither reads nor writes.

Both have a sign, 15 bits of exponent, and a significand: 64 bits with its leading one for f80 (x87's extended format),
112 bits without it for f128 (IEEE 754 binary128). Values are Python floats, which is how upstream reads decimals, too:
every value has bits, but bits of more precision have no value.
"""

import math

from xdsl.dialects.builtin import AnyFloat, Float80Type, Float128Type

WIDE_FLOATS = (Float80Type, Float128Type)
_BIAS = 16383
_SPECIAL = 0x7FFF
"""The exponent of infinities and NaN."""


def size_of(kind: AnyFloat) -> int:
    """The bytes of a number."""
    return kind.bitwidth // 8


def bits_of(value: float, kind: AnyFloat) -> int:
    """The bits of a value; all NaN are the same quiet one."""
    fraction_bits, leading = _layout(kind)
    sign = int(math.copysign(1.0, value) < 0)
    if math.isnan(value):
        exponent, significand = _SPECIAL, 3 << (fraction_bits - 1)
    elif math.isinf(value):
        exponent, significand = _SPECIAL, 1 << fraction_bits
    elif value == 0:
        exponent, significand = 0, 0
    else:
        mantissa, power = math.frexp(abs(value))
        exponent, significand = power - 1 + _BIAS, int(math.ldexp(mantissa, 53)) << (fraction_bits - 52)
    stored = significand if leading else significand & ((1 << fraction_bits) - 1)
    return ((sign << 15 | exponent) << (fraction_bits + leading)) | stored


def value_of(bits: int, kind: AnyFloat) -> float | None:
    """The value of bits; None if no Python float has it."""
    fraction_bits, leading = _layout(kind)
    stored = bits & ((1 << (fraction_bits + leading)) - 1)
    exponent = bits >> (fraction_bits + leading) & _SPECIAL
    negative = bits >> (fraction_bits + leading + 15)
    fraction = stored & ((1 << fraction_bits) - 1)
    significand = stored if leading else stored | (1 << fraction_bits if exponent else 0)
    if exponent == _SPECIAL:
        value = math.nan if fraction else math.inf
    elif significand == 0:
        value = 0.0
    else:
        power = max(exponent, 1) - _BIAS - fraction_bits
        zeros = (significand & -significand).bit_length() - 1
        significand, power = significand >> zeros, power + zeros
        if significand.bit_length() > 53 or not -1074 <= power <= 1024 - significand.bit_length():
            return None
        value = math.ldexp(significand, power)
    return -value if negative else value


def written(value: float, kind: AnyFloat) -> str:
    """A number as text that reads the same: six digits where they are enough, the bits in hexadecimal if not finite."""
    if math.isnan(value) or math.isinf(value):
        return f"0x{bits_of(value, kind):X}"
    short = f"{value:.6e}"
    return short if float(short) == value else f"{value:.16e}"


def _layout(kind: AnyFloat) -> tuple[int, int]:
    """The bits of the fraction, and whether the one before it is stored."""
    return (63, 1) if isinstance(kind, Float80Type) else (112, 0)
