"""A pattern whose pass is not named."""

from xdsl.ir import Operation
from xdsl.pattern_rewriter import PatternRewriter

from mlc.dialects import graph
from mlc.pass_manager.lowering import StatelessPattern, lowers


@lowers(graph.ReluOp)  # pyright: ignore[reportArgumentType]
class Relu(StatelessPattern):
    """Does nothing."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        del op, rewriter
