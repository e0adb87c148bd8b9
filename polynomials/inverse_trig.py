"""asin, acos and atan: odd polynomials near 0, to which identities lead from elsewhere.

The intervals are those of Cody & Waite, "Software Manual for the Elementary Functions" (1980). Where a result is the
difference of a multiple of pi and something smaller, the multiple has two parts, and the difference of the first part
and what is exact, or nearly, is taken first.
"""

from __future__ import annotations

from dataclasses import dataclass

from mlc.polynomials.builder import F32, FloatFormat, Mask, Number, fma, polynomial, where


@dataclass(frozen=True)
class _Constants:
    half_pi: tuple[float, float]
    """pi/2 in two parts, of which the first is the number nearest to it."""
    asin: tuple[float, ...]
    """(asin(x) - x) / x^3 in x^2, up to x = 1/2."""
    atan: tuple[float, ...]
    """(atan(x) - x) / x^3 in x^2, up to x = tan(pi/8)."""


# Minimax polynomials by Remez' algorithm for the relative errors of asin (f32: 2^-26.8, f64: 2^-55.0) and atan (f32:
# 2^-29.6, f64: 2^-58.5).
_F32 = _Constants(
    half_pi=(1.5707963705062866, -4.371139000186241e-08),
    asin=(
        0.16666731238365173,
        0.07495956867933273,
        0.04540149122476578,
        0.024475684389472008,
        0.04171573370695114,
    ),
    atan=(
        -0.33333319425582886,
        0.19998665153980255,
        -0.1424650400876999,
        0.10612529516220093,
        -0.06119890883564949,
    ),
)
_F64 = _Constants(
    half_pi=(1.5707963267948966, 6.123233995736766e-17),
    asin=(
        0.16666666666666174,
        0.07500000000203516,
        0.04464285691668442,
        0.030381956070748284,
        0.022371821886917925,
        0.017358850447461893,
        0.013892845824750406,
        0.01212358390811499,
        0.006709958762051704,
        0.019065277526646704,
        -0.01554432757426643,
        0.03147365465087535,
    ),
    atan=(
        -0.3333333333333327,
        0.199999999999692,
        -0.1428571428146212,
        0.1111111083689479,
        -0.09090899096454348,
        0.07692081418691313,
        -0.06663322126068305,
        0.05849342737284894,
        -0.050453617980690105,
        0.0382080192846413,
        -0.018054611557564056,
    ),
)
_TAN_8TH, _TAN_3_8THS = 0.41421356237309503, 2.414213562373095
"""The tangents of pi/8 and 3 pi/8."""


def _constants(format: FloatFormat) -> _Constants:
    return _F32 if format == F32 else _F64


def asin(x: Number) -> Number:
    """asin(|x|) up to 1/2, and pi/2 - 2 asin(s) beyond, with s = sqrt((1 - |x|) / 2); the sign of x."""
    high, low = _constants(x.format).half_pi
    is_large, s, rest = _asin_parts(x)
    twice = s + s
    outer = (high - twice) - fma(rest, 2.0, -low)
    return where(is_large, outer, s + rest).with_sign_of(x)


def acos(x: Number) -> Number:
    """pi/2 - asin(x) for |x| up to 1/2; 2 asin(s) beyond, or pi minus that for negative x."""
    high, low = _constants(x.format).half_pi
    is_large, s, rest = _asin_parts(x)
    inner = high - (s.with_sign_of(x) - (low - rest.with_sign_of(x)))
    twice = s + s
    of_negative = (2 * high - twice) - fma(rest, 2.0, -2 * low)
    outer = where(x < 0.0, of_negative, fma(rest, 2.0, twice))
    return where(is_large, outer, inner)


def _asin_parts(x: Number) -> tuple[Mask, Number, Number]:
    """Whether |x| > 1/2; s, which is |x| or sqrt((1 - |x|) / 2); and asin(s) - s. Beyond 1, s is NaN."""
    magnitude = abs(x)
    is_large = magnitude > 0.5
    square = where(is_large, fma(magnitude, -0.5, 0.5), magnitude * magnitude)
    s = where(is_large, square.sqrt(), magnitude)
    return is_large, s, s * square * polynomial(square, _constants(x.format).asin)


def atan(x: Number) -> Number:
    """atan(t) + base for |x|, with t = |x|, (|x| - 1) / (|x| + 1) or -1 / |x|, and base = 0, pi/4 or pi/2."""
    c = _constants(x.format)
    magnitude = abs(x)
    is_middle, is_large = magnitude > _TAN_8TH, magnitude > _TAN_3_8THS
    numerator = where(is_large, -1.0, where(is_middle, magnitude - 1.0, magnitude))
    denominator = where(is_large, magnitude, where(is_middle, magnitude + 1.0, 1.0))
    t = numerator / denominator
    base, low = (where(is_large, part, where(is_middle, part / 2, 0.0, like=x), like=x) for part in c.half_pi)
    square = t * t
    return (base + (fma(t * square, polynomial(square, c.atan), low) + t)).with_sign_of(x)
