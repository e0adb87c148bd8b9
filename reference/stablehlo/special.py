"""Special functions in double precision, of arrays of floats.

Digamma and zeta functions by their asymptotic series (Abramowitz and Stegun, 6.3 and 23.2), the inverse of the error
function by Newton's method on that function, Bessel functions by their power and asymptotic series (9.6 and 9.7).
"""

from __future__ import annotations

import math

import numpy as np

from mlc.reference.execution import Array

_erf = np.frompyfunc(math.erf, 1, 1)
_erfc = np.frompyfunc(math.erfc, 1, 1)


def _lgamma_of(x: float) -> float:
    if math.isinf(x):
        return math.inf
    if x <= 0 and x == math.floor(x):
        return math.inf
    return math.lgamma(x)


_lgamma = np.frompyfunc(_lgamma_of, 1, 1)
_BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510, 43867 / 798, -174611 / 330)
"""The Bernoulli numbers of even index, from 2 on."""


def erf(x: Array) -> Array:
    """The error function."""
    return np.asarray(_erf(x), np.float64)


def erfc(x: Array) -> Array:
    """1 less the error function, with all digits where that is near 1."""
    return np.asarray(_erfc(x), np.float64)


def lgamma(x: Array) -> Array:
    """The logarithm of the absolute value of the gamma function."""
    return np.asarray(_lgamma(x), np.float64)


def digamma(x: Array) -> Array:
    """The derivative of the logarithm of the gamma function; NaN at its poles, but for 0."""
    reflected = x <= 0.5
    at = np.where(reflected, 1 - x, x)
    total = np.zeros_like(at)
    for _ in range(12):
        small = at < 12
        total = np.where(small, total - 1 / at, total)
        at = np.where(small, at + 1, at)
    inverse = 1 / (at * at)
    series, term = np.zeros_like(at), inverse
    for k, b in enumerate(_BERNOULLI, 1):
        series, term = series + b / (2 * k) * term, term * inverse
    found = total + np.log(at) - 1 / (2 * at) - series
    found = np.where(np.isinf(at), np.inf, found)
    fraction = x - np.rint(x)
    poles = reflected & (fraction == 0)
    found = np.where(reflected, found - np.pi / np.tan(np.pi * np.where(poles, 0.5, fraction)), found)
    found = np.where(poles & (x != 0), np.nan, found)
    found = np.where(x == 0, -np.copysign(np.inf, x), found)
    return np.where(x == -np.inf, np.nan, found)


def erf_inv(x: Array) -> Array:
    """The number whose error function is `x`: a start in closed form (Winitzki, 2008), then Halley's steps."""
    size = np.abs(x)
    inside = np.where(size < 1, size, 0.0)
    log = np.log1p(-inside * inside)
    a = 0.147
    middle = 2 / (np.pi * a) + log / 2
    found = np.sqrt(np.sqrt(middle * middle - log / a) - middle)
    for _ in range(4):
        # Near 1, what is left of it says more than the function itself.
        error = np.where(inside > 0.5, (1 - inside) - erfc(found), erf(found) - inside)
        slope = 2 / np.sqrt(np.pi) * np.exp(-found * found)
        step = error / slope
        found = found - step / (1 + found * step)
    found = np.where(inside < 1e-8, inside * np.sqrt(np.pi) / 2, found)
    found = np.where(size == 1, np.inf, np.where(size > 1, np.nan, found))
    return np.where(x != x, np.nan, np.copysign(found, x))


def bessel_i1e(x: Array) -> Array:
    """The modified Bessel function of order 1, times `e^-|x|`."""
    size = np.abs(x)
    small = np.where(size <= 30, size, 0.0)
    half = small / 2
    term, total = half, half
    for k in range(1, 90):
        term = term * half * half / (k * (k + 1))
        total = total + term
    near = total * np.exp(-small)
    large = np.where(size > 30, size, 31.0)
    series, term = np.ones_like(large), np.ones_like(large)
    for k in range(1, 18):
        term = -term * (4 - (2 * k - 1) ** 2) / (k * 8 * large)
        series = series + term
    far = series / np.sqrt(2 * np.pi * large)
    found = np.where(size <= 30, near, np.where(np.isinf(size), 0.0, far))
    return np.where(x != x, x, np.copysign(found, x))


def zeta(x: Array, q: Array) -> Array:
    """Hurwitz's zeta function, by the formula of Euler and Maclaurin."""
    x, q = np.broadcast_arrays(x, q)
    total = np.zeros_like(x)
    steps = 12
    for k in range(steps):
        total = total + (q + k) ** -x
    at = q + steps
    total = total + at ** (1 - x) / (x - 1) + 0.5 * at**-x
    factor, power = x, at ** (-x - 1)
    factorial = 2.0
    for k, b in enumerate(_BERNOULLI, 1):
        total = total + b / factorial * factor * power
        factor = factor * (x + 2 * k - 1) * (x + 2 * k)
        power = power / (at * at)
        factorial = factorial * (2 * k + 1) * (2 * k + 2)
    found = np.where(x == 1, np.inf, np.where(x < 1, np.nan, total))
    whole = q == np.floor(q)
    found = np.where((q <= 0) & whole & (x > 1), np.where(x % 2 == 0, np.inf, np.nan), found)
    found = np.where((q <= 0) & ~whole & (x != np.floor(x)), np.nan, found)
    return np.where((x != x) | (q != q), np.nan, found)


def polygamma(n: Array, x: Array) -> Array:
    """The derivative of order `n` of the digamma function."""
    n, x = np.broadcast_arrays(n, x)
    sign = np.where(n % 2 == 0, -1.0, 1.0)
    found = np.where(n == 0, digamma(x), sign * np.exp(lgamma(n + 1)) * zeta(n + 1, x))
    return np.where((n < 0) | (n != np.floor(n)), np.nan, found)
