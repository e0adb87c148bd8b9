"""What the patterns of this lowering share."""

from __future__ import annotations

from abc import abstractmethod

from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from mlc.passes.graph_to_tensor._builder import Builder
from mlc.support.context import CompilerContext


class ToTensor(RewritePattern):
    """Lowers one kind of graph op: `build` says what its result is at the tensor level."""

    def __init__(self, ctx: CompilerContext) -> None:
        self.ctx = ctx

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        builder = Builder()
        result = self.build(op, builder)
        if result is None:
            return
        for new in builder.ops:
            new.location = op.location
        result.name_hint = result.name_hint or op.results[0].name_hint
        rewriter.replace(op, builder.ops, [result])

    @abstractmethod
    def build(self, op: Operation, b: Builder) -> SSAValue | None:
        """Append tensor-level ops to `b` and return the value that replaces the result of `op`.

        None leaves `op` to the pattern of the next lower benefit, if there is one.
        """
