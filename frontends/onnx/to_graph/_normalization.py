"""Softmax and normalisations."""

from __future__ import annotations

from math import prod

from xdsl.dialects.builtin import bf16, f16, f32
from xdsl.ir import SSAValue

from mlc.dialects import graph, onnx
from mlc.dialects.graph.types import element_of
from mlc.frontends.onnx.to_graph._node import Node, axis_of
from mlc.frontends.onnx.to_graph._patterns import PASS, BoundedFromOnnx, FromOnnx, Results
from mlc.frontends.operators.graph_builder import GraphBuilder
from mlc.frontends.operators.refusal import Unconvertible
from mlc.pass_manager.lowering import lowers


def _flattened(node: Node, b: GraphBuilder) -> tuple[SSAValue, int]:
    """The operand and the axis to work along: before version 13, all dims from the axis on count as one."""
    x, shape = node[0], node.shape()
    if node.since >= 13:
        return x, node.axis()
    axis = node.int("axis", 1)
    axis = axis if axis >= 0 else axis + len(shape)
    return b.reshape(x, (prod(shape[:axis]), prod(shape[axis:]))), 1


@lowers(PASS, onnx.op("Softmax"))
class Softmax(BoundedFromOnnx):
    """Along an axis."""

    def build(self, node: Node, b: GraphBuilder) -> Results:
        x, axis = _flattened(node, b)
        return b.reshape(b(graph.SoftmaxOp, x, axis), node.shape())


@lowers(PASS, onnx.op("LogSoftmax"))
class LogSoftmax(BoundedFromOnnx):
    """`x - max - log(sum(e^(x - max)))`."""

    ROUNDS_ONCE = True

    def build(self, node: Node, b: GraphBuilder) -> Results:
        x, axis = _flattened(node, b)
        return b.reshape(log_softmax(b, x, axis), node.shape())


def log_softmax(b: GraphBuilder, x: SSAValue, axis: int) -> SSAValue:
    """`x - max - log(sum(e^(x - max)))` along an axis."""
    moved = b.sub(x, b.reduce("max", x, [axis], True))
    return b.sub(moved, b(graph.LogOp, b.reduce("sum", b(graph.ExpOp, moved), [axis], True)))


@lowers(PASS, onnx.op("LayerNormalization"))
class LayerNormalization(FromOnnx):
    """Over the dims from the axis on; the mean and the inverse deviation are results, too."""

    def build(self, node: Node, b: GraphBuilder) -> Results:
        x, axis, shape = node[0], node.axis(), node.shape()
        epsilon = node.float("epsilon", 1e-5)
        inner = shape[axis:]
        scale = b.broadcast(node[1], inner)
        bias = b.broadcast(node[2], inner) if node.has(2) else b.splat(0, inner, element_of(x))
        result = b(graph.LayerNormOp, x, scale, bias, axis, epsilon)
        if not (node.wants(1) or node.wants(2)):
            return result
        axes = list(range(axis, len(shape)))
        x = b.cast(x, f32) if element_of(x) in (f16, bf16) else x
        mean = b.reduce("mean", x, axes, True)
        apart = b.sub(x, mean)
        variance = b.reduce("mean", b.mul(apart, apart), axes, True)
        return [result, mean, b(graph.RsqrtOp, b.add(variance, b.number(epsilon, x)))]


@lowers(PASS, onnx.op("RMSNormalization"))
class RmsNormalization(FromOnnx):
    """Over the dims from the axis on."""

    def build(self, node: Node, b: GraphBuilder) -> Results:
        x, axis = node[0], node.axis()
        if node.int("stash_type", 1) != 1:
            raise Unconvertible("stash_type is not 1: statistics are computed in f32")
        scale = b.broadcast(b.cast(node[1], element_of(x)), node.shape()[axis:])
        return b(graph.RmsNormOp, x, scale, axis, node.float("epsilon", 1e-5))


