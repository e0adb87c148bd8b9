"""`convert-onnx-to-graph`: operators of ONNX become graph ops, of known shapes."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from xdsl.dialects import func
from xdsl.dialects.builtin import FunctionType, ModuleOp
from xdsl.ir import Operation
from xdsl.rewriter import Rewriter
from xdsl.traits import is_side_effect_free

from mlc.passes.base import Pass
from mlc.support.context import CompilerContext
from mlc.support.errors import UserError, raise_found
from mlc.support.rounding import Rounding

_PREFIX = "onnx."


@dataclass(frozen=True)
class ConvertOnnxToGraphPass(Pass):
    """Lower the onnx dialect to the graph dialect. Shapes have to be known; `bind-inputs` makes them known.

    ```mlir
    %s = onnx.Shape %x : (tensor<4x8x8xf32>) -> tensor<3xi64>
    %n = onnx.Gather %s, %zero : (tensor<3xi64>, tensor<i64>) -> tensor<i64>
    …
    %y = onnx.Reshape %x, %shape : (tensor<4x8x8xf32>, tensor<2xi64>) -> tensor<?x?xf32>
    // after
    %y = graph.reshape %x : tensor<4x8x8xf32> -> tensor<4x64xf32>
    ```

    Patterns run in program order, so that each knows the types of its operands and, where these depend on constants
    only, their data: the reference semantics of the graph dialect compute it. What patterns make of shapes is thus gone
    when they are through. An operator without a pattern is replaced by the body that its specification gives it, if it
    gives one. All that cannot be converted is told at once.
    """

    name = "convert-onnx-to-graph"
    rounding = Rounding(4, "an operator becomes a formula that may round at other places")

    def run(self, module: ModuleOp, ctx: CompilerContext) -> None:
        for function in (functions := _functions(module)):
            from mlc.passes.onnx_to_graph._report import unbound

            raise_found(unbound(function))
        if functions:
            _convert(functions, ctx)


def preflight(module: ModuleOp, ctx: CompilerContext, wrong: Mapping[Operation, UserError] | None = None) -> None:
    """Convert a module as far as that goes, and raise all that stands in the way, open dims included.

    `wrong` are errors that are known already, with their ops, which are left out. Outputs that are not what the model
    declares them to be are warnings.

    Raises:
        UserError: something does (UserErrors: several things).
    """
    from mlc.passes.onnx_to_graph._conversion import Conversion
    from mlc.passes.onnx_to_graph._report import contradictions, grouped, refusals, unbound, without_patterns

    functions = _functions(module)
    open_dims = [error for function in functions for error in unbound(function)]
    load_patterns()
    if not open_dims and not wrong:
        declared = [function.function_type.outputs.data for function in functions]
        _convert(functions, ctx)
        for function, types in zip(functions, declared, strict=True):
            for message in contradictions(function, types):
                ctx.warn(function, message)
        return
    conversion = Conversion.within(ctx)
    conversion.wrong = wrong or {}
    # What is behind a wrong op, or has an open shape, is not converted; whether it has a pattern can be said.
    refused = list(without_patterns([op for function in functions for op in function.walk()], conversion))
    if not open_dims:
        for function in functions:
            conversion.lower(function.body.block.ops)
        known = {op for op, _ in refused}
        refused += [each for each in conversion.refused if each[0] not in known]
    raise_found([*grouped(wrong or {}), *open_dims, *refusals(refused)])


def _functions(module: ModuleOp) -> list[func.FuncOp]:
    functions = [f for f in module.ops if isinstance(f, func.FuncOp) and not f.is_declaration]
    return [f for f in functions if any(op.name.startswith(_PREFIX) for op in f.walk())]


def _convert(functions: Sequence[func.FuncOp], ctx: CompilerContext) -> None:
    load_patterns()
    from mlc.passes.onnx_to_graph._conversion import Conversion
    from mlc.passes.onnx_to_graph._report import refusals
    from mlc.passes.onnx_to_graph._results import add_extents

    conversion = Conversion.within(ctx)
    for function in functions:
        conversion.lower(function.body.block.ops)
        raise_found(refusals(conversion.refused))
        add_extents(function, conversion.knowledge)
        _erase_unused(function)
        _update_type(function)
    conversion.knowledge.drop_unused()


def load_patterns() -> None:
    """Import all files of patterns: those of this folder whose names start with `_`."""
    for file in sorted(Path(__file__).parent.glob("_[a-z]*.py")):
        importlib.import_module(f"{__package__}.{file.stem}")


def _erase_unused(function: func.FuncOp) -> None:
    for op in reversed(list(function.body.block.ops)):
        unused = all(result.first_use is None for result in op.results)
        if unused and op.results and (op.name.startswith(_PREFIX) or is_side_effect_free(op)):
            Rewriter.erase_op(op)


def _update_type(function: func.FuncOp) -> None:
    """The function returns what its last op returns."""
    returned = function.body.block.last_op
    assert isinstance(returned, Operation)
    inputs = function.body.block.arg_types
    function.function_type = FunctionType.from_lists(inputs, [v.type for v in returned.operands])
