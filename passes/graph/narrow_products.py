"""The pass `narrow-products`."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp, bf16, f32
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from mlc.dialects.graph import CastOp, ConstantOp, ConvOp, GraphOp, MatmulOp, MoveOp, PadOp
from mlc.dialects.graph.types import element_of, is_static, shape_of, tensor
from mlc.dialects.loop.dot import per_word
from mlc.pass_manager.base import Pass
from mlc.pass_manager.pipeline import PRECISIONS
from mlc.support.context import CompilerContext
from mlc.support.errors import UserError
from mlc.support.rounding import Rounding


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

    That are matrix products and convolutions without groups whose second factor is constant. What one of them reads is
    stored in 16 bits: all others that read it get the rounded numbers, too. An odd number of products has one more, of
    zeros.
    """

    name = "narrow-products"
    rounding = Rounding(1 << 16, "factors have 8 significant bits", finite_only=True)

    precision: str = "bf16"
    """The type of factors: "bf16", or "f32", which changes nothing."""

    def run(self, module: ModuleOp, ctx: CompilerContext) -> None:
        if self.precision not in PRECISIONS:
            raise UserError(f"{self.name}: found precision '{self.precision}'; required: {' or '.join(PRECISIONS)}")
        if self.precision == "f32":
            return
        rounded: dict[SSAValue, SSAValue] = {}
        for op in list(module.walk()):
            if isinstance(op, MatmulOp | ConvOp) and element_of(op.result) == f32 == element_of(op.operands[0]):
                if (reason := _why_not(op)) is None:
                    _narrow(op, bf16, rounded)
                else:
                    ctx.remark(op, f"factors stay f32: {reason}")


def _why_not(op: MatmulOp | ConvOp) -> str | None:
    """Why factors of an op are not rounded; None if they are."""
    if not all(is_static(v.type) for v in (*op.operands, op.result)):
        return "shapes are not known"
    if isinstance(op, ConvOp) and op.groups.value.data > 1:
        return "the convolution has groups"
    return None if _is_known(op.operands[1]) else "the second one is no constant"


def _is_known(value: SSAValue) -> bool:
    """Whether a value is computed from constants."""
    owner = value.owner
    if isinstance(owner, ConstantOp):
        return True
    is_simple = isinstance(owner, GraphOp) and (owner.MAPS or isinstance(owner, MoveOp))
    return is_simple and isinstance(owner, Operation) and all(_is_known(v) for v in owner.operands)


def _narrow(op: MatmulOp | ConvOp, element: Attribute, rounded: dict[SSAValue, SSAValue]) -> None:
    image, weights = op.operands
    widened = image.owner
    if isinstance(widened, CastOp) and element_of(widened.input) == element:
        rounded[image] = widened.input  # another product has seen to it
    elif image not in rounded:
        rounded[image] = _rounded(image, element)
    short = [rounded[image], _insert(op, CastOp(weights, element))]
    if missing := -shape_of(weights)[op.summed_axes[1]] % per_word(element):
        for number, place in enumerate(op.summed_axes):
            rank = len(shape_of(short[number]))
            more = [missing if i == place else 0 for i in range(rank)]
            short[number] = _insert(op, PadOp(short[number], [0] * rank, more, 0))
    new = type(op).create(
        operands=short,
        properties=dict(op.properties),
        attributes=dict(op.attributes),
        result_types=[tensor(shape_of(op.result), f32)],
    )
    new.result.name_hint = op.result.name_hint
    result = _insert(op, new)
    op.result.replace_all_uses_with(result)
    Rewriter.erase_op(op)


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


def _insert(before: Operation, op: GraphOp) -> SSAValue:
    op.location = before.location
    Rewriter.insert_op(op, InsertPoint.before(before))
    return op.result
