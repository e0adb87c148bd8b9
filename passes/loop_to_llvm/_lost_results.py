"""What a model stores to an argument that its caller does not get back."""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.dialects import memref
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Operation, SSAValue

from mlc.analysis.memory_accesses import is_view
from mlc.dialects.loop import StoreOp
from mlc.support.context import CompilerContext
from mlc.support.functions import OUTPUT, models_of, passed_arguments

_STORES = (StoreOp, memref.StoreOp, memref.AtomicRMWOp)


def warn_of_lost_results(module: ModuleOp, ctx: CompilerContext) -> None:
    """Say it if a model stores to an argument that is not marked as an output: callers pass a copy, or data that must
    not change."""
    functions = {op.sym_name.data: op for op in module.ops if isinstance(op, FuncOp)}
    for model in models_of(module):
        for argument in passed_arguments(model):
            if argument.role == "input" and _is_written(argument.value, functions):
                name = argument.value.name_hint or argument.value.index
                ctx.warn(
                    model,
                    f"argument '%{name}' of a model is an input, and is stored to; marked {{{OUTPUT}}}, it is a result "
                    "that callers get",
                )


def _is_written(argument: SSAValue, functions: Mapping[str, FuncOp]) -> bool:
    """Whether a function, or one that it calls, stores to an argument."""
    seen = {argument}
    pending = [argument]

    def follow(value: SSAValue) -> None:
        if value not in seen:
            seen.add(value)
            pending.append(value)

    while pending:
        value = pending.pop()
        for use in value.uses:
            op: Operation = use.operation
            if isinstance(op, _STORES) and op.memref is value:
                return True
            if isinstance(op, CallOp) and (callee := functions.get(op.callee.root_reference.data)) is not None:
                if not callee.is_declaration:
                    follow(callee.args[use.index])
            elif is_view(op):
                for result in op.results:
                    follow(result)
    return False
