"""Quantisation becomes `tensor.map`: a division or a product by the scale, and conversions."""

from __future__ import annotations

from struct import pack

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import f32, i32
from xdsl.ir import Attribute, Operation, SSAValue

from mlc.dialects import graph
from mlc.dialects.arith import CmpfOp, SelectOp
from mlc.pass_manager.lowering import lowers
from mlc.passes.graph_to_tensor._builder import Builder
from mlc.passes.graph_to_tensor._casts import converted
from mlc.passes.graph_to_tensor._codes import decoded, encoded
from mlc.passes.graph_to_tensor._elementwise import Elementwise, scalar_constant
from mlc.passes.graph_to_tensor._points import Points
from mlc.support.dtypes import STORED, is_unsigned, least_of, most_of
from mlc.support.types import element_type, integer_width


def _number(p: Points, q: SSAValue, element: Attribute) -> SSAValue:
    """A quantised number as one of another type."""
    return converted(p, decoded(p, q) if q.type in STORED else q, element)


def _known(operand: SSAValue) -> int | float | None:
    """The number that a scale or a zero point is, as a signed one, if it is in the kernel."""
    constant = scalar_constant(operand)
    return None if constant is None else constant.value.data


_ROUNDING = 1.5 * 2.0**23
"""A number of f32 whose sum with one of up to 2^22 is rounded to an integer, the even one of two that are as near."""
_MOST_BITS = 16
"""Integers of up to so many bits, less any zero point, are that small."""


@lowers("convert-graph-to-tensor", graph.QuantizeOp)
class QuantizeToMap(Elementwise):
    """The conversion from floats saturates; NaN is less than all of them.

    A number of f32 is limited first, as limits are integers. Then it is rounded by a sum, whose low bits are the
    integer: there is no conversion of vectors from floats to short integers.
    """

    def build(self, op: Operation, b: Builder) -> SSAValue:
        assert isinstance(op, graph.QuantizeOp)
        target, is_scaled = element_type(op.result.type), _known(op.scale) == 1
        width, zero = integer_width(target), _known(op.zero_point)
        assert width is not None
        if zero is not None and is_unsigned(target):
            zero = int(zero) % (1 << width)

        def body(p: Points, x: SSAValue, scale: SSAValue, zero_point: SSAValue) -> SSAValue:
            scaled = x if is_scaled else p.div(x, scale)
            if x.type == f32 and target not in STORED and width <= _MOST_BITS:
                return _rounded_by_sum(p, scaled, zero_point if zero is None else int(zero), target)
            moved = p.add(p(math.RoundEvenOp, scaled), _number(p, zero_point, x.type))
            moved = p(SelectOp, p(CmpfOp, moved, moved, "ord"), moved, p.number(least_of(target), x.type))
            return encoded(p, moved, target) if target in STORED else converted(p, moved, target)

        return self.map(op, b, body)


def _rounded_by_sum(p: Points, x: SSAValue, zero_point: SSAValue | int, target: Attribute) -> SSAValue:
    """`x`, rounded, plus the zero point, within `target`; the least of it for NaN."""
    limits, bits = (least_of(target), most_of(target)), _bits_of(_ROUNDING)
    if isinstance(zero_point, int):
        low, high = (p.number(limit - zero_point, f32) for limit in limits)
        offset = p.number(zero_point - bits, i32)
    else:
        moved = _number(p, zero_point, f32)
        low, high = (p.sub(p.number(limit, f32), moved) for limit in limits)
        offset = p.sub(_number(p, zero_point, i32), p.number(bits, i32))
    limited = p(SelectOp, p(CmpfOp, x, low, "ogt"), x, low)  # NaN is the least, too
    limited = p(SelectOp, p(CmpfOp, limited, high, "olt"), limited, high)
    rounded = p(arith.BitcastOp, p.add(limited, p.number(_ROUNDING, f32)), i32)
    return converted(p, p.add(rounded, offset), target)


def _bits_of(number: float) -> int:
    """The bits of an f32."""
    return int.from_bytes(pack("<f", number), "little")


@lowers("convert-graph-to-tensor", graph.DequantizeOp)
class DequantizeToMap(Elementwise):
    """The difference in i32."""

    def build(self, op: Operation, b: Builder) -> SSAValue:
        assert isinstance(op, graph.DequantizeOp)
        has_zero = _known(op.zero_point) != 0

        def body(p: Points, q: SSAValue, scale: SSAValue, zero_point: SSAValue) -> SSAValue:
            difference = _number(p, q, i32)
            if has_zero:
                difference = p.sub(difference, _number(p, zero_point, i32))
            return p.mul(converted(p, difference, scale.type), scale)

        return self.map(op, b, body)
