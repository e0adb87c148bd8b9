"""The pass `narrow-products`."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp, bf16, f32
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from mlc.dialects.graph import CastOp, ConvOp, MatmulOp
from mlc.dialects.graph.types import element_of
from mlc.pass_manager.base import Pass
from mlc.pass_manager.pipeline_options import require_option
from mlc.passes.graph._short_factors import insert, is_known, multiply_short, why_not_short
from mlc.passes.graph._type_cost import TypedProduct, cycles_in_words, weights_among
from mlc.support.context import CompilerContext
from mlc.support.rounding import Rounding
from mlc.targets.machine import resolve_target


@dataclass(frozen=True)
class NarrowProductsPass(Pass):
    """Round the factors of products of f32 to floats of 16 bits, whose products are summed in f32.

    ```mlir
    %y = graph.matmul %x, %w : tensor<4x8xf32>, tensor<8x3xf32> -> tensor<4x3xf32>
    // after
    %0 = graph.cast %x : tensor<4x8xf32> -> tensor<4x8xbf16>
    %1 = graph.cast %w : tensor<8x3xf32> -> tensor<8x3xbf16>
    %y = graph.matmul %0, %1 : tensor<4x8xbf16>, tensor<8x3xbf16> -> tensor<4x3xf32>
    ```

    That are matrix products and convolutions without groups whose second factor is constant, where the estimate of
    `_type_cost` expects a gain: from instructions that multiply bf16, or from weights that are half as long where a
    product waits for them. Remarks say what it expects. What one of them reads is
    stored in 16 bits: all others that read it get the rounded numbers, too. An odd number of products has one more, of
    zeros.
    """

    name = "narrow-products"
    rounding = Rounding(1 << 16, "factors have 8 significant bits", finite_only=True)

    precision: str = "bf16"
    """The option of pipelines; all but "bf16" change nothing."""
    least_gain: float = 1.05
    """How many times as fast a product has to be by the estimate; 0 rounds whatever can be rounded."""

    def run(self, module: ModuleOp, ctx: CompilerContext) -> None:
        require_option("precision", self.precision, self.name)
        if self.precision != "bf16":
            return
        every = [op for op in module.walk() if isinstance(op, MatmulOp | ConvOp)]
        products = [op for op in every if element_of(op.result) == f32 == element_of(op.operands[0])]
        if not products:
            return  # nothing asks what the target is
        machine, among = resolve_target(ctx.target), weights_among(products)
        rounded: dict[SSAValue, SSAValue] = {}
        for op in products:
            reason = why_not_short(op) or (None if is_known(op.operands[1]) else "the second one is not a constant")
            if reason is not None:
                ctx.remark(op, f"factors stay f32: {reason}")
                continue
            problem = TypedProduct.of(op)
            floats = problem.float_cycles(machine, among, is_quantized=False)
            short = problem.short_cycles(machine, "bf16", "bf16", among)
            compared = f"estimated {cycles_in_words(floats)} in f32, {cycles_in_words(short)} in bf16"
            if floats < self.least_gain * short:
                ctx.remark(op, f"factors stay f32: {compared}")
                continue
            ctx.remark(_narrow(op, bf16, rounded), f"factors are rounded to bf16: {compared}")


def _narrow(op: MatmulOp | ConvOp, element: Attribute, rounded: dict[SSAValue, SSAValue]) -> Operation:
    """The product of rounded factors that takes the place of `op`."""
    image, weights = op.operands
    widened = image.owner
    if isinstance(widened, CastOp) and element_of(widened.input) == element:
        rounded[image] = widened.input  # another product has seen to it
    elif image not in rounded:
        rounded[image] = _rounded(image, element)
    new = multiply_short(op, [rounded[image], insert(op, CastOp(weights, element))])
    op.result.replace_all_uses_with(new.result)
    Rewriter.erase_op(op)
    return new


def _rounded(value: SSAValue, element: Attribute) -> SSAValue:
    """A value in 16 bits; all that read it read that, widened again."""
    short = CastOp(value, element)
    wide = CastOp(short.result, f32)
    owner = value.owner
    if isinstance(owner, Operation):
        place = InsertPoint.after(owner)
        short.location = wide.location = owner.location
    else:
        place = InsertPoint.at_start(owner)
    Rewriter.insert_op([short, wide], place)
    value.replace_uses_with_if(wide.result, lambda use: use.operation is not short)
    short.result.name_hint = value.name_hint
    return short.result
