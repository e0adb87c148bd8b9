"""Angles of f64 beyond those of which `quarters` subtracts multiples of pi/2.

They are reduced as Payne & Hanek do ("Radian Reduction for Trigonometric Functions", SIGNUM Newsletter, 1983): only
those bits of 1 / (2 pi) count whose products with x are neither whole turns nor too small. Which ones depends on the
size of x: there are 21 windows of 250 bits, as five pieces of 50 that are chosen bit by bit of the window's number, so
that no branches and no loads from tables are needed.

All numbers are f64. Halves of pieces, of 25 bits, times halves of x, of 26 and 27, are exact, and so is what is left of
such a product after subtracting an integer. No f64 is nearer to a multiple of pi/2 than about 2^-61, so that the sum of
what is left has to be right to the bit 2^-117 of a turn.
"""

from __future__ import annotations

from itertools import pairwise
from math import pi

from mlc.polynomials.builder import Number, fma, where

_BITS = 50
"""The bits of a piece, and log2 of how far a window reaches."""
_LEAST = 20
"""log2 of where the first window starts."""
_LEVELS = (16, 8, 4, 2, 1)
_LAST_WINDOW = (1023 - _LEAST) // _BITS
_CHOSEN = 5
"""How many pieces a window has."""


def _inverse_of_turn(bits: int) -> int:
    """2^bits / (2 pi), by Machin's formula: pi = 16 atan(1/5) - 4 atan(1/239)."""
    one = 1 << (bits + 32)

    def atan_of_inverse(n: int) -> int:
        total, power, k = 0, one // n, 1
        while power:
            total += power // k if k % 4 == 1 else -(power // k)
            power, k = power // (n * n), k + 2
        return total

    return (one << bits) // (2 * (16 * atan_of_inverse(5) - 4 * atan_of_inverse(239)))


def _pieces() -> list[float]:
    """The digits of 1 / (2 pi) to the base 2^50, from -1/2 to 1/2.

    The first bit is the one whose product with the last bit of the smallest x is half a turn.
    """
    count = _LAST_WINDOW + _CHOSEN
    rest = _inverse_of_turn(_BITS * count + _LEAST - 52)
    digits: list[float] = []
    for _ in range(count):
        digit = (rest + (1 << _BITS - 1)) % (1 << _BITS) - (1 << _BITS - 1)
        rest = (rest - digit) >> _BITS
        digits.append(digit * 2.0**-_BITS)
    return digits[::-1]


def quarters_of_large_f64(x: Number) -> tuple[Number, Number]:
    """n, in the low bits of an integer, and r with x = n pi/2 + r modulo full turns, for x >= 2^20; NaN of infinity."""
    x, pieces = _window(x)
    x_high = x.high_half()
    x_low = x - x_high
    halves: list[Number] = []
    for i, piece in enumerate(pieces):
        shifter = 1.5 * 2.0 ** (52 - _BITS // 2)
        first = (piece + shifter) - shifter
        halves += [first * 2.0 ** -(_BITS * i), (piece - first) * 2.0 ** -(_BITS * i)]
    # Each line is 2^25 times as small as the one before. Of the first three, whole turns are subtracted.
    lines = [(x_low * low, x_high * high) for low, high in pairwise(halves)]
    fractions = [[product - product.rounded() for product in line] for line in lines[:3]]
    first, second, third, *rest = (low + high for low, high in [*fractions, *lines[3:]])
    return _quarters_of_sum(first + second, third, *rest)


def _window(x: Number) -> tuple[Number, list[Number]]:
    """x times a power of two, from 2^52 to 2^102, and the pieces whose products with it make fractions of turns."""
    pieces: list[Number | float] = [*_pieces()]
    for level in _LEVELS:
        is_beyond = x >= 2.0 ** (_LEAST + _BITS * level)
        x = where(is_beyond, x * 2.0 ** -(_BITS * level), x)
        kept = len(pieces) if level == _LEVELS[0] else level * 2 - 1 + _CHOSEN
        pieces = [
            where(is_beyond, pieces[i + level], piece, like=x) if i + level < kept else piece
            for i, piece in enumerate(pieces[: level - 1 + _CHOSEN])
        ]
    return x * 2.0 ** (52 - _LEAST), [x.emitter.number(piece, x) for piece in pieces]


def _quarters_of_sum(first: Number, second: Number, third: Number, *rest: Number) -> tuple[Number, Number]:
    """n and r of the sum of some fractions of a turn, ever smaller ones.

    What sums lose is kept; where they cancel, that has few bits, so that adding it up loses nothing that counts.
    """
    n0, total = _without_quarters(first)
    total, lost = _two_sum(total, second)
    n1, total = _without_quarters(total)
    total, also_lost = _two_sum(total, third)
    n2, total = _without_quarters(total)
    total, small = _two_sum(total, lost + also_lost)
    for number in rest[:2]:
        total, lost = _two_sum(total, number)
        small = small + lost
    for number in rest[2:]:
        small = small + number
    turns = total + small
    return n0 + n1 + n2, fma(turns, 2 * pi, (small - (turns - total)) * (2 * pi))


def _without_quarters(x: Number) -> tuple[Number, Number]:
    """How many quarter turns are in x, in the low bits, and what is left."""
    shifter = 1.5 * 2.0**50
    shifted = x + shifter
    return shifted.bits(), x - (shifted - shifter)


def _two_sum(a: Number, b: Number) -> tuple[Number, Number]:
    """a + b rounded, and what it lost (Knuth)."""
    total = a + b
    of_b = total - a
    return total, (a - (total - of_b)) + (b - of_b)
