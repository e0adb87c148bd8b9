"""Special functions, of which the graph dialect has the error function only.

They are computed in f32 at least: by series and fractions whose coefficients follow from known formulas, not by tables.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf, log, nan, pi, sqrt

from xdsl.dialects.builtin import f32, f64
from xdsl.ir import SSAValue

from mlc.dialects import graph
from mlc.dialects.graph.types import element_of
from mlc.frontends.operators.graph_builder import GraphBuilder
from mlc.support.dtypes import SHORT_FLOATS

_BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510)


def in_wide_floats(b: GraphBuilder, function: Callable[..., SSAValue], *operands: SSAValue) -> SSAValue:
    """A function of f32 or f64, of halves by way of f32."""
    element = element_of(operands[0])
    if element in SHORT_FLOATS:
        return b.cast(function(b, *(b.cast(v, f32) for v in operands)), element)
    return function(b, *operands)


def _polynomial(b: GraphBuilder, x: SSAValue, coefficients: Sequence[float]) -> SSAValue:
    """Horner's rule, the highest coefficient first."""
    total: SSAValue = b.number(coefficients[0], x)
    for c in coefficients[1:]:
        total = b.add(b.mul(total, x), b.number(c, x))
    return total


def _n(b: GraphBuilder, number: float, x: SSAValue) -> SSAValue:
    return b.number(number, x)


def error_complement(b: GraphBuilder, x: SSAValue) -> SSAValue:
    """1 less the error function; from 1 on by a continued fraction, in which nothing cancels."""
    size = b(graph.AbsOp, x)
    at = b(graph.MaxOp, size, _n(b, 1.0, x))
    # e^(-x^2), with what is lost when x^2 is rounded.
    far = b.mul(_square_exponential(b, at), _scaled_complement(b, at))
    far = b.where(b.compare("gt", at, _n(b, 28.0 if element_of(x) == f64 else 11.0, x)), _n(b, 0, x), far)
    positive = b.compare("gt", x, _n(b, 0, x))
    far = b.where(positive, far, b.sub(_n(b, 2, x), far))
    near = b.sub(_n(b, 1, x), b(graph.ErfOp, x))
    found = b.where(b.compare("gt", size, _n(b, 1, x)), far, near)
    return b.where(b.compare("ne", x, x), x, found)


def scaled_error_complement(b: GraphBuilder, x: SSAValue) -> SSAValue:
    """`e^(x^2)` times 1 less the error function, which neither overflows nor vanishes for large numbers."""
    one = _n(b, 1, x)
    far = _scaled_complement(b, b(graph.MaxOp, x, one))
    small = b(graph.MinOp, x, one)
    near = b.mul(b(graph.ExpOp, b.mul(small, small)), error_complement(b, small))
    found = b.where(b.compare("gt", x, one), far, near)
    return b.where(b.compare("ne", x, x), x, found)


def _scaled_complement(b: GraphBuilder, at: SSAValue) -> SSAValue:
    """The continued fraction of numbers from 1 on (Abramowitz and Stegun, 7.1.14)."""
    below = at
    for k in range(60 if element_of(at) == f64 else 24, 0, -1):
        below = b.add(at, b.div(_n(b, k / 2, at), below))
    return b.div(_n(b, 1 / sqrt(pi), at), below)


def _square_exponential(b: GraphBuilder, x: SSAValue) -> SSAValue:
    """`e^(-x^2)`: the square of a part with few digits is exact, what is left is a small factor."""
    scale = 2.0**27 + 1 if element_of(x) == f64 else 4097.0
    wide = b.mul(x, _n(b, scale, x))
    high = b.sub(wide, b.sub(wide, x))
    low = b.sub(x, high)
    rest = b.mul(low, b.add(x, high))
    return b.mul(b(graph.ExpOp, b(graph.NegOp, b.mul(high, high))), b(graph.ExpOp, b(graph.NegOp, rest)))


