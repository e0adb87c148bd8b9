"""erf: a polynomial near 0; further out 1 - p(|x|)^k, where the k-th root of 1 - erf bends little.

The form with a power is that of Abramowitz & Stegun 7.1.28, due to Hastings (1955), without its reciprocal; the
polynomials here are centred in their interval, where fewer coefficients do and rounding errors stay small. Neither exp
nor a division is needed.
"""

from __future__ import annotations

from dataclasses import dataclass

from mlc.polynomials.builder import F32, Number, fma, polynomial, where


@dataclass(frozen=True)
class _ErfConstants:
    split: float
    """Where the inner polynomial ends."""
    saturation: float
    """Beyond it, erf is 1."""
    centre: float
    """The middle between the two."""
    squarings: int
    """log2 of the power k; a larger one makes the root smoother, and its rounding errors count k times."""
    inner: tuple[float, ...]
    """erf(x) / x - 1 in x^2."""
    outer: tuple[float, ...]
    """(1 - erf(x))^(1/k) in x - centre."""


# Minimax polynomials by Remez' algorithm, for the relative error of erf in the inner interval and the absolute one in
# the outer: f32 2^-27.3 and 2^-26.7, f64 2^-59.9 and 2^-56.9.
_F32 = _ErfConstants(
    split=1.125,
    saturation=4.0,
    centre=2.5625,
    squarings=2,
    inner=(
        0.12837916612625122,
        -0.37612590193748474,
        0.11283177137374878,
        -0.02683710679411888,
        0.005157502368092537,
        -0.000774854386691004,
        7.021928468020633e-05,
    ),
    outer=(
        0.13051645457744598,
        -0.1785074770450592,
        0.09117916971445084,
        -0.013834954239428043,
        -0.005641401745378971,
        0.0027607933152467012,
        1.4473066585196648e-05,
        -0.00017949784523807466,
    ),
)
_F64 = _ErfConstants(
    split=1.25,
    saturation=6.0,
    centre=3.625,
    squarings=3,
    inner=(
        0.1283791670955126,
        -0.37612638903183726,
        0.11283791670954088,
        -0.026866170644964008,
        0.0052239776240303425,
        -0.0008548326951819258,
        0.00012055330619533551,
        -1.4925597291252289e-05,
        1.6461280007657162e-06,
        -1.635655026873511e-07,
        1.4733916955419284e-08,
        -1.1888109508384878e-09,
        7.936798204948583e-11,
        -3.2618731502167087e-12,
    ),
    outer=(
        0.15266994337960635,
        -0.14328124099384446,
        0.04874980271222299,
        -0.003776841707691311,
        -0.0019855049888088624,
        0.0005242475030750084,
        4.815304558628617e-06,
        -1.943914203856198e-05,
        2.1149830269433166e-06,
        3.0951773074921383e-07,
        -7.935235890983866e-08,
        -1.3616644614836364e-10,
        2.0304240030096877e-09,
        6.021287413615214e-11,
        2.0695168884941406e-11,
        1.0612392172344147e-11,
        8.631364233179527e-13,
    ),
)


def erf(x: Number) -> Number:
    """|x| + |x| p(x^2), or 1 - q(|x| - centre)^k, with the sign of x."""
    c = _F32 if x.format == F32 else _F64
    magnitude = abs(x).at_most(c.saturation)
    inner = fma(polynomial(magnitude * magnitude, c.inner), magnitude, magnitude)
    power = polynomial(magnitude - c.centre, c.outer)
    for _ in range(c.squarings):
        power = power * power
    return where(magnitude < c.split, inner, 1.0 - power).with_sign_of(x)
