"""x^y of f64 as 2^(y log2 x), with some 66 bits of log2 x: less would not do, as its error is multiplied by y.

The steps are those of Sun's fdlibm (e_pow.c, 1993), without its tables and branches. A number of more than 53 bits is
a sum `high + low`, where `high` has 26 bits: products of two of those are exact, whether or not the machine has a fused
multiply-add. What is left is rounded once or twice, at 2^-26 of the size.
"""

from __future__ import annotations

from mlc.polynomials.builder import F64, Number, fma, polynomial
from mlc.polynomials.exp import constants_of, round_to_power
from mlc.polynomials.log import scaled_parts

_ATANH = (
    0.6000000000000326,
    0.42857142855199,
    0.3333333377200389,
    0.27272677175898064,
    0.23080109520772293,
    0.19885799286483904,
    0.1978951594932659,
)
"""(3 atanh(s) / s - 3 - s^2) / s^4 in s^2, for 1 + f from sqrt(1/2) to sqrt(2) and s = f / (2 + f): minimax by Remez'
algorithm, error of the whole 2^-65.6."""

_LOG2_FACTOR_PARTS = (0.9617966860532761, 7.872699542894897e-09)
"""2 / (3 ln 2) in two parts."""
_LN2_PARTS = (0.6931471675634384, 1.2996506893889889e-08)
"""ln 2 in two parts."""
_ENDLESS = 2.0**66
"""An exponent as good as infinity: that power of the neighbours of 1 is infinite or 0, and 1 to it is 1."""


def power_of_double(x: Number, y: Number) -> Number:
    """x^y for positive, finite x, with an error below one unit in the last place. NaN where y is NaN."""
    y = y.at_most(_ENDLESS).at_least(-_ENDLESS)
    high, low = _log2(x)
    y_high = y.high_half()
    return _exp2(y_high * high, fma(y, low, (y - y_high) * high))


def _log2(x: Number) -> tuple[Number, Number]:
    """log2(x) = n + 2 / (3 ln 2) s (3 + s^2 + s^4 p(s^2)), of whose polynomial the first two terms are exact."""
    n, f = scaled_parts(x)
    divisor = f + 2.0
    inverse = 1.0 / divisor
    s = f * inverse
    s_high, divisor_high = s.high_half(), divisor.high_half()
    s_low = ((f - s_high * divisor_high) - s_high * (f - (divisor_high - 2.0))) * inverse
    square, square_high = s * s, s_high * s_high
    rest = fma(square * square, polynomial(square, _ATANH), s_low * (s_high + s))
    sum_high = (square_high + 3.0 + rest).high_half()
    sum_low = rest - ((sum_high - 3.0) - square_high)
    product_high, product_low = _normalized(s_high * sum_high, fma(s_low, sum_high, sum_low * s))
    factor_high, factor_low = _LOG2_FACTOR_PARTS
    exact = product_high * factor_high
    low = fma(product_high + product_low, factor_low, product_low * factor_high)
    total = (exact + low + n).high_half()
    return total, low - ((total - n) - exact)


def _exp2(high: Number, low: Number) -> Number:
    """2^(high + low). The last product rounds, once, if the result is denormal."""
    limit = F64.bias + 80.0
    high, low = high.at_most(limit).at_least(-limit), low.at_most(1.0).at_least(-1.0)
    n = (high + low + F64.shifter) - F64.shifter
    r_high, r_low = _normalized(high - n, low)
    ln2_high, ln2_low = _LN2_PARTS
    exact = r_high * ln2_high
    rest = fma(r_high, ln2_low, r_low * (ln2_high + ln2_low))
    t = exact + rest
    t_low = rest - (t - exact)
    above = fma(t * t, polynomial(t, constants_of(F64).expm1), fma(t, t_low, t_low))
    whole = t + 1.0
    power = whole + (above + (t - (whole - 1.0)))
    if power.can_be_scaled:
        return power.scaled(n)
    half, scale = round_to_power(n, 0.5)
    return power * scale * round_to_power(n - half, 1.0)[1]


def _normalized(large: Number, small: Number) -> tuple[Number, Number]:
    """The same sum with 26 bits in front."""
    high = (large + small).high_half()
    return high, small - (high - large)
