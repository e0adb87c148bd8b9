"""A step of training: what optimizers make of tensors, their gradients and what they remember of these."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass

from xdsl.ir import SSAValue

from mlc.dialects import graph, onnx
from mlc.dialects.graph.types import element_of
from mlc.frontends.onnx.to_graph._node import Node
from mlc.frontends.onnx.to_graph._patterns import PASS, FromOnnx, Results
from mlc.frontends.operators.graph_builder import GraphBuilder
from mlc.frontends.operators.refusal import Unconvertible
from mlc.pass_manager.lowering import lowers

DOMAIN = "ai.onnx.preview.training"


@dataclass(frozen=True)
class Trained:
    """A tensor with what changes it; rate and step have its element type and no dims."""

    x: SSAValue
    gradient: SSAValue
    memory: list[SSAValue]
    rate: SSAValue
    step: SSAValue


class Optimizer(FromOnnx):
    """Operands are the rate and the number of the step, then all tensors, all gradients, and all of each memory.

    Results are all new tensors, and all of each new memory.
    """

    memories: int
    """How many tensors are remembered for each that is trained."""

    def build(self, node: Node, b: GraphBuilder) -> Results:
        kinds = 2 + self.memories
        count, rest = divmod(len(node.operands) - 2, kinds)
        if rest or len(node.op.results) != count * (kinds - 1):
            raise Unconvertible(
                f"{len(node.operands) - 2} tensors and {len(node.op.results)} results; for each trained tensor there "
                f"are {kinds} and {kinds - 1}"
            )
        found: list[list[SSAValue]] = []
        for number in range(count):
            x, gradient, *memory = (node[2 + number + i * count] for i in range(kinds))
            rate, step = (b.cast(b.reshape(node[i], ()), element_of(x)) for i in (0, 1))
            norm = node.float("norm_coefficient")
            if norm:
                gradient = b.add(b.mul(b.number(norm, x), x), gradient)
            found.append(self.update(node, b, Trained(x, gradient, memory, rate, step)))
        return [value for values in zip(*found, strict=True) for value in values]

    @abstractmethod
    def update(self, node: Node, b: GraphBuilder, t: Trained) -> list[SSAValue]:
        """The new tensor and its new memories."""


@lowers(PASS, onnx.op("Momentum", DOMAIN))
class Momentum(Optimizer):
    """`v' = alpha v + beta g` and `x' = x - r v'`, or, after Nesterov, `x' = x - r (g + alpha v')`."""

    memories = 1

    def update(self, node: Node, b: GraphBuilder, t: Trained) -> list[SSAValue]:
        alpha, one = b.number(node.float("alpha"), t.x), b.number(1, t.x)
        beta = b.where(b.compare("gt", t.step, b.number(0, t.step)), b.number(node.float("beta"), t.x), one)
        velocity = b.add(b.mul(alpha, t.memory[0]), b.mul(beta, t.gradient))
        nesterov = node.one_of("mode", "standard", "nesterov") == "nesterov"
        direction = b.add(t.gradient, b.mul(alpha, velocity)) if nesterov else velocity
        return [b.sub(t.x, b.mul(t.rate, direction)), velocity]


@lowers(PASS, onnx.op("Adagrad", DOMAIN))
class Adagrad(Optimizer):
    """`h' = h + g^2` and `x' = x - r / (1 + decay t) g / (sqrt(h') + epsilon)` (Duchi et al., 2011)."""

    memories = 1

    def update(self, node: Node, b: GraphBuilder, t: Trained) -> list[SSAValue]:
        slower = b.add(b.number(1, t.x), b.mul(t.step, b.number(node.float("decay_factor"), t.x)))
        squares = b.add(t.memory[0], b.mul(t.gradient, t.gradient))
        size = b.add(b(graph.SqrtOp, squares), b.number(node.float("epsilon"), t.x))
        return [b.sub(t.x, b.div(b.mul(b.div(t.rate, slower), t.gradient), size)), squares]


@lowers(PASS, onnx.op("Adam", DOMAIN))
class Adam(Optimizer):
    """Means of gradients and of their squares, which forget, the rate corrected for their zeros at the start.

    The source is Kingma and Ba, 2015.
    """

    memories = 2

    def update(self, node: Node, b: GraphBuilder, t: Trained) -> list[SSAValue]:
        one = b.number(1, t.x)
        alpha, beta = node.float("alpha"), node.float("beta")

        def forget(rest: float, old: SSAValue, new: SSAValue) -> SSAValue:
            return b.add(b.mul(b.number(rest, t.x), old), b.mul(b.number(1 - rest, t.x), new))

        def missing(rest: float) -> SSAValue:
            return b.sub(one, b(graph.PowOp, b.number(rest, t.x), t.step))

        mean = forget(alpha, t.memory[0], t.gradient)
        squares = forget(beta, t.memory[1], b.mul(t.gradient, t.gradient))
        corrected = b.div(b.mul(t.rate, b(graph.SqrtOp, missing(beta))), missing(alpha))
        corrected = b.where(b.compare("gt", t.step, b.number(0, t.step)), corrected, t.rate)
        size = b.add(b(graph.SqrtOp, squares), b.number(node.float("epsilon"), t.x))
        new = b.sub(t.x, b.div(b.mul(corrected, mean), size))
        return [b.mul(b.number(1 - node.float("norm_coefficient_post"), t.x), new), mean, squares]
