"""Gathers take elements at places that are data."""

from __future__ import annotations

from math import prod

from xdsl.ir import Operation, SSAValue

from mlc.dialects import graph
from mlc.dialects.graph.types import shape_of
from mlc.pass_manager.lowering import lowers
from mlc.passes.graph_to_tensor._builder import Builder, d
from mlc.passes.graph_to_tensor._patterns import ToTensor
from mlc.passes.graph_to_tensor._placement import Layout


@lowers("convert-graph-to-tensor", graph.GatherOp)
class GatherToTake(ToTensor):
    """The dims before the axis are one dim, those after it are the row: reshapes, which move nothing."""

    def build(self, op: Operation, b: Builder) -> SSAValue:
        assert isinstance(op, graph.GatherOp)
        shape, axis = shape_of(op.data), op.axis.value.data
        rows = (prod(shape[:axis]), prod(shape_of(op.indices)), prod(shape[axis + 1 :]))
        data = b.reshape(op.data, (rows[0], shape[axis], rows[2]))
        indices = b.reshape(op.indices, rows[1:2])
        dims = list(zip(("b", "m", "n"), rows, strict=True))
        return b.reshape(b.take(data, [d(0), d(3), d(2)], [("i", indices, [d(1)])], dims), shape_of(op.result))


@lowers("convert-graph-to-tensor", graph.GatherNdOp)
class GatherNdToTake(ToTensor):
    """One coordinate per axis, in loops over as few dims as possible (`Layout`)."""

    def build(self, op: Operation, b: Builder) -> SSAValue:
        assert isinstance(op, graph.GatherNdOp)
        layout = Layout.of(op.placement)
        data, indices = b.reshape(op.data, layout.data), b.reshape(op.indices, layout.indices)
        taken = b.take(data, layout.place, layout.coordinates(indices), layout.dims)
        return b.reshape(taken, shape_of(op.result))