def inverse_error(b: GraphBuilder, x: SSAValue) -> SSAValue:
    """What the error function gives `x` of: a start in closed form (Winitzki, 2008), then Halley's steps."""
    size = b(graph.AbsOp, x)
    one, zero = _n(b, 1, x), _n(b, 0, x)
    inside = b.where(b.compare("lt", size, one), size, zero)
    left = b.sub(one, inside)
    logarithm = b(graph.Log1pOp, b(graph.NegOp, b.mul(inside, inside)))
    a = 0.147
    middle = b.add(_n(b, 2 / (pi * a), x), b.mul(logarithm, _n(b, 0.5, x)))
    inner = b.sub(b.mul(middle, middle), b.mul(logarithm, _n(b, 1 / a, x)))
    found = b(graph.SqrtOp, b(graph.MaxOp, b.sub(b(graph.SqrtOp, inner), middle), zero))
    for _ in range(3 if element_of(x) == f64 else 2):
        # Near 1, what is left of it says more than the function itself.
        near = b.sub(b(graph.ErfOp, found), inside)
        far = b.sub(left, error_complement(b, found))
        error = b.where(b.compare("gt", inside, _n(b, 0.5, x)), far, near)
        slope = b.mul(b(graph.ExpOp, b(graph.NegOp, b.mul(found, found))), _n(b, 2 / sqrt(pi), x))
        step = b.div(error, slope)
        found = b.sub(found, b.div(step, b.add(one, b.mul(found, step))))
    small = b.mul(inside, _n(b, sqrt(pi) / 2, x))
    found = b.where(b.compare("lt", inside, _n(b, 1e-4 if element_of(x) == f32 else 1e-8, x)), small, found)
    found = b.where(b.compare("eq", size, one), _n(b, inf, x), found)
    found = b.where(b.compare("le", size, one), found, _n(b, nan, x))
    return b.where(b.compare("lt", x, zero), b(graph.NegOp, found), b.where(b.compare("eq", x, zero), x, found))


def log_gamma(b: GraphBuilder, x: SSAValue) -> SSAValue:
    """The log of the size of the gamma function: Stirling's series, which small numbers are shifted to; negative ones
    are reflected."""
    one, half = _n(b, 1, x), _n(b, 0.5, x)
    reflected = b.compare("lt", x, half)
    at = b.where(reflected, b.sub(one, x), x)
    shift = 8
    # Between 1 and 2 the two terms of Stirling's formula cancel; there a product near 1 says more.
    product: SSAValue = at
    for k in range(1, shift):
        product = b.mul(product, b.add(at, _n(b, k, x)))
    is_small = b.compare("lt", at, _n(b, shift, x))
    wide = b.where(is_small, b.add(at, _n(b, shift, x)), at)
    inverse = b.div(one, wide)
    square = b.mul(inverse, inverse)
    coefficients = [v / (2 * k * (2 * k - 1)) for k, v in enumerate(_BERNOULLI, 1)]
    series = b.mul(_polynomial(b, square, coefficients[::-1]), inverse)
    logarithm = b(graph.LogOp, wide)
    stirling = b.add(b.sub(b.mul(b.sub(wide, half), logarithm), wide), b.add(series, _n(b, log(2 * pi) / 2, x)))
    found = b.where(is_small, b.sub(stirling, b(graph.LogOp, product)), stirling)
    fraction = b.sub(x, b(graph.RoundOp, x))
    sine = b(graph.AbsOp, b(graph.SinOp, b.mul(fraction, _n(b, pi, x))))
    other = b.sub(b.sub(_n(b, log(pi), x), b(graph.LogOp, sine)), found)
    found = b.where(reflected, other, found)
    pole = b(graph.AndOp, reflected, b.compare("eq", fraction, _n(b, 0, x)))
    infinite = b.compare("eq", b(graph.AbsOp, x), _n(b, inf, x))
    found = b.where(b(graph.OrOp, pole, infinite), _n(b, inf, x), found)
    return b.where(b.compare("ne", x, x), x, found)


def derivative_of_log_gamma(b: GraphBuilder, x: SSAValue) -> SSAValue:
    """Digamma: its asymptotic series, which small numbers are shifted to; negative ones are reflected."""
    one, half, zero = _n(b, 1, x), _n(b, 0.5, x), _n(b, 0, x)
    reflected = b.compare("lt", x, half)
    at = b.where(reflected, b.sub(one, x), x)
    total: SSAValue = _n(b, 0, x)
    for _ in range(10):
        small = b.compare("lt", at, _n(b, 10, x))
        total = b.where(small, b.sub(total, b.div(one, at)), total)
        at = b.where(small, b.add(at, one), at)
    inverse = b.div(one, at)
    square = b.mul(inverse, inverse)
    coefficients = [v / (2 * k) for k, v in enumerate(_BERNOULLI, 1)]
    series = b.mul(_polynomial(b, square, coefficients[::-1]), square)
    found = b.sub(b.sub(b(graph.LogOp, at), b.mul(inverse, half)), series)
    found = b.add(found, total)
    fraction = b.sub(x, b(graph.RoundOp, x))
    cotangent = b.div(_n(b, pi, x), b(graph.TanOp, b.mul(fraction, _n(b, pi, x))))
    found = b.where(reflected, b.sub(found, cotangent), found)
    pole = b(graph.AndOp, reflected, b.compare("eq", fraction, zero))
    of_zero = b.div(_n(b, -1, x), x)
    found = b.where(pole, b.where(b.compare("eq", x, zero), of_zero, _n(b, nan, x)), found)
    found = b.where(b.compare("eq", x, _n(b, inf, x)), x, found)
    return b.where(b.compare("eq", x, _n(b, -inf, x)), _n(b, nan, x), found)


