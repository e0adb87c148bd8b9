"""Softmax and normalisations."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import prod

from xdsl.ir import SSAValue

from mlc.dialects import graph
from mlc.dialects.graph.types import element_of
from mlc.frontends.onnx.to_graph._node import Node, axis_of
from mlc.frontends.onnx.to_graph._patterns import Results, converts
from mlc.frontends.operators import logarithms
from mlc.frontends.operators.open_shapes import depends_on_call, product, require_fixed, reshaped, shape_sizes
from mlc.frontends.operators.refusal import Unconvertible
from mlc.frontends.operators.statistics import inverse_root, mean_and_differences, mean_square


def _along(b: Node, compute: Callable[[SSAValue, int], SSAValue]) -> SSAValue:
    """What is computed along an axis of the operand: before version 13, all dims from the axis on count as one."""
    x, rank = b[0], b.rank()
    if b.since >= 13:
        return compute(x, b.axis())
    axis = b.int("axis", 1)
    axis = axis if axis >= 0 else axis + rank
    if axis == rank - 1:
        return compute(x, axis)
    if depends_on_call(b, x):
        sizes = shape_sizes(b, x)
        return reshaped(b, compute(reshaped(b, x, [product(sizes[:axis]), product(sizes[axis:])]), 1), sizes)
    shape = b.shape()
    return b.reshape(compute(b.reshape(x, (prod(shape[:axis]), prod(shape[axis:]))), 1), shape)


@converts("Softmax", bounded=True)
def softmax(b: Node) -> Results:
    """Along an axis."""
    return _along(b, partial(b, graph.SoftmaxOp))


@converts("LogSoftmax", bounded=True, rounds_once=True)
def log_softmax(b: Node) -> Results:
    """`x - max - log(sum(e^(x - max)))`."""
    return _along(b, partial(logarithms.log_softmax, b))


@converts("LayerNormalization", bounded=True)
def layer_normalization(b: Node) -> Results:
    """Over the dims from the axis on; the mean and the inverse deviation are results, too."""
    x, axis, shape = b[0], b.axis(), b.shape()
    epsilon = b.float("epsilon", 1e-5)
    inner = shape[axis:]
    scale = b.broadcast(b[1], inner)
    bias = b.broadcast(b[2], inner) if b.has(2) else b.splat(0, inner, element_of(x))
    result = b(graph.LayerNormOp, x, scale, bias, axis, epsilon)
    if not (b.wants(1) or b.wants(2)):
        return result
    axes = list(range(axis, len(shape)))
    x = b.widened(x)
    mean, apart = mean_and_differences(b, x, axes)
    return [result, mean, inverse_root(b, mean_square(b, apart, axes, True), epsilon)]


@converts("RMSNormalization", bounded=True)
def rms_normalization(b: Node) -> Results:
    """Over the dims from the axis on."""
    x, axis = b[0], b.axis()
    if b.int("stash_type", 1) != 1:
        raise Unconvertible("stash_type is not 1: statistics are computed in f32")
    scale = b.broadcast(b.cast(b[1], element_of(x)), b.shape()[axis:])
    return b(graph.RmsNormOp, x, scale, axis, b.float("epsilon", 1e-5))


@converts("BatchNormalization", bounded=True)
def batch_normalization(b: Node) -> Results:
    """With given statistics; in training mode with those of the batch, and running ones as further results."""
    x, epsilon = b[0], b.float("epsilon", 1e-5)
    if b.since < 9 and b.int("spatial", 1) == 0:
        raise Unconvertible("statistics per element (spatial = 0)")
    scale, bias, mean, variance = (b.cast(b[i], element_of(x)) for i in range(1, 5))
    if not b.flag("training_mode"):
        return b(graph.BatchNormOp, x, scale, bias, mean, variance, 1, epsilon)
    require_fixed(b, x, "what is normalised")
    axes = [i for i in range(b.rank()) if i != 1]
    own, apart = mean_and_differences(b, x, axes)
    own, spread = b.squeeze(own, axes), mean_square(b, apart, axes)
    momentum = b.float("momentum", 0.9)

    def running(old: SSAValue, new: SSAValue) -> SSAValue:
        return b.add(b.mul(old, b.number(momentum, old)), b.mul(new, b.number(1 - momentum, new)))

    result = b(graph.BatchNormOp, x, scale, bias, own, spread, 1, epsilon)
    return [result, running(mean, own), running(variance, spread)]


@converts("InstanceNormalization", bounded=True)
def instance_normalization(b: Node) -> Results:
    """A group per channel."""
    return b(graph.GroupNormOp, b[0], b[1], b[2], b.shape()[1], 1, b.float("epsilon", 1e-5))


@converts("GroupNormalization", bounded=True)
def group_normalization(b: Node) -> Results:
    """Scale and bias are one per group before version 21, and one per channel from then on."""
    groups, channels = b.int("num_groups"), b.shape()[1]
    scale, bias = b[1], b[2]
    if b.since < 21 and groups and channels % groups == 0:
        per = channels // groups
        scale, bias = (
            b.reshape(b.broadcast(b.reshape(v, (groups, 1)), (groups, per)), (channels,)) for v in (scale, bias)
        )
    return b(graph.GroupNormOp, b[0], scale, bias, groups, 1, b.float("epsilon", 1e-5))


@converts("LRN", bounded=True, rounds_once=True)
def local_response_normalization(b: Node) -> Results:
    """`x / (bias + alpha / size * sum(x^2))^beta`, the sum over neighbouring channels."""
    x, size = b[0], b.int("size")
    rank, channels = b.rank(), b.shape()[1]
    low, high = [0] * rank, [0] * rank
    low[1], high[1] = (size - 1) // 2, size // 2
    squares = b(graph.PadOp, b.mul(x, x), low, high, 0)
    total = b.slice(squares, 1, 0, channels)
    for i in range(1, size):
        total = b.add(total, b.slice(squares, 1, i, i + channels))
    scaled = b.mul(total, b.number(b.float("alpha", 1e-4) / size, x))
    base = b.add(scaled, b.number(b.float("bias", 1.0), x))
    return b.div(x, b(graph.PowOp, base, b.number(b.float("beta", 0.75), x)))


@converts("LpNormalization", bounded=True, rounds_once=True)
def lp_normalization(b: Node) -> Results:
    """`x / |x|_p` along an axis; 0 where the norm is 0."""
    x, axis = b[0], axis_of(b.int("axis", -1), b.rank())
    if b.int("p", 2) == 1:
        norm = b.reduce("sum", b(graph.AbsOp, x), [axis], True)
    else:
        norm = b(graph.SqrtOp, b.reduce("sum", b.mul(x, x), [axis], True))
    return b.where(b.compare("eq", norm, b.number(0, x)), b.number(0, x), b.div(x, norm))


@converts("MeanVarianceNormalization", bounded=True, rounds_once=True)
def mean_variance_normalization(b: Node) -> Results:
    """`(x - mean) / (deviation + 1e-9)` over axes."""
    x, axes = b[0], b.ints("axes", [0, 2, 3]) or []
    axes = [axis_of(a, b.rank()) for a in axes]
    _, apart = mean_and_differences(b, x, axes)
    deviation = b(graph.SqrtOp, mean_square(b, apart, axes, True))
    return b.div(apart, b.add(deviation, b.number(1e-9, x)))
