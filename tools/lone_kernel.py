"""One kernel as a model of its own, to measure it alone."""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path

import numpy as np
from xdsl.dialects.builtin import FunctionType, ModuleOp
from xdsl.dialects.func import CallOp, FuncOp, ReturnOp
from xdsl.ir import Block, Operation, Region, SSAValue

from mlc.api import compile as compile_model
from mlc.compiler import Compilation, CompileOptions
from mlc.passes.manager import PassManager
from mlc.passes.shared.constant_arguments import constant_arguments
from mlc.reference.inputs import random_array
from mlc.runtime import load
from mlc.support.context import CompilerContext
from mlc.support.ir import clone
from mlc.tools.measure import aligned, time_function

_NUMBER = "memref<1xf32>"
_BATCH_SECONDS = 5e-5
_RESOLUTION = 1e-8
"""The shortest time in seconds that is told from that of a call."""


def measure_kernel(module: ModuleOp, kernel: FuncOp, ctx: CompilerContext, options: CompileOptions) -> float:
    """The median time in seconds of a call of `kernel`, a function of `module` at the tensor level.

    It is called again and again on the same random inputs, which are in the nearest level of the memory that holds
    them; weights are weights as in the model. What the passes remark about the kernel is added to `ctx`.

    Raises:
        UserError: there is no usable clang.
        ArtifactError: this machine cannot run code for the target.
    """
    alone = lone_kernel(module, kernel)
    own = ctx.clone()
    generator = np.random.default_rng(0)
    with tempfile.TemporaryDirectory(prefix="mlc-explain-") as folder:
        path = Path(folder) / "kernel.so"
        Compilation(alone, own, options, PassManager(own), reached="tensor").build("shared", path)
        ctx.remarks += own.remarks
        model = load(path)
        inputs = [aligned(random_array(generator, t.shape, np.dtype(t.dtype))) for t in model.inputs]
        batch = 1 + int(_BATCH_SECONDS / time_function(model, inputs, 1))
        return max(time_function(model, inputs, None, batch) - _call_overhead(options.target), _RESOLUTION)


@cache
def _call_overhead(target: str) -> float:
    """What calling a function from Python takes that does nothing, in seconds."""
    model = compile_model(f"func.func @main(%x: {_NUMBER}, %y: {_NUMBER} {{mlc.output}}) {{ return }}", target=target)
    return time_function(model, [np.zeros(1, np.float32)], 101, batch=100)


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
