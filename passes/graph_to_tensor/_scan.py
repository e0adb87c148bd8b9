"""Loops that carry values stay loops, of kernels."""

from __future__ import annotations

from xdsl.dialects.tensor import YieldOp
from xdsl.ir import Operation
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import Rewriter

from mlc.dialects import graph
from mlc.dialects.tensor import ScanOp
from mlc.passes.lowering import StatelessPattern, lowers


@lowers("lower-to-tensor", graph.ScanOp)
class ScanToScan(StatelessPattern):
    """`graph.scan` -> `tensor.scan`; the ops of its body, which are calls by now, come next."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        assert isinstance(op, graph.ScanOp)
        types, directions = op.result_types, op.directions
        new = ScanOp(op.steps, op.initial, op.rows_of, op.captured, types, op.detach_region(op.body), directions)
        new.attributes |= op.attributes
        last = new.body.block.last_op
        assert last is not None
        Rewriter.replace_op(last, YieldOp(*last.operands))
        rewriter.replace(op, new)
