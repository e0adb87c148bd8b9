"""Quantised arithmetic: integers with a scale and a zero point; products are summed in i32, exactly."""

from __future__ import annotations

from xdsl.dialects.builtin import f32, f64, i32
from xdsl.ir import Attribute, SSAValue

from mlc.dialects import graph
from mlc.dialects.graph.types import element_of, shape_of
from mlc.dialects.onnx import TYPES_BY_NUMBER
from mlc.dialects.onnx.contributed import RUNTIME_DOMAIN
from mlc.frontends.onnx.to_graph._casts import short_float
from mlc.frontends.onnx.to_graph._node import Node, axis_of
from mlc.frontends.onnx.to_graph._patterns import Results, converts
from mlc.frontends.onnx.to_graph._windows import convolution
from mlc.frontends.operators.graph_builder import GraphBuilder, is_float
from mlc.frontends.operators.products import numpy_product
from mlc.frontends.operators.refusal import Unconvertible
from mlc.support.dtypes import STORED


def _along(b: Node, value: SSAValue, x: SSAValue) -> SSAValue:
    """A scale or a zero point as it broadcasts with `x`: one number, one per element of an axis, or one per block."""
    own, shape = shape_of(value), shape_of(x)
    if not own or own == (1,):
        return b.reshape(value, ())
    axis, size = axis_of(b.int("axis", 1), len(shape)), b.int("block_size")
    if len(own) == 1 and len(shape) > 1:
        return b.reshape(value, [own[0] if i == axis else 1 for i in range(len(shape))])
    if size and len(own) == len(shape):
        apart = b.reshape(value, (*own[: axis + 1], 1, *own[axis + 1 :]))
        wide = b.broadcast(apart, (*own[: axis + 1], size, *own[axis + 1 :]))
        joined = b.reshape(wide, (*own[:axis], own[axis] * size, *own[axis + 1 :]))
        return b.slice(joined, axis, 0, shape[axis])
    return value


def no_zero_point(b: GraphBuilder, element: Attribute) -> SSAValue:
    """The zero point that is none."""
    return b.splat(0, (), element)


@converts("QuantizeLinear", bounded=True, rounds_once=True)
@converts("QuantizeLinear", domain=RUNTIME_DOMAIN, bounded=True, rounds_once=True)
def quantize_linear(b: Node) -> Results:
    """`x / scale`, rounded, plus the zero point, within the type of the zero point."""
    x = b[0]
    number = b.int("output_dtype")
    default = TYPES_BY_NUMBER[number or 2]
    zero = b.optional(2)
    element = element_of(zero) if zero is not None else default
    x = x if is_float(x) else b.cast(x, f32)
    scale = _along(b, b.cast(b[1], element_of(x)), x)
    zero = None if zero is None else _along(b, zero, x)
    if element in graph.QUANTIZED:
        return b(graph.QuantizeOp, x, scale, no_zero_point(b, element) if zero is None else zero)
    if element not in STORED:
        raise Unconvertible(f"input 'y_zero_point' has elements of type {element}, to which nothing is quantised")
    scaled = b.div(x, scale)
    moved = scaled if zero is None else b.add(scaled, b.cast(zero, element_of(x)))
    return short_float(b, moved, element, bool(b.int("saturate", 1)))


@converts("DynamicQuantizeLinear", bounded=True)
def dynamic_quantize_linear(b: Node) -> Results:
    """To ui8, with a scale and a zero point for the least and the largest element and 0; the scale of zeros is 1."""
    return dynamically_quantized(b, b[0])


def dynamically_quantized(b: GraphBuilder, x: SSAValue) -> list[SSAValue]:
    """What `DynamicQuantizeLinear` gives for a value: ui8, a scale and a zero point."""
    axes, zero = range(len(shape_of(x))), b.number(0, x)
    low = b(graph.MinOp, b.reduce("min", x, axes), zero)
    high = b(graph.MaxOp, b.reduce("max", x, axes), zero)
    span = b.sub(high, low)
    scale = b.where(b.compare("eq", span, zero), b.number(1, x), b.div(span, b.number(255, x)))
    element = TYPES_BY_NUMBER[2]
    zero_point = b(graph.QuantizeOp, b.sub(zero, low), scale, no_zero_point(b, element))
    return [b(graph.QuantizeOp, x, scale, zero_point), scale, zero_point]


