"""A kernel as a model of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.dialects import func
from xdsl.dialects.builtin import FileLineColLoc, FunctionType, IntAttr, ModuleOp, StringAttr
from xdsl.dialects.func import CallOp, ReturnOp
from xdsl.ir import Block, Operation, Region, SSAValue

from mlc.analysis.constant_arguments import ModuleConstants, constant_arguments
from mlc.dialects.func import FuncOp
from mlc.support.context import Remark
from mlc.support.ir import clone

_CALLER = FileLineColLoc(StringAttr("<the caller of a lone kernel>"), IntAttr(0), IntAttr(0))
"""Where the `main` of a lone kernel stands."""


def called_alone(kernel: func.FuncOp, given: Mapping[int, Sequence[Operation]]) -> ModuleOp:
    """A module with a copy of `kernel`, at the tensor level, and a `main` that calls it on inputs.

    But for the positions of `given`: there it passes the result of the last of these ops, which become its own.
    """
    arguments = kernel.body.block.args
    block = Block(arg_types=[argument.type for argument in arguments if argument.index not in given])
    inputs = iter(block.args)
    passed: list[SSAValue] = []
    for argument in arguments:
        if argument.index in given:
            block.add_ops(given[argument.index])
            passed.append(given[argument.index][-1].results[0])
        else:
            passed.append(value := next(inputs))
            value.name_hint = argument.name_hint
    results = list(kernel.function_type.outputs)
    inner = CallOp(kernel.sym_name.data, passed, results)
    block.add_ops([inner, ReturnOp(*inner.results)])
    main = FuncOp("main", FunctionType.from_lists([a.type for a in block.args], results), Region(block))
    main.location = _CALLER
    return ModuleOp([clone(kernel), main])


def lone_kernel(module: ModuleOp, kernel: func.FuncOp, known: ModuleConstants | None = None) -> ModuleOp:
    """A module with `kernel` and a `main` that calls it on inputs, and on those constants that `module` gives it;
    `known` are these, where somebody knows them.

    So operands are in the nearest level of the memory that holds them, and weights are weights as in the model.
    """
    name = kernel.sym_name.data
    constants = constant_arguments(module) if known is None else known.arguments
    call = next((op for op in module.walk() if isinstance(op, CallOp) and op.callee.string_value() == name), None)
    operands = () if call is None else call.operands
    return called_alone(kernel, {i: _copies(v) for i, v in enumerate(operands) if (name, i) in constants})


def _copies(value: SSAValue) -> list[Operation]:
    """Copies of a constant and of the changes of its shape, in order."""
    op = value.owner
    assert isinstance(op, Operation)
    if not op.operands:
        return [clone(op)]
    before = _copies(op.operands[0])
    return [*before, clone(op, {op.operands[0]: before[-1].results[0]})]


def is_about_caller(remark: Remark) -> bool:
    """Whether a remark is about the `main` of a lone kernel, which is in no model."""
    return remark.location is not None and remark.location.file == _CALLER.filename.data
