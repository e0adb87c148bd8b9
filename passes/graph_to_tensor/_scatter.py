"""Scatters change elements at places that are data."""

from __future__ import annotations

from xdsl.ir import Operation, SSAValue

from mlc.dialects import graph
from mlc.dialects.graph.types import shape_of
from mlc.pass_manager.lowering import lowers
from mlc.passes.graph_to_tensor._builder import Builder
from mlc.passes.graph_to_tensor._patterns import ToTensor
from mlc.passes.graph_to_tensor._placement import Layout


@lowers("convert-graph-to-tensor", graph.ScatterNdOp)
class ScatterNdToPut(ToTensor):
    """One coordinate per axis, in loops over as few dims as possible (`Layout`)."""

    def build(self, op: Operation, b: Builder) -> SSAValue:
        assert isinstance(op, graph.ScatterNdOp)
        layout = Layout.of(op.placement)
        data, indices = b.reshape(op.data, layout.data), b.reshape(op.indices, layout.indices)
        updates = b.reshape(op.updates, [size for _, size in layout.dims])
        coordinates = layout.coordinates(indices)
        changed = b.put(op.kind.data, updates, data, layout.place, coordinates, layout.dims)
        return b.reshape(changed, shape_of(op.result))
