"""Functions: kernels take pointers, an entry takes the three arrays of the artifact's interface."""

from __future__ import annotations

from typing import Any, cast

from xdsl.dialects import func, llvm
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, IntegerAttr, MemRefType, UnitAttr, i32, i64
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, op_type_rewrite_pattern

from mlc.dialects.llvm import FuncOp as LLVMFuncOp
from mlc.dialects.llvm import vectors
from mlc.dialects.llvm.call_intrinsic import only_reads
from mlc.pass_manager.lowering import StatelessPattern, lowers
from mlc.passes.loop_to_llvm._control import lower_loops
from mlc.passes.loop_to_llvm._entry_checks import check_extents
from mlc.passes.loop_to_llvm._matrices import prepare_matrices
from mlc.passes.loop_to_llvm._types import (
    POINTER,
    VALUES,
    bit_width,
    integer_constant,
    lower_type,
    offset,
)
from mlc.support.functions import is_private, marks_of, passed_arguments, tell_clang_as
from mlc.support.locations import error_at, place_new_ops
from mlc.support.types import MemRef

ENTRY_PREFIX = "mlc_"
LLVM_FACT = "llvm."
_UNIT = UnitAttr()
_HIDDEN = 1


@lowers(VALUES, func.CallOp)
class LowerCall(StatelessPattern):
    """`func.call @k(…)` -> `llvm.call @k(…)`."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: func.CallOp, rewriter: PatternRewriter) -> None:
        if len(op.results) > 1:
            raise error_at(
                op, f"func.call @{op.callee.root_reference.data}: found {len(op.results)} results, at most one"
            )
        kind = lower_type(op.results[0].type) if op.results else None
        rewriter.replace(op, llvm.CallOp(op.callee, *op.operands, return_type=kind))


@lowers(VALUES, func.ReturnOp)
class LowerReturn(StatelessPattern):
    """`func.return` -> `llvm.return`; an entry returns 0."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: func.ReturnOp, rewriter: PatternRewriter) -> None:
        parent = op.parent_op()
        if isinstance(parent, func.FuncOp) and not is_private(parent):
            zero = integer_constant(0, i32)
            rewriter.replace(op, [zero, llvm.ReturnOp(zero.result)])
        else:
            rewriter.replace(op, llvm.ReturnOp(op.operands[0] if op.operands else None))


def lower_function(function: func.FuncOp, *, prepares: bool = False) -> None:
    """Replace a function whose straight-line ops are lowered by an `llvm.func`.

    A function that `prepares` registers for matrices and is not a kernel asks for them first.
    """
    body = function.body
    if body.blocks:
        lower_loops(body)
    marks = marks_of(function.args, function.arg_attrs) if body.blocks else []
    lowered = _kernel(function) if is_private(function) else _entry(function)
    if not is_private(function):
        check_extents(lowered.body, marks)
    if prepares and not is_private(function):
        prepare_matrices(lowered.body)
    place_new_ops(lowered, function.location)
    tell_clang_as(function, lowered)
    block = function.parent
    assert block is not None
    block.insert_op_before(lowered, function)
    function.detach()
    function.erase()


def _kernel(function: func.FuncOp) -> llvm.FuncOp:
    """A function of pointers that do not overlap, hidden, merged with its equals at link time."""
    inputs = [lower_type(t) for t in function.function_type.inputs]
    outputs = [lower_type(t) for t in function.function_type.outputs]
    if len(outputs) > 1:
        name = function.sym_name.data
        raise error_at(function, f"func.func @{name}: found {len(outputs)} results, required at most one")
    facts = [_argument_facts(function, i) for i in range(len(inputs))]
    body = function.detach_region(function.body)
    for block in body.blocks:
        for argument in block.args:
            _set_type(block, argument)
    declared_only = not body.blocks
    return LLVMFuncOp(
        function.sym_name,
        llvm.LLVMFunctionType(inputs, outputs[0] if outputs else None),
        linkage=llvm.LinkageAttr("external" if declared_only else "weak_odr"),
        visibility=0 if declared_only else _HIDDEN,
        body=body,
        other_props={"arg_attrs": ArrayAttr(facts)},
    )


