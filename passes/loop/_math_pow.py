"""powf, ipowi and rsqrt.

|x|^y = exp(y log|x|). An f32 is computed in f64, whose 29 more bits take up the error of log(x) times y: the result is
rounded correctly but in rare cases. An f64 is computed in f64 alone, so that the error of log(x) is multiplied by y:
at most 4 + 2 |y log x| units in the last place, some 1500 at the ends of the range of floats.
"""

from __future__ import annotations

from math import inf, nan

from mlc.passes.loop._math_builder import F32, Number, where
from mlc.passes.loop._math_exp import exp
from mlc.passes.loop._math_log import log

_HUGE = 2.0**200
"""An exponent as good as infinity, but times log(1) it is 0: 1 to the power of infinity is 1 in C."""


def powf(x: Number, y: Number) -> Number:
    """x^y with the special cases of C's `pow` (ISO C, annex F.10.4.4)."""
    magnitude, exponent = abs(x), y
    if x.format == F32:
        magnitude, exponent = magnitude.to_f64(), exponent.to_f64()
    power = exp(exponent.at_most(_HUGE).at_least(-_HUGE) * log(magnitude))
    if x.format == F32:
        power = power.to_f32()
    return _without_special_exponents(x, y, _with_sign(x, y, power))


def _with_sign(x: Number, y: Number, power: Number) -> Number:
    """Negative for a negative x and an odd y; NaN for a negative, finite x and a y that is no integer."""
    half = y * 0.5
    of_integer = where(half.floor().equals(half), power, power.with_sign_of(x))
    of_fraction = where(x < 0.0, where(x.equals(-inf), power, nan), power)
    return where(y.floor().equals(y), of_integer, of_fraction)


def _without_special_exponents(x: Number, y: Number, power: Number) -> Number:
    """1 to any power and anything to the power of 0 is 1, NaN included."""
    return where(x.equals(1.0), 1.0, where(y.equals(0.0), 1.0, power))


def ipowi(x: Number, y: Number) -> Number:
    """The product of those of x, x^2, x^4, … whose bit is set in y; for a negative y 0, unless x is 1 or -1."""
    is_even = (y & 1).is_zero()
    power, square = where(is_even, 1, x), x
    for bit in range(1, x.format.fraction + x.format.exponent_bits):
        square = square * square
        power = where((y & (1 << bit)).is_zero(), power, power * square)
    of_units = where(x.equals(-1), where(is_even, 1, -1, like=x), 0)
    return where(y < 0, where(x.equals(1), 1, of_units), power)


def rsqrt(x: Number) -> Number:
    """1 / sqrt(x), each rounded correctly."""
    return 1.0 / x.sqrt()
