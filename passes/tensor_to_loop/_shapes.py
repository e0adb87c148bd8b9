"""Ops that place data at an offset: pad, concat, slices."""

from __future__ import annotations

from xdsl.dialects import tensor
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.pattern_rewriter import PatternRewriter

from mlc.dialects.loop import LoadOp, StoreOp
from mlc.dialects.loop.copies import copy_nest
from mlc.dialects.loop.nests import parallel_nest
from mlc.pass_manager.lowering import StatelessPattern, lowers
from mlc.passes.tensor_to_loop._functions import destination
from mlc.passes.tensor_to_loop._padding import border, is_constant
from mlc.support.locations import error_at
from mlc.support.types import memref_type, tensor_type


@lowers("convert-tensor-to-loop", tensor.PadOp)
class PadToFillAndCopy(StatelessPattern):
    """Fill the border of the padded buffer with the padding value, and copy the source inside.

    A source that nobody else reads is computed there by its own nest, which takes this op along.
    """

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        assert isinstance(op, tensor.PadOp)
        if not is_constant(op):
            raise error_at(op, "tensor.pad: only constant amounts and one constant value can be lowered to loops")
        target = destination(rewriter, op.result)
        rewriter.replace(op, [*border(op, target), *copy_nest(op.source, target, op.static_low.get_values())], [target])


@lowers("convert-tensor-to-loop", tensor.ExtractOp)
class ExtractToLoad(StatelessPattern):
    """An element that other ops than structured ones use, such as a call."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        assert isinstance(op, tensor.ExtractOp)
        rewriter.replace(op, LoadOp(op.tensor, list(op.indices)))


@lowers("convert-tensor-to-loop", tensor.ConcatOp)
class ConcatToCopies(StatelessPattern):
    """One copy per input, each at the offset where the inputs before it end."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        assert isinstance(op, tensor.ConcatOp)
        target = destination(rewriter, op.result)
        axis = op.dim.value.data
        offsets = [0] * memref_type(target).get_num_dims()
        copies: list[Operation] = []
        for source in op.inputs:
            copies += copy_nest(source, target, offsets)
            offsets[axis] += memref_type(source).get_shape()[axis]
        rewriter.replace(op, copies, [target])


@lowers("convert-tensor-to-loop", tensor.ExtractSliceOp)
class ExtractSliceToCopy(StatelessPattern):
    """Copy the window `offset + i * stride` of the source."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        assert isinstance(op, tensor.ExtractSliceOp)
        if op.offsets or op.sizes or op.strides:
            raise error_at(op, "tensor.extract_slice: only constant offsets, sizes and strides can be lowered to loops")
        shape = tensor_type(op.result).get_shape()
        if len(shape) != memref_type(op.source).get_num_dims():
            raise error_at(op, "tensor.extract_slice: a slice that drops dims cannot be lowered to loops; reshape it")
        target = destination(rewriter, op.result)
        offsets, strides = op.static_offsets.get_values(), op.static_strides.get_values()
        window = AffineMap(
            len(shape), 0, tuple(AffineExpr.dimension(i) * strides[i] + offsets[i] for i in range(len(shape)))
        )

        def body(counters: list[SSAValue]) -> list[Operation]:
            load = LoadOp(op.source, counters, window)
            return [load, StoreOp(load.result, target, counters)]

        nest = parallel_nest([(f"d{i}", size) for i, size in enumerate(shape)], body)
        rewriter.replace(op, nest, [target])
