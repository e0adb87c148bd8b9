"""Special functions. Those of f32 are computed in f64, for they are asked for where they matter, not often."""

from __future__ import annotations

from collections.abc import Callable
from math import inf, pi

from xdsl.dialects.builtin import f64
from xdsl.ir import SSAValue

from mlc.dialects import graph
from mlc.frontends.operators.graph_builder import GraphBuilder
from mlc.frontends.operators.refusal import Unconvertible
from mlc.frontends.operators.special_functions import (
    derivative_of_log_gamma,
    error_complement,
    hurwitz_zeta,
    in_wide_floats,
    inverse_error,
    log_gamma,
    scaled_bessel_i,
    scaled_error_complement,
)
from mlc.frontends.torch.to_graph._calls import Call, Results
from mlc.frontends.torch.to_graph._patterns import converts

_Function = Callable[[GraphBuilder, SSAValue], SSAValue]


def _scaled(order: int) -> _Function:
    return lambda b, x: scaled_bessel_i(b, order, x)


def _plain(order: int) -> _Function:
    return lambda b, x: b.mul(scaled_bessel_i(b, order, x), b(graph.ExpOp, b(graph.AbsOp, x)))


_IN_F64: dict[str, _Function] = {
    "digamma": derivative_of_log_gamma,
    "erfinv": inverse_error,
    "i0": _plain(0),
    "lgamma": log_gamma,
    "special_erfcx": scaled_error_complement,
    "special_i0e": _scaled(0),
    "special_i1": _plain(1),
    "special_i1e": _scaled(1),
}


def _register(name: str, function: _Function) -> None:
    @converts(name)
    def special(b: Call, self: SSAValue) -> Results:  # pyright: ignore[reportUnusedFunction]
        return function(b, b.tensor(self, f64))


for _name, _function in _IN_F64.items():
    _register(_name, _function)


@converts("erfc")
def erfc(b: Call, self: SSAValue) -> Results:
    """`1 - erf(x)`, without its cancellation; integers become floats."""
    return in_wide_floats(b, error_complement, b.to_float(self))


@converts("polygamma")
def polygamma(b: Call, n: int, self: SSAValue) -> Results:
    """Digamma and trigamma; negative numbers are reflected."""
    if n not in (0, 1):
        raise Unconvertible(f"polygamma of order {n}; mlc knows those of order 0 and 1")
    x = b.tensor(self, f64)
    if n == 0:
        return derivative_of_log_gamma(b, x)
    reflected = b.compare("lt", x, b.number(0.5, x))
    at = b.where(reflected, b.sub(b.number(1, x), x), x)
    found = hurwitz_zeta(b, b.splat(2, b.shape(), f64), at)
    found = b.where(b.compare("eq", at, b.number(inf, x)), b.number(0, x), found)
    sine = b(graph.SinOp, b.scaled(b.sub(x, b(graph.RoundOp, x)), pi))
    return b.where(reflected, b.sub(b.div(b.number(pi * pi, x), b.squared(sine)), found), found)
