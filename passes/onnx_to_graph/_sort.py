"""Operators that sort."""

from __future__ import annotations

from mlc.dialects import graph, onnx
from mlc.passes.lowering import lowers
from mlc.passes.onnx_to_graph._builder import GraphBuilder
from mlc.passes.onnx_to_graph._node import Node
from mlc.passes.onnx_to_graph._patterns import PASS, BoundedFromOnnx, Results
from mlc.passes.onnx_to_graph._places import along_axis
from mlc.passes.onnx_to_graph._refusal import Unconvertible


@lowers(PASS, onnx.op("TopK"))
class TopK(BoundedFromOnnx):
    """The largest or smallest elements and where they are; sorted, which nobody who asks for any order minds."""

    def build(self, node: Node, b: GraphBuilder) -> Results:
        axis = node.axis()
        count = node.int("k") if node.since < 10 else int(node.known(1).reshape(-1)[0])
        if not 0 <= count <= node.shape()[axis]:
            raise Unconvertible(f"the first {count} of {node.shape()[axis]} elements are asked for")
        places = b(graph.ArgsortOp, node[0], axis, bool(node.int("largest", 1)), count)
        return [b(graph.GatherNdOp, node[0], *along_axis(b, places, axis)), places]
