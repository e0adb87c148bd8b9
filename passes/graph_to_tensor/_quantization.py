"""Quantisation becomes `tensor.map`: a division or a product by the scale, and conversions."""

from __future__ import annotations

from xdsl.dialects import math
from xdsl.dialects.builtin import i32
from xdsl.ir import Attribute, Operation, SSAValue

from mlc.dialects import graph
from mlc.pass_manager.lowering import lowers
from mlc.passes.graph_to_tensor._builder import Builder
from mlc.passes.graph_to_tensor._casts import converted
from mlc.passes.graph_to_tensor._codes import decoded, encoded
from mlc.passes.graph_to_tensor._elementwise import Elementwise
from mlc.passes.graph_to_tensor._points import Points
from mlc.support.dtypes import STORED
from mlc.support.types import element_type


def _number(p: Points, q: SSAValue, element: Attribute) -> SSAValue:
    """A quantised number as one of another type."""
    return converted(p, decoded(p, q) if q.type in STORED else q, element)


@lowers("convert-graph-to-tensor", graph.QuantizeOp)
class QuantizeToMap(Elementwise):
    """The conversion from floats saturates, and makes 0 of NaN."""

    def build(self, op: Operation, b: Builder) -> SSAValue:
        target = element_type(op.results[0].type)

        def body(p: Points, x: SSAValue, scale: SSAValue, zero_point: SSAValue) -> SSAValue:
            moved = p.add(p(math.RoundEvenOp, p.div(x, scale)), _number(p, zero_point, x.type))
            return encoded(p, moved, target) if target in STORED else converted(p, moved, target)

        return self.map(op, b, body)


@lowers("convert-graph-to-tensor", graph.DequantizeOp)
class DequantizeToMap(Elementwise):
    """The difference in i32."""

    def build(self, op: Operation, b: Builder) -> SSAValue:
        def body(p: Points, q: SSAValue, scale: SSAValue, zero_point: SSAValue) -> SSAValue:
            difference = p.sub(_number(p, q, i32), _number(p, zero_point, i32))
            return p.mul(converted(p, difference, scale.type), scale)

        return self.map(op, b, body)
