"""Loops and branches stay what they are, of kernels."""

from __future__ import annotations

from xdsl.dialects.tensor import YieldOp
from xdsl.ir import Operation
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import Rewriter

from mlc.dialects import graph
from mlc.dialects.tensor import IfOp, ScanOp, WhileOp
from mlc.pass_manager.lowering import StatelessPattern, lowers


@lowers("convert-graph-to-tensor", graph.ScanOp)
class ScanToScan(StatelessPattern):
    """`graph.scan` -> `tensor.scan`; the ops of its body, which are calls by now, come next."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        assert isinstance(op, graph.ScanOp)
        types, directions = op.result_types, op.directions
        new = ScanOp(op.steps, op.initial, op.rows_of, op.captured, types, op.detach_region(op.body), directions)
        _replace(op, new, rewriter)


@lowers("convert-graph-to-tensor", graph.IfOp)
class IfToIf(StatelessPattern):
    """`graph.if` -> `tensor.if`."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        assert isinstance(op, graph.IfOp)
        then, otherwise = (op.detach_region(region) for region in list(op.regions))
        _replace(op, IfOp(op.condition, op.captured, op.result_types, then, otherwise), rewriter)


@lowers("convert-graph-to-tensor", graph.WhileOp)
class WhileToWhile(StatelessPattern):
    """`graph.while` -> `tensor.while`."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        assert isinstance(op, graph.WhileOp)
        condition, body = (op.detach_region(region) for region in list(op.regions))
        _replace(op, WhileOp(op.initial, op.captured, condition, body), rewriter)


def _replace(op: Operation, new: Operation, rewriter: PatternRewriter) -> None:
    new.attributes |= op.attributes
    for region in new.regions:
        last = region.block.last_op
        assert last is not None
        Rewriter.replace_op(last, YieldOp(*last.operands))
    rewriter.replace(op, new)
