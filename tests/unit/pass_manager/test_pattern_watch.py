"""Patterns of whoever drives them are seen, and are put back however the pass ends."""

from __future__ import annotations

import pytest
from xdsl.ir import Operation
from xdsl.pattern_rewriter import (
    GreedyRewritePatternApplier,
    PatternRewriter,
    PatternRewriteWalker,
    RewritePattern,
    op_type_rewrite_pattern,
)

from mlc.api import parse
from mlc.dialects.graph import NegOp, ReluOp
from mlc.pass_manager.pattern_watch import PatternEvent, PatternWatch
from mlc.support.errors import Refused

MODEL = """
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.relu %x : tensor<4xf32>
  %1 = graph.neg %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
}
"""


class DropRelu(RewritePattern):
    """Leaves a relu out."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ReluOp, rewriter: PatternRewriter) -> None:
        rewriter.replace(op, [], op.operands)


class RefuseNeg(RewritePattern):
    """Refuses neg, and says why."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: NegOp, rewriter: PatternRewriter) -> None:
        raise Refused("neg stays")


def test_patterns_of_a_driver_of_xdsl() -> None:
    module, events = parse(MODEL), list[PatternEvent]()
    (relu,) = (op for op in module.walk() if isinstance(op, ReluOp))
    with PatternWatch(events.append).watching():
        PatternRewriteWalker(GreedyRewritePatternApplier([DropRelu()])).rewrite_module(module)
    assert [e.matched for e in events if e.applied] == [relu]
    assert [(e.pattern, e.op) for e in events if e.applied] == [("DropRelu", "graph.relu")]
    assert all(e.applied for e in events)  # ops of other classes are not for it


def test_a_class_that_comes_later_is_seen_and_all_are_put_back() -> None:
    module, events = parse(MODEL), list[PatternEvent]()
    before = vars(RefuseNeg)["match_and_rewrite"]
    (neg,) = (op for op in module.walk() if isinstance(op, NegOp))
    with pytest.raises(Refused), PatternWatch(events.append).watching():

        class Late(RewritePattern):
            """Leaves everything as it is."""

            def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
                """Nothing."""

        Late().match_and_rewrite(neg, PatternRewriter(neg))
        RefuseNeg().match_and_rewrite(neg, PatternRewriter(neg))
    assert [(e.pattern, e.applied, e.why) for e in events] == [("Late", False, ""), ("RefuseNeg", False, "neg stays")]
    assert vars(RefuseNeg)["match_and_rewrite"] is before
    assert "__init_subclass__" not in vars(RewritePattern)
