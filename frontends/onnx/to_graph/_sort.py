"""Operators that sort."""

from __future__ import annotations

from math import inf, nan

from mlc.dialects import graph, onnx
from mlc.frontends.onnx.to_graph._node import Node
from mlc.frontends.onnx.to_graph._patterns import PASS, BoundedFromOnnx, Results
from mlc.frontends.operators.extents import filled, nearest_number
from mlc.frontends.operators.graph_builder import GraphBuilder, is_float
from mlc.frontends.operators.places import along_axis
from mlc.frontends.operators.refusal import Unconvertible
from mlc.pass_manager.lowering import lowers


@lowers(PASS, onnx.op("TopK"))
class TopK(BoundedFromOnnx):
    """The largest or smallest elements and where they are; sorted, which nobody who asks for any order minds.

    Of an axis that is as long as data says they are as many as are asked for, or all.
    """

    def build(self, node: Node, b: GraphBuilder) -> Results:
        axis = node.axis()
        count = node.int("k") if node.since < 10 else int(node.known(1).reshape(-1)[0])
        if not 0 <= count <= node.shape()[axis]:
            raise Unconvertible(f"the first {count} of {node.shape()[axis]} elements are asked for")
        x, largest = node[0], bool(node.int("largest", 1))
        extent = b.knowledge.extents.get(x, {}).get(axis)
        if extent is not None:  # what lies behind comes last
            x = filled(
                b, x, nearest_number(x, -inf) if largest else nan if is_float(x) else nearest_number(x, inf), [axis]
            )
        places = b(graph.ArgsortOp, x, axis, largest, count)
        results = [b(graph.GatherNdOp, x, *along_axis(b, places, axis)), places]
        if extent is not None:
            found = b(graph.MinOp, extent, b.constant(count))
            results = [b.bounded(v, {**b.knowledge.extents.get(v, {}), axis: found}) for v in results]
        return results
