"""Quantisation as exported programs spell it: operators with scales and zero points as numbers, or as tensors.

PyTorch multiplies by the reciprocal of the scale where `graph.quantize` divides by it, so that what lies next to the
middle between two steps may be one step off. Scales of f64, which are those of f32 in more bits, are read as f32.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
from xdsl.dialects.builtin import f32, f64
from xdsl.ir import Attribute, SSAValue

from mlc.dialects import graph
from mlc.dialects.graph.types import element_of, shape_of
from mlc.frontends.operators.quantized_numbers import limited
from mlc.frontends.operators.refusal import Unconvertible
from mlc.frontends.operators.to_graph import Results
from mlc.frontends.torch.to_graph._calls import Call, axis_of
from mlc.frontends.torch.to_graph._patterns import converts

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


@_converts("quantize_per_token")
def quantize_per_token(
    b: Call, input: SSAValue, scales: SSAValue, zero_points: SSAValue, quant_min: int, quant_max: int
) -> Results:
    """By a scale and a zero point for each row."""
    scale, zero = (_by_row(b, v, input) for v in (b.cast(scales, f32), b.cast(zero_points, b.element())))
    return _quantized(b, input, scale, zero, quant_min, quant_max)


@_converts("quantize_per_channel_group")
def quantize_per_channel_group(
    b: Call, input: SSAValue, scales: SSAValue, zero_points: SSAValue, quant_min: int, quant_max: int, group_size: int
) -> Results:
    """By a scale and a zero point for each group of a row."""
    grouped = _grouped(input, scales, group_size)
    scale, zero = (_by_row(b, v, grouped) for v in (b.cast(scales, f32), b.cast(zero_points, b.element())))
    return b.reshape(_quantized(b, b.reshape(input, grouped), scale, zero, quant_min, quant_max), shape_of(input))


@_converts("dequantize_per_tensor", "dequantize_per_tensor.tensor")
def dequantize_per_tensor(b: Call, input: SSAValue, scale: SSAValue | float, zero_point: SSAValue | int) -> Results:
    """By one scale and one zero point."""
    element = quantized_type(element_of(input))
    return b(graph.DequantizeOp, input, _number(b, scale, _float(b)), _number(b, zero_point, element))


@_converts("dequantize_per_channel")
def dequantize_per_channel(
    b: Call, input: SSAValue, scales: SSAValue, zero_points: SSAValue | None, axis: int
) -> Results:
    """By a scale, and a zero point or none, for each element of an axis."""
    zero = zero_of(b, zero_points, element_of(input))
    scale, zero = (_along(b, v, input, axis) for v in (b.cast(scales, _float(b)), zero))
    return b(graph.DequantizeOp, input, scale, zero)


@_converts("dequantize_per_token")
def dequantize_per_token(b: Call, input: SSAValue, scales: SSAValue, zero_points: SSAValue) -> Results:
    """By a scale and a zero point for each row."""
    zero = zero_of(b, zero_points, element_of(input))
    scale, zero = (_by_row(b, v, input) for v in (b.cast(scales, _float(b)), zero))
    return b(graph.DequantizeOp, input, scale, zero)


@_converts("dequantize_per_channel_group")
def dequantize_per_channel_group(
    b: Call, w_int8: SSAValue, scales: SSAValue, zero_points: SSAValue | None, group_size: int
) -> Results:
    """By a scale, and a zero point or none, for each group of a row."""
    grouped = _grouped(w_int8, scales, group_size)
    zero = zero_of(b, zero_points, element_of(w_int8))
    scale, zero = (_by_row(b, v, grouped) for v in (b.cast(scales, _float(b)), zero))
    return b.reshape(b(graph.DequantizeOp, b.reshape(w_int8, grouped), scale, zero), shape_of(w_int8))


@_converts("convert_element_type.no_fuse")
def convert_element_type(b: Call, input: SSAValue) -> Results:
    """The same numbers in another type."""
    return input


# ---- scales and zero points of data


@_converts("choose_qparams.tensor")
def choose_qparams(b: Call, input: SSAValue, quant_min: int, quant_max: int, eps: float) -> Results:
    """One scale and one zero point for the range of all numbers, which 0 is in."""
    low, high = _range(b, b.cast(input, f32), range(len(shape_of(input))))
    scale = b.div(b.sub(high, low), b.number(quant_max - quant_min, low))
    scale = b.maximum(scale, b.number(eps, scale))
    zero = b.sub(b.number(quant_min, scale), b(graph.RoundOp, b.div(low, scale)))
    zero = b.minimum(b.maximum(zero, b.number(quant_min, zero)), b.number(quant_max, zero))
    return [b.reshape(v, b.shape(i)) for i, v in enumerate((scale, zero))]


@_converts("choose_qparams_per_token")
def choose_qparams_per_token(b: Call, input: SSAValue) -> Results:
    """A scale for each row, such that the largest magnitude is 127; zero points are 0."""
    largest = b.reduce("max", b(graph.AbsOp, b.cast(input, f32)), [len(shape_of(input)) - 1], keepdims=True)
    scale = b.div(b.maximum(largest, b.number(1e-5, largest)), b.number(127, largest))
    return [scale, b.splat(0, shape_of(scale), f32)]


@_converts("choose_qparams_per_token_asymmetric")
def choose_qparams_per_token_asymmetric(b: Call, input: SSAValue) -> Results:
    """A scale and a zero point of i8 for the range of each row, which 0 is in; the zero point is the one of the nearer
    end."""
    least, most = -128, 127
    low, high = _range(b, b.cast(input, f32), [len(shape_of(input)) - 1])
    scale = b.div(b.sub(high, low), b.number(most - least, low))
    scale = b.maximum(scale, b.number(float(np.finfo(np.float32).eps), scale))
    low, high = b.div(low, scale), b.div(high, scale)
    least_, most_ = b.number(least, low), b.number(most, low)
    error = b.add(b.add(least_, low), b.add(most_, high))
    zero = b.where(b.compare("gt", error, b.number(0, error)), b.sub(least_, low), b.sub(most_, high))
    return [scale, b(graph.RoundOp, b.minimum(b.maximum(zero, least_), most_))]


def _range(b: Call, x: SSAValue, axes: Sequence[int]) -> tuple[SSAValue, SSAValue]:
    """The least and the largest number, or 0."""
    low, high = (b.reduce(kind, x, axes, keepdims=True) for kind in ("min", "max"))
    return b.minimum(low, b.number(0, low)), b.maximum(high, b.number(0, high))


# ---- parts of them


def quantized_type(element: Attribute) -> Attribute:
    """Raises: Unconvertible if integers are of a type that is none of quantised numbers."""
    if element not in graph.QUANTIZED:
        raise Unconvertible(f"it quantises to elements of type {element}; required: i8, ui8, i16, ui16 or i32")
    return element


def zero_of(b: Call, zero_point: SSAValue | None, element: Attribute) -> SSAValue:
    """Zero points of quantised numbers of a type; 0 if there are none."""
    element = quantized_type(element)
    return b.splat(0, (), element) if zero_point is None else b.cast(zero_point, element)


def _quantized(b: Call, x: SSAValue, scale: SSAValue, zero: SSAValue, least: int, most: int) -> SSAValue:
    quantized_type(b.element())
    return limited(b, b(graph.QuantizeOp, b.cast(x, f32), scale, zero), least, most)


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


def _by_row(b: Call, value: SSAValue, x: SSAValue | Sequence[int]) -> SSAValue:
    """A number for each row of `x`, as it broadcasts."""
    shape = shape_of(x) if isinstance(x, SSAValue) else x
    return b.reshape(value, (*shape[:-1], 1)) if shape_of(value) else value


def _grouped(x: SSAValue, scales: SSAValue, size: int) -> tuple[int, int]:
    """The shape with a row for each group; a matrix of narrower rows has one for each of them."""
    rows, extent = shape_of(x)
    size = extent if size > extent and shape_of(scales)[-1] == 1 else size
    return rows * extent // size, size
