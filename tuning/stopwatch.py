"""What one kernel takes, as a model of its own, and what the whole model takes."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Operation, SSAValue

from mlc.analysis.constant_arguments import constant_arguments
from mlc.compiler.compilation import Compilation, CompileOptions
from mlc.dialects.loop import ForOp, YieldOp
from mlc.pass_manager.manager import PassManager
from mlc.reference.inputs import random_array
from mlc.runtime import load
from mlc.schedules.lone_kernel import called_alone
from mlc.support.context import CompilerContext
from mlc.support.dtypes import dtype_named
from mlc.support.functions import is_private
from mlc.support.ir import clone
from mlc.tuning.measure import aligned, shortest_time

_FEW = 5
"""Calls that tell about how long one takes."""
_LONG_CALL = 2e-4
"""Seconds that a call from Python should last, of which it takes well below a microsecond itself."""


class Stopwatch:
    """Measures a model that is compiled once, on the same random inputs; a short one runs several times per call.

    Attributes:
        shortest: the shortest time of a call so far, in seconds.
        remarks: what the passes said about the model.
    """

    def __init__(self, module: ModuleOp, ctx: CompilerContext, options: CompileOptions) -> None:
        """Compile the model in `module`, which is at the tensor level and stays as it is.

        Raises:
            UserError: there is no usable clang.
            ArtifactError: this machine cannot run code for the target.
        """
        own = ctx.clone()
        compilation = Compilation(module.clone(), own, options, PassManager(own), reached="tensor")
        compilation.lower("loop")
        self.remarks = list(own.remarks)
        self._folder = tempfile.TemporaryDirectory(prefix="mlc-explain-")
        self._load(compilation)
        self._times = 1
        once = shortest_time(self._model, self._inputs, _FEW)
        if (times := int(_LONG_CALL / once)) > 1:
            repeat_body(compilation.module, times)
            self._load(compilation)
            self._times = times
        self.shortest = once

    def measure(self, seconds: float) -> None:
        """Call the model again and again for this time."""
        self.shortest = min(self.shortest, shortest_time(self._model, self._inputs, seconds=seconds) / self._times)

    def _load(self, compilation: Compilation) -> None:
        """Build a model at the loop level, and make inputs for it."""
        path = Path(self._folder.name) / f"{len(list(Path(self._folder.name).iterdir()))}.so"
        replace(compilation, module=compilation.module.clone()).build("shared", path)
        generator = np.random.default_rng(0)
        self._model = load(path)
        self._inputs = [aligned(random_array(generator, t.shape, dtype_named(t.dtype))) for t in self._model.inputs]


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
    """A module with `kernel` and a `main` that calls it on inputs, and on those constants that `module` gives it.

    So operands are in the nearest level of the memory that holds them, and weights are weights as in the model.
    """
    name = kernel.sym_name.data
    constants = constant_arguments(module)
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
