"""Special functions."""

from __future__ import annotations

from xdsl.ir import SSAValue

from mlc.frontends.operators.graph_builder import GraphBuilder
from mlc.frontends.operators.special_functions import (
    derivative_of_digamma,
    derivative_of_log_gamma,
    error_complement,
    hurwitz_zeta,
    in_wide_floats,
    inverse_error,
    log_gamma,
    scaled_bessel_i,
)
from mlc.frontends.stablehlo.to_graph._calls import Converted, HloCall, converts


@converts("chlo.erfc")
def erfc(b: HloCall) -> Converted:
    """`1 - erf(x)`, without its cancellation."""
    return in_wide_floats(b, error_complement, b[0])


@converts("chlo.erf_inv")
def erf_inv(b: HloCall) -> Converted:
    """The `y` with `erf(y) = x`; infinite at -1 and 1."""
    return in_wide_floats(b, inverse_error, b[0])


@converts("chlo.lgamma")
def lgamma(b: HloCall) -> Converted:
    """`log(|gamma(x)|)`."""
    return in_wide_floats(b, log_gamma, b[0])


@converts("chlo.digamma")
def digamma(b: HloCall) -> Converted:
    """The derivative of `log(gamma(x))`."""
    return in_wide_floats(b, derivative_of_log_gamma, b[0])


@converts("chlo.bessel_i1e")
def bessel_i1e(b: HloCall) -> Converted:
    """`e^-|x| I1(x)`, a modified Bessel function of the first kind."""

    def first(b: GraphBuilder, x: SSAValue) -> SSAValue:
        return scaled_bessel_i(b, 1, x)

    return in_wide_floats(b, first, b[0])


@converts("chlo.zeta")
def zeta(b: HloCall) -> Converted:
    """Hurwitz's zeta function, the sum of `(q + k)^-x` over all `k >= 0`."""
    return in_wide_floats(b, hurwitz_zeta, b[0], b[1])


@converts("chlo.polygamma")
def polygamma(b: HloCall) -> Converted:
    """The derivative of order `n`, the first operand, of digamma."""
    return in_wide_floats(b, derivative_of_digamma, b[0], b[1])
