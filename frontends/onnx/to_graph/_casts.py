"""Conversions of elements. Of floats of 8 bits and less ONNX says more: what becomes of numbers that are too large, and
which power of two is taken where a type has no others."""

from __future__ import annotations

from xdsl.dialects.builtin import Float8E8M0FNUType, f32, i1, i32
from xdsl.ir import Attribute, SSAValue

from mlc.dialects import graph
from mlc.dialects.graph.types import element_of
from mlc.dialects.onnx import TYPES_BY_NUMBER
from mlc.frontends.onnx.to_graph._node import Node
from mlc.frontends.onnx.to_graph._patterns import Results, converts
from mlc.frontends.operators.graph_builder import GraphBuilder, is_float
from mlc.frontends.operators.refusal import Unconvertible
from mlc.support.dtypes import COMPUTED_FLOATS, STORED, limits_of, to_numpy
from mlc.support.types import integer_width

_LEAST = 2.0**-127
"""The least number of f8E8M0FNU, and half the least f32 whose exponent says how large it is."""
_EXPONENT, _BELOW = 0x7F800000, 0x007FFFFF
"""The bits of an f32 that are its exponent, and those of its mantissa."""


@converts("Cast", "CastLike", bounded=True)
def cast(b: Node) -> Results:
    """A conversion of elements. Floats that do not fit an integer of less than 8 bits leave their low bits."""
    target = TYPES_BY_NUMBER.get(b.int("to")) if b.op.OP_TYPE == "Cast" else b.element(1)
    if target is None:
        raise Unconvertible(f"it converts to type {b.int('to')}, which ONNX does not have")
    if b.element() == target or target not in STORED:
        return b.cast(b[0], target)
    if integer_width(target):
        return b.cast(b.cast(b[0], i32) if is_float(b[0]) else b[0], target)
    mode = b.one_of("round_mode", "", "up", "down", "nearest")
    return short_float(b, b[0], target, bool(b.int("saturate", 1)), mode)


@converts("BitCast", bounded=True)
def bit_cast(b: Node) -> Results:
    """The bits of elements as another type; a boolean is a byte that is 0 or 1."""
    target = TYPES_BY_NUMBER.get(b.int("to"))
    if target is None:
        raise Unconvertible(f"it reads bits as type {b.int('to')}, which ONNX does not have")
    if i1 in (b.element(), target):
        return b.cast(b[0], target)
    return b(graph.BitcastOp, b[0], target)


def short_float(b: GraphBuilder, x: SSAValue, element: Attribute, saturate: bool, mode: str = "") -> SSAValue:
    """Numbers as floats of type `element`: with `saturate` the greatest of them where one is too large, else what
    `graph.cast` makes of it. `mode` says which power of two: the one `up`, which is the default, `down`, or `nearest`.
    """
    is_power = isinstance(element, Float8E8M0FNUType)
    if element_of(x) not in COMPUTED_FLOATS or is_power:
        x = b.cast(x, f32)
    if saturate:
        most = float(limits_of(to_numpy(element)).max)
        low, high = b.number(_LEAST if is_power else -most, x), b.number(most, x)
        x = b(graph.MinOp, b(graph.MaxOp, x, low), high)
    if is_power and mode != "nearest":
        x = _power_of_two(b, x, up=mode != "down")
    return b.cast(x, element)


def _power_of_two(b: GraphBuilder, x: SSAValue, up: bool) -> SSAValue:
    """The next power of two above or below an f32: its exponent, and one more if there is anything below that.

    Below 2^-126 it is 2^-127 in the end; infinity, NaN and what is not positive stay.
    """
    number = b(graph.MaxOp, x, b.number(2 * _LEAST, x))
    bits = b(graph.BitcastOp, number, i32)
    if up:
        bits = b.add(bits, b.number(_BELOW, bits))
    power = b(graph.BitcastOp, b(graph.AndOp, bits, b.number(_EXPONENT, bits)), f32)
    least = b.number(_LEAST, x)
    is_least = b.compare("le", x, least) if up else b.compare("lt", x, b.number(2 * _LEAST, x))
    power = b.where(is_least, b(graph.MinOp, x, least), power)
    return b.where(b.compare("lt", x, b.number(float("inf"), x)), power, x)
