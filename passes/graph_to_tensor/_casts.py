"""Conversions of elements become `tensor.map`."""

from __future__ import annotations

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import f32, f64, i1, i8, i32
from xdsl.ir import Attribute, Operation, SSAValue

from mlc.dialects import graph
from mlc.dialects.arith import (
    CmpfOp,
    CmpiOp,
    ExtSIOp,
    ExtUIOp,
    FPToSIOp,
    FPToUIOp,
    SelectOp,
    SIToFPOp,
    TruncIOp,
    UIToFPOp,
)
from mlc.pass_manager.lowering import lowers
from mlc.passes.graph_to_tensor._builder import Builder
from mlc.passes.graph_to_tensor._codes import decoded, encoded
from mlc.passes.graph_to_tensor._elementwise import Elementwise
from mlc.passes.graph_to_tensor._points import Points, is_integer
from mlc.support.dtypes import HALVES, STORED, is_unsigned
from mlc.support.types import element_type, integer_width


@lowers("convert-graph-to-tensor", graph.BitcastOp)
class BitcastToMap(Elementwise):
    """The same bits as another type."""

    def build(self, op: Operation, b: Builder) -> SSAValue:
        target = element_type(op.results[0].type)

        def body(p: Points, x: SSAValue) -> SSAValue:
            # In the end both are signless integers.
            same = x.type == target or all(t in STORED or integer_width(t) is not None for t in (x.type, target))
            return x if same else p(arith.BitcastOp, x, target)

        return self.map(op, b, body)


def _single(p: Points, x: SSAValue) -> SSAValue:
    """A number as an f32 that rounds to the same float of 16 bits or less.

    An f64 that lies between two f32 becomes the one whose last bit is set (rounding to odd; Boldo and Melquiond, "When
    double rounding is odd", 2004): only what an f32 holds exactly can then look like the middle of two shorter floats.
    """
    if x.type == f32:
        return x
    if (width := integer_width(x.type)) is not None:
        x = p(UIToFPOp if x.type == i1 or is_unsigned(x.type) else SIToFPOp, x, f32 if width <= 16 else f64)
        if width <= 16:
            return x
    nearest = p(arith.TruncFOp, x, f32)
    back, bits = p(arith.ExtFOp, nearest, f64), p(arith.BitcastOp, nearest, i32)
    is_even = p(CmpiOp, p(arith.AndIOp, bits, p.number(1, i32)), p.number(0, i32), "eq")
    is_wrong = p(arith.AndIOp, p(CmpfOp, back, x, "one"), is_even)
    is_below = p(CmpfOp, p(math.AbsFOp, back), p(math.AbsFOp, x), "olt")
    step = p(SelectOp, is_below, p.number(1, i32), p.number(-1, i32))
    other = p(arith.BitcastOp, p(arith.AddiOp, bits, step), f32)
    return p(SelectOp, is_wrong, other, nearest)


@lowers("convert-graph-to-tensor", graph.CastOp)
class CastToMap(Elementwise):
    """Conversions between all element types."""

    def build(self, op: Operation, b: Builder) -> SSAValue:
        target = element_type(op.results[0].type)

        def body(p: Points, x: SSAValue) -> SSAValue:
            if x.type == target:
                return x
            if x.type in HALVES:
                x = p(arith.ExtFOp, x, f32)
            if x.type in STORED:
                x = decoded(p, x)
            if target in HALVES:
                return p(arith.TruncFOp, _single(p, x), target)
            if target in STORED:
                is_code = integer_width(target) is not None and is_integer(x)
                return encoded(p, converted(p, x, i8) if is_code else _single(p, x), target)
            return converted(p, x, target)

        return self.map(op, b, body)


def converted(p: Points, x: SSAValue, target: Attribute) -> SSAValue:
    """A number as one of another type that is computed with."""
    if x.type == target:
        return x
    wide = integer_width(target)
    width, unsigned = integer_width(x.type), x.type == i1 or is_unsigned(x.type)
    if target == i1:
        zero = p.number(0, x.type)
        return p(CmpiOp, x, zero, "ne") if width else p(CmpfOp, x, zero, "une")
    if wide is None and width is None:
        widening = x.type.bitwidth < target.bitwidth  # pyright: ignore
        return p(arith.ExtFOp if widening else arith.TruncFOp, x, target)
    if wide is None:
        return p(UIToFPOp if unsigned else SIToFPOp, x, target)
    if width is None:
        return p(FPToUIOp if is_unsigned(target) else FPToSIOp, x, target)
    if width == wide:
        return x  # the same bits
    if width > wide:
        return p(TruncIOp, x, target)
    return p(ExtUIOp if unsigned else ExtSIOp, x, target)
