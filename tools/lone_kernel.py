"""What one kernel takes, as a model of its own, and what the whole model takes."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np
from xdsl.dialects.builtin import FunctionType, ModuleOp
from xdsl.dialects.func import CallOp, FuncOp, ReturnOp
from xdsl.ir import Block, Operation, Region, SSAValue

from mlc.compiler import Compilation, CompileOptions
from mlc.dialects.loop import ForOp, YieldOp
from mlc.passes.manager import PassManager
from mlc.passes.shared.constant_arguments import constant_arguments
from mlc.reference.inputs import random_array
from mlc.runtime import load
from mlc.support.context import CompilerContext
from mlc.support.functions import is_private
from mlc.support.ir import clone
from mlc.tools.measure import aligned, shortest_time

_FEW = 5
"""Calls that tell about how long one takes."""
_LONG_CALL = 2e-4
"""Seconds that a call from Python should last, of which it takes well below a microsecond itself."""


def measure_kernel(module: ModuleOp, kernel: FuncOp, ctx: CompilerContext, options: CompileOptions) -> float:
    """The shortest time in seconds of a call of `kernel`, a function of `module` at the tensor level.

    It is called again and again on the same random inputs, which are in the nearest level of the memory that holds
    them; weights are weights as in the model. What the passes remark about the kernel is added to `ctx`.

    Raises:
        UserError: there is no usable clang.
        ArtifactError: this machine cannot run code for the target.
    """
    return measure_model(lone_kernel(module, kernel), ctx, options)


def measure_model(module: ModuleOp, ctx: CompilerContext, options: CompileOptions) -> float:
    """The shortest time in seconds of a call of the model in `module`, which is at the tensor level.

    Short models run several times per call from Python.

    Raises:
        UserError: there is no usable clang.
        ArtifactError: this machine cannot run code for the target.
    """
    own = ctx.clone()
    compilation = Compilation(module.clone(), own, options, PassManager(own), reached="tensor")
    compilation.lower("loop")
    ctx.remarks += own.remarks
    times = max(1, int(_LONG_CALL / _measure(compilation, _FEW)))
    if times > 1:
        repeat_body(compilation.module, times)
    return _measure(compilation, None) / times


def _measure(compilation: Compilation, repeat: int | None) -> float:
    """The shortest time in seconds of a call of a model at the loop level, on random inputs."""
    generator = np.random.default_rng(0)
    copy = replace(compilation, module=compilation.module.clone())
    with tempfile.TemporaryDirectory(prefix="mlc-explain-") as folder:
        path = Path(folder) / "model.so"
        copy.build("shared", path)
        model = load(path)
        inputs = [aligned(random_array(generator, t.shape, np.dtype(t.dtype))) for t in model.inputs]
        return shortest_time(model, inputs, repeat)


def repeat_body(module: ModuleOp, times: int) -> None:
    """Let the model in a module at the loop level do all that it does `times` times.

    Kernels are functions of other units than the one that calls them, so that no call of them is left out.
    """
    main = next(op for op in module.ops if isinstance(op, FuncOp) and not is_private(op) and not op.is_declaration)
    block = main.body.block
    *ops, last = list(block.ops)
    for op in ops:
        op.detach()
    loop = ForOp("repeat", 0, times)
    loop.body.block.add_ops([*ops, YieldOp()])
    block.insert_op_before(loop, last)


def lone_kernel(module: ModuleOp, kernel: FuncOp) -> ModuleOp:
    """A module with `kernel` and a `main` that calls it on inputs, and on those constants that `module` gives it."""
    name = kernel.sym_name.data
    constants = constant_arguments(module)
    call = next((op for op in module.walk() if isinstance(op, CallOp) and op.callee.string_value() == name), None)
    types = list(kernel.function_type.inputs)
    block = Block(arg_types=[t for i, t in enumerate(types) if (name, i) not in constants])
    inputs = iter(block.args)
    arguments: list[SSAValue] = []
    for position, argument in enumerate(kernel.body.block.args):
        if call is not None and (name, position) in constants:
            copies = _copies(call.operands[position])
            block.add_ops(copies)
            arguments.append(copies[-1].results[0])
        else:
            arguments.append(value := next(inputs))
            value.name_hint = argument.name_hint
    results = list(kernel.function_type.outputs)
    inner = CallOp(name, arguments, results)
    block.add_ops([inner, ReturnOp(*inner.results)])
    main = FuncOp("main", FunctionType.from_lists([a.type for a in block.args], results), Region(block))
    return ModuleOp([clone(kernel), main])


def _copies(value: SSAValue) -> list[Operation]:
    """Copies of a constant and of the changes of its shape, in order."""
    op = value.owner
    assert isinstance(op, Operation)
    if not op.operands:
        return [clone(op)]
    before = _copies(op.operands[0])
    return [*before, clone(op, {op.operands[0]: before[-1].results[0]})]
