"""How many quarter turns an angle is: the first step of sin and cos.

An f64 is reduced as Cody & Waite do ("Software Manual for the Elementary Functions", 1980): n pi/2 is subtracted in
three parts, of which the first two times n are exact up to a limit. Beyond it large_angles.py reduces it.

An f32 of any size is reduced as Payne & Hanek do ("Radian Reduction for Trigonometric Functions", SIGNUM Newsletter,
1983), but in f64 instead of integers: x has 24 bits, so its products with pieces of 2/pi of up to 29 bits are exact,
and what is left of them after subtracting integers is, too. Only some 108 bits of 2/pi matter for one x: those before
give multiples of four quarters, those after are too small to count. Which 108 depends on the size of x; four choices
of them do for all x, as each is good for 2^26 times as much as the one before.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import pi

from mlc.polynomials.builder import F32, F64, Number, fma, where
from mlc.polynomials.large_angles import quarters_of_large_f64

_TWO_OVER_PI = 0xA2F9836E4E441529FC2757D1F534DDC0DB6295993C439041
"""The first 192 bits after the binary point."""
_LENGTH = 192


def _piece(skipped: int, bits: int) -> float:
    """`bits` bits of 2/pi after the first `skipped`, at their place."""
    taken = (_TWO_OVER_PI >> (_LENGTH - skipped - bits)) & ((1 << bits) - 1)
    return taken * 2.0 ** -(skipped + bits)


@dataclass(frozen=True)
class _Window:
    """The bits of 2/pi for x from `least` on: products of x and `first` stay below 2^52, to which they are rounded."""

    least: float
    first: float
    second: float
    rest: float


def _window(least: float, skipped: int) -> _Window:
    """Skipped are the bits whose products with x, a multiple of `least` / 2^23, are multiples of four quarters."""
    return _Window(least, _piece(skipped, 29), _piece(skipped + 29, 26), _piece(skipped + 55, 53))


_WINDOWS = [_window(0.0, 0), *(_window(2.0**exponent, exponent - 25) for exponent in (52, 78, 104))]

_HALF_PI = (1.5707963267341256, 6.077100506303966e-11, 2.0222662487959506e-21)
"""pi/2 in parts of 33, 33 and 53 bits."""
_F64_LIMIT = 1.6e6
"""The largest f64 that is reduced rightly with those: n has the 20 bits that a part of pi/2 leaves of a product."""


def quarters(x: Number) -> tuple[Number, Number]:
    """n, in the low bits of an integer of the size of x, and r, with x = n pi/2 + r modulo full turns, for x >= 0."""
    if x.format == F32:
        n, r = quarters_of_f32(x.to_f64())
        return n.to_i32(), r.to_f32()
    return _of_f64(x)


def quarters_of_f32(x: Number) -> tuple[Number, Number]:
    """For an f32 as an f64, n and r with 64 bits.

    The two exact pieces leave fractions of up to 27 and 53 bits behind the point, so that their sum is exact where the
    next integer cancels most of it. The third product is small, and its rounding error some 2^-57 of a quarter; no f32
    is nearer to a multiple of pi/2 than about 2^-30.
    """
    first, second, rest = _choose(x)
    whole = 2.0**52
    counts = [fma(x, first, whole), fma(x, second, whole)]
    fractions = [fma(x, part, -(count - whole)) for part, count in zip((first, second), counts, strict=True)]
    fraction = fractions[0] + fractions[1]
    last = fma(x, rest, fraction) + F64.shifter
    r = fma(x, rest, fraction - (last - F64.shifter))
    n = counts[0].bits() + counts[1].bits() + last.bits()
    return n, r * (pi / 2)


def _choose(x: Number) -> tuple[Number, Number, Number]:
    """The pieces of 2/pi in the window for x."""
    narrow, *wider = _WINDOWS
    pieces = [x.emitter.number(p, x) for p in (narrow.first, narrow.second, narrow.rest)]
    for window in wider:
        is_beyond = x >= window.least
        replacements = (window.first, window.second, window.rest)
        pieces = [where(is_beyond, new, old) for new, old in zip(replacements, pieces, strict=True)]
    return pieces[0], pieces[1], pieces[2]


def _of_f64(x: Number) -> tuple[Number, Number]:
    shifted = fma(x, 2 / pi, F64.shifter)
    n = shifted - F64.shifter
    first, second, third = _HALF_PI
    r = fma(n, -third, fma(n, -second, fma(n, -first, x)))
    of_large, r_of_large = quarters_of_large_f64(x)
    is_small = x <= _F64_LIMIT
    return where(is_small, shifted.bits(), of_large), where(is_small, r, r_of_large)
