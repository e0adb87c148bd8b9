"""sinh and cosh by expm1 and exp, and asinh, acosh and atanh by log1p, in forms that neither cancel nor overflow.

The forms of the inverses are those of Sun's fdlibm (s_asinh.c and its like, 1993): the ones for small arguments do for
all but huge ones.
"""

from __future__ import annotations

from math import log, nan

from mlc.polynomials.builder import F32, Number, fma, polynomial, where
from mlc.polynomials.exp import constants_of, expm1_parts
from mlc.polynomials.log import log1p

_SINH_F32 = (0.1666666716337204, 0.008333306759595871, 0.00019843873451463878, 2.7760586363001494e-06)
"""(sinh(x) - x) / x^3 in x^2 up to x = 1: minimax by Remez' algorithm, relative error of sinh 2^-31.2."""


def sinh(x: Number) -> Number:
    """m + m / (2 m + 1) with m = (e^|x| - 1) / 2, of which the halves are computed, as they are always finite.

    In f32, a polynomial up to 1: there the rounding errors of that would add up to a bit more than two units. In f64, x
    where it is so small that m, a half of it, may be subnormal and rounded.
    """
    p, s = _quarter_of_exp(x)
    half = fma(p, s, s - 0.25)
    quotient = half / fma(half, 4.0, 1.0)
    result = ((half + half) + (quotient + quotient)).with_sign_of(x)
    if x.format != F32:
        return where(abs(x) < x.format.least_curved, x, result)
    square = x * x
    return where(abs(x) < 1.0, fma(square * x, polynomial(square, _SINH_F32), x), result)


def cosh(x: Number) -> Number:
    """2 q + 1 / (8 q) with q = e^|x| / 4."""
    p, s = _quarter_of_exp(x)
    quarter = fma(p, s, s)
    return fma(quarter, 2.0, 0.125 / quarter)


def _quarter_of_exp(x: Number) -> tuple[Number, Number]:
    """e^r - 1 and 2^(n - 2), where |x| = n ln 2 + r; limited where 2^(n - 2) is finite, but the result is not."""
    return expm1_parts(abs(x).at_most(constants_of(x.format).overflow + 0.5), exponent=-2)


def asinh(x: Number) -> Number:
    """log1p(a + a^2 / (1 + sqrt(a^2 + 1))) with a = |x|; log(a) + ln 2 where a^2 + 1 is a^2."""
    magnitude = abs(x)
    square = magnitude * magnitude
    argument = magnitude + square / ((square + 1.0).sqrt() + 1.0)
    return _log1p_or_log_of_twice(magnitude, argument).with_sign_of(x)


def acosh(x: Number) -> Number:
    """log1p(t + sqrt(2 t + t^2)) with t = x - 1; log(x) + ln 2 where x^2 - 1 is x^2."""
    t = where(x < 1.0, nan, x - 1.0)
    return _log1p_or_log_of_twice(x, t + fma(t, t, t + t).sqrt())


def _log1p_or_log_of_twice(x: Number, argument: Number) -> Number:
    is_huge = x > 2.0 ** (x.format.fraction + 4)
    log_of_one_more = log1p(where(is_huge, x, argument))
    return log_of_one_more + where(is_huge, log(2), 0.0, like=x)


def atanh(x: Number) -> Number:
    """log1p(2 a / (1 - a)) / 2 with a = |x|; up to 1/2 as log1p(2 a + 2 a^2 / (1 - a)) / 2."""
    magnitude = abs(x)
    is_small = magnitude < 0.5
    twice = magnitude + magnitude
    quotient = where(is_small, twice * magnitude, twice) / (1.0 - magnitude)
    return (log1p(quotient + where(is_small, twice, 0.0)) * 0.5).with_sign_of(x)
