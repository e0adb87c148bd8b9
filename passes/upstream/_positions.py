"""Tensors of positions (`index`) become tensors of integers, which the tensor level has."""

from __future__ import annotations

from typing import cast

from xdsl.dialects import arith
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, FunctionType, IndexType, ModuleOp, TensorType, i64
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, SSAValue
from xdsl.rewriter import Rewriter

from mlc.support.types import Tensor, element_type, tensor_type


def store_positions(module: ModuleOp) -> None:
    """Give all tensors of `index` elements of i64, in signatures and constants, too: 64 bits, as `index` has."""
    for function in [op for op in module.ops if isinstance(op, FuncOp)]:
        inputs, outputs = function.function_type.inputs.data, function.function_type.outputs.data
        if any(map(_holds_positions, (*inputs, *outputs))):
            function.function_type = FunctionType.from_lists(list(map(_stored, inputs)), list(map(_stored, outputs)))
        values: list[SSAValue] = []
        for op in function.walk():
            values += [
                *op.results,
                *(argument for region in op.regions for block in region.blocks for argument in block.args),
            ]
        for value in values:
            if _holds_positions(value.type):
                _store(value)


def _store(value: SSAValue) -> None:
    constant = value.owner
    if isinstance(constant, arith.ConstantOp) and isinstance(data := constant.value, DenseIntOrFPElementsAttr):
        kind = TensorType(i64, tensor_type(value).get_shape())
        numbers = [int(cast(int, number)) for number in data.get_values()]
        Rewriter.replace_op(constant, arith.ConstantOp(DenseIntOrFPElementsAttr.from_list(kind, numbers)))
    else:
        Rewriter.replace_value_with_new_type(value, _stored(value.type))


def _holds_positions(kind: Attribute) -> bool:
    return isinstance(kind, TensorType) and isinstance(element_type(cast(Tensor, kind)), IndexType)


def _stored(kind: Attribute) -> Attribute:
    if not _holds_positions(kind):
        return kind
    tensor = cast(Tensor, kind)
    return TensorType(i64, tensor.get_shape(), tensor.encoding)
