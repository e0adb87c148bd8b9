"""Quantisation by blocks, as the package `torchao` spells it. What has one scale is a block: `[1, 32]` are 32 elements
of a row.

`quantize_affine` multiplies by the reciprocal of the scale, as torchao does, where the scale is computed from data: the
largest number lies just between two steps then. A scale that is known divides, so that it can be folded into others.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from xdsl.dialects.builtin import f32
from xdsl.ir import Attribute, SSAValue

from mlc.dialects import graph
from mlc.dialects.graph.types import element_of, shape_of
from mlc.frontends.operators.quantized_numbers import limited
from mlc.frontends.operators.refusal import Unconvertible
from mlc.frontends.operators.to_graph import Results
from mlc.frontends.torch.to_graph._calls import Call
from mlc.frontends.torch.to_graph._patterns import converts
from mlc.frontends.torch.to_graph._quantized import quantized_type, zero_of
from mlc.support.dtypes import least_of, most_of

_converts = partial(converts, domain="torchao")


@_converts("quantize_affine")
def quantize_affine(
    b: Call, input: SSAValue, block_size: Sequence[int], scale: SSAValue, zero_point: SSAValue | None,
    output_dtype: Attribute | None, quant_min: float | None, quant_max: float | None,
) -> Results:  # fmt: skip
    """To the integers from `quant_min` to `quant_max`, those of the type by default."""
    element = quantized_type(b.element())
    least, most = _limits(output_dtype, element, quant_min, quant_max)
    inner, outer = _blocks(shape_of(input), block_size)
    x, by, zero = b.reshape(input, inner), b.reshape(scale, outer), _spread(b, zero_of(b, zero_point, element), outer)
    if b.knowledge.array(scale) is None:
        x = b.mul(*b.promoted(x, b.div(b.number(1, by), by)))
        by = b.splat(1, (), f32)
    q = b(graph.QuantizeOp, b.cast(x, f32), b.cast(by, f32), zero)
    return b.reshape(limited(b, q, least, most), shape_of(input))


@_converts("dequantize_affine")
def dequantize_affine(
    b: Call, input: SSAValue, block_size: Sequence[int], scale: SSAValue, zero_point: SSAValue | None
) -> Results:
    """The difference from the zero point, times the scale."""
    inner, outer = _blocks(shape_of(input), block_size)
    zero = _spread(b, zero_of(b, zero_point, element_of(input)), outer)
    x = b(graph.DequantizeOp, b.reshape(input, inner), b.reshape(b.cast(scale, f32), outer), zero)
    return b.reshape(x, shape_of(input))


def _limits(
    requested: Attribute | None, element: Attribute, least: float | None, most: float | None
) -> tuple[float, float]:
    """The least and the largest integer.

    Raises:
        Unconvertible: they are those of a type that mlc does not have.
    """
    if least is not None and most is not None:
        return least, most
    if requested != element:
        raise Unconvertible("it quantises to integers of fewer than 8 bits, without a least and a largest one")
    return least_of(element) if least is None else least, most_of(element) if most is None else most


def _spread(b: Call, value: SSAValue, shape: Sequence[int]) -> SSAValue:
    return b.reshape(value, shape) if shape_of(value) else value


def _blocks(shape: Sequence[int], sizes: Sequence[int]) -> tuple[list[int], list[int]]:
    """The shape in which blocks are dims of their own, and that of their scales.

    Raises:
        Unconvertible: blocks do not fill the tensor.
    """
    if len(sizes) != len(shape) or any(extent % size for extent, size in zip(shape, sizes, strict=True)):
        raise Unconvertible(f"blocks of {list(sizes)} do not fill a tensor of {list(shape)}")
    inner, outer = list[int](), list[int]()
    for extent, size in zip(shape, sizes, strict=True):
        split = (extent // size, size) if 1 < size < extent else (extent,)
        inner += split
        outer += (*split[:-1], 1 if size > 1 else extent)
    return inner, outer
