"""erf: a polynomial near 0; further out 1 - p(|x|)^k, where the k-th root of 1 - erf is nearly a straight line.

The form with a power is that of Hastings, "Approximations for Digital Computers" (1955), sheet 43; the polynomials here
are centred in their interval, where fewer coefficients do and rounding errors stay small. Neither exp nor a division.
"""

from __future__ import annotations

from dataclasses import dataclass

from mlc.passes.loop._math_builder import F32, Number, fma, polynomial, where


@dataclass(frozen=True)
class _Constants:
    split: float
    """Where the inner polynomial ends."""
    saturation: float
    """Beyond it, erf is 1."""
    centre: float
    """The middle between the two."""
    squarings: int
    """log2 of the power k."""
    inner: tuple[float, ...]
    """erf(x) / x - 1 in x^2."""
    outer: tuple[float, ...]
    """(1 - erf(x))^(1/k) in x - centre."""


# Minimax polynomials by Remez' algorithm, for the relative error of erf in the inner interval and the absolute one in
# the outer: f32 2^-27.3 and 2^-27.2, f64 2^-59.9 and 2^-57.6.
_F32 = _Constants(
    split=1.125,
    saturation=4.0,
    centre=2.5625,
    squarings=3,
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
        0.3612705171108246,
        -0.24704709649085999,
        0.04176193103194237,
        0.009441523812711239,
        -0.003860356053337455,
        -0.00010746146290330216,
        0.00016261871496681124,
    ),
)
_F64 = _Constants(
    split=1.25,
    saturation=6.0,
    centre=3.625,
    squarings=4,
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
        0.3907300134101769,
        -0.183350697506752,
        0.01936416955384662,
        0.004253610180876914,
        -0.0010245838623337588,
        -2.073616340074735e-05,
        2.4054962570119793e-05,
        -1.4060950445679796e-06,
        -2.622149330407211e-07,
        2.767461506098903e-08,
        2.8774694556428498e-09,
        1.5479699303664711e-10,
        4.0686194699754477e-10,
        1.6984052129207824e-10,
        3.888123450652082e-11,
        5.359564167280258e-12,
        2.701692417927866e-13,
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
