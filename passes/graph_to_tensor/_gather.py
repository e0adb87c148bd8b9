"""Gather takes rows."""

from __future__ import annotations

from math import prod

from xdsl.ir import Operation, SSAValue

from mlc.dialects import graph
from mlc.dialects.graph.types import shape_of
from mlc.passes.graph_to_tensor._builder import Builder
from mlc.passes.graph_to_tensor._patterns import ToTensor
from mlc.passes.lowering import lowers


@lowers("lower-to-tensor", graph.GatherOp)
class GatherToTake(ToTensor):
    """The dims in front of the axis are one dim, those behind it are the row: reshapes, which move nothing."""

    def build(self, op: Operation, b: Builder) -> SSAValue:
        assert isinstance(op, graph.GatherOp)
        shape, axis = shape_of(op.data), op.axis.value.data
        data = b.reshape(op.data, (prod(shape[:axis]), shape[axis], prod(shape[axis + 1 :])))
        indices = b.reshape(op.indices, (prod(shape_of(op.indices)),))
        return b.reshape(b.take(data, indices), shape_of(op.result))
