"""sin, cos and tan: reduction by multiples of pi/2, then a polynomial for each on [-pi/4, pi/4]; one is taken."""

from __future__ import annotations

from dataclasses import dataclass

from mlc.polynomials.builder import F32, FloatFormat, Number, fma, polynomial, where
from mlc.polynomials.quarters import quarters, quarters_of_f32


@dataclass(frozen=True)
class _TrigConstants:
    sin: tuple[float, ...]
    """(sin(r) - r) / r^3 in r^2."""
    cos: tuple[float, ...]
    """(cos(r) - 1 + r^2 / 2) / r^4 in r^2."""


# Minimax polynomials by Remez' algorithm for the relative errors of sin (f32: 2^-28.0, f64: 2^-57.9) and cos (f32:
# 2^-33.0, f64: 2^-64.0).
_F32 = _TrigConstants(
    sin=(-0.16666655242443085, 0.00833216030150652, -0.0001951521699083969),
    cos=(0.04166664555668831, -0.0013887315290048718, 2.4433082217001356e-05),
)
_F64 = _TrigConstants(
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


def _constants(format: FloatFormat) -> _TrigConstants:
    return _F32 if format == F32 else _F64


def sin(x: Number) -> Number:
    """sin(|x|) with the sign of x multiplied in: |x| = n pi/2 + r; n mod 4 says which of ±sin(r), ±cos(r) it is."""
    (n, r), c = quarters(abs(x)), _constants(x.format)
    sign = (x.bits() ^ _sign_of_half_turn(n)) & x.format.sign_bit
    return _of_quarter(n, _sin(r, c), _cos(r, c), sign)


def cos(x: Number) -> Number:
    """cos(x) = sin(x + pi/2), one quarter further on."""
    (n, r), c = quarters(abs(x)), _constants(x.format)
    sign = _sign_of_half_turn(n + 1) & x.format.sign_bit
    return _of_quarter(n + 1, _sin(r, c), _cos(r, c), sign)


def tan(x: Number) -> Number:
    """sin(r) / cos(r) in even quarters, and -cos(r) / sin(r) in odd ones.

    Of an f32 it is computed in f64, because the rounding errors of r, sin(r), cos(r) and the quotient would add up.
    """
    if x.format == F32:
        return _tan_of_quarter(*quarters_of_f32(abs(x).to_f64()), _F32).to_f32().negated_with(x)
    return _tan_of_quarter(*quarters(abs(x)), _F64).negated_with(x)


def _tan_of_quarter(n: Number, r: Number, c: _TrigConstants) -> Number:
    is_even = (n & 1).is_zero()
    sin_r, cos_r = _sin(r, c), _cos(r, c)
    return where(is_even, sin_r, -cos_r) / where(is_even, cos_r, sin_r)


def _sin(r: Number, c: _TrigConstants) -> Number:
    square = r * r
    return fma(square * r, polynomial(square, c.sin), r)


def _cos(r: Number, c: _TrigConstants) -> Number:
    """1 - r^2/2 + r^4 p, where what 1 - r^2/2 loses is added to the rest (as fdlibm's k_cos.c does)."""
    square = r * r
    half = square * 0.5
    first = 1.0 - half
    return first + fma(square * square, polynomial(square, c.cos), (1.0 - first) - half)


def _sign_of_half_turn(n: Number) -> Number:
    """Bit 1 of n where the sign bit is."""
    return n << (n.format.fraction + n.format.exponent_bits - 1)


def _of_quarter(n: Number, sin_r: Number, cos_r: Number, sign: Number) -> Number:
    """sin(r) in even quarters and cos(r) in odd ones, with `sign` flipped in."""
    chosen = where((n & 1).is_zero(), sin_r, cos_r)
    return (chosen.bits() ^ sign).as_float()
