"""Running self-checking programs of StableHLO as native code, or at the graph level.

What a program expects is taken out of it and becomes results, which are compared here; what it computes from becomes
inputs, so that nothing is computed before it runs.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np
from xdsl.dialects.builtin import ComplexType, FunctionType, ModuleOp, TensorType
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import Rewriter

from mlc.dialects.check import ExpectCloseOp, ExpectConstantOp, ExpectEqConstOp, ExpectEqOp, ExpectOp
from mlc.dialects.stablehlo import ConstantOp, HloOp
from mlc.reference.constants import constant_data
from mlc.reference.execution import Array
from mlc.reference.interpreter import run_function
from mlc.reference.stablehlo.expectations import almost_equal, close, equal
from mlc.support.context import CompilerContext
from mlc.support.dtypes import dtype_of

_TOLERANCE = 4
"""How many more floats may lie between a result and what is expected than where the reference computes it."""


Runner = Callable[[ModuleOp, CompilerContext, Sequence[Array]], "list[Array]"]
"""What `@main` of a module computes from arrays."""


def run_natively(text: str, name: str) -> None:
    """Compile each function that expects something, run it, and compare.

    Raises:
        UserError: it cannot be compiled.
        ExpectationError: an expectation does not hold.
    """
    _run_all(text, name, _natively)


def run_at_the_graph_level(text: str, name: str) -> None:
    """Convert each function that expects something to the graph level, run it by the reference, and compare.

    Raises:
        UserError: it cannot be converted.
        ExpectationError: an expectation does not hold.
    """
    _run_all(text, name, _at_the_graph_level)


def _natively(module: ModuleOp, ctx: CompilerContext, inputs: Sequence[Array]) -> list[Array]:
    from mlc.compiler.compilation import Compilation
    from mlc.compiler.options import CompileOptions
    from mlc.pass_manager.manager import PassManager
    from mlc.runtime import load

    with tempfile.NamedTemporaryFile(suffix=".so", delete=False) as file:
        path = Path(file.name)
    try:
        Compilation(module, ctx, CompileOptions(), PassManager(ctx)).build("shared", path)
        found: Any = load(path, temporary=True)(*inputs)
    finally:
        path.unlink(missing_ok=True)
    return list(cast("tuple[Any, ...]", found)) if isinstance(found, tuple) else [found]


def _at_the_graph_level(module: ModuleOp, ctx: CompilerContext, inputs: Sequence[Array]) -> list[Array]:
    from mlc.frontends.stablehlo.to_graph.convert_stablehlo_to_graph import ConvertStablehloToGraphPass

    ConvertStablehloToGraphPass().run(module, ctx)
    return run_function(module, "main", inputs, ctx.resources)


def _run_all(text: str, name: str, runner: Runner) -> None:
    from mlc.compiler.compilation import new_context
    from mlc.syntax import parse_module

    ctx = new_context()
    module = parse_module(text, name, ctx)
    functions = [op for op in module.ops if isinstance(op, FuncOp) and op.body.blocks]
    mains = [f.sym_name.data for f in functions if f.sym_name.data == "main"]
    for chosen in mains or [f.sym_name.data for f in functions]:
        _run(text, name, chosen, runner)


def _run(text: str, name: str, chosen: str, runner: Runner) -> None:
    from mlc.compiler.compilation import new_context
    from mlc.syntax import parse_module, verify_module

    ctx = new_context()
    module = parse_module(text, name, ctx)
    verify_module(module)
    function = next(op for op in module.ops if isinstance(op, FuncOp) and op.sym_name.data == chosen)
    if function.body.block.args:
        return
    for op in list(module.ops):
        if isinstance(op, FuncOp) and op is not function and op.sym_name.data not in _called(module):
            Rewriter.erase_op(op)
    checks = [op for op in function.body.block.ops if _is_check(op)]
    if not checks:
        return
    inputs = _inputs(module, function, ctx.resources)
    returned = function.body.block.last_op
    assert returned is not None
    wanted: list[tuple[Operation, int, Array | int]] = []
    values: list[SSAValue] = []

    def place(value: SSAValue) -> int:
        if value not in values:
            values.append(value)
        return values.index(value)

    for op in checks:
        if isinstance(op, ExpectConstantOp):
            wanted.append((op, place(op.lhs), constant_data(op.value, ctx.resources)))
        else:
            wanted.append((op, place(op.operands[0]), place(op.operands[1])))
    returned.operands = values
    for op in checks:
        op.detach()
        op.operands = []
    function.function_type = FunctionType.from_lists(function.body.block.arg_types, [v.type for v in values])
    function.res_attrs = None
    function.sym_name = type(function.sym_name)("main")
    function.properties.pop("sym_visibility", None)
    types = [v.type for v in values]
    arrays = runner(module, ctx, inputs)
    numbers = [_complex(np.asarray(a), t) for a, t in zip(arrays, types, strict=True)]
    for op, at, other in wanted:
        _compare(op, numbers[at], numbers[other] if isinstance(other, int) else other)


def _called(module: Any) -> set[str]:
    return {op.callee.string_value() for op in module.walk() if isinstance(op, CallOp)} | {
        str(op.decomposition.string_value()) for op in module.walk() if op.name == "stablehlo.composite"
    }


def _is_check(op: Operation) -> bool:
    if isinstance(op, ExpectOp):
        return True
    return isinstance(op, HloOp) and op.word("call_target_name").startswith("check.expect")


def _inputs(module: Any, function: FuncOp, resources: Any) -> list[Array]:
    """Arguments for what `@inputs` and `@expected` return, or for the constants of the function."""
    block = function.body.block
    given: list[Array] = []
    calls = [op for op in block.ops if isinstance(op, CallOp) and op.callee.string_value() in ("inputs", "expected")]
    sources: list[tuple[Operation, list[Array]]] = []
    for op in calls:
        sources.append((op, run_function(module, op.callee.string_value(), [], resources)))
    if not calls:
        for op in list(block.ops):
            if isinstance(op, ConstantOp) and _is_data(op):
                sources.append((op, [constant_data(op.value, resources)]))
    for op, arrays in sources:
        for result, array in zip(op.results, arrays, strict=True):
            argument = block.insert_arg(result.type, len(block.args))
            result.replace_all_uses_with(argument)
            array = np.array(array)
            given.append(_pairs(array))
        Rewriter.erase_op(op)
    return given


def _is_data(op: ConstantOp) -> bool:
    """Whether a constant is computed with: numbers that say how stay where they are."""
    kind = cast("TensorType[Any]", op.output.type)
    return bool(kind.get_shape()) and all(use.index == 0 for use in op.output.uses)


def _pairs(array: Array) -> Array:
    if array.dtype.kind != "c":
        return array
    return np.ascontiguousarray(np.stack([np.real(array), np.imag(array)], -1))


def _complex(array: Array, kind: Any) -> Array:
    element = cast("TensorType[Any]", kind).element_type
    if not isinstance(element, ComplexType):
        return array
    wide = np.empty(array.shape[:-1], dtype_of(cast(Any, element)))
    wide.real, wide.imag = array[..., 0], array[..., 1]
    return wide


def _compare(op: Operation, found: Array, needed: Array) -> None:
    name = op.word("call_target_name") if isinstance(op, HloOp) else ""
    is_exact = isinstance(op, ExpectEqConstOp | ExpectEqOp) or name == "check.expect_eq"
    if isinstance(op, ExpectCloseOp) or name == "check.expect_close":
        close(op, found, needed, 0, 3 + _TOLERANCE)
    elif is_exact:
        equal(op, found, needed)
    else:
        almost_equal(op, found, needed, 1e-3)
