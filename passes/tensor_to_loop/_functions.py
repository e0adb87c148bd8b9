"""Functions, calls, returns and constants: values become buffers that the caller provides."""

from __future__ import annotations

from collections.abc import Container, Mapping
from functools import lru_cache
from typing import cast

from xdsl.dialects import arith, func, memref
from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseIntOrFPElementsAttr,
    DenseResourceAttr,
    DictionaryAttr,
    FunctionType,
    IntegerAttr,
    MemRefType,
    TensorType,
    UnitAttr,
    i64,
)
from xdsl.ir import Attribute, Block, BlockArgument, Operation, SSAValue, Use
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint, Rewriter

from mlc.dialects.loop import ConstantOp
from mlc.dialects.loop.copies import copy_nest
from mlc.dialects.loop.views import reinterpret, unreshaped
from mlc.pass_manager.lowering import StatelessPattern, lowers
from mlc.passes.tensor_to_loop._yields import yielded_into
from mlc.support.functions import CODES, DONATED, EXTENTS, LATE, NAME, OUTPUT, UNSIGNED, donated_to, marks_of
from mlc.support.ir import RESHAPES
from mlc.support.types import MemRef, Tensor, memref_type


@lru_cache(maxsize=1024)  # to make a type takes longer than to find it, and a model has few
def buffer_type(tensor: Tensor) -> MemRef:
    """The row-major buffer that holds a tensor."""
    return MemRefType(tensor.element_type, tensor.shape)


def convert_signature(function: func.FuncOp, late: Container[int] = ()) -> None:
    """Turn tensor arguments into memrefs, and results into trailing memref arguments marked `mlc.output`.

    Until the body is lowered, its ops see memrefs where they had tensors; patterns run in program order, so each meets
    operands that are buffers already. Results that are `late`, by their numbers, are copied to their buffers last.
    """
    block = function.body.block
    outputs = [_converted(t) for t in function.function_type.outputs]
    attributes = list(function.arg_attrs) if function.arg_attrs else [DictionaryAttr({}) for _ in block.args]
    for argument in block.args:
        _retype(argument, _converted(argument.type))
    marks = function.res_attrs or [DictionaryAttr({}) for _ in outputs]
    for number, (output, mark) in enumerate(zip(outputs, marks, strict=True)):
        argument = block.insert_arg(output, len(block.args))
        argument.name_hint = f"out{number}" if len(outputs) > 1 else "out"
        kept = {name: mark.data[name] for name in (UNSIGNED, CODES, EXTENTS, NAME, DONATED) if name in mark.data}
        if number in late:
            kept[LATE] = UnitAttr()
        attributes.append(DictionaryAttr({OUTPUT: UnitAttr(), **kept}))
    function.properties["arg_attrs"] = ArrayAttr(attributes)
    function.properties.pop("res_attrs", None)
    function.function_type = FunctionType.from_lists([a.type for a in block.args], [])


def outputs_of(block: Block) -> list[BlockArgument]:
    """The output buffers of the function whose entry block this is."""
    function = block.parent_op()
    assert isinstance(function, func.FuncOp) and function.arg_attrs
    entry = function.body.block
    return [a for a, d in zip(entry.args, function.arg_attrs, strict=True) if OUTPUT in d.data]


def destination(rewriter: PatternRewriter, result: SSAValue) -> SSAValue:
    """The buffer that a lowered op writes `result` to: an output of the function if it is returned, the place of what a
    loop yields if it is that, else a new one.
    """
    tensor = cast(Tensor, result.type)
    if (output := _returned_as(result) or yielded_into(result)) is not None:
        if output.type == buffer_type(tensor):
            return output
        return rewriter.insert(reinterpret(output, buffer_type(tensor))).results[0]
    return rewriter.insert(allocate(buffer_type(tensor))).results[0]


def allocate(buffer: MemRef) -> memref.AllocOp:
    """A new buffer, aligned to a cache line."""
    return memref.AllocOp([], [], buffer, alignment=IntegerAttr(64, i64))


