"""Branches that are known, and operators that their specification spells out."""

from __future__ import annotations

from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from mlc.dialects import onnx
from mlc.passes.lowering import lowers
from mlc.passes.onnx_to_graph._builder import GraphBuilder
from mlc.passes.onnx_to_graph._node import Node
from mlc.passes.onnx_to_graph._patterns import PASS, FromOnnx, Results


@lowers(PASS, onnx.op("If"))
class KnownIf(FromOnnx):
    """On a known condition, its branch."""

    def build(self, node: Node, b: GraphBuilder) -> Results:
        name = "then_branch" if bool(node.known(0)) else "else_branch"
        body = node.op.regions[node.op.GRAPHS.index(name)].block
        return self.inline(node, list(body.ops))

    def inline(self, node: Node, ops: list[Operation]) -> list[SSAValue]:
        """Move the ops of a graph in front of the node, and convert them; what they yield."""
        *computing, terminator = ops
        for op in computing:
            op.detach()
            Rewriter.insert_op(op, InsertPoint.before(node.op))
        self.conversion.lower(computing)
        return list(terminator.operands)
