"""A pass that is written for xDSL alone."""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, PatternRewriteWalker, RewritePattern, op_type_rewrite_pattern


@dataclass(frozen=True)
class _MaximumBySelect(RewritePattern):
    predicate: str

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: arith.MaximumfOp, rewriter: PatternRewriter) -> None:
        condition = arith.CmpfOp(op.lhs, op.rhs, self.predicate)
        rewriter.replace(op, [condition, arith.SelectOp(condition, op.lhs, op.rhs)])


@dataclass(frozen=True)
class MaximumBySelectPass(ModulePass):
    """Write the larger of two floats by a comparison."""

    name = "maximum-by-select"

    predicate: str = "ogt"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        PatternRewriteWalker(_MaximumBySelect(self.predicate)).rewrite_module(op)
