"""Argmax and argmin become two reductions."""

from __future__ import annotations

import numpy as np
from xdsl.dialects import arith
from xdsl.dialects.builtin import DenseResourceAttr, i32, i64
from xdsl.ir import Operation, SSAValue

from mlc.dialects import graph
from mlc.dialects.arith import CmpfOp, CmpiOp, ExtSIOp, SelectOp
from mlc.dialects.graph.types import shape_of, tensor
from mlc.pass_manager.lowering import lowers
from mlc.passes.graph_to_tensor._builder import Builder, d, dims_of, every
from mlc.passes.graph_to_tensor._patterns import ToTensor
from mlc.passes.graph_to_tensor._points import Points, is_integer

_SPELLED_OUT = 64
"""The most positions that are written into the IR; more are the data of a resource."""
_NOWHERE = (1 << 31) - 1


@lowers("convert-graph-to-tensor", graph.ArgMaxOp, graph.ArgMinOp)
class ArgReduceToReductions(ToTensor):
    """The extreme element `e`, then the least position at which `x` is `e` or NaN.

    A reduction carries one value, so value and position take one each; the second pass over a row finds it in cache.
    Where there is a NaN, `e` is NaN, which equals nothing, so that only NaNs are found. Positions are an operand (a
    constant 0, 1, 2, …, of 32 bits, as many lanes as f32 has): read along the axis, they vectorise as data does.
    """

    def build(self, op: Operation, b: Builder) -> SSAValue:
        assert isinstance(op, graph.ArgReduceOp)
        shape, axis = shape_of(op.input), op.axis.value.data
        dims, keep = dims_of(shape), op.keepdims is not None
        over = [*dims[:axis], *([("one", 1)] if keep else []), *dims[axis + 1 :]]
        rank = len(over)
        along, rest = d(rank), [d(i) for i in range(rank) if not (keep and i == axis)]
        row = [*rest[:axis], along, *rest[axis:]]

        def position(p: Points, at: SSAValue, x: SSAValue, extreme: SSAValue) -> SSAValue:
            if is_integer(x):
                found = p(CmpiOp, x, extreme, "eq")
            else:
                found = p(arith.OrIOp, p(CmpfOp, x, extreme, "oeq"), p(CmpfOp, x, x, "uno"))
            return p(SelectOp, found, at, p.number(_NOWHERE, i32))

        def widened(p: Points, at: SSAValue) -> SSAValue:
            return p(ExtSIOp, at, i64)

        reduce = [("k", shape[axis])]
        kind = "max" if isinstance(op, graph.ArgMaxOp) else "min"
        extreme = b.reduce(kind, [(op.input, row)], over, reduce)
        positions = self._positions(shape[axis], b)
        operands = [(positions, [along]), (op.input, row), (extreme, every(rank))]
        first = b.reduce("min", operands, over, reduce, position)
        return b.map([(first, every(rank))], over, i64, widened)

    def _positions(self, count: int, b: Builder) -> SSAValue:
        """0, 1, 2, …"""
        if count <= _SPELLED_OUT:
            return b.constant(range(count), (count,), i32)
        name, resources = f"mlc.positions.{count}", self.ctx.resources
        if name not in resources:
            resources.define(name, np.arange(count, dtype=np.int32))
        return b.resource(DenseResourceAttr.from_params(name, tensor((count,), i32)))
