"""tanh: in f32 a polynomial near 0 and 1 - 2 / (e^2|x| + 1) further out, in f64 a quotient for all.

A quotient of two rounded numbers is wrong by up to three roundings, a sum with one small term by little more than one.
That decides for the former in f32, where few coefficients do; the latter is shorter in f64.
"""

from __future__ import annotations

from mlc.polynomials.builder import F32, Number, fma, polynomial, where
from mlc.polynomials.exp import LOG2_E, constants_of, expm1_parts, round_to_power

_SPLIT = 0.625
_INNER = (
    -0.3333328068256378,
    0.13331441581249237,
    -0.05373971536755562,
    0.0206390880048275,
    -0.005704987328499556,
)
"""(tanh(x) - x) / x^3 in x^2 up to the split: minimax by Remez' algorithm, relative error of tanh 2^-27.8."""


def tanh(x: Number) -> Number:
    """Computed for |x|, limited where tanh is 1 to the last bit; then the sign of x."""
    if x.format == F32:
        return _tanh_f32(abs(x).at_most(10.0)).with_sign_of(x)
    return _tanh_f64(abs(x).at_most(20.0)).with_sign_of(x)


def _tanh_f32(x: Number) -> Number:
    """An error of n ln 2 hardly matters: where n is large, e^-2x is small. So ln 2 is one number here."""
    square = x * x
    inner = fma(square * x, polynomial(square, _INNER), x)
    n, s = round_to_power(x, 2 * LOG2_E)
    r = fma(n, -1 / LOG2_E, x + x)
    e = polynomial(r, (1.0, 1.0, *constants_of(x.format).expm1)) * s
    return where(x < _SPLIT, inner, 1.0 - 2.0 / (e + 1.0))


def _tanh_f64(x: Number) -> Number:
    """e / (e + 2) with e = e^2x - 1: no cancellation with e computed as expm1 does."""
    p, s = expm1_parts(x + x)
    e = fma(p, s, s - 1.0)
    return e / (e + 2.0)
