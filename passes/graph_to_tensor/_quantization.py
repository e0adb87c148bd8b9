"""Quantisation becomes `tensor.map`: a division or a product by the scale, and conversions."""

from __future__ import annotations

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import f32, i32
from xdsl.ir import Attribute, Operation, SSAValue

from mlc.dialects import graph
from mlc.dialects.arith import CmpfOp, SelectOp
from mlc.pass_manager.lowering import lowers
from mlc.passes.graph_to_tensor._builder import Builder
from mlc.passes.graph_to_tensor._casts import converted
from mlc.passes.graph_to_tensor._codes import decoded, encoded
from mlc.passes.graph_to_tensor._elementwise import Elementwise, scalar_number
from mlc.passes.graph_to_tensor._points import Points
from mlc.support.context import CompilerContext
from mlc.support.dtypes import STORED, least_of, most_of
from mlc.support.types import element_type, integer_width


def _number(p: Points, q: SSAValue, element: Attribute) -> SSAValue:
    """A quantised number as one of another type."""
    return converted(p, decoded(p, q) if q.type in STORED else q, element)


_ROUNDING = 1.5 * 2.0**23
"""A number of f32 whose sum with one of up to 2^22 is rounded to an integer, the even one of two that are as near.

Its own lowest 16 bits are 0, so those of the sum, as an i32, are those of the integer.
"""
_MOST_BITS = 16
"""Integers of up to so many bits, less any zero point, are that small."""


@lowers("convert-graph-to-tensor", graph.QuantizeOp, graph.DequantizeOp)
class QuantizationToMap(Elementwise):
    """The conversion from floats saturates, NaN is less than all of them; the one to floats subtracts in i32.

    A number of f32 is limited first, as limits are integers. Then it is rounded by a sum, whose low bits are the
    integer: there is no conversion of vectors from floats to short integers. What becomes a float again in the same
    kernel never is an integer: the sum less what was added to round is the number less the zero point, exactly.
    """

    def __init__(self, ctx: CompilerContext) -> None:
        super().__init__(ctx)
        self._quantized: dict[SSAValue, tuple[SSAValue, SSAValue, SSAValue]] = {}
        """What numbers were rounded from: floats, their scale, the zero point."""

    def build(self, op: Operation, b: Builder) -> SSAValue:
        if isinstance(op, graph.QuantizeOp):
            built = self._quantize(op, b)
            if _rounds_by_sum(element_type(op.input.type), element_type(op.result.type)):
                self._quantized[built] = op.input, op.scale, op.zero_point
            return built
        assert isinstance(op, graph.DequantizeOp)
        source = self._quantized.get(op.input)
        if source is None or source[2] is not op.zero_point or element_type(op.scale.type) != f32:
            return self._dequantize(op, b)
        target, zero, divides = element_type(op.input.type), scalar_number(op.zero_point), scalar_number(source[1]) != 1

        def body(p: Points, x: SSAValue, scale: SSAValue, zero_point: SSAValue, new_scale: SSAValue) -> SSAValue:
            scaled = p.div(x, scale) if divides else x
            limited = _limited(p, scaled, zero_point if zero is None else int(zero), target)
            bits = p.number(_ROUNDING, f32)
            return p.mul(p.sub(p.add(limited, bits), bits), new_scale)

        return self.map(op, b, body, (*source, op.scale))

    def _quantize(self, op: graph.QuantizeOp, b: Builder) -> SSAValue:
        target, divides = element_type(op.result.type), scalar_number(op.scale) != 1
        zero = scalar_number(op.zero_point)

        def body(p: Points, x: SSAValue, scale: SSAValue, zero_point: SSAValue) -> SSAValue:
            scaled = p.div(x, scale) if divides else x
            if _rounds_by_sum(x.type, target):
                limited = _limited(p, scaled, zero_point if zero is None else int(zero), target)
                rounded = p(arith.BitcastOp, p.add(limited, p.number(_ROUNDING, f32)), i32)
                if zero != 0:
                    rounded = p.add(rounded, _number(p, zero_point, i32) if zero is None else p.number(zero, i32))
                return converted(p, rounded, target)
            moved = p.add(p(math.RoundEvenOp, scaled), _number(p, zero_point, x.type))
            moved = p(SelectOp, p(CmpfOp, moved, moved, "ord"), moved, p.number(least_of(target), x.type))
            return encoded(p, moved, target) if target in STORED else converted(p, moved, target)

        return self.map(op, b, body)

    def _dequantize(self, op: graph.DequantizeOp, b: Builder) -> SSAValue:
        zero, stored = scalar_number(op.zero_point), element_type(op.zero_point.type) in STORED

        def body(p: Points, q: SSAValue, scale: SSAValue, zero_point: SSAValue) -> SSAValue:
            difference = _number(p, q, i32)
            if zero != 0:
                known = None if zero is None or stored else p.number(zero, i32)
                difference = p.sub(difference, known or _number(p, zero_point, i32))
            return p.mul(converted(p, difference, scale.type), scale)

        return self.map(op, b, body)


def _rounds_by_sum(source: Attribute, target: Attribute) -> bool:
    width = integer_width(target)
    return source == f32 and target not in STORED and width is not None and width <= _MOST_BITS


def _limited(p: Points, x: SSAValue, zero_point: SSAValue | int, target: Attribute) -> SSAValue:
    """`x` within the numbers of `target` less the zero point; the least of these for NaN."""
    limits = least_of(target), most_of(target)
    if isinstance(zero_point, int):
        low, high = (p.number(limit - zero_point, f32) for limit in limits)
    else:
        moved = _number(p, zero_point, f32)
        low, high = (p.sub(p.number(limit, f32), moved) for limit in limits)
    limited = p(SelectOp, p(CmpfOp, x, low, "ogt"), x, low)  # NaN is the least, too
    return p(SelectOp, p(CmpfOp, limited, high, "olt"), limited, high)
