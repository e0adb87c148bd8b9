"""Operators of ONNX Runtime on quantised tensors: what a name without `QLinear` says, between a conversion to floats
and one back."""

from __future__ import annotations

from math import prod

from xdsl.ir import Attribute, SSAValue

from mlc.dialects import graph
from mlc.dialects.graph.types import element_of
from mlc.dialects.onnx.contributed import RUNTIME_DOMAIN
from mlc.frontends.onnx.to_graph._layouts import with_channels_last
from mlc.frontends.onnx.to_graph._node import Node, axes_of
from mlc.frontends.onnx.to_graph._patterns import Results, converts
from mlc.frontends.onnx.to_graph._quantization import no_zero_point, one_number, quantized_convolution
from mlc.frontends.onnx.to_graph._windows import averages, largest
from mlc.frontends.operators.activations import leaky_relu
from mlc.frontends.operators.graph_builder import GraphBuilder
from mlc.frontends.operators.refusal import Unconvertible


def dequantized(b: GraphBuilder, x: SSAValue, scale: SSAValue, zero: SSAValue | None) -> SSAValue:
    """`(x - zero point) * scale`, both of which are one number, or none."""
    zero = no_zero_point(b, element_of(x)) if zero is None else one_number(b, zero)
    return b(graph.DequantizeOp, x, one_number(b, scale), zero)


def quantized(b: GraphBuilder, x: SSAValue, scale: SSAValue, zero: SSAValue | None, element: Attribute) -> SSAValue:
    """`x / scale`, rounded, plus the zero point, within the range of an element type."""
    zero = no_zero_point(b, element) if zero is None else one_number(b, zero)
    return b(graph.QuantizeOp, x, one_number(b, scale), zero)


def _operand(b: Node, index: int) -> SSAValue:
    """An operand as floats: its scale and its zero point follow it."""
    return dequantized(b, b[index], b[index + 1], b.optional(index + 2))


def _result(b: Node, x: SSAValue, index: int, element: Attribute | None = None) -> SSAValue:
    """A result as the operands `index`, a scale, and the next, a zero point, have it."""
    return quantized(b, x, b[index], b.optional(index + 1), element or b.element())


@converts("QLinearAdd", "QLinearMul", domain=RUNTIME_DOMAIN, bounded=True)
def q_linear_binary(b: Node) -> Results:
    """A sum or a product of two tensors that broadcast."""
    combine = b.add if b.op.OP_TYPE == "QLinearAdd" else b.mul
    return _result(b, combine(_operand(b, 0), _operand(b, 3)), 6)


@converts("QLinearWhere", domain=RUNTIME_DOMAIN, bounded=True)
def q_linear_where(b: Node) -> Results:
    """One of two tensors, element by element."""
    return _result(b, b.where(b[0], _operand(b, 1), _operand(b, 4)), 7, b.element(1))


@converts("QLinearConcat", domain=RUNTIME_DOMAIN, bounded=True)
def q_linear_concat(b: Node) -> Results:
    """One tensor after the other; each has a scale and a zero point of its own."""
    count = len(b.op.operands) - 2
    if count < 3 or count % 3:
        raise Unconvertible(
            f"{count} inputs follow 'Y_zero_point'; required: a tensor, a scale and a zero point of each"
        )
    parts = [_result(b, _operand(b, index), 0, b.element(1)) for index in range(2, 2 + count, 3)]
    return b.concat(parts, b.axis(rank=b.rank(2)))


@converts("QLinearSigmoid", domain=RUNTIME_DOMAIN, bounded=True)
def q_linear_sigmoid(b: Node) -> Results:
    """The logistic function."""
    return _result(b, b(graph.SigmoidOp, _operand(b, 0)), 3)


@converts("QLinearLeakyRelu", domain=RUNTIME_DOMAIN, bounded=True)
def q_linear_leaky_relu(b: Node) -> Results:
    """`alpha x` where `x` is negative, else `x`."""
    x = _operand(b, 0)
    return _result(b, leaky_relu(b, x, b.number(b.float("alpha"), x)), 3)


@converts("QLinearSoftmax", domain=RUNTIME_DOMAIN, bounded=True)
def q_linear_softmax(b: Node) -> Results:
    """Along an axis; with `opset` below 13 all dims from the axis on count as one."""
    x, shape, axis = _operand(b, 0), b.shape(), b.axis()
    if b.int("opset") < 13:
        x, axis = b.reshape(x, (prod(shape[:axis]), prod(shape[axis:]))), 1
    return _result(b, b.reshape(b(graph.SoftmaxOp, x, axis), shape), 3)


@converts("QLinearReduceMean", domain=RUNTIME_DOMAIN, bounded=True)
def q_linear_reduce_mean(b: Node) -> Results:
    """The mean over axes; over all if none is named."""
    axes = axes_of(b.ints("axes") or range(b.rank()), b.rank())
    return _result(b, b.reduce("mean", _operand(b, 0), axes, b.flag("keepdims")), 3)


@converts("QLinearGlobalAveragePool", domain=RUNTIME_DOMAIN, bounded=True)
def q_linear_global_average_pool(b: Node) -> Results:
    """The mean over all spatial dims."""
    b.require_rank(0, *range(3, 9))
    first = 1 if b.flag("channels_last") else 2
    axes = range(first, first + b.rank() - 2)
    return _result(b, b.reduce("mean", _operand(b, 0), axes, True), 3)


@converts("QLinearAveragePool", domain=RUNTIME_DOMAIN, bounded=True)
def q_linear_average_pool(b: Node) -> Results:
    """The mean under each window."""
    b.require_rank(0, 3, 4, 5)
    x = _operand(b, 0)
    pooled = with_channels_last(b, x, averages) if b.flag("channels_last") else averages(b, x)
    return _result(b, pooled, 3)


@converts("NhwcMaxPool", domain=RUNTIME_DOMAIN, bounded=True)
def nhwc_max_pool(b: Node) -> Results:
    """The largest element under each window, channels last."""
    b.require_rank(0, 3, 4, 5)
    return with_channels_last(b, b[0], lambda b, x: largest(b, x)[0])


@converts("QLinearConv", domain=RUNTIME_DOMAIN, bounded=True)
def q_linear_conv(b: Node) -> Results:
    """A convolution of images with channels first or last; weights are as those of `Conv`."""
    b.require_rank(0, 3, 4, 5)
    b.require_rank(3, b.rank())
    b.require_rank(8, 1)
    if b.flag("channels_last"):
        return with_channels_last(b, b[0], quantized_convolution)
    return quantized_convolution(b, b[0])
