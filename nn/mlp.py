"""The layers between attentions, which see each token alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from xdsl.ir import SSAValue

from mlc.dialects import graph
from mlc.frontends.operators.graph_builder import GraphBuilder
from mlc.nn.linear import Linear
from mlc.nn.naming import named

PointFunction = Callable[[GraphBuilder, SSAValue], SSAValue]
"""A function of each element."""


def silu(b: GraphBuilder, x: SSAValue) -> SSAValue:
    """`x sigmoid(x)`."""
    return b(graph.SiluOp, x)


def gelu_tanh(b: GraphBuilder, x: SSAValue) -> SSAValue:
    """GELU by its approximation with tanh."""
    return b(graph.GeluOp, x, "tanh")


@dataclass(frozen=True)
class Gated:
    """`down(activation(gate(x)) * up(x))`: SwiGLU with silu, GeGLU with GELU (Shazeer, "GLU Variants Improve
    Transformer", arXiv:2002.05202)."""

    gate: Linear
    up: Linear
    down: Linear
    activation: PointFunction
    name: str = ""

    def __call__(self, b: GraphBuilder, x: SSAValue) -> SSAValue:
        """The shape stays."""
        with named(b, self.name):
            return self.down(b, b.mul(self.activation(b, self.gate(b, x)), self.up(b, x)))


@dataclass(frozen=True)
class Mlp:
    """`down(activation(up(x)))`."""

    up: Linear
    down: Linear
    activation: PointFunction
    name: str = ""

    def __call__(self, b: GraphBuilder, x: SSAValue) -> SSAValue:
        """The shape stays."""
        with named(b, self.name):
            return self.down(b, self.activation(b, self.up(b, x)))
