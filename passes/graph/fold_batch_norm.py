"""The pass `fold-batch-norm`."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from mlc.dialects.graph import (
    AddOp,
    BatchNormOp,
    ConvOp,
    DivOp,
    MatmulOp,
    MulOp,
    ReshapeOp,
    SqrtOp,
    SubOp,
    constant_of,
)
from mlc.dialects.graph.types import element_of, shape_of
from mlc.dialects.graph.windows import channel_dim, has_channels_last
from mlc.pass_manager.base import Pass
from mlc.passes.graph._constants import splat
from mlc.support.context import CompilerContext
from mlc.support.ir import clone
from mlc.support.rounding import Rounding


@dataclass(frozen=True)
class FoldBatchNormPass(Pass):
    """Turn batch normalisation with constant parameters into a scale and a shift, and the scale into weights.

    ```mlir
    %0 = graph.conv2d %x, %w : ...
    %1 = graph.batch_norm %0, %scale, %bias, %mean, %variance axis 1 epsilon 1.0e-05 : ...
    // after, with factor = scale / sqrt(variance + epsilon) and shift = bias - mean * factor
    %w1 = graph.mul %w, %factor : ...
    %0 = graph.conv2d %x, %w1 : ...
    %1 = graph.add %0, %shift : ...
    ```

    The scale goes into the weights of the convolution or `graph.matmul` before it, through a bias addition if there
    is one, where these are constants and nobody else reads the result; otherwise a multiplication remains. What is
    computed from constants is left to `fold-constants`. Batch normalisation with computed parameters is left alone.
    Results change by rounding, and an intermediate result of the batch norm that overflows does so no longer, or one
    of the folded form does: `x / sqrt(variance) * scale` is infinite for a large `x` where `x * factor` is not.
    """

    name = "fold-batch-norm"
    rounding = Rounding(16, "weights are scaled before they are multiplied, not their products", finite_only=True)

    def run(self, module: ModuleOp, ctx: CompilerContext) -> None:
        for op in list(module.walk()):
            if isinstance(op, BatchNormOp):
                _fold(op, ctx)


def _fold(op: BatchNormOp, ctx: CompilerContext) -> None:
    if any(constant_of(parameter) is None for parameter in op.operands[1:]):
        ctx.remark(op, "not folded: the parameters of the batch norm are not constants")
        return
    insert = _Inserter(op)
    epsilon = insert(splat(op.epsilon.value.data, (), element_of(op.variance)))
    factor = insert(DivOp(op.scale, insert(SqrtOp(insert(AddOp(op.variance, epsilon))))))
    shift = insert(SubOp(op.bias, insert(MulOp(op.mean, factor))))
    inner_rank = len(shape_of(op.input)) - 1 - op.axis.value.data
    image_factor, image_shift = (insert.column(v, inner_rank) for v in (factor, shift))
    if (source := _weighted_source(op)) is None:
        ctx.remark(op, "folded into a multiplication and an addition")
        scaled = insert(MulOp(op.input, image_factor))
    else:
        ctx.remark(op, f"folded into the weights of {source.op.name}")
        weights = source.op.operands[1]
        contraction = clone(source.op)
        contraction.operands[1] = insert(MulOp(weights, insert.column(factor, source.inner_weight_rank)))
        scaled = insert(contraction)
        if source.bias is not None:
            image_shift = insert(AddOp(insert(MulOp(source.bias, image_factor)), image_shift))
    result = insert(AddOp(scaled, image_shift))
    result.name_hint = op.result.name_hint
    op.result.replace_all_uses_with(result)
    for dead in (op, *(source.ops if source else ())):
        dead.detach()
        dead.erase()


@dataclass
class _Inserter:
    """Puts ops before an op, at its location."""

    anchor: Operation

    def __call__(self, op: Operation) -> SSAValue:
        op.location = self.anchor.location
        Rewriter.insert_op(op, InsertPoint.before(self.anchor))
        return op.results[0]

    def column(self, vector: SSAValue, inner_rank: int) -> SSAValue:
        """The vector with this number of dimensions of extent 1 after it."""
        return self(ReshapeOp(vector, shape_of(vector) + (1,) * inner_rank)) if inner_rank else vector


@dataclass
class _Source:
    """What computes the input of a batch norm and can take over its factor."""

    op: ConvOp | MatmulOp
    inner_weight_rank: int
    """How many dimensions of the weights stand after the output channels."""
    bias: SSAValue | None
    ops: tuple[Operation, ...]
    """The ops that the folded ones replace, users first."""


def _weighted_source(op: BatchNormOp) -> _Source | None:
    """The contraction with constant weights, and perhaps a constant bias, that only `op` reads."""
    producer, bias, ops = op.input.owner, None, ()
    if isinstance(producer, AddOp) and op.input.has_one_use():
        for value, other in ((producer.lhs, producer.rhs), (producer.rhs, producer.lhs)):
            if constant_of(other) is not None and value.type == op.input.type:
                ops, bias, producer = (producer,), other, value.owner
                break
    if not isinstance(producer, ConvOp | MatmulOp) or not producer.result.has_one_use():
        return None
    weights, axis = producer.operands[1], op.axis.value.data
    if constant_of(weights) is None:
        return None
    if isinstance(producer, ConvOp):
        layout = producer.layout.data
        inner_rank = 0 if has_channels_last(layout) else len(layout) - 1
        fits = axis == channel_dim(layout)
    else:
        inner_rank, fits = 0, axis == len(shape_of(op.input)) - 1
    return _Source(producer, inner_rank, bias, (*ops, producer)) if fits else None
