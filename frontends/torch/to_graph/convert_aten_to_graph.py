"""`convert-aten-to-graph`: operators of PyTorch become graph ops."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from mlc.frontends.operators.pattern_files import import_patterns
from mlc.frontends.operators.refusal import Unconvertible
from mlc.pass_manager.base import Pass
from mlc.pass_manager.ir_levels import SOURCE_LEVELS
from mlc.support.context import CompilerContext
from mlc.support.errors import raise_found
from mlc.support.rounding import Rounding

_PACKAGE = "mlc.frontends.torch.to_graph"


@dataclass(frozen=True)
class ConvertAtenToGraphPass(Pass):
    """Lower the aten dialect, with torchvision, quantized_decomposed and torchao, to the graph dialect.

    ```mlir
    %y = aten.addmm %b, %x, %w : (tensor<4xf32>, tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
    // after
    %0 = graph.matmul %x, %w : tensor<2x3xf32>, tensor<3x4xf32> -> tensor<2x4xf32>
    %y = graph.add %0, %b : tensor<2x4xf32>, tensor<4xf32> -> tensor<2x4xf32>
    ```

    Patterns run in program order. Types of results are known beforehand, for torch has said them; a pattern that gives
    another shape is wrong. All that cannot be converted is told at once. Bodies of `graph.if` and `graph.while`, which
    `torch.cond` and `while_loop` are, are converted as the function is.

    Complex numbers are pairs of real ones; as inputs and outputs they are tensors with a last dim of 2, as they lie in
    memory.

    A function with the attribute `aten.checked` has one more result if there is something to count: how many elements
    of arguments are such that torch raises an exception, an index out of range or an integer divisor of 0. It is 0
    where results are what torch gives.
    """

    name = "convert-aten-to-graph"
    ir_level = "aten"
    rounding = Rounding(4, "an operator becomes a formula that may round at other places")

    def run(self, module: ModuleOp, ctx: CompilerContext) -> None:
        functions = _functions(module)
        if not functions:
            return
        from mlc.frontends.operators.open_dims import unbound
        from mlc.frontends.operators.refusals import refusals

        raise_found([error for function in functions for error in unbound(function)])
        refused = convert(functions, ctx)
        raise_found(list(refusals(refused, lambda op: op.name)))


def import_own_patterns() -> None:
    """Let the patterns be known that mlc has."""
    import_patterns(_PACKAGE)


def convert(functions: Sequence[func.FuncOp], ctx: CompilerContext) -> list[tuple[Operation, Unconvertible]]:
    """Convert the ops of functions; gives those that cannot be converted, which are still there, and why."""
    import_own_patterns()
    from mlc.dialects.aten.effects import CHECKED
    from mlc.frontends.operators.complex_values import join_results, parts_of_arguments
    from mlc.frontends.operators.data_extents import add_extents
    from mlc.frontends.operators.to_graph import erase_unused, finish_function
    from mlc.frontends.torch.to_graph._conversion import AtenConversion
    from mlc.frontends.torch.to_graph._counts import add_count
    from mlc.frontends.torch.to_graph._open_calls import extents_of_calls

    conversion = AtenConversion.within(ctx)
    for function in functions:
        erase_unused(function.body.block, _is_source)  # what nobody reads need not be known
        parts_of_arguments(function, conversion)
        conversion.wrong = [] if CHECKED in function.attributes else None
        conversion.extents = extents_of_calls(function, conversion.knowledge)
        conversion.lower(function.body.block.ops)
        if not conversion.refused:
            join_results(function, conversion)
            add_extents(function, conversion.knowledge)
            if conversion.wrong is not None:
                add_count(function, conversion.wrong, conversion.knowledge)
        conversion.drop_replaced()
        finish_function(function, _is_source)
    conversion.knowledge.drop_unused()
    return conversion.refused


def _functions(module: ModuleOp) -> list[func.FuncOp]:
    functions = [f for f in module.ops if isinstance(f, func.FuncOp) and not f.is_declaration]
    return [f for f in functions if any(map(_is_source, f.walk()))]


def _is_source(op: Operation) -> bool:
    return op.name.partition(".")[0] in SOURCE_LEVELS["aten"]