@lowers(PASS, onnx.op("BatchNormalization"))
class BatchNormalization(FromOnnx):
    """With given statistics; in training mode with those of the batch, and running ones as further results."""

    def build(self, node: Node, b: GraphBuilder) -> Results:
        x, epsilon = node[0], node.float("epsilon", 1e-5)
        if node.since < 9 and node.int("spatial", 1) == 0:
            raise Unconvertible("statistics per element (spatial = 0)")
        scale, bias, mean, variance = (b.cast(node[i], element_of(x)) for i in range(1, 5))
        if not node.flag("training_mode"):
            return b(graph.BatchNormOp, x, scale, bias, mean, variance, 1, epsilon)
        axes = [i for i in range(node.rank()) if i != 1]
        own = b.reduce("mean", x, axes)
        apart = b.sub(x, b.reshape(own, [e if i == 1 else 1 for i, e in enumerate(node.shape())]))
        spread = b.reduce("mean", b.mul(apart, apart), axes)
        momentum = node.float("momentum", 0.9)

        def running(old: SSAValue, new: SSAValue) -> SSAValue:
            return b.add(b.mul(old, b.number(momentum, old)), b.mul(new, b.number(1 - momentum, new)))

        result = b(graph.BatchNormOp, x, scale, bias, own, spread, 1, epsilon)
        return [result, running(mean, own), running(variance, spread)]


@lowers(PASS, onnx.op("InstanceNormalization"))
class InstanceNormalization(FromOnnx):
    """A group per channel."""

    def build(self, node: Node, b: GraphBuilder) -> Results:
        return b(graph.GroupNormOp, node[0], node[1], node[2], node.shape()[1], 1, node.float("epsilon", 1e-5))


@lowers(PASS, onnx.op("GroupNormalization"))
class GroupNormalization(FromOnnx):
    """Scale and bias are one per group before version 21, and one per channel from then on."""

    def build(self, node: Node, b: GraphBuilder) -> Results:
        groups, channels = node.int("num_groups"), node.shape()[1]
        scale, bias = node[1], node[2]
        if node.since < 21 and groups and channels % groups == 0:
            per = channels // groups
            scale, bias = (
                b.reshape(b.broadcast(b.reshape(v, (groups, 1)), (groups, per)), (channels,)) for v in (scale, bias)
            )
        return b(graph.GroupNormOp, node[0], scale, bias, groups, 1, node.float("epsilon", 1e-5))


@lowers(PASS, onnx.op("LRN"))
class LocalResponseNormalization(FromOnnx):
    """`x / (bias + alpha / size * sum(x^2))^beta`, the sum over neighbouring channels."""

    ROUNDS_ONCE = True

    def build(self, node: Node, b: GraphBuilder) -> Results:
        x, size = node[0], node.int("size")
        rank, channels = node.rank(), node.shape()[1]
        low, high = [0] * rank, [0] * rank
        low[1], high[1] = (size - 1) // 2, size // 2
        squares = b(graph.PadOp, b.mul(x, x), low, high, 0)
        total = b.slice(squares, 1, 0, channels)
        for i in range(1, size):
            total = b.add(total, b.slice(squares, 1, i, i + channels))
        scaled = b.mul(total, b.number(node.float("alpha", 1e-4) / size, x))
        base = b.add(scaled, b.number(node.float("bias", 1.0), x))
        return b.div(x, b(graph.PowOp, base, b.number(node.float("beta", 0.75), x)))


@lowers(PASS, onnx.op("LpNormalization"))
class LpNormalization(FromOnnx):
    """`x / |x|_p` along an axis; 0 where the norm is 0."""

    ROUNDS_ONCE = True

    def build(self, node: Node, b: GraphBuilder) -> Results:
        x, axis = node[0], axis_of(node.int("axis", -1), node.rank())
        if node.int("p", 2) == 1:
            norm = b.reduce("sum", b(graph.AbsOp, x), [axis], True)
        else:
            norm = b(graph.SqrtOp, b.reduce("sum", b.mul(x, x), [axis], True))
        return b.where(b.compare("eq", norm, b.number(0, x)), b.number(0, x), b.div(x, norm))


@lowers(PASS, onnx.op("MeanVarianceNormalization"))
class MeanVarianceNormalization(FromOnnx):
    """`(x - mean) / (deviation + 1e-9)` over axes."""

    ROUNDS_ONCE = True

    def build(self, node: Node, b: GraphBuilder) -> Results:
        x, axes = node[0], node.ints("axes", [0, 2, 3]) or []
        axes = [axis_of(a, node.rank()) for a in axes]
        mean = b.reduce("mean", x, axes, True)
        apart = b.sub(x, mean)
        deviation = b(graph.SqrtOp, b.reduce("mean", b.mul(apart, apart), axes, True))
        return b.div(apart, b.add(deviation, b.number(1e-9, x)))
