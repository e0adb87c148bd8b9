"""exp, exp2 and expm1: reduction to a small interval around 0, a polynomial there, scaling by powers of two.

The reduction is that of Cody & Waite, "Software Manual for the Elementary Functions" (1980): x = n ln 2 + r, where
n ln 2 is subtracted in two parts, of which the first times n is exact, so that r is right even where fma rounds twice.
n is found by adding a constant so large that the sum has no bits for a fraction (`FloatFormat.shifter`). With the
exponent's bias added as well, the low bits of that sum, shifted up, are the float 2^n.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.builtin import DictionaryAttr, IntegerAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from mlc.polynomials.builder import F32, FloatFormat, Number, fma, polynomial, where
from mlc.support.locations import error_at

LOG2_E = 1.4426950408889634
LN_2 = 0.6931471805599453


@dataclass(frozen=True)
class Constants:
    """What the formulas have for one format."""

    ln2_high: float
    """ln 2 with enough zeros at its end for products with exponents to be exact."""
    ln2_low: float
    """ln 2 - ln2_high"""
    overflow: float
    """Beyond it, exp is infinite."""
    underflow: float
    """Below it, exp is 0."""
    exp: tuple[float, ...]
    """exp(r) for |r| <= ln 2."""
    exp2: tuple[float, ...]
    """2^r for |r| <= 1."""
    expm1: tuple[float, ...]
    """(exp(r) - 1 - r) / r^2 for |r| <= ln(2) / 2."""


# Minimax polynomials by Remez' algorithm for the relative error of exp(r) (f32: 2^-26.0, f64: 2^-56.4) and of
# exp(r) - 1 (f32: 2^-26.2, f64: 2^-55.6), with the first coefficients fixed: 1 + r + c r^2 + …. Those for 2^r (f32:
# 2^-26.1, f64: 2^-56.5) are 1/2, 1 and 2 for r = -1, 0 and 1, also with the roundings of `polynomial`, for which the
# third coefficient is off by three units in the last place.
_F32 = Constants(
    ln2_high=355 / 512,
    ln2_low=-2.1219444005469058e-4,
    overflow=89.0,
    underflow=-105.0,
    exp=(
        1.0,
        1.0,
        0.5000003576278687,
        0.16666613519191742,
        0.04166123643517494,
        0.008336120285093784,
        0.0014105091104283929,
        0.00019610834715422243,
    ),
    exp2=(
        1.0,
        0.6931472420692444,
        0.24022677540779114,
        0.055503763258457184,
        0.009616591967642307,
        0.001333950669504702,
        0.00015664850070606917,
        1.5054494724608958e-05,
    ),
    expm1=(
        0.4999999701976776,
        0.16666541993618011,
        0.04166720435023308,
        0.00836664717644453,
        0.0013882496859878302,
    ),
)
_F64 = Constants(
    ln2_high=6.93147180369123816490e-01,
    ln2_low=1.90821492927058770002e-10,
    overflow=710.0,
    underflow=-746.0,
    exp=(
        1.0,
        1.0,
        0.4999999999999993,
        0.16666666666666943,
        0.0416666666667027,
        0.008333333333268786,
        0.001388888888350216,
        0.0001984126989351248,
        2.4801590867579567e-05,
        2.755730045269513e-06,
        2.7556149740038347e-07,
        2.5055054220918202e-08,
        2.106299769746648e-09,
        1.593514555532919e-10,
    ),
    exp2=(
        1.0,
        0.6931471805599453,
        0.2402265069591002,
        0.0555041086648233,
        0.009618129107639048,
        0.0013333558146284808,
        0.00015403530386423137,
        1.5252733853002526e-05,
        1.3215488883646903e-06,
        1.0178078186491133e-07,
        7.054594689026045e-09,
        4.4460978044252646e-10,
        2.5913485349138105e-11,
        1.3582985365495086e-12,
    ),
    expm1=(
        0.5000000000000006,
        0.16666666666666588,
        0.04166666666657538,
        0.008333333333390409,
        0.0013888888932051856,
        0.0001984126971760936,
        2.4801504650302905e-05,
        2.7557408214762272e-06,
        2.7626298804869894e-07,
        2.5053781285608505e-08,
    ),
)


@dataclass(frozen=True)
class ExpPolynomials:
    """What exp of an f32 is computed by."""

    half: tuple[float, ...]
    """exp(r) for |r| <= ln(2) / 2."""
    whole: tuple[float, ...]
    """exp(r) for |r| <= ln 2."""
    error: float
    """The largest error of exp, in units in the last place, with roundings on the way, as measured over f32."""


# Minimax polynomials for the error of exp(r) in units in the last place of f32, which are half as large below 1, by
# Remez' algorithm with the first coefficient fixed: exp(0) is 1. On the interval that is twice as wide, a polynomial of
# two degrees more is better than that; 7 is the rule there, and enough.
_WHOLE_OF_DEGREE_4 = (
    1.0,
    1.0000016689300537,
    0.4999977648258209,
    0.16663111746311188,
    0.04167742654681206,
    0.008494163863360882,
    0.0013872975250706077,
)
EXP_F32 = {
    4: ExpPolynomials(
        (1.0, 0.9999715089797974, 0.5000408887863159, 0.16782912611961365, 0.04141826927661896),
        _WHOLE_OF_DEGREE_4,
        37.7,
    ),
    5: ExpPolynomials(
        (
            1.0,
            0.999999463558197,
            0.49999138712882996,
            0.16668109595775604,
            0.04189901426434517,
            0.00826592743396759,
        ),
        _F32.exp,
        2.3,
    ),
    6: ExpPolynomials((1.0, 1.0, *_F32.expm1), _F32.exp, 2.0),
}
"""By their degree, that of the first polynomial."""
EXP_DEGREE = 6
"""That of a function that says nothing of it."""
ALLOWED_ULP = 2.0
"""The bound that all functions of one f32 keep to, in units in the last place, unless somebody asked for less."""
DEGREES = "mlc.degrees"
"""The attribute of a function that says of which degree the polynomials of `expand-math` are: `{exp = 5 : i64}`."""


def _polynomials(x: Number) -> ExpPolynomials:
    """Those of exp for numbers of the format of x, of the degree that the function says."""
    c = constants_of(x.format)
    if x.format != F32:
        return ExpPolynomials((1.0, 1.0, *c.expm1), c.exp, 0.0)
    function: Operation | None = x.emitter.op
    while function is not None and not isinstance(function, FuncOp):
        function = function.parent_op()
    return EXP_F32[EXP_DEGREE if function is None else exp_degree(function)]


def exp_degree(function: FuncOp) -> int:
    """Of which degree the polynomial of exp is in a function.

    Raises:
        UserError: there is no such polynomial.
    """
    said = function.attributes.get(DEGREES)
    if said is None:
        return EXP_DEGREE
    degree = said.data.get("exp") if isinstance(said, DictionaryAttr) else None
    found = degree.value.data if isinstance(degree, IntegerAttr) else None
    if found not in EXP_F32:
        required = f"{{exp = n : i64}} with n from {min(EXP_F32)} to {max(EXP_F32)}"
        raise error_at(function, f"'{DEGREES}' is {said}; required: {required}")
    return found


def constants_of(format: FloatFormat) -> Constants:
    """The constants for floats of this format."""
    return _F32 if format == F32 else _F64


def exp(x: Number) -> Number:
    """e^x = e^r s^2 with s = 2^n and x = 2n ln 2 + r.

    One power of two cannot be both below the smallest float and above the largest; the square of one can. That widens
    the interval of r to |r| <= ln 2, at the price of two more coefficients. The last product rounds, once, if the
    result is denormal.

    A machine with an instruction for it multiplies by any power of two at once. Then n needs no limits, as it says by
    itself what is 0, infinite or NaN: r only has to be some number for which the polynomial is positive.
    """
    c, polynomials = constants_of(x.format), _polynomials(x)
    if x.can_be_scaled:
        n = fma(x, LOG2_E, x.format.shifter) - x.format.shifter
        r = fma(n, -c.ln2_low, fma(n, -c.ln2_high, x)).within(0.5)
        return polynomial(r, polynomials.half).scaled(n)
    x = x.at_most(c.overflow).at_least(c.underflow)
    n, s = round_to_power(x, LOG2_E / 2)
    r = fma(n, -2 * c.ln2_low, fma(n, -2 * c.ln2_high, x))
    return polynomial(r, polynomials.whole) * s * s


def exp_to_round(x: Number) -> Number:
    """e^x of an f32 that `can_be_scaled`, for results that are rounded to 12 significant bits or fewer.

    It is off by 2^-17 of itself at most: ln 2 has one part, and the polynomial the least degree there is.
    """
    n = fma(x, LOG2_E, x.format.shifter) - x.format.shifter
    r = fma(n, -LN_2, x).within(0.5)
    return polynomial(r, EXP_F32[min(EXP_F32)].half).scaled(n)


def exp2(x: Number) -> Number:
    """2^x = 2^r s^2 with s = 2^n and r = x - 2n. Exact where x is an integer, as r is -1, 0 or 1 then."""
    limit = x.format.bias + 1.0
    x = x.at_most(limit).at_least(-limit - x.format.fraction)
    n, s = round_to_power(x, 0.5)
    return polynomial(fma(n, -2.0, x), constants_of(x.format).exp2) * s * s


def expm1(x: Number) -> Number:
    """e^x - 1 = 2 (p s + (s - 1/2)) with x = n ln 2 + r, p = e^r - 1, s = 2^(n-1), finite wherever the result is.

    Halves of subnormal numbers are rounded, so the result is x itself where x is that small.
    """
    c = constants_of(x.format)
    reduced = x.at_most(c.overflow).at_least(c.underflow / 2)
    p, s = expm1_parts(reduced, exponent=-1)
    half = fma(p, s, s - 0.5)
    return where(abs(x) < x.format.least_curved, x, half + half)


def expm1_parts(x: Number, exponent: int = 0) -> tuple[Number, Number]:
    """e^r - 1 and 2^(n + exponent), where x = n ln 2 + r."""
    c = constants_of(x.format)
    n, s = round_to_power(x, LOG2_E, exponent)
    r = fma(n, -c.ln2_low, fma(n, -c.ln2_high, x))
    return fma(r * r, polynomial(r, c.expm1), r), s


def round_to_power(x: Number, factor: float, exponent: int = 0) -> tuple[Number, Number]:
    """The integer n that is nearest to `x * factor`, as a float, and 2^(n + exponent)."""
    shifter = x.format.shifter + x.format.bias + exponent
    shifted = fma(x, factor, shifter)
    power = (shifted.bits() << x.format.fraction).as_float()
    return shifted - shifter, power
