"""`skip-roundings`: within a kernel, numbers of bf16 keep the bits that they have in registers."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import arith, func
from xdsl.dialects.builtin import ModuleOp, bf16, f32
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import Rewriter

from mlc.dialects.tensor import MapOp, is_identity
from mlc.pass_manager.base import Pass
from mlc.pass_manager.pipeline_options import require_option
from mlc.support.context import CompilerContext
from mlc.support.rounding import Rounding
from mlc.support.types import element_type


@dataclass(frozen=True)
class SkipRoundingsPass(Pass):
    """Read what was rounded to bf16 and widened again in the same function as it was before.

        %s = tensor.map %x[m, n] over … : tensor<8x4xf32> -> tensor<8x4xbf16> { arith.truncf }
        %w = tensor.map %s[m, n] over … : tensor<8x4xbf16> -> tensor<8x4xf32> { arith.extf }
        %y = tensor.map %w[m, n], … : tensor<8x4xf32>
    ->
        %y = tensor.map %x[m, n], … : tensor<8x4xf32>

    An op of bf16 computes in f32 and rounds its result, and the next one widens that. Where both are in one kernel the
    number is in a register, where a rounding takes longer than what is computed with it. Who asks for the precision
    "bf16" gets results with 8 significant bits, rounded once, where a kernel stores them; other precisions round each
    op, as its meaning says. Numbers that are stored, returned or read by another function are rounded as before.
    """

    name = "skip-roundings"
    rounding = Rounding(1 << 16, "numbers of a kernel keep bits that bf16 has not", finite_only=True)

    precision: str = "bf16"
    """The option of pipelines; all but "bf16" change nothing."""

    def run(self, module: ModuleOp, ctx: CompilerContext) -> None:
        require_option("precision", self.precision, self.name)
        if self.precision != "bf16":
            return
        for function in module.ops:
            if isinstance(function, func.FuncOp):
                for op in list(function.body.walk()):
                    _skip(op)


def _skip(op: Operation) -> None:
    """Let the readers of a widened value read what was rounded before."""
    short = _converted(op, arith.ExtFOp)
    wide = _converted(short.owner, arith.TruncFOp) if short is not None else None
    if short is None or wide is None or element_type(short.type) != bf16 or element_type(wide.type) != f32:
        return
    Rewriter.replace_op(op, [], [wide])
    if short.first_use is None:
        assert isinstance(short.owner, Operation)
        Rewriter.erase_op(short.owner)


def _converted(op: object, conversion: type[Operation]) -> SSAValue | None:
    """What an op reads that does this conversion at each point, and nothing else; None of others."""
    if not isinstance(op, MapOp) or len(op.inputs) != 1 or not is_identity(op.index_maps[0], op.num_parallel):
        return None
    computed = op.yielded.owner
    is_alone = isinstance(computed, conversion) and computed.operands[0] is op.body.block.args[0]
    return op.inputs[0] if is_alone and computed is op.body.block.first_op else None
