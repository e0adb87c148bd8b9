"""The pass `sink-dequantize`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from xdsl.dialects.builtin import ModuleOp, i32
from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriteWalker
from xdsl.rewriter import InsertPoint, Rewriter

from mlc.dialects.graph import ConcatOp, DequantizeOp, GraphOp, MaxPoolOp, MoveOp, PadOp, TransposeOp, splat_of
from mlc.dialects.graph.quantization import FoldQuantizeOfDequantize, is_same_constant
from mlc.dialects.graph.shape import ReshapeOp
from mlc.dialects.graph.types import element_of, ints, is_static, shape_of, tensor
from mlc.pass_manager.base import Pass
from mlc.passes.graph._spelled_out import raise_dequantize
from mlc.support.context import CompilerContext


@dataclass(frozen=True)
class SinkDequantizePass(Pass):
    """Move elements, and take the largest of them, while they are quantised.

    ```mlir
    %x = graph.dequantize %q, %s, %z : tensor<2x3xui8>, tensor<f32>, tensor<ui8> -> tensor<2x3xf32>
    %y = graph.transpose %x [1, 0] : tensor<2x3xf32> -> tensor<3x2xf32>
    // after
    %p = graph.transpose %q [1, 0] : tensor<2x3xui8> -> tensor<3x2xui8>
    %y = graph.dequantize %p, %s, %z : tensor<3x2xui8>, tensor<f32>, tensor<ui8> -> tensor<3x2xf32>
    ```

    Elements are moved by transposes, reshapes, slices and their like, by concatenations of tensors with one scale and
    zero point, and by pads with zeros, which the zero point stands for. Max pools keep their order if the scale is
    positive. All elements have one scale and one zero point; a transpose takes others along. What is quantised again
    with the same scale and zero point was the same integer before. Results are the same, bit for bit. Before that, what
    spells out a dequantisation becomes one: casts to f32, a subtraction and a product.
    """

    name = "sink-dequantize"

    def run(self, module: ModuleOp, ctx: CompilerContext) -> None:
        raise_dequantize(module, ctx.resources)
        for op in list(module.walk()):
            if isinstance(op, GraphOp) and (sources := _sources(op)) and (quantized := _on_integers(op, sources)):
                _replace(op, quantized, sources[0])
        PatternRewriteWalker(FoldQuantizeOfDequantize(), apply_recursively=False).rewrite_module(module)


def _sources(op: GraphOp) -> list[DequantizeOp]:
    """What dequantises the operands of an op that all have a known shape; nothing if one of them is something else."""
    owners = [v.owner for v in op.operands]
    found = [owner for owner in owners if isinstance(owner, DequantizeOp)]
    is_known = all(is_static(v.type) for v in (*op.operands, *op.results))
    return found if len(found) == len(owners) and is_known else []


def _on_integers(op: GraphOp, sources: Sequence[DequantizeOp]) -> GraphOp | None:
    """The op on quantised operands, if what it gives can be dequantised then."""
    source = sources[0]
    if any(shape_of(each.result) != shape_of(each.input) for each in sources):
        return None
    if isinstance(op, TransposeOp):
        return TransposeOp(source.input, ints(op.permutation))
    if not all(_is_uniform(each) for each in sources):
        return None
    if isinstance(op, ConcatOp):
        alike = all(
            is_same_constant(each.scale, source.scale) and is_same_constant(each.zero_point, source.zero_point)
            for each in sources
        )
        return ConcatOp([each.input for each in sources], op.axis.value.data) if alike else None
    if isinstance(op, PadOp):
        zero, value = splat_of(source.zero_point), op.value.value.data
        is_zero = value == 0 and str(value)[0] != "-" and isinstance(zero, int) and _is_positive(source.scale)
        return PadOp(source.input, ints(op.low), ints(op.high), zero) if is_zero and zero is not None else None
    if isinstance(op, MaxPoolOp):
        may_wrap = element_of(source.input) == i32 and splat_of(source.zero_point) != 0
        if may_wrap or not _is_positive(source.scale):
            return None
    elif not isinstance(op, MoveOp) or prod(shape_of(op.result)) > prod(shape_of(op.input)):
        return None
    element = element_of(source.input)
    return type(op).create(
        operands=[source.input],
        properties=dict(op.properties),
        result_types=[tensor(shape_of(op.result), element)],
    )


def _is_uniform(op: DequantizeOp) -> bool:
    """Whether all elements have one scale and one zero point."""
    return all(prod(shape_of(v)) == 1 for v in (op.scale, op.zero_point))


def _is_positive(scale: SSAValue) -> bool:
    """Whether a scale is known, positive and finite."""
    number = splat_of(scale)
    return number is not None and 0 < number < float("inf")


def _replace(op: GraphOp, quantized: GraphOp, source: DequantizeOp) -> None:
    """Let `quantized` take the place of `op`, and dequantise what it gives."""
    new: list[Operation] = [quantized]
    parameters: list[SSAValue] = []
    for value in (source.scale, source.zero_point):
        rank, extents = len(shape_of(source.result)), shape_of(value)
        if prod(extents) == 1:
            if extents:
                new.append(ReshapeOp(value, ()))
                value = new[-1].results[0]
        elif isinstance(op, TransposeOp):
            if len(extents) < rank:
                new.append(ReshapeOp(value, (1,) * (rank - len(extents)) + extents))
                value = new[-1].results[0]
            new.append(TransposeOp(value, ints(op.permutation)))
            value = new[-1].results[0]
        parameters.append(value)
    result = DequantizeOp(quantized.result, *parameters)
    for each in (*new, result):
        each.location = op.location
    quantized.result.name_hint = result.result.name_hint = op.result.name_hint
    Rewriter.insert_op([*new, result], InsertPoint.before(op))
    op.result.replace_all_uses_with(result.result)
    Rewriter.erase_op(op)
    if source.result.first_use is None:
        Rewriter.erase_op(source)
