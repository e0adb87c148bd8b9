"""Quantisation as exported programs spell it: operators with scales and zero points as numbers, or as tensors.

PyTorch multiplies by the reciprocal of the scale where `graph.quantize` divides by it, so that what lies next to the
middle between two steps may be one step off.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from xdsl.dialects.builtin import f32, f64
from xdsl.ir import Attribute, SSAValue

from mlc.dialects import graph
from mlc.dialects.graph.types import element_of, shape_of
from mlc.frontends.operators.refusal import Unconvertible
from mlc.frontends.operators.to_graph import Results
from mlc.frontends.torch.to_graph._calls import Call, axis_of
from mlc.frontends.torch.to_graph._patterns import converts
from mlc.support.dtypes import least_of, most_of, to_numpy

_converts = partial(converts, domain="quantized_decomposed")


@_converts("quantize_per_tensor", "quantize_per_tensor.tensor")
def quantize_per_tensor(
    b: Call, input: SSAValue, scale: SSAValue | float, zero_point: SSAValue | int, quant_min: int, quant_max: int
) -> Results:
    """By one scale and one zero point, to the integers from `quant_min` to `quant_max`."""
    return _quantized(b, input, _number(b, scale, f32), _number(b, zero_point, b.element()), quant_min, quant_max)


@_converts("quantize_per_channel")
def quantize_per_channel(
    b: Call, input: SSAValue, scales: SSAValue, zero_points: SSAValue, axis: int, quant_min: int, quant_max: int
) -> Results:
    """By a scale and a zero point for each element of an axis."""
    scale, zero = (_along(b, v, input, axis) for v in (b.cast(scales, f32), b.cast(zero_points, b.element())))
    return _quantized(b, input, scale, zero, quant_min, quant_max)


@_converts("dequantize_per_tensor", "dequantize_per_tensor.tensor")
def dequantize_per_tensor(b: Call, input: SSAValue, scale: SSAValue | float, zero_point: SSAValue | int) -> Results:
    """By one scale and one zero point."""
    element = _quantized_type(element_of(input))
    return b(graph.DequantizeOp, input, _number(b, scale, _float(b)), _number(b, zero_point, element))


@_converts("dequantize_per_channel")
def dequantize_per_channel(
    b: Call, input: SSAValue, scales: SSAValue, zero_points: SSAValue | None, axis: int
) -> Results:
    """By a scale, and a zero point or none, for each element of an axis."""
    element = _quantized_type(element_of(input))
    zero = b.splat(0, (), element) if zero_points is None else b.cast(zero_points, element)
    scale, zero = (_along(b, v, input, axis) for v in (b.cast(scales, _float(b)), zero))
    return b(graph.DequantizeOp, input, scale, zero)


def _quantized(b: Call, x: SSAValue, scale: SSAValue, zero: SSAValue, least: int, most: int) -> SSAValue:
    element = _quantized_type(b.element())
    q = b(graph.QuantizeOp, b.cast(x, f32), scale, zero)
    if least > least_of(element):
        q = b.maximum(q, b.constant(np.asarray(least, to_numpy(element)), element))
    if most < most_of(element):
        q = b.minimum(q, b.constant(np.asarray(most, to_numpy(element)), element))
    return q


def _quantized_type(element: Attribute) -> Attribute:
    """Raises: Unconvertible if integers are of a type that is none of quantised numbers."""
    if element not in graph.QUANTIZED:
        raise Unconvertible(f"it quantises to elements of type {element}; required: i8, ui8, i16, ui16 or i32")
    return element


def _float(b: Call) -> Attribute:
    return f64 if b.element() == f64 else f32


def _number(b: Call, value: SSAValue | float, element: Attribute) -> SSAValue:
    """A number, or the one in a tensor, as a tensor of rank 0."""
    number = b.tensor(value, element)
    return b.reshape(number, ())


def _along(b: Call, value: SSAValue, x: SSAValue, axis: int) -> SSAValue:
    """A number for each element of an axis of `x`, as it broadcasts."""
    if not shape_of(value):
        return value
    rank = len(shape_of(x))
    return b.reshape(value, [shape_of(value)[0] if i == axis_of(axis, rank) else 1 for i in range(rank)])