@converts("DequantizeLinear", bounded=True)
@converts("DequantizeLinear", domain=RUNTIME_DOMAIN, bounded=True)
def dequantize_linear(b: Node) -> Results:
    """`(x - zero point) * scale`, in the type of the scale."""
    number = b.int("output_dtype")
    element = TYPES_BY_NUMBER[number] if number else b.element(1)
    wide = f64 if element == f64 else f32  # an integer of 32 bits is none of 16
    scale, zero = _along(b, b[1], b[0]), b.optional(2)
    zero = None if zero is None else _along(b, zero, b[0])
    if b.element() in graph.QUANTIZED:
        scale = b.cast(scale, element if b.element(1) == element else wide)
        zero = no_zero_point(b, b.element()) if zero is None else zero
        return b.cast(b(graph.DequantizeOp, b[0], scale, zero), element)
    x = b.cast(b[0], f32 if is_float(b[0]) else i32)
    if zero is not None:
        x = b.sub(x, b.cast(zero, element_of(x)))
    return b.cast(b.mul(b.cast(x, wide), b.cast(scale, wide)), element)


def centred(b: GraphBuilder, x: SSAValue, zero: SSAValue | None, rows: bool = False) -> SSAValue:
    """`x - zero point` in i32; a list of zero points is one per row, or one per column."""
    wide = b.cast(x, i32)
    if zero is None:
        return wide
    zero = b.cast(zero, i32)
    shape = shape_of(zero)
    if shape == (1,):
        zero = b.reshape(zero, ())
    elif len(shape) == 1 and rows:
        zero = b.reshape(zero, (shape[0], 1))
    return b.sub(wide, zero)


@converts("MatMulInteger", bounded=True)
def mat_mul_integer(b: Node) -> Results:
    """A product of integers, in i32."""
    return numpy_product(b, centred(b, b[0], b.optional(2), rows=True), centred(b, b[1], b.optional(3)))


def _channels(b: GraphBuilder, zero: SSAValue | None, weights: SSAValue) -> SSAValue | None:
    """Zero points of weights, one per channel of the result, as they broadcast."""
    if zero is None or shape_of(zero) in ((), (1,)):
        return zero
    return b.reshape(zero, (shape_of(zero)[0], *[1] * (len(shape_of(weights)) - 1)))


@converts("ConvInteger", bounded=True)
def conv_integer(b: Node) -> Results:
    """A convolution of integers, in i32; padding is the zero point."""
    weights = centred(b, b[1], _channels(b, b.optional(3), b[1]))
    return convolution(b, centred(b, b[0], b.optional(2)), weights, None)


@converts("QLinearMatMul", bounded=True)
def q_linear_mat_mul(b: Node) -> Results:
    """A product of integers, scaled to integers again."""
    total = numpy_product(b, centred(b, b[0], b[2], rows=True), centred(b, b[3], b[5]))
    left = b[1]
    if len(shape_of(left)) == 1 and shape_of(left) != (1,):
        left = b.reshape(left, (shape_of(left)[0], 1))
    scale = b.div(b.mul(b.cast(left, f32), b.cast(b[4], f32)), b.cast(b[6], f32))
    return requantized(b, total, scale, b[7])


def scaled_sums(b: GraphBuilder, sums: SSAValue, scale: SSAValue) -> SSAValue:
    """Sums in i32, times a scale."""
    return b(graph.DequantizeOp, sums, one_number(b, scale), no_zero_point(b, i32))


def requantized(b: GraphBuilder, sums: SSAValue, scale: SSAValue, zero: SSAValue) -> SSAValue:
    """Sums in i32 times a scale, which is divided by that of the results already, quantised again."""
    scaled = scaled_sums(b, sums, scale)
    return b(graph.QuantizeOp, scaled, b.number(1, scaled), one_number(b, zero))


def one_number(b: GraphBuilder, value: SSAValue) -> SSAValue:
    """A scale or a zero point that is one number, without dims; another one as it is."""
    return b.reshape(value, ()) if shape_of(value) == (1,) else value


@converts("QLinearConv", bounded=True)
def q_linear_conv(b: Node) -> Results:
    """A convolution of integers, scaled to integers again."""
    return quantized_convolution(b, b[0])


def quantized_convolution(b: Node, x: SSAValue) -> SSAValue:
    """What `QLinearConv` gives for an image, with the other operands of a node."""
    weights = centred(b, b[3], _channels(b, b[5], b[3]))
    total = convolution(b, centred(b, x, b[2]), weights, b.optional(8))
    scale = b.div(b.mul(b[1], b[4]), b[6])
    if shape_of(scale) not in ((), (1,)):
        scale = b.reshape(scale, (shape_of(scale)[0], *[1] * (b.rank() - 2)))
    return requantized(b, total, scale, b[7])
