"""powf, ipowi and rsqrt.

|x|^y = exp(y log|x|). An f32 is computed in f64, whose 29 more bits take up the error of log(x) times y: the result is
rounded correctly but in rare cases. For an f64, log(x) is computed with more bits (powers_of_doubles.py).
"""

from __future__ import annotations

from math import inf, nan

from mlc.polynomials.builder import F32, Number, fma, where
from mlc.polynomials.exp import exp
from mlc.polynomials.log import log
from mlc.polynomials.powers_of_doubles import power_of_double

_HUGE = 2.0**200
"""An exponent as good as infinity, but times log(1) it is 0: 1 to the power of infinity is 1 in C."""


def powf(x: Number, y: Number) -> Number:
    """x^y with the special cases of C's `pow` (ISO C, annex F.10.4.4)."""
    if x.format == F32:
        exponent = y.to_f64().at_most(_HUGE).at_least(-_HUGE)
        power = exp(exponent * log(abs(x).to_f64())).to_f32()
    else:
        power = _with_ends(abs(x), y)
    return _without_special_exponents(x, y, _with_sign(x, y, power))


def _with_ends(x: Number, y: Number) -> Number:
    """The power of an f64 that is not negative, those of 0, infinity and NaN included."""
    power = fma(x, 0.0, power_of_double(x, y))  # NaN where x is not finite
    inverse = (x.bits() ^ x.format.infinity_bits).as_float()
    ends = where(y > 0.0, x, where(y < 0.0, inverse, nan))
    return where((x * 0.5).equals(x), ends, power)


def _with_sign(x: Number, y: Number, power: Number) -> Number:
    """Negative for a negative x and an odd y; NaN for a negative, finite x and a y that is not an integer."""
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
