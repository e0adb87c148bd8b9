"""Passes that miscompile, each in its own way: at the graph level, in loops, for NaN alone, for negative zero alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, ModuleOp, TensorType, f32
from xdsl.pattern_rewriter import PatternRewriter

from mlc.dialects.arith import CmpfOp, SelectOp
from mlc.dialects.graph import ConstantOp, NegOp, ReluOp, SubOp
from mlc.pass_manager.base import Pass, PipelinePlace
from mlc.support.context import CompilerContext


@dataclass(frozen=True)
class DropReluPass(Pass):
    """Relu is the identity, for positive numbers."""

    name: ClassVar[str] = "drop-relu"
    ir_level: ClassVar[str | None] = "graph"

    def run(self, module: ModuleOp, ctx: CompilerContext) -> None:
        for op in list(module.walk()):
            if isinstance(op, ReluOp):
                PatternRewriter(op).replace(op, [], op.operands)


@dataclass(frozen=True)
class SwapSubtractionPass(Pass):
    """`a - b` becomes `b - a`, in loops; pipelines run it as well."""

    name: ClassVar[str] = "swap-subtraction"
    ir_level: ClassVar[str | None] = "loop"
    place: ClassVar[PipelinePlace | None] = PipelinePlace(after="convert-tensor-to-loop")

    def run(self, module: ModuleOp, ctx: CompilerContext) -> None:
        for op in module.walk():
            if op.name == "arith.subf":
                op.operands = list(reversed(op.operands))


@dataclass(frozen=True)
class CompareForMaximumPass(Pass):
    """`max(a, b)` becomes `a > b ? a : b`, which is `b` where `a` is NaN."""

    name: ClassVar[str] = "compare-for-maximum"
    ir_level: ClassVar[str | None] = "loop"

    def run(self, module: ModuleOp, ctx: CompilerContext) -> None:
        for op in list(module.walk()):
            if op.name == "arith.maximumf":
                lhs, rhs = op.operands
                is_more = CmpfOp(lhs, rhs, "ogt")
                PatternRewriter(op).replace(op, [is_more, SelectOp(is_more, lhs, rhs)])


@dataclass(frozen=True)
class SubtractForNegationPass(Pass):
    """`-x` becomes `0 - x`, which is 0 where `x` is 0."""

    name: ClassVar[str] = "subtract-for-negation"
    ir_level: ClassVar[str | None] = "graph"

    def run(self, module: ModuleOp, ctx: CompilerContext) -> None:
        for op in list(module.walk()):
            if isinstance(op, NegOp):
                zero = ConstantOp(DenseIntOrFPElementsAttr.from_list(TensorType(f32, []), [0.0]))
                PatternRewriter(op).replace(op, [zero, SubOp(zero, op.operands[0])])


@dataclass(frozen=True)
class SquareForProductPass(Pass):
    """The first product that a loop adds up is that of a number with itself."""

    name: ClassVar[str] = "square-for-product"
    ir_level: ClassVar[str | None] = "loop"

    def run(self, module: ModuleOp, ctx: CompilerContext) -> None:
        product = next(op for op in module.walk() if op.name in ("math.fma", "arith.mulf"))
        product.operands = [product.operands[0], product.operands[0], *product.operands[2:]]