def _argument_facts(function: func.FuncOp, index: int) -> DictionaryAttr:
    kind = function.function_type.inputs.data[index]
    if not function.body.blocks:
        return _declared_facts(function, index)
    if not isinstance(kind, MemRefType):
        return DictionaryAttr({})
    facts: dict[str, Attribute] = {"llvm.noalias": _UNIT, "llvm.nocapture": _UNIT}
    if _only_loaded(function.body.blocks[0].args[index]):
        facts["llvm.readonly"] = _UNIT
    if size := _bytes(cast(MemRef, kind)):
        facts["llvm.dereferenceable"] = IntegerAttr(size, i64)
    return DictionaryAttr(facts)


def _declared_facts(function: func.FuncOp, index: int) -> DictionaryAttr:
    """What a declaration says of an argument in LLVM's words."""
    if function.arg_attrs is None:
        return DictionaryAttr({})
    said = function.arg_attrs.data[index].data
    return DictionaryAttr({name: value for name, value in said.items() if name.startswith(LLVM_FACT)})


def _bytes(kind: MemRef) -> int:
    size = (bit_width(kind.element_type) + 7) // 8
    for extent in kind.get_shape():
        size *= extent
    return size


def _only_loaded(pointer: SSAValue) -> bool:
    """Whether no store, and no call, can write through `pointer`."""
    pending: list[SSAValue] = [pointer]
    while pending:
        for use in pending.pop().uses:
            op = use.operation
            if isinstance(op, llvm.GEPOp):
                pending.append(op.result)
            elif not (isinstance(op, llvm.LoadOp | vectors.MaskedLoadOp) or only_reads(op)):
                return False
    return True


def _entry(function: func.FuncOp) -> llvm.FuncOp:
    """`i32 mlc_<name>(ptr inputs, ptr outputs, ptr workspace)`, which loads the addresses of its buffers first."""
    name = function.sym_name.data
    if function.function_type.outputs.data or not function.body.blocks:
        raise error_at(function, f"func.func @{name}: required a body and no results; outputs are arguments")
    for number, kind in enumerate(function.function_type.inputs):
        if not isinstance(kind, MemRefType):
            raise error_at(function, f"argument {number} of a model is a tensor or a buffer, found {kind}")
    old = passed_arguments(function)
    body = function.detach_region(function.body)
    entry = body.blocks[0]
    first = entry.first_op
    assert first is not None
    inputs, outputs, workspace = (entry.insert_arg(POINTER, n) for n in range(3))
    for hint, argument in (("inputs", inputs), ("outputs", outputs), ("workspace", workspace)):
        argument.name_hint = hint
    tables = {"input": inputs, "output": outputs}
    for argument in old:
        value, table = argument.value, tables.get(argument.role)
        passed = workspace if table is None else _load_pointer(entry, first, table, argument.number, value)
        value.replace_all_uses_with(passed)
        entry.erase_arg(value)
    for block in list(body.blocks)[1:]:
        for argument in block.args:
            _set_type(block, argument)
    facts = DictionaryAttr({"llvm.nocapture": _UNIT, "llvm.readonly": _UNIT})
    return LLVMFuncOp(
        ENTRY_PREFIX + name,
        llvm.LLVMFunctionType([POINTER] * 3, i32),
        linkage=llvm.LinkageAttr("external"),
        body=body,
        other_props={"arg_attrs": ArrayAttr([facts, facts, DictionaryAttr({})])},
    )


def _load_pointer(entry: Block, before: Operation, table: SSAValue, index: int, argument: SSAValue) -> SSAValue:
    slot = offset(table, index, POINTER)
    load = llvm.LoadOp(slot, POINTER)
    load.dereferenced_value.name_hint = argument.name_hint
    entry.insert_ops_before([slot, load], before)
    return load.dereferenced_value


def _set_type(block: Block, argument: Any) -> None:
    """Give a block argument its type at the llvm level."""
    kind = lower_type(argument.type)
    if kind is argument.type:
        return
    new = block.insert_arg(kind, argument.index)
    new.name_hint = argument.name_hint
    argument.replace_all_uses_with(new)
    block.erase_arg(argument)
