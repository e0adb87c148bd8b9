"""`wrap-scalars`: models take and give memory, not scalars."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from xdsl.dialects import func, tensor
from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    FunctionType,
    MemRefType,
    ModuleOp,
    TensorType,
    UnitAttr,
)
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from mlc.dialects.arith import IndexCastOp
from mlc.dialects.loop import LoadOp, StoreOp
from mlc.pass_manager.base import Pass
from mlc.passes.upstream._points import stored_type
from mlc.support.context import CompilerContext
from mlc.support.functions import OUTPUT, marks_of, models_of
from mlc.support.locations import place_new_ops
from mlc.support.types import is_scalar


@dataclass(frozen=True)
class WrapScalarsPass(Pass):
    """Give models tensors of rank 0 for scalars that they take and give; in functions on buffers, buffers.

        func.func @scale(%a: f32, %x: tensor<8xf32>) -> f32 {
          …
          return %s : f32
    ->
        func.func @scale(%a: tensor<f32>, %x: tensor<8xf32>) -> tensor<f32> {
          %0 = tensor.extract %a[] : tensor<f32>
          …
          %1 = tensor.from_elements %s : tensor<f32>
          return %1 : tensor<f32>

    An `index` is an i64 outside. A function on buffers gets a buffer marked `mlc.output` for a scalar that it returns.
    Private functions, and those that the module calls itself, stay as they are.
    """

    name = "wrap-scalars"
    ir_level = None

    def run(self, module: ModuleOp, ctx: CompilerContext) -> None:
        models = [f for f in models_of(module) if any(map(is_scalar, _signature(f)))]
        if not models:
            return
        called = {op.callee.string_value() for op in module.walk() if isinstance(op, func.CallOp)}
        for function in models:
            if function.sym_name.data not in called and len(function.body.blocks) == 1:
                _wrap(function)


def _signature(function: FuncOp) -> Sequence[Attribute]:
    return (*function.function_type.inputs, *function.function_type.outputs)


def _wrap(function: FuncOp) -> None:
    signature = _signature(function)
    has_tensors = any(isinstance(kind, TensorType) for kind in signature)
    has_buffers = any(isinstance(kind, MemRefType) for kind in signature)
    if has_tensors and has_buffers:
        return  # it is neither of the tensor nor of the loop level
    in_buffers = has_buffers or (not has_tensors and _uses_buffers(function))
    _wrap_arguments(function, in_buffers)
    _wrap_results(function, in_buffers)


def _uses_buffers(function: FuncOp) -> bool:
    return any(isinstance(value.type, MemRefType) for op in function.walk() for value in op.results)


def _wrap_arguments(function: FuncOp, in_buffers: bool) -> None:
    block = function.body.block
    start = InsertPoint.at_start(block)
    for argument in [a for a in block.args if is_scalar(a.type)]:
        new = block.insert_arg(_wrapped(argument.type, in_buffers), argument.index)
        new.name_hint = argument.name_hint
        read = LoadOp(new, []) if in_buffers else tensor.ExtractOp(new, [], stored_type(argument.type))
        ops = [read, *_cast(read.results[0], argument.type)]
        _insert(ops, start, function)
        argument.replace_all_uses_with(ops[-1].results[0])
        block.erase_arg(argument)
    function.function_type = FunctionType.from_lists([a.type for a in block.args], list(function.function_type.outputs))


def _wrap_results(function: FuncOp, in_buffers: bool) -> None:
    block, last = function.body.block, function.body.block.last_op
    assert isinstance(last, func.ReturnOp)
    of_arguments = [*marks_of(block.args, function.arg_attrs)]
    returned: list[tuple[SSAValue, Mapping[str, Attribute]]] = []
    for value, marks in zip(last.operands, marks_of(last.operands, function.res_attrs), strict=True):
        if not is_scalar(value.type):
            returned.append((value, marks))
            continue
        kind, ops = _wrapped(value.type, in_buffers), [*_cast(value, stored_type(value.type))]
        stored = ops[-1].results[0] if ops else value
        if in_buffers:
            wrapped = block.insert_arg(kind, len(block.args))
            ops.append(StoreOp(stored, wrapped, []))
            of_arguments.append({OUTPUT: UnitAttr(), **marks})
        else:
            ops.append(tensor.FromElementsOp.create(operands=[stored], result_types=[kind]))
            wrapped = ops[-1].results[0]
            returned.append((wrapped, marks))
        wrapped.name_hint = value.name_hint
        _insert(ops, InsertPoint.before(last), last)
    last.operands = [value for value, _ in returned]
    function.function_type = FunctionType.from_lists([a.type for a in block.args], [v.type for v, _ in returned])
    function.arg_attrs, function.res_attrs = _attributes(of_arguments), _attributes([marks for _, marks in returned])


def _wrapped(kind: Attribute, in_buffer: bool) -> Attribute:
    return (MemRefType if in_buffer else TensorType)(stored_type(kind), [])


def _cast(value: SSAValue, kind: Attribute) -> Sequence[Operation]:
    """The op that makes of a value one of this type, if it is of another one."""
    return [] if value.type == kind else [IndexCastOp(value, kind)]


def _insert(ops: Sequence[Operation], at: InsertPoint, of: Operation) -> None:
    for op in ops:
        place_new_ops(op, of.location)
    Rewriter.insert_op(ops, at)


def _attributes(marks: Sequence[Mapping[str, Attribute]]) -> ArrayAttr[DictionaryAttr] | None:
    return ArrayAttr([DictionaryAttr(dict(each)) for each in marks]) if any(marks) else None
