"""`deduplicate-kernels`: equal kernels become one."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp, SymbolRefAttr
from xdsl.rewriter import Rewriter

from mlc.analysis.calls import calls_of_functions
from mlc.analysis.structure import Structure
from mlc.pass_manager.base import Pass
from mlc.passes.tensor._numbers_as_arguments import share_up_to_numbers
from mlc.support.context import CompilerContext
from mlc.support.functions import is_private


@dataclass(frozen=True)
class DeduplicateKernelsPass(Pass):
    """Keep one of all private functions that do the same, and let all calls go to it.

        func.func private @linear_relu(…) { body }
        func.func private @linear_relu_1(…) { body }
    ->
        func.func private @linear_relu(…) { body }

    Functions are the same if they differ in their own name and the names of values alone; so shapes, attributes and
    schedules count. If they differ in scalar constants as well, these become arguments of the one that is kept, where
    knowing them saves no work (`share_up_to_numbers`). Kernels that call kernels are compared by the names that they
    call, as written. One that something else than a call refers to stays.
    """

    name = "deduplicate-kernels"

    def run(self, module: ModuleOp, ctx: CompilerContext) -> None:
        calls = calls_of_functions(module)
        first: dict[Hashable, func.FuncOp] = {}
        for op in list(module.ops):
            if not isinstance(op, func.FuncOp) or op.is_declaration or not is_private(op):
                continue
            kept = first.setdefault(Structure().of(op), op)
            if kept is op or op.sym_name.data not in calls:
                continue
            ctx.remark(op, f"'{op.sym_name.data}' is the same as '{kept.sym_name.data}'")
            for call in calls[op.sym_name.data]:
                call.callee = SymbolRefAttr(kept.sym_name.data)
            Rewriter.erase_op(op)
        calls = calls_of_functions(module)
        kernels = (op for op in first.values() if calls.get(op.sym_name.data))
        share_up_to_numbers({op: calls[op.sym_name.data] for op in kernels}, ctx)