def _returned_as(value: SSAValue) -> BlockArgument | None:
    """The output buffer that `value` ends up in, looking through reshapes; of several the first. Who else reads the
    value reads it there.
    """
    found: list[Use] = []
    pending = [value]
    while pending:
        for use in pending.pop().uses:
            if isinstance(use.operation, RESHAPES):
                pending.append(use.operation.results[0])
            elif isinstance(use.operation, func.ReturnOp):
                found.append(use)
    if not found:
        return None
    use = min(found, key=lambda use: use.index)
    block = use.operation.parent
    assert block is not None
    # Outputs are the last arguments, in the order of results.
    output = _function(block).body.block.args[use.index - len(use.operation.operands)]
    marks = _marks_of(output)
    assert OUTPUT in marks
    return None if LATE in marks else output


def _function(block: Block) -> func.FuncOp:
    function = block.parent_op()
    assert isinstance(function, func.FuncOp)
    return function


def _marks_of(argument: BlockArgument) -> Mapping[str, Attribute]:
    """The attributes of an argument of a function."""
    said = _function(argument.block).arg_attrs
    return said.data[argument.index].data if said is not None else {}


def _converted(attribute: Attribute) -> Attribute:
    return buffer_type(cast(Tensor, attribute)) if isinstance(attribute, TensorType) else attribute


def _retype(argument: BlockArgument, new_type: Attribute) -> None:
    if argument.type != new_type:
        Rewriter.replace_value_with_new_type(argument, new_type)  # keeps the name, which names model inputs


@lowers("convert-tensor-to-loop", func.ReturnOp)
class ReturnBuffers(StatelessPattern):
    """`return %t` -> `return`, with a copy only where the value could not be computed in the output argument.

    What may lie in the memory of arguments is copied last, and arguments that are copied there are read before.
    """

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        block = op.parent
        assert block is not None
        if not op.operands:
            return
        copies = [(v, out) for v, out in zip(op.operands, outputs_of(block), strict=True) if unreshaped(v) is not out]
        donated = [(v, out) for v, out in copies if donated_to(_marks_of(out)) is not None]
        for value, output in (copy for copy in copies if copy not in donated):
            rewriter.insert(copy_nest(value, output), InsertPoint.before(op))
        kept: list[tuple[SSAValue, SSAValue]] = []
        for value, output in donated:
            if len(donated) > 1 and isinstance(unreshaped(value), BlockArgument):
                own = allocate(memref_type(value))
                rewriter.insert([own, *copy_nest(value, own.memref)], InsertPoint.before(op))
                value = own.memref
            kept.append((value, output))
        for value, output in kept:
            rewriter.insert(copy_nest(value, output), InsertPoint.before(op))
        function = _function(block)
        marks = [{n: a for n, a in m.items() if n != LATE} for m in marks_of(block.args, function.arg_attrs)]
        function.properties["arg_attrs"] = ArrayAttr([DictionaryAttr(m) for m in marks])
        rewriter.replace(op, func.ReturnOp())


@lowers("convert-tensor-to-loop", func.CallOp)
class CallWithDestinations(StatelessPattern):
    """`%y = call @k(%x)` -> `call @k(%x, %y_buffer)`."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        assert isinstance(op, func.CallOp)
        if not op.results:
            return
        buffers = [destination(rewriter, r) for r in op.results]
        rewriter.replace(op, func.CallOp(op.callee, [*op.operands, *buffers], []), buffers)


@lowers("convert-tensor-to-loop", arith.ConstantOp)
class ConstantBuffer(StatelessPattern):
    """A constant tensor becomes a read-only buffer; scalars stay."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        assert isinstance(op, arith.ConstantOp)
        if isinstance(op.result.type, TensorType):
            assert isinstance(op.value, DenseResourceAttr | DenseIntOrFPElementsAttr)
            rewriter.replace(op, ConstantOp(op.value))


@lowers("convert-tensor-to-loop", *RESHAPES)
class ReshapeView(StatelessPattern):
    """A reshape moves nothing: it is the same row-major buffer with another shape."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        target = buffer_type(cast(Tensor, op.results[0].type))
        source = op.operands[0]
        rewriter.replace(op, reinterpret(source, target))
        assert memref_type(source).element_type == target.element_type
