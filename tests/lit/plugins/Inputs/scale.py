"""A dialect with one op, everything that belongs to it, and a pass."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects.builtin import Float64Type, FloatAttr, ModuleOp, f64
from xdsl.ir import Dialect, Operation, SSAValue
from xdsl.irdl import irdl_op_definition, prop_def
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern
from xdsl.utils.exceptions import VerifyException

from mlc.dialects.graph import AddOp
from mlc.dialects.graph.unary import FloatUnaryOp
from mlc.pass_manager.base import Pass
from mlc.pass_manager.lowering import lowers
from mlc.passes.graph_to_tensor import Builder, Elementwise, Points
from mlc.reference.execution import Array, evaluates
from mlc.support.context import CompilerContext


@irdl_op_definition
class ByOp(FloatUnaryOp):
    """`x` times a positive number."""

    name = "scale.by"
    factor = prop_def(FloatAttr[Float64Type])
    assembly_format = "$input `,` $factor attr-dict `:` type($result)"

    def __init__(self, input: SSAValue, factor: float) -> None:
        super().__init__(input)
        self.factor = FloatAttr(factor, f64)

    def verify_(self) -> None:
        super().verify_()
        if self.factor.value.data <= 0:
            raise VerifyException(f"scale.by: the factor is {self.factor.value.data}; it must be positive")

    @classmethod
    def get_canonicalization_patterns(cls) -> tuple[RewritePattern, ...]:
        return (FoldScaleByOne(),)


class FoldScaleByOne(RewritePattern):
    """`scale.by(x, 1)` is `x`."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ByOp, rewriter: PatternRewriter) -> None:
        if op.factor.value.data == 1:
            rewriter.replace(op, (), (op.input,))


@evaluates(ByOp)
def evaluate(op: ByOp, x: Array) -> Array:
    """In the precision of `x`."""
    return x * x.dtype.type(op.factor.value.data)


@lowers("convert-graph-to-tensor", ByOp)
class ByToMap(Elementwise):
    """One multiplication per point."""

    def build(self, op: Operation, b: Builder) -> SSAValue:
        assert isinstance(op, ByOp)
        factor = op.factor.value.data

        def point(p: Points, x: SSAValue) -> SSAValue:
            return p.mul(x, p.number(factor, x.type))

        return self.map(op, b, point)


@dataclass(frozen=True)
class RaiseToScalePass(Pass):
    """Write `x + x` as `scale.by x, 2`."""

    name: ClassVar[str] = "raise-to-scale"
    doubled: float = 2.0

    def run(self, module: ModuleOp, ctx: CompilerContext) -> None:
        for op in list(module.walk()):
            if isinstance(op, AddOp) and op.lhs is op.rhs:
                PatternRewriter(op).replace(op, ByOp(op.lhs, self.doubled))


Scale = Dialect("scale", [ByOp])
