"""The names of open dims in what JAX exports with symbolic shapes.

    b, s = jax.export.symbolic_shape("b, s")

The types of such a module have `?` for a dim. A symbol is the size of a dim of an input, which the function that does
the work is given as an argument, `jax.global_constant = "b"`; other dims of the same symbol are asserted to be equal.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, cast

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, ModuleOp, StringAttr, TensorType
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import BlockArgument, SSAValue

from mlc.dialects.graph.types import shape_of
from mlc.dialects.stablehlo import HloOp, hlo
from mlc.support.functions import DIMS, dim_names, input_names, marks_of, models_of
from mlc.support.model_source import DeclaredInput

_SYMBOL = "jax.global_constant"

_Dim = tuple[BlockArgument, int]


def name_open_dims(module: ModuleOp) -> None:
    """Note the names of dims in the attributes of a model's inputs (`support.functions.DIMS`)."""
    functions = {op.sym_name.data: op for op in module.ops if isinstance(op, FuncOp)}
    if any(each.sym_visibility is not None for each in models_of(module)):
        for function in models_of(module):  # regions of foreign functions say nothing of who sees them
            function.sym_visibility = function.sym_visibility or StringAttr("private")
    for function in models_of(module):
        sizes = dict(_sizes(function))
        symbols = dict(_symbols(function, functions))
        names = {sizes[value]: name for value, name in symbols.items() if value in sizes}
        for one, other in _equal(function):
            for size, same in ((one, other), (other, one)):
                if size in sizes and same in symbols:
                    names.setdefault(sizes[size], symbols[same])
        marks = [dict(each) for each in marks_of(function.args, function.arg_attrs)]
        for argument, own in zip(function.args, marks, strict=True):
            kind = cast(Any, argument.type)
            rank = kind.get_num_dims() if isinstance(kind, TensorType) else 0
            if any((argument, axis) in names for axis in range(rank)):
                own[DIMS] = ArrayAttr([StringAttr(names.get((argument, axis), "")) for axis in range(rank)])
        function.arg_attrs = ArrayAttr([DictionaryAttr(each) for each in marks])


def _sizes(function: FuncOp) -> Iterator[tuple[SSAValue, _Dim]]:
    """The values that are sizes of inputs, each with the dim."""
    for op in function.body.block.ops:
        if isinstance(op, hlo("get_dimension_size")) and isinstance(source := op.operands[0], BlockArgument):
            yield op.results[0], (source, op.number("dimension"))


def _symbols(function: FuncOp, functions: Mapping[str, FuncOp]) -> Iterator[tuple[SSAValue, str]]:
    """The values that are symbols, each with its name."""
    for op in function.body.block.ops:
        callee = functions.get(op.callee.string_value()) if isinstance(op, CallOp) else None
        if callee is not None and callee.arg_attrs is not None:
            for value, own in zip(op.operands, callee.arg_attrs, strict=True):
                if isinstance(name := own.data.get(_SYMBOL), StringAttr):
                    yield value, name.data


def _equal(function: FuncOp) -> Iterator[tuple[SSAValue, SSAValue]]:
    """The values that are asserted to be equal."""
    for op in function.body.block.ops:
        compared = op.operands[0].owner if is_assertion(op) else None
        if isinstance(compared, hlo("compare")) and compared.word("comparison_direction") == "EQ":
            yield compared.operands[0], compared.operands[1]


def is_assertion(op: object) -> bool:
    """Whether an op asserts something of shapes: its first operand holds, for all that callers may pass."""
    return isinstance(op, HloOp) and op.word("call_target_name") == "shape_assertion"


def declared_inputs(module: ModuleOp) -> tuple[DeclaredInput, ...]:
    """What the model of a module says of its inputs, once dims have names; nothing if it has several models."""
    models = models_of(module)
    if len(models) != 1:
        return ()
    marks = marks_of(models[0].args, models[0].arg_attrs)
    return tuple(
        DeclaredInput(name, tuple(None if e < 0 else e for e in shape_of(argument)), tuple(dim_names(own)))
        for argument, name, own in zip(models[0].args, input_names(models[0]), marks, strict=True)
    )
