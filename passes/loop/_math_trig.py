"""sin and cos: reduction by multiples of pi/2, then a polynomial for each on [-pi/4, pi/4], of which one is taken.

The reduction subtracts n pi/2 in three parts (Cody & Waite, "Software Manual for the Elementary Functions", 1980), of
which the first two times n are exact up to a limit; an f32 is reduced in f64. Beyond the limit, where neighbouring
floats are far apart on the circle, the result is NaN.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import nan

from mlc.passes.loop._math_builder import F32, F64, Format, Number, fma, polynomial, where


@dataclass(frozen=True)
class _Constants:
    half_pi: tuple[float, float, float]
    """pi/2 in three parts, of which products of the first two with n are exact."""
    limit: float
    """The largest argument that is reduced rightly."""
    sin: tuple[float, ...]
    """(sin(r) - r) / r^3 in r^2."""
    cos: tuple[float, ...]
    """(cos(r) - 1 + r^2 / 2) / r^4 in r^2."""


# Minimax polynomials by Remez' algorithm for the relative errors of sin (f32: 2^-28.0, f64: 2^-57.9) and cos (f32:
# 2^-33.0, f64: 2^-64.0). The parts of pi/2 have 27 + 27 + 53 bits for f32, which has fewer arguments near multiples of
# pi/2 than f64 with its 33 + 33 + 53; n may have what a part leaves of the 53 bits of a product.
_F32 = _Constants(
    half_pi=(1.570796325802803, 9.920935739593517e-10, 5.721188726109832e-18),
    limit=1e8,
    sin=(-0.16666655242443085, 0.00833216030150652, -0.0001951521699083969),
    cos=(0.04166664555668831, -0.0013887315290048718, 2.4433082217001356e-05),
)
_F64 = _Constants(
    half_pi=(1.5707963267341256, 6.077100506303966e-11, 2.0222662487959506e-21),
    limit=1.6e6,
    sin=(
        -0.1666666666666663,
        0.008333333333322108,
        -0.00019841269829580166,
        2.7557313618017255e-06,
        -2.5050747218175192e-08,
        1.5896197633900308e-10,
    ),
    cos=(
        0.041666666666666595,
        -0.001388888888887304,
        2.4801587288841394e-05,
        -2.755731417623813e-07,
        2.0875700415839374e-09,
        -1.1358513939144935e-11,
    ),
)


def _constants(format: Format) -> _Constants:
    return _F32 if format == F32 else _F64


def sin(x: Number) -> Number:
    """sin(|x|) with the sign of x multiplied in: |x| = n pi/2 + r; n mod 4 says which of ±sin(r), ±cos(r) it is."""
    n, r = _reduce(abs(x))
    sign = (x.bits() ^ _sign_of_half_turn(n)) & x.format.sign_bit
    return _of_quarter(x, n, _sin(r), _cos(r), sign)


def cos(x: Number) -> Number:
    """cos(x) = sin(x + pi/2), one quarter further on."""
    n, r = _reduce(abs(x))
    sign = _sign_of_half_turn(n + 1) & x.format.sign_bit
    return _of_quarter(x, n + 1, _sin(r), _cos(r), sign)


def _reduce(x: Number) -> tuple[Number, Number]:
    """n, in the low bits of an integer of the size of x, and r, for x >= 0."""
    c = _constants(x.format)
    wide = x.to_f64() if x.format == F32 else x
    shifted = fma(wide, 0.6366197723675814, F64.shifter)
    n = shifted - F64.shifter
    first, second, third = c.half_pi
    r = fma(n, -third, fma(n, -second, fma(n, -first, wide)))
    bits = shifted.bits()
    return (bits.to_i32(), r.to_f32()) if x.format == F32 else (bits, r)


def _sin(r: Number) -> Number:
    square = r * r
    return fma(square * r, polynomial(square, _constants(r.format).sin), r)


def _cos(r: Number) -> Number:
    """1 - r^2/2 + r^4 p, where what 1 - r^2/2 loses is added to the rest (as fdlibm's k_cos.c does)."""
    square = r * r
    half = square * 0.5
    first = 1.0 - half
    return first + fma(square * square, polynomial(square, _constants(r.format).cos), (1.0 - first) - half)


def _sign_of_half_turn(n: Number) -> Number:
    """Bit 1 of n where the sign bit is."""
    return n << (n.format.fraction + n.format.exponent_bits - 1)


def _of_quarter(x: Number, n: Number, sin_r: Number, cos_r: Number, sign: Number) -> Number:
    """sin(r) in even quarters and cos(r) in odd ones, with `sign` flipped in; NaN beyond the limit."""
    chosen = where((n & 1).is_zero(), sin_r, cos_r)
    signed = (chosen.bits() ^ sign).as_float()
    return where(abs(x) <= _constants(x.format).limit, signed, nan)