def scaled_bessel_i(b: GraphBuilder, order: int, x: SSAValue) -> SSAValue:
    """`e^-|x| I_n(x)` of order 0 or 1: its power series up to 16, beyond that its asymptotic one (Abramowitz and
    Stegun, 9.6.10 and 9.7.1)."""
    size = b(graph.AbsOp, x)
    limit = 16.0
    small = b(graph.MinOp, size, _n(b, limit, x))
    half = b.mul(small, _n(b, 0.5, x))
    square = b.mul(half, half)
    # Terms are scaled so that none of them underflows.
    total: SSAValue = _n(b, 1, x)
    for k in range(59 if element_of(x) == f64 else 39, 0, -1):
        total = b.add(_n(b, 1, x), b.mul(b.mul(square, _n(b, 1 / (k * (k + order)), x)), total))
    near = b.mul(b.mul(total, half) if order else total, b(graph.ExpOp, b(graph.NegOp, small)))
    large = b(graph.MaxOp, size, _n(b, limit, x))
    inverse = b.div(_n(b, 1, x), b.mul(large, _n(b, 8, x)))
    terms = [1.0]
    for k in range(1, 14):
        terms.append(-terms[-1] * (4 * order - (2 * k - 1) ** 2) / k)
    series = _polynomial(b, inverse, terms[::-1])
    far = b.div(series, b(graph.SqrtOp, b.mul(large, _n(b, 2 * pi, x))))
    far = b.where(b.compare("eq", size, _n(b, inf, x)), _n(b, 0, x), far)
    found = b.where(b.compare("le", size, _n(b, limit, x)), near, far)
    if order:
        found = b.where(b.compare("lt", x, _n(b, 0, x)), b(graph.NegOp, found), found)
    return b.where(b.compare("ne", x, x), x, found)


def hurwitz_zeta(b: GraphBuilder, x: SSAValue, q: SSAValue) -> SSAValue:
    """The sum of `(q + k)^-x`: some terms, an integral and corrections (Abramowitz and Stegun, 23.2)."""
    one, zero = _n(b, 1, x), _n(b, 0, x)
    minus = b(graph.NegOp, x)
    steps = 10
    total = b(graph.PowOp, q, minus)
    for k in range(1, steps):
        total = b.add(total, b(graph.PowOp, b.add(q, _n(b, k, q)), minus))
    at = b.add(q, _n(b, steps, q))
    power = b(graph.PowOp, at, minus)
    total = b.add(total, b.div(b.mul(power, at), b.sub(x, one)))
    total = b.add(total, b.mul(power, _n(b, 0.5, x)))
    factor = b.div(b.mul(x, power), at)
    inverse = b.div(one, b.mul(at, at))
    factorial = 2.0
    for k, v in enumerate(_BERNOULLI, 1):
        total = b.add(total, b.mul(factor, _n(b, v / factorial, x)))
        factor = b.mul(factor, b.mul(b.add(x, _n(b, 2 * k - 1, x)), b.add(x, _n(b, 2 * k, x))))
        factor = b.mul(factor, inverse)
        factorial *= (2 * k + 1) * (2 * k + 2)
    found = b.where(b.compare("eq", x, one), _n(b, inf, x), total)
    found = b.where(b.compare("lt", x, one), _n(b, nan, x), found)
    at_pole = b(graph.AndOp, b.compare("le", q, zero), b.compare("eq", q, b(graph.FloorOp, q)))
    return b.where(at_pole, b.where(_is_even(b, x), _n(b, inf, x), _n(b, nan, x)), found)


def _is_even(b: GraphBuilder, x: SSAValue) -> SSAValue:
    half = b.mul(x, _n(b, 0.5, x))
    return b.compare("eq", half, b(graph.FloorOp, half))


def derivative_of_digamma(b: GraphBuilder, n: SSAValue, x: SSAValue) -> SSAValue:
    """Polygamma, by the zeta function; of order 0 digamma, of a negative one NaN."""
    one = _n(b, 1, n)
    order = b.add(n, one)
    size = b.mul(b(graph.ExpOp, log_gamma(b, order)), hurwitz_zeta(b, order, x))
    found = b.where(_is_even(b, n), b(graph.NegOp, size), size)
    found = b.where(b.compare("eq", n, _n(b, 0, n)), derivative_of_log_gamma(b, x), found)
    wrong = b(graph.OrOp, b.compare("lt", n, _n(b, 0, n)), b.compare("ne", n, b(graph.FloorOp, n)))
    return b.where(wrong, _n(b, nan, n), found)
