"""`convert-stablehlo-to-graph`: ops of StableHLO and CHLO become graph ops."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from mlc.frontends.operators.complex_values import is_complex
from mlc.frontends.operators.data_extents import add_extents, open_dims_at_calls
from mlc.frontends.operators.open_dims import unbound
from mlc.frontends.operators.pattern_files import import_patterns
from mlc.pass_manager.base import Pass
from mlc.support.context import CompilerContext
from mlc.support.errors import raise_found
from mlc.support.rounding import Rounding

_PREFIXES = ("stablehlo.", "chlo.", "sdy.")


@dataclass(frozen=True)
class ConvertStablehloToGraphPass(Pass):
    """Lower the stablehlo and chlo dialects to the graph dialect.

    ```mlir
    %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
        : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
    %z = chlo.erf %y : tensor<2x4xf32> -> tensor<2x4xf32>
    // after
    %y = graph.matmul %x, %w : tensor<2x3xf32>, tensor<3x4xf32> -> tensor<2x4xf32>
    %z = graph.erf %y : tensor<2x4xf32>
    ```

    Calls of private functions are replaced by their bodies first. Patterns run in program order; what is computed from
    constants only is computed at once, by the reference semantics of the graph dialect. Regions are recognised by what
    their ops are: a reduction whose region is a sum is one. A `while` that counts to a known number becomes a scan.
    Complex numbers are pairs of real ones; as inputs and outputs of a model they are tensors with a last dim of 2, as
    they lie in memory. Numbers of a quantised type are integers, those of fewer than 8 bits in a byte each, between
    ops that dequantise what they take and quantise what they give, as the specification says. Shardings are left
    out, and so are, with a warning, branches that do nothing but call back into Python to raise an error. All that
    cannot be converted is told at once.
    """

    name = "convert-stablehlo-to-graph"
    ir_level = "stablehlo"
    rounding = Rounding(4, "an op becomes a formula that may round at other places")

    def run(self, module: ModuleOp, ctx: CompilerContext) -> None:
        if not any(_has_ops(op) for op in module.ops):
            return
        import_patterns("mlc.frontends.stablehlo.to_graph")
        from mlc.frontends.operators.refusals import refusals
        from mlc.frontends.stablehlo.to_graph._boundary import finish, prepare
        from mlc.frontends.stablehlo.to_graph._calls import HloConversion
        from mlc.frontends.stablehlo.to_graph._error_checks import LEFT_OUT
        from mlc.frontends.stablehlo.to_graph._inline import entries, inline_calls

        functions = entries(module)
        given = inline_calls(module, functions)
        raise_found([error for function in functions for error in unbound(function)])
        conversion = HloConversion.within(ctx)
        conversion.given = given
        for function in functions:
            prepare(function, conversion)
            open_dims_at_calls(function, conversion.knowledge)
            conversion.leaves_checks_out = False
            conversion.lower(function.body.block.ops)
            if conversion.leaves_checks_out:
                ctx.warn(function, LEFT_OUT)
        raise_found(list(refusals(conversion.refused, lambda op: op.name)))
        for function in functions:
            add_extents(function, conversion.knowledge)
            finish(function, conversion)
        conversion.drop_replaced()
        conversion.knowledge.drop_unused()


def _has_ops(op: Operation) -> bool:
    if isinstance(op, func.FuncOp):
        # What returns complex numbers as they are has no ops of any source.
        takes_complex = not op.is_declaration and any(map(is_complex, op.args))
        return takes_complex or any(inner.name.startswith(_PREFIXES) for inner in op.walk())
    return op.name.startswith(_PREFIXES)
