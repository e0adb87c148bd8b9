"""Calls around kernels that record when these run (`runtime/trace.c`), in a module at the llvm level."""

from __future__ import annotations

from xdsl.dialects import llvm
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i32, i64
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from mlc.support.errors import UserError
from mlc.targets.glue import TRACE_END, TRACE_START


def trace_calls(module: ModuleOp, symbol: str) -> tuple[str, ...]:
    """Let the model, the function `symbol`, record when it runs, and when each of its kernels does.

    The code of kernels stays as it is.

    Returns:
        What is recorded, by number: the model, and the functions that it calls.

    Raises:
        UserError: the module is not at the llvm level.
    """
    functions = {op.sym_name.data: op for op in module.ops if isinstance(op, llvm.FuncOp)}
    if (model := functions.get(symbol)) is None or not model.body.blocks:
        raise UserError("found --instrument kernels for a target whose code is not made by LLVM; leave it out")
    numbers = {symbol.removeprefix("mlc_"): 0}
    for call in [op for op in model.walk() if isinstance(op, llvm.CallOp)]:
        name = call.callee.string_value() if call.callee is not None else ""
        if name in functions and functions[name].body.blocks:
            number = numbers.setdefault(name, len(numbers))
            _record(InsertPoint.before(call), [InsertPoint.after(call)], number)
    first = model.body.blocks[0].first_op
    assert first is not None
    ends = [InsertPoint.before(op) for op in model.walk() if isinstance(op, llvm.ReturnOp)]
    _record(InsertPoint.before(first), ends, 0)
    for name, kind in (
        (TRACE_START, llvm.LLVMFunctionType([], i64)),
        (TRACE_END, llvm.LLVMFunctionType([i64, i32])),
    ):
        module.body.block.add_op(llvm.FuncOp(name, kind, llvm.LinkageAttr("external")))
    return tuple(numbers)


def _record(start: InsertPoint, ends: list[InsertPoint], number: int) -> None:
    begun = llvm.CallOp(TRACE_START, return_type=i64)
    Rewriter.insert_op(begun, start)
    for end in ends:
        kind = llvm.ConstantOp(IntegerAttr(number, i32), i32)
        Rewriter.insert_op([kind, llvm.CallOp(TRACE_END, _result(begun), _result(kind))], end)


def _result(op: Operation) -> SSAValue:
    return op.results[0]
