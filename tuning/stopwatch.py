"""What one kernel takes, as a model of its own, and what the whole model takes."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from mlc.compiler.compilation import Compilation
from mlc.compiler.options import CompileOptions
from mlc.dialects.loop import ForOp, YieldOp
from mlc.pass_manager.manager import PassManager
from mlc.runtime import load
from mlc.support.context import CompilerContext
from mlc.support.functions import is_private
from mlc.tuning.measure import MeasuredTime, shortest_time, times_of
from mlc.tuning.model_inputs import counts_of, random_inputs

_FEW = 5
"""Calls that tell about how long one takes."""
_LONG_CALL = 2e-4
"""Seconds that a call from Python should last, of which it takes well below a microsecond itself."""


class Stopwatch:
    """Measures a model that is compiled once, on the same random inputs; a short one runs several times per call.

    Attributes:
        remarks: what the passes said about the model.
    """

    def __init__(self, module: ModuleOp, ctx: CompilerContext, options: CompileOptions) -> None:
        """Compile the model in `module`, which is at the tensor level and stays as it is.

        Raises:
            UserError: there is no usable clang.
            ArtifactError: this machine cannot run code for the target.
        """
        own = ctx.clone()
        self._counts = counts_of(module)
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
        self._measured = [once]

    def measure(self, seconds: float) -> None:
        """Call the model again and again for this time."""
        self._measured += [time / self._times for time in times_of(self._model, self._inputs, seconds=seconds)]

    @property
    def measured(self) -> MeasuredTime:
        """What calls took so far."""
        return MeasuredTime.of(self._measured)

    def _load(self, compilation: Compilation) -> None:
        """Build a model at the loop level, and make inputs for it."""
        path = Path(self._folder.name) / f"{len(list(Path(self._folder.name).iterdir()))}.so"
        replace(compilation, module=compilation.module.clone()).build("shared", path)
        self._model = load(path)
        self._inputs = random_inputs(self._model, self._counts)


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
