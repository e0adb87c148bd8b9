"""A pass over the dialect of another plugin."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from scale import ByOp
from xdsl.dialects.builtin import ModuleOp
from xdsl.pattern_rewriter import PatternRewriter

from mlc.pass_manager.base import Pass
from mlc.support.context import CompilerContext


@dataclass(frozen=True)
class MergeScalesPass(Pass):
    """Multiply by the product of two factors."""

    name: ClassVar[str] = "merge-scales"

    def run(self, module: ModuleOp, ctx: CompilerContext) -> None:
        for op in list(module.walk()):
            if isinstance(op, ByOp) and isinstance(inner := op.input.owner, ByOp):
                product = inner.factor.value.data * op.factor.value.data
                PatternRewriter(op).replace(op, ByOp(inner.input, product))
                if not inner.result.uses:
                    PatternRewriter(inner).erase(inner)
