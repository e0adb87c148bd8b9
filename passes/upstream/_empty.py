"""Tensors of no elements: nothing computes them, and nothing is written of them."""

from __future__ import annotations

from xdsl.dialects import arith, tensor
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, TensorType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation
from xdsl.rewriter import Rewriter

from mlc.dialects.scf import ForallOp
from mlc.dialects.scf.forall import InParallelOp
from mlc.dialects.tensor.parallel_insert import ParallelInsertSliceOp
from mlc.support.types import tensor_type

_COMPUTING = ("arith", "linalg", "math", "tensor")


def drop_empty_tensors(function: FuncOp) -> None:
    """Put constants in the place of what computes tensors of no elements, and leave out what writes such slices.

        %s = tensor.extract_slice %x[10] [0] [1] : tensor<10xf32> to tensor<0xf32>
        %y = math.exp %s : tensor<0xf32>
        %w = tensor.insert_slice %y into %x[10] [0] [1] : tensor<0xf32> into tensor<10xf32>    // %x

    Dims of ops at the tensor level have at least one point.
    """
    for op in list(function.walk(region_first=True)):
        if isinstance(op, ParallelInsertSliceOp) and _is_empty(op.source.type):
            Rewriter.erase_op(op)
        elif isinstance(op, ForallOp) and op.outputs and _writes_nothing(op):
            Rewriter.replace_op(op, [], list(op.outputs))
    for op in list(function.walk()):
        if isinstance(op, tensor.InsertSliceOp) and _is_empty(op.source.type):
            Rewriter.replace_op(op, [], [op.dest])
        elif op.results and op.dialect_name() in _COMPUTING and all(_is_empty(r.type) for r in op.results):
            _replace(op)


def _writes_nothing(op: ForallOp) -> bool:
    end = op.body.block.last_op
    return isinstance(end, InParallelOp) and not end.region.block.ops


def _is_empty(kind: Attribute) -> bool:
    return isinstance(kind, TensorType) and 0 in kind.get_shape()


def _replace(op: Operation) -> None:
    """Put constants in the place of an op's results."""
    if isinstance(op, arith.ConstantOp):
        return
    kinds = [tensor_type(r) for r in op.results]
    made = [arith.ConstantOp(DenseIntOrFPElementsAttr.from_list(kind, [])) for kind in kinds]
    Rewriter.replace_op(op, made, [each.result for each in made])
