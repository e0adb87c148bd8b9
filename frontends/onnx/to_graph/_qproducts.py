"""Products of quantised matrices whose sums become floats, or have a bias, as ONNX Runtime fuses them."""

from __future__ import annotations

from xdsl.dialects.builtin import f32
from xdsl.ir import SSAValue

from mlc.dialects.graph.types import shape_of
from mlc.dialects.onnx.contributed import RUNTIME_DOMAIN
from mlc.frontends.onnx.to_graph._node import Node
from mlc.frontends.onnx.to_graph._patterns import Results, converts
from mlc.frontends.onnx.to_graph._quantization import (
    centred,
    dynamically_quantized,
    one_number,
    requantized,
    scaled_sums,
)
from mlc.frontends.operators.graph_builder import GraphBuilder
from mlc.frontends.operators.products import numpy_product
from mlc.frontends.operators.recurrent import plus
from mlc.frontends.operators.refusal import Unconvertible


def scaled_product(
    b: GraphBuilder, x: SSAValue, x_zero: SSAValue | None, w: SSAValue, w_zero: SSAValue | None, scale: SSAValue
) -> SSAValue:
    """A product of integers less their zero points, times a scale, one number or one per column, as floats."""
    return scaled_sums(b, numpy_product(b, centred(b, x, x_zero), centred(b, w, w_zero)), scale)


@converts("QGemm", domain=RUNTIME_DOMAIN, bounded=True)
def q_gemm(b: Node) -> Results:
    """`alpha A B + C`, scaled to floats, or to integers again if the scale of these is there."""
    b.require_rank(0, 2)
    b.require_rank(3, 2)
    lhs = b.transpose(b[0], (1, 0)) if b.flag("transA") else b[0]
    rhs = b.transpose(b[3], (1, 0)) if b.flag("transB") else b[3]
    sums = plus(b, b.matmul(centred(b, lhs, b[2]), centred(b, rhs, b[5])), b.optional(6))
    scale = b.scaled(b.mul(one_number(b, b[1]), one_number(b, b[4])), b.float("alpha"))
    if b.has(7) != b.has(8):
        raise Unconvertible("only one of 'y_scale' and 'y_zero_point' is there; required: both or none")
    if not b.has(7):
        return scaled_sums(b, sums, scale)
    return requantized(b, sums, b.div(scale, one_number(b, b[7])), b[8])


@converts("MatMulIntegerToFloat", domain=RUNTIME_DOMAIN, bounded=True)
def mat_mul_integer_to_float(b: Node) -> Results:
    """A product of integers as floats, with a bias."""
    scale = b.mul(*(b.cast(one_number(b, b[index]), f32) for index in (2, 3)))
    found = scaled_product(b, b[0], b.optional(4), b[1], b.optional(5), scale)
    bias = b.optional(6)
    return b.cast(plus(b, found, None if bias is None else b.cast(bias, f32)), b.element(2))


@converts("DynamicQuantizeMatMul", domain=RUNTIME_DOMAIN, bounded=True)
def dynamic_quantize_mat_mul(b: Node) -> Results:
    """The same of floats that are quantised first."""
    return plus(b, times_quantized(b, b[0], b[1], b[2], b.optional(3)), b.optional(4))


def times_quantized(b: GraphBuilder, x: SSAValue, w: SSAValue, w_scale: SSAValue, w_zero: SSAValue | None) -> SSAValue:
    """Floats, quantised by their range, times integers with a scale and a zero point, one or one per column."""
    q, scale, zero = dynamically_quantized(b, x)
    return scaled_product(b, q, zero, w, w_zero, b.mul(scale, one_number(b, w_scale)))


def columns(b: GraphBuilder, value: SSAValue, number: int) -> SSAValue:
    """The scales or the zero points of one of several matrices, each of which has one, or one per column."""
    part = b.slice(value, 0, number, number + 1)
    return b.reshape(part, shape_of(value)[1:])
