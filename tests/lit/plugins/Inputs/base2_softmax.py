"""A lowering of softmax as a plugin: the exponentials are powers of 2."""

from __future__ import annotations

from math import e, log2

from xdsl.dialects import math
from xdsl.ir import Operation, SSAValue

from mlc.dialects import graph
from mlc.dialects.graph.types import shape_of
from mlc.pass_manager.lowering import lowers
from mlc.passes.graph_to_tensor import Builder, Points, ToTensor, dims_of, every
from mlc.support.types import element_type


@lowers("convert-graph-to-tensor", graph.SoftmaxOp, benefit=2)
class SoftmaxInBase2(ToTensor):
    """exp(x - max) is 2 to the power of (x - max) log2(e)."""

    def build(self, op: Operation, b: Builder) -> SSAValue | None:
        assert isinstance(op, graph.SoftmaxOp)
        shape = shape_of(op.input)
        if op.axis.value.data != len(shape) - 1:
            return None  # the pattern of mlc takes it
        dims, element, point = dims_of(shape), element_type(op.result.type), every(len(shape))
        over, row, rest = dims[:-1], dims[-1:], point[:-1]

        def power(p: Points, x: SSAValue, greatest: SSAValue) -> SSAValue:
            return p(math.Exp2Op, p.mul(p.sub(x, greatest), p.number(log2(e), element)))

        greatest = b.reduce("max", [(op.input, point)], over, row)
        powers = b.map([(op.input, point), (greatest, rest)], dims, element, power)
        total = b.reduce("add", [(powers, point)], over, row)
        return b.map([(powers, point), (total, rest)], dims, element, Points.div)
