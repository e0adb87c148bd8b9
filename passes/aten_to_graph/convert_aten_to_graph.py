"""`convert-aten-to-graph`: operators of PyTorch become graph ops."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from xdsl.dialects import func
from xdsl.dialects.builtin import FunctionType, ModuleOp
from xdsl.ir import Operation
from xdsl.rewriter import Rewriter
from xdsl.traits import is_side_effect_free

from mlc.passes.base import Pass
from mlc.support.context import CompilerContext
from mlc.support.errors import raise_found
from mlc.support.rounding import Rounding

_PREFIX = "aten."


@dataclass(frozen=True)
class ConvertAtenToGraphPass(Pass):
    """Lower the aten dialect to the graph dialect.

    ```mlir
    %y = aten.addmm %b, %x, %w : (tensor<4xf32>, tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
    // after
    %0 = graph.matmul %x, %w : tensor<2x3xf32>, tensor<3x4xf32> -> tensor<2x4xf32>
    %y = graph.add %0, %b : tensor<2x4xf32>, tensor<4xf32> -> tensor<2x4xf32>
    ```

    Patterns run in program order. Types of results are known beforehand, for torch has said them; a pattern that gives
    another shape is wrong. All that cannot be converted is told at once.
    """

    name = "convert-aten-to-graph"
    rounding = Rounding(4, "an operator becomes a formula that may round at other places")

    def run(self, module: ModuleOp, ctx: CompilerContext) -> None:
        functions = _functions(module)
        if not functions:
            return
        from mlc.passes.shared.open_dims import unbound
        from mlc.passes.shared.refusals import refusals

        raise_found([error for function in functions for error in unbound(function)])
        refused = convert(functions, ctx)
        raise_found(list(refusals(refused, lambda op: op.name)))


def convert(functions: Sequence[func.FuncOp], ctx: CompilerContext) -> list[tuple[Operation, str]]:
    """Convert the ops of functions; gives those that cannot be converted, which are still there, and why."""
    load_patterns()
    from mlc.passes.aten_to_graph._calls import AtenConversion

    conversion = AtenConversion.within(ctx)
    for function in functions:
        _erase_unused(function)  # what nobody reads need not be known
        conversion.lower(function.body.block.ops)
        _erase_unused(function)
        returned = function.body.block.last_op
        assert isinstance(returned, Operation)
        types = [v.type for v in returned.operands]
        function.function_type = FunctionType.from_lists(function.body.block.arg_types, types)
    conversion.knowledge.drop_unused()
    return conversion.refused


def load_patterns() -> None:
    """Import all files of patterns: those of this folder whose names start with `_`."""
    for file in sorted(Path(__file__).parent.glob("_[a-z]*.py")):
        importlib.import_module(f"{__package__}.{file.stem}")


def _functions(module: ModuleOp) -> list[func.FuncOp]:
    functions = [f for f in module.ops if isinstance(f, func.FuncOp) and not f.is_declaration]
    return [f for f in functions if any(op.name.startswith(_PREFIX) for op in f.body.block.ops)]


def _erase_unused(function: func.FuncOp) -> None:
    for op in reversed(list(function.body.block.ops)):
        unused = all(result.first_use is None for result in op.results)
        if unused and op.results and (op.name.startswith(_PREFIX) or is_side_effect_free(op)):
            Rewriter.erase_op(op)
