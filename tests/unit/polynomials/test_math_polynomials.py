"""How near the polynomials of `expand-math` are to their functions, if nothing is rounded but the coefficients.

In decimal arithmetic of many digits: a coefficient with a wrong digit shows even where roundings of the format would
hide it. The numbers are measured; that rounding the coefficients of a minimax polynomial costs up to 1.2 bits in f32 is
why they are not those beside the coefficients. (In f64 it costs more, and that is still far from the last bit.)
"""

# The tables of coefficients are private to their modules.
# pyright: reportPrivateUsage=false

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal, localcontext
from math import cos, pi, sqrt

import pytest

from mlc.polynomials import erf, exp, log, powers_of_doubles, tanh, trig

D = Decimal
Function = Callable[[Decimal], Decimal]

POINTS = 200
"""Where errors are measured: dense at the ends of an interval, as the peaks of a minimax error are."""


def horner(coefficients: Sequence[float], x: Decimal) -> Decimal:
    total = D(0)
    for c in reversed(coefficients):
        total = total * x + D(c)
    return total


def series(x: Decimal, first: Decimal, ratio: Callable[[int], Decimal]) -> Decimal:
    """The sum of first * ratio(1) * ratio(2) * …, to the digits of the context."""
    total, term, n = D(0), first, 0
    while abs(term) > D(10) ** -60:
        total += term
        n += 1
        term *= ratio(n)
    return total


def sin_of(x: Decimal) -> Decimal:
    return series(x, x, lambda n: -x * x / (2 * n * (2 * n + 1)))


def cos_of(x: Decimal) -> Decimal:
    return series(x, D(1), lambda n: -x * x / (2 * n * (2 * n - 1)))


def erf_of(x: Decimal) -> Decimal:
    """2 / sqrt(pi) times the sum of (-1)^n x^(2n+1) / (n! (2n + 1))."""
    circle = D("3.14159265358979323846264338327950288419716939937510582097494459230781640628620899")
    whole = series(x, x, lambda n: -x * x * (2 * n - 1) / (n * (2 * n + 1)))
    return 2 * whole / circle.sqrt()


def tanh_of(x: Decimal) -> Decimal:
    power = (2 * x).exp()
    return (power - 1) / (power + 1)


def exp_case(c: exp.Constants) -> Function:
    return lambda r: horner(c.exp, r)


def exp2_case(c: exp.Constants) -> Function:
    return lambda r: horner(c.exp2, r)


def expm1_case(c: exp.Constants) -> Function:
    return lambda r: r + r * r * horner(c.expm1, r)


def atanh_of(s: Decimal) -> Decimal:
    return ((1 + s) / (1 - s)).ln() / 2


def atanh_in_power(s: Decimal) -> Decimal:
    return (3 * s + s**3 + s**5 * horner(powers_of_doubles._ATANH, s * s)) / 3


def log_f64(f: Decimal) -> Decimal:
    s = f / (2 + f)
    return 2 * s + s**3 * horner(log._F64_COEFFICIENTS, s * s)


def erf_inner(c: erf._ErfConstants) -> Function:
    return lambda x: x + x * horner(c.inner, x * x)


def erf_outer(c: erf._ErfConstants) -> Function:
    return lambda x: 1 - horner(c.outer, x - D(c.centre)) ** 2**c.squarings


def sin_case(c: trig._TrigConstants) -> Function:
    return lambda r: r + r**3 * horner(c.sin, r * r)


def cos_case(c: trig._TrigConstants) -> Function:
    return lambda r: 1 - r * r / 2 + r**4 * horner(c.cos, r * r)


LN2 = 0.6931471805599453
E32, E64, ERF32, ERF64 = exp._F32, exp._F64, erf._F32, erf._F64
T32, T64 = trig._F32, trig._F64
LOG_ENDS = (sqrt(0.5) - 1, sqrt(2) - 1)
ATANH_END = (sqrt(2) - 1) / (sqrt(2) + 1)
CASES: dict[str, tuple[Function, Function, tuple[float, float], float, bool]] = {
    "exp f32": (exp_case(E32), Decimal.exp, (-LN2, LN2), -25.47, True),
    "exp f64": (exp_case(E64), Decimal.exp, (-LN2, LN2), -55.75, True),
    "exp2 f32": (exp2_case(E32), lambda r: D(2) ** r, (-1, 1), -25.16, True),
    "exp2 f64": (exp2_case(E64), lambda r: D(2) ** r, (-1, 1), -55.20, True),
    "expm1 f32": (expm1_case(E32), lambda r: r.exp() - 1, (-LN2 / 2, LN2 / 2), -25.86, True),
    "expm1 f64": (expm1_case(E64), lambda r: r.exp() - 1, (-LN2 / 2, LN2 / 2), -54.95, True),
    "log f32": (
        lambda f: f - f * f / 2 + f**3 * horner(log._F32_COEFFICIENTS, f),
        lambda f: (1 + f).ln(),
        LOG_ENDS,
        -27.23,
        True,
    ),
    "log f64": (log_f64, lambda f: (1 + f).ln(), LOG_ENDS, -58.97, True),
    "log2 in powers of f64": (atanh_in_power, atanh_of, (0, ATANH_END), -65.59, True),
    "erf f32, inside": (erf_inner(ERF32), erf_of, (0, ERF32.split), -26.50, True),
    "erf f32, outside": (erf_outer(ERF32), erf_of, (ERF32.split, ERF32.saturation), -26.7, False),
    "erf f64, inside": (erf_inner(ERF64), erf_of, (0, ERF64.split), -54.60, True),
    "erf f64, outside": (erf_outer(ERF64), erf_of, (ERF64.split, ERF64.saturation), -54.91, False),
    "tanh f32": (
        lambda x: x + x**3 * horner(tanh._INNER, x * x),
        tanh_of,
        (0, tanh._SPLIT),
        -26.79,
        True,
    ),
    "sin f32": (sin_case(T32), sin_of, (0, pi / 4), -26.87, True),
    "sin f64": (sin_case(T64), sin_of, (0, pi / 4), -56.36, True),
    "cos f32": (cos_case(T32), cos_of, (0, pi / 4), -32.58, True),
    "cos f64": (cos_case(T64), cos_of, (0, pi / 4), -59.63, True),
}
"""The polynomial, the function, the interval, log2 of the largest error, and whether that is relative."""


@pytest.mark.parametrize("name", CASES)
def test_error_of_polynomial(name: str) -> None:
    found, exact, (low, high), expected, relative = CASES[name]
    with localcontext() as context:
        context.prec = 90
        worst = D(0)
        for i in range(POINTS):
            x = D((low + high) / 2 + (high - low) / 2 * cos((2 * i + 1) * pi / (2 * POINTS)))
            error = abs(found(x) - exact(x))
            worst = max(worst, error / abs(exact(x)) if relative else error)
        error = float(worst.ln() / D(2).ln())
    assert abs(error - expected) < 0.02, f"2^{error:.2f}, not 2^{expected}"
