"""A step of training: what optimizers make of tensors, their gradients and what they remember of these."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from xdsl.ir import SSAValue

from mlc.dialects import graph
from mlc.dialects.graph.types import element_of
from mlc.frontends.onnx.to_graph._node import Node
from mlc.frontends.onnx.to_graph._patterns import Results, converts
from mlc.frontends.operators.refusal import Unconvertible

DOMAIN = "ai.onnx.preview.training"


@dataclass(frozen=True)
class Trained:
    """A tensor with what changes it; rate and step have its element type and no dims."""

    x: SSAValue
    gradient: SSAValue
    memory: list[SSAValue]
    rate: SSAValue
    step: SSAValue


def _trained(b: Node, memories: int, update: Callable[[Node, Trained], list[SSAValue]]) -> list[SSAValue]:
    """Operands are the rate and the number of the step, then all tensors, all gradients, and all of each memory.

    Results are all new tensors, and all of each new memory; `update` makes those of one tensor.
    """
    kinds = 2 + memories
    count, rest = divmod(len(b.operands) - 2, kinds)
    if rest or len(b.op.results) != count * (kinds - 1):
        raise Unconvertible(
            f"{len(b.operands) - 2} tensors and {len(b.op.results)} results; for each trained tensor there "
            f"are {kinds} and {kinds - 1}"
        )
    found: list[list[SSAValue]] = []
    for number in range(count):
        x, gradient, *memory = (b[2 + number + i * count] for i in range(kinds))
        rate, step = (b.cast(b.reshape(b[i], ()), element_of(x)) for i in (0, 1))
        if norm := b.float("norm_coefficient"):
            gradient = b.add(b.mul(b.number(norm, x), x), gradient)
        found.append(update(b, Trained(x, gradient, memory, rate, step)))
    return [value for values in zip(*found, strict=True) for value in values]


@converts("Momentum", domain=DOMAIN)
def momentum(b: Node) -> Results:
    """`v' = alpha v + beta g` and `x' = x - r v'`, or, after Nesterov, `x' = x - r (g + alpha v')`."""
    return _trained(b, 1, _momentum)


def _momentum(b: Node, t: Trained) -> list[SSAValue]:
    alpha, one = b.number(b.float("alpha"), t.x), b.number(1, t.x)
    beta = b.where(b.compare("gt", t.step, b.number(0, t.step)), b.number(b.float("beta"), t.x), one)
    velocity = b.add(b.mul(alpha, t.memory[0]), b.mul(beta, t.gradient))
    nesterov = b.one_of("mode", "standard", "nesterov") == "nesterov"
    direction = b.add(t.gradient, b.mul(alpha, velocity)) if nesterov else velocity
    return [b.sub(t.x, b.mul(t.rate, direction)), velocity]


@converts("Adagrad", domain=DOMAIN)
def adagrad(b: Node) -> Results:
    """`h' = h + g^2` and `x' = x - r / (1 + decay t) g / (sqrt(h') + epsilon)` (Duchi et al., 2011)."""
    return _trained(b, 1, _adagrad)


def _adagrad(b: Node, t: Trained) -> list[SSAValue]:
    slower = b.add(b.number(1, t.x), b.mul(t.step, b.number(b.float("decay_factor"), t.x)))
    squares = b.add(t.memory[0], b.mul(t.gradient, t.gradient))
    size = b.add(b(graph.SqrtOp, squares), b.number(b.float("epsilon"), t.x))
    return [b.sub(t.x, b.div(b.mul(b.div(t.rate, slower), t.gradient), size)), squares]


@converts("Adam", domain=DOMAIN)
def adam(b: Node) -> Results:
    """Means of gradients and of their squares, which forget, the rate corrected for their zeros at the start.

    The source is Kingma and Ba, 2015.
    """
    return _trained(b, 2, _adam)


def _adam(b: Node, t: Trained) -> list[SSAValue]:
    one = b.number(1, t.x)
    alpha, beta = b.float("alpha"), b.float("beta")

    def forget(rest: float, old: SSAValue, new: SSAValue) -> SSAValue:
        return b.add(b.mul(b.number(rest, t.x), old), b.mul(b.number(1 - rest, t.x), new))

    def missing(rest: float) -> SSAValue:
        return b.sub(one, b(graph.PowOp, b.number(rest, t.x), t.step))

    mean = forget(alpha, t.memory[0], t.gradient)
    squares = forget(beta, t.memory[1], b.mul(t.gradient, t.gradient))
    corrected = b.div(b.mul(t.rate, b(graph.SqrtOp, missing(beta))), missing(alpha))
    corrected = b.where(b.compare("gt", t.step, b.number(0, t.step)), corrected, t.rate)
    size = b.add(b(graph.SqrtOp, squares), b.number(b.float("epsilon"), t.x))
    new = b.sub(t.x, b.div(b.mul(corrected, mean), size))
    return [b.mul(b.number(1 - b.float("norm_coefficient_post"), t.x), new), mean, squares]
