"""Reading and writing at places which are data."""

from __future__ import annotations

from xdsl.ir import SSAValue

from mlc.dialects.graph.types import shape_of
from mlc.frontends.operators.graph_builder import GraphBuilder


def along_axis(b: GraphBuilder, indices: SSAValue, axis: int) -> tuple[SSAValue, list[int], list[int]]:
    """Indices, axes and own axes of a gather or scatter along one axis, each point of which has an index."""
    shape = shape_of(indices)
    return b.reshape(indices, (*shape, 1)), [axis], [a for a in range(len(shape)) if a != axis]
