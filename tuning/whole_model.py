"""Whether a schedule that is faster alone is so in the whole model, where other kernels use the caches before it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from xdsl.dialects.builtin import ModuleOp

from mlc.compiler.options import CompileOptions
from mlc.schedules.records.schedule_texts import Schedule
from mlc.support.context import CompilerContext
from mlc.tuning.comparison import Comparison, Surroundings, compare_libraries
from mlc.tuning.isolated import Failure
from mlc.tuning.libraries import Libraries
from mlc.tuning.model_inputs import counts_of

ModelCheck = Callable[[Schedule], Comparison | Failure]
"""Measures the whole model with a schedule of one kernel, in turns with the model without it."""

_COMPILE_SECONDS = 300.0


class WholeModel:
    """Measures a model with another schedule of one kernel in turns with the model as it is.

    Calls are as a program makes them, one at a time: each kernel finds in the caches what those before it have left.
    """

    def __init__(self, module: ModuleOp, ctx: CompilerContext, options: CompileOptions, folder: Path) -> None:
        """`module` is at the tensor level, with the schedules by the rules, and stays; libraries go to `folder`."""
        self._libraries = Libraries(module, ctx, options, folder, _COMPILE_SECONDS)
        self._around = Surroundings(options.threads, counts=counts_of(module))

    def compare(self, kernel: str, schedule: Schedule) -> Comparison | Failure:
        """The model with that schedule of a kernel, beside the model without it; results are not looked at."""
        choice = (kernel, schedule)
        for failure in self._libraries.build([choice, None]):
            if failure is not None:
                return failure
        paths = self._libraries.path(choice), self._libraries.path(None)
        found = compare_libraries(*paths, None, 1, self._around, True)
        self._libraries.keep([None])
        return found
