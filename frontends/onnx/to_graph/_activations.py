"""Activations by name: those that recurrent operators name, some of which are operators themselves."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from xdsl.ir import SSAValue

from mlc.dialects import graph
from mlc.frontends.operators import activations as shared
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
    if (found := ACTIVATIONS.get(name.lower())) is None:
        raise Unconvertible(f"activation '{name}' is not known; mlc knows {', '.join(ACTIVATIONS)}")
    function, alpha, beta = found
    return Activation(
        function,
        0.0 if alpha is None else next(alphas, alpha),
        0.0 if beta is None else next(betas, beta),
        clip,
    )


ACTIVATIONS: dict[str, tuple[_Function, float | None, float | None]] = {
    "relu": (lambda b, x, _a, _b: b(graph.ReluOp, x), None, None),
    "tanh": (lambda b, x, _a, _b: b(graph.TanhOp, x), None, None),
    "sigmoid": (lambda b, x, _a, _b: b(graph.SigmoidOp, x), None, None),
    "affine": (shared.line, 1.0, 0.0),
    "leakyrelu": (lambda b, x, alpha, _: shared.leaky_relu(b, x, b.number(alpha, x)), 0.01, None),
    "thresholdedrelu": (lambda b, x, alpha, _: shared.thresholded_relu(b, x, alpha), 1.0, None),
    "scaledtanh": (
        lambda b, x, alpha, beta: b.mul(b(graph.TanhOp, b.mul(x, b.number(beta, x))), b.number(alpha, x)),
        1.0,
        1.0,
    ),
    "hardsigmoid": (shared.hard_sigmoid, 0.2, 0.5),
    "elu": (lambda b, x, alpha, _: shared.elu(b, x, alpha), 1.0, None),
    "softsign": (lambda b, x, _a, _b: shared.softsign(b, x), None, None),
    "softplus": (lambda b, x, _a, _b: shared.softplus(b, x), None, None),
}
"""By name in small letters: the function, and the defaults of its numbers where it takes some."""
