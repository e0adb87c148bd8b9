"""log, log2, log10 and log1p: x = 2^n (1 + f) with 1 + f between sqrt(1/2) and sqrt(2), then a polynomial in f.

log(1 + f) is kept as f + y, where y is small: the sum of n ln 2, f and y is then right to the last bit or so. In f64, y
is computed as in Sun's fdlibm (e_log.c, 1993): with s = f / (2 + f), log(1 + f) = 2 atanh(s) is odd in s, so that few
coefficients do, which is worth the division. In f32 a polynomial in f itself is cheaper.
"""

from __future__ import annotations

import math as numbers
from math import inf, nan

from mlc.polynomials.builder import F32, Number, fma, polynomial, where
from mlc.polynomials.exp import LOG2_E, constants_of

# Minimax polynomials by Remez' algorithm for the relative error of log(1 + f).
_F32_COEFFICIENTS = (
    0.3333333134651184,
    -0.2500081956386566,
    0.20001226663589478,
    -0.16623358936362122,
    0.14201758801937103,
    -0.13160188496112823,
    0.1276157796382904,
    -0.07634489983320236,
)
"""(log(1 + f) - f + f^2 / 2) / f^3; error 2^-27.3."""
_F64_COEFFICIENTS = (
    0.6666666666666734,
    0.3999999999941468,
    0.28571428742387356,
    0.22222198573206375,
    0.1818356432518203,
    0.15314050572238014,
    0.14795949530848024,
)
"""(2 atanh(s) - 2 s) / s^3 in s^2; error 2^-59.5."""

_SQRT_HALF_BITS = {23: 0x3F3504F3, 52: 0x3FE6A09E667F3BCD}
"""sqrt(1/2) as an integer, by the length of the fraction."""

_LOG10_2 = {23: (0.301025390625, 4.605038981195214e-6), 52: (0.3010299955494702, 1.1451100898021838e-10)}
"""log10 2 in two parts, of which the first times an exponent is exact."""


def log(x: Number) -> Number:
    """log(x) = n ln 2 + f + y"""
    return _with_limits(x, _sum(*_parts(x)))


def log2(x: Number) -> Number:
    """log2(x) = n + (f + y) / ln 2, exact for powers of two."""
    n, f, y = _parts(x)
    return _with_limits(x, fma(f + y, LOG2_E, n))


def log10(x: Number) -> Number:
    """log10(x) = n log10(2) + (f + y) / ln 10"""
    n, f, y = _parts(x)
    high, low = _LOG10_2[x.format.fraction]
    return _with_limits(x, fma(n, high, fma(n, low, (f + y) * (1 / numbers.log(10)))))


def log1p(x: Number) -> Number:
    """log(u) for u = 1 + x rounded, corrected for the rounding: what it lost is added to f.

    The loss is found as in Knuth's TwoSum, and divided by the same power of two as u.
    """
    u = x + 1.0
    back = u - 1.0
    lost = (1.0 - (u - back)) + (x - back)
    n, exponent, f = _split(u)
    unscale = ((2 * x.format.bias + 1 - exponent) << x.format.fraction).as_float()  # 2^(1-n): 2^-n may be denormal
    f = fma(lost, unscale * 0.5, f)  # half of what was lost would be rounded if that is subnormal
    return _with_limits(u, _sum(n, f, _remainder(f))).with_sign_of(x)


def _sum(n: Number, f: Number, y: Number) -> Number:
    c = constants_of(n.format)
    return fma(n, c.ln2_high, f + fma(n, c.ln2_low, y))


def _parts(x: Number) -> tuple[Number, Number, Number]:
    """n, f and y with log(x) = n ln 2 + f + y, for positive, finite x."""
    n, f = scaled_parts(x)
    return n, f, _remainder(f)


def scaled_parts(x: Number) -> tuple[Number, Number]:
    """n and f with x = 2^n (1 + f), for positive, finite x."""
    scale = x.format.fraction + 1
    denormal = x < x.format.smallest_normal
    n, _, f = _split(where(denormal, x * 2.0**scale, x))
    return n - where(denormal, float(scale), 0.0, like=x), f


def _split(x: Number) -> tuple[Number, Number, Number]:
    """n, n + bias as an integer, and f, with x = 2^n (1 + f), for positive, finite x that is not denormal.

    Shifting the bits of x by the distance from sqrt(1/2) to 1 makes the exponent change where f shall wrap around.
    """
    format, sqrt_half = x.format, _SQRT_HALF_BITS[x.format.fraction]
    shifted = x.bits() + (format.one_bits - sqrt_half)
    exponent = shifted >> format.fraction
    f = ((shifted & ((1 << format.fraction) - 1)) + sqrt_half).as_float() - 1.0
    # An integer put in the low bits of 2^fraction is a float; AVX2 cannot convert 64-bit integers otherwise.
    unit = 2.0**format.fraction
    n = (exponent | (format.bias + format.fraction << format.fraction)).as_float() - (unit + format.bias)
    return n, exponent, f


def _remainder(f: Number) -> Number:
    """log(1 + f) - f"""
    if f.format == F32:
        square = f * f
        return fma(square, -0.5, square * f * polynomial(f, _F32_COEFFICIENTS))
    s = f / (f + 2.0)
    z = s * s
    half_square = f * f * 0.5
    return fma(s, fma(z, polynomial(z, _F64_COEFFICIENTS), half_square), -half_square)


def _with_limits(x: Number, result: Number) -> Number:
    """`result`, but infinity at infinity, minus infinity at 0, and NaN for negative numbers and NaN."""
    result = where(x.equals(inf), inf, result)
    return where(x > 0.0, result, where(x.equals(0.0), -inf, nan, like=x))
