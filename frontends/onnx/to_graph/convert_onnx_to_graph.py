"""`convert-onnx-to-graph`: operators of ONNX become graph ops, of known shapes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from mlc.frontends.operators.pattern_files import import_patterns
from mlc.pass_manager.base import Pass
from mlc.support.context import CompilerContext
from mlc.support.errors import UserError, raise_found
from mlc.support.rounding import Rounding

_PREFIX = "onnx."
_PACKAGE = "mlc.frontends.onnx.to_graph"


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
    ir_level = "onnx"
    rounding = Rounding(4, "an operator becomes a formula that may round at other places")

    def run(self, module: ModuleOp, ctx: CompilerContext) -> None:
        if functions := _functions(module):
            _convert(functions, ctx)


def preflight(
    module: ModuleOp,
    ctx: CompilerContext,
    wrong: Mapping[Operation, UserError] | None = None,
    shapes_follow: bool = False,
) -> None:
    """Convert a module as far as that goes, and raise all that stands in the way, open dims included.

    `wrong` are errors that are known already, with their ops, which are left out. Outputs that are not what the model
    declares them to be are warnings. With `shapes_follow` open dims do not stand in the way: somebody will bind them,
    and only what no shapes can change is raised.

    Raises:
        UserError: something does (UserErrors: several things).
    """
    from mlc.frontends.onnx.to_graph._report import contradictions

    functions = _functions(module)
    declared = [function.function_type.outputs.data for function in functions]
    if not _convert(functions, ctx, wrong or {}, shapes_follow):
        return
    for function, types in zip(functions, declared, strict=True):
        for message in contradictions(function, types):
            ctx.warn(function, message)


def _functions(module: ModuleOp) -> list[func.FuncOp]:
    functions = [f for f in module.ops if isinstance(f, func.FuncOp) and not f.is_declaration]
    return [f for f in functions if any(op.name.startswith(_PREFIX) for op in f.walk())]


def _convert(
    functions: Sequence[func.FuncOp],
    ctx: CompilerContext,
    wrong: Mapping[Operation, UserError] | None = None,
    shapes_follow: bool = False,
) -> bool:
    """Convert functions; False if dims are open that somebody will bind, in which case nothing is changed.

    Raises:
        UserError: something stands in the way (UserErrors: several things).
    """
    import_patterns(_PACKAGE)
    from mlc.frontends.onnx.to_graph._conversion import Conversion
    from mlc.frontends.onnx.to_graph._image_extents import image_extents
    from mlc.frontends.onnx.to_graph._report import foreign_inputs, never_converted, operator
    from mlc.frontends.operators.data_extents import add_extents, open_dims_at_calls
    from mlc.frontends.operators.open_dims import unbound
    from mlc.frontends.operators.refusals import grouped, refusals
    from mlc.frontends.operators.to_graph import finish_function

    conversion = Conversion.within(ctx)
    conversion.wrong = wrong = wrong or {}
    errors = grouped(wrong)
    foreign = {value: error for f in functions for value, error in foreign_inputs(f).items()}
    errors += foreign.values()
    conversion.lost.update(foreign)
    open_dims = [error for function in functions for error in unbound(function, image_extents(function))]
    if open_dims:
        # What a branch holds may be gone when shapes are known.
        ops = [op for f in functions for op in (f.body.block.ops if shapes_follow else f.walk())]
        raise_found(
            [
                *errors,
                *([] if shapes_follow else open_dims),
                *refusals(never_converted(ops, conversion, foreign), operator),
            ]
        )
        return False
    for function in functions:
        open_dims_at_calls(function, conversion.knowledge)
        conversion.lower(function.body.block.ops)
    if errors or conversion.refused:
        # What is behind one of these was not converted; whether it can be is said all the same.
        ops = [op for f in functions for op in f.walk()]
        refused = {**dict(never_converted(ops, conversion, foreign)), **dict(conversion.refused)}
        places = {op: place for place, op in enumerate(ops)}
        in_order = sorted(refused.items(), key=lambda each: places.get(each[0], len(ops)))
        raise_found([*errors, *refusals(in_order, operator)])
    for function in functions:
        add_extents(function, conversion.knowledge)
        finish_function(function, _is_source)
    conversion.knowledge.drop_unused()
    return True


def _is_source(op: Operation) -> bool:
    return op.name.startswith(_PREFIX)
