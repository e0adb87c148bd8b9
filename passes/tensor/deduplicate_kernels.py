"""`deduplicate-kernels`: equal kernels become one."""

from __future__ import annotations

from dataclasses import dataclass
from io import StringIO

from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp, StringAttr, SymbolRefAttr
from xdsl.printer import Printer
from xdsl.rewriter import Rewriter

from mlc.passes.base import Pass
from mlc.support.context import CompilerContext


@dataclass(frozen=True)
class DeduplicateKernelsPass(Pass):
    """Keep one of all private functions that do the same, and let all calls go to it.

        func.func private @linear_relu(…) { body }
        func.func private @linear_relu_1(…) { body }
    ->
        func.func private @linear_relu(…) { body }

    Functions are the same if their generic text is, name aside; so shapes, attributes and schedules count. Kernels that
    call kernels are compared by the names that they call, as written.
    """

    name = "deduplicate-kernels"

    def run(self, module: ModuleOp, ctx: CompilerContext) -> None:
        first: dict[str, func.FuncOp] = {}
        replaced: dict[str, str] = {}
        for op in list(module.ops):
            if not isinstance(op, func.FuncOp) or op.is_declaration or not is_private(op):
                continue
            kept = first.setdefault(_text_without_name(op), op)
            if kept is not op:
                replaced[op.sym_name.data] = kept.sym_name.data
                ctx.remark(op, f"'{op.sym_name.data}' is the same as '{kept.sym_name.data}'")
                Rewriter.erase_op(op)
        if not replaced:
            return
        for op in module.walk():
            if isinstance(op, func.CallOp) and (name := replaced.get(op.callee.root_reference.data)) is not None:
                op.callee = SymbolRefAttr(name)


def is_private(function: func.FuncOp) -> bool:
    """Whether only this module sees the function: private functions are kernels, the others are models."""
    return function.sym_visibility is not None and function.sym_visibility.data == "private"


def _text_without_name(function: func.FuncOp) -> str:
    name = function.sym_name
    function.sym_name = StringAttr("")
    stream = StringIO()
    # Values are numbered instead of named, so that names do not count.
    Printer(stream, print_generic_format=True, print_debuginfo=False).print_op(_without_hints(function))
    function.sym_name = name
    return stream.getvalue()


def _without_hints(function: func.FuncOp) -> func.FuncOp:
    copy = function.clone(clone_name_hints=False)
    for op in copy.walk():
        for region in op.regions:
            for block in region.blocks:
                for argument in block.args:
                    argument.name_hint = None
    return copy
