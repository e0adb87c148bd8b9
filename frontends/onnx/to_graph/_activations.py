"""The activations that recurrent operators name."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from xdsl.ir import SSAValue

from mlc.dialects import graph
from mlc.frontends.operators.graph_builder import GraphBuilder
from mlc.frontends.operators.refusal import Unconvertible

_Function = Callable[[GraphBuilder, SSAValue, float, float], SSAValue]


@dataclass(frozen=True)
class Activation:
    """A function of one value, with its two numbers, on what is first limited to a range, if there is one."""

    function: _Function
    alpha: float
    beta: float
    clip: float | None

    def __call__(self, b: GraphBuilder, x: SSAValue) -> SSAValue:
        """The function of `x`."""
        if self.clip is not None:
            low, high = b.number(-self.clip, x), b.number(self.clip, x)
            x = b(graph.MinOp, b(graph.MaxOp, x, low), high)
        return self.function(b, x, self.alpha, self.beta)


def activations(
    names: Sequence[str], alphas: Sequence[float], betas: Sequence[float], clip: float | None
) -> list[Activation]:
    """The functions of these names; each takes the next of the numbers if it has use for one.

    Raises:
        Unconvertible: a name is not known.
    """
    alpha, beta = iter(alphas), iter(betas)
    return [_activation(name, alpha, beta, clip) for name in names]


def _activation(name: str, alphas: Iterator[float], betas: Iterator[float], clip: float | None) -> Activation:
    if (found := _FUNCTIONS.get(name.lower())) is None:
        raise Unconvertible(f"activation '{name}' is not known; mlc knows {', '.join(_FUNCTIONS)}")
    function, alpha, beta = found
    return Activation(
        function,
        0.0 if alpha is None else next(alphas, alpha),
        0.0 if beta is None else next(betas, beta),
        clip,
    )


def _relu(b: GraphBuilder, x: SSAValue, _a: float, _b: float) -> SSAValue:
    return b(graph.ReluOp, x)


def _tanh(b: GraphBuilder, x: SSAValue, _a: float, _b: float) -> SSAValue:
    return b(graph.TanhOp, x)


def _sigmoid(b: GraphBuilder, x: SSAValue, _a: float, _b: float) -> SSAValue:
    return b(graph.SigmoidOp, x)


def _linear(b: GraphBuilder, x: SSAValue, alpha: float, beta: float) -> SSAValue:
    return b.add(b.mul(x, b.number(alpha, x)), b.number(beta, x))


def _leaky(b: GraphBuilder, x: SSAValue, alpha: float, _: float) -> SSAValue:
    return b.where(b.compare("ge", x, b.number(0, x)), x, b.mul(x, b.number(alpha, x)))


def _thresholded(b: GraphBuilder, x: SSAValue, alpha: float, _: float) -> SSAValue:
    return b.where(b.compare("gt", x, b.number(alpha, x)), x, b.number(0, x))


def _scaled_tanh(b: GraphBuilder, x: SSAValue, alpha: float, beta: float) -> SSAValue:
    return b.mul(b(graph.TanhOp, b.mul(x, b.number(beta, x))), b.number(alpha, x))


def _hard_sigmoid(b: GraphBuilder, x: SSAValue, alpha: float, beta: float) -> SSAValue:
    return b(graph.MinOp, b(graph.MaxOp, _linear(b, x, alpha, beta), b.number(0, x)), b.number(1, x))


def _elu(b: GraphBuilder, x: SSAValue, alpha: float, _: float) -> SSAValue:
    less = b.mul(b(graph.ExpM1Op, x), b.number(alpha, x))
    return b.where(b.compare("ge", x, b.number(0, x)), x, less)


def _softsign(b: GraphBuilder, x: SSAValue, _a: float, _b: float) -> SSAValue:
    return b.div(x, b.add(b(graph.AbsOp, x), b.number(1, x)))


def _softplus(b: GraphBuilder, x: SSAValue, _a: float, _b: float) -> SSAValue:
    """`max(x, 0) + log(1 + exp(-|x|))`, which overflows nowhere."""
    small = b(graph.Log1pOp, b(graph.ExpOp, b(graph.NegOp, b(graph.AbsOp, x))))
    return b.add(b(graph.MaxOp, x, b.number(0, x)), small)


_FUNCTIONS: dict[str, tuple[_Function, float | None, float | None]] = {
    "relu": (_relu, None, None),
    "tanh": (_tanh, None, None),
    "sigmoid": (_sigmoid, None, None),
    "affine": (_linear, 1.0, 0.0),
    "leakyrelu": (_leaky, 0.01, None),
    "thresholdedrelu": (_thresholded, 1.0, None),
    "scaledtanh": (_scaled_tanh, 1.0, 1.0),
    "hardsigmoid": (_hard_sigmoid, 0.2, 0.5),
    "elu": (_elu, 1.0, None),
    "softsign": (_softsign, None, None),
    "softplus": (_softplus, None, None),
}
"""By name: the function, and its numbers where it takes some."""
