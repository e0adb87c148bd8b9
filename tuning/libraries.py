"""Libraries of one model with different schedules of its kernels."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from itertools import count
from pathlib import Path

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from mlc.compiler.compilation import Compilation
from mlc.compiler.options import CompileOptions
from mlc.dialects.loop import ScheduleAttr
from mlc.pass_manager.manager import PassManager
from mlc.schedules.records.schedule_texts import Schedule
from mlc.support.context import CompilerContext
from mlc.targets.cache import Cache
from mlc.tuning.isolated import Failure, run_all
from mlc.tuning.stopwatch import repeat_body

Choice = tuple[str, Schedule] | None
"""A kernel with another schedule than the model gives it; None for the model as it is."""

_numbers = count()


class Libraries:
    """Compiles a model, once for each choice of a schedule, in processes of their own."""

    def __init__(
        self, module: ModuleOp, ctx: CompilerContext, options: CompileOptions, folder: Path, seconds: float
    ) -> None:
        """
        Args:
            module: the model at the tensor level, whose kernels have their schedules; it stays as it is.
            folder: where libraries go.
            seconds: how long compiling one may take.
        """
        self.module, self.options = module, replace(options, records="")
        self._ctx, self._folder, self._seconds = ctx, folder, seconds
        self._times = 1
        self._paths: dict[Choice, Path] = {}

    def path(self, choice: Choice) -> Path:
        """The library of a choice that was built."""
        return self._paths[choice]

    def repeat(self, times: int) -> None:
        """Let a call of libraries that are built from now on do so many times what the model does."""
        self.keep(())
        self._times = times

    def keep(self, choices: Collection[Choice]) -> None:
        """Forget all libraries but some."""
        for choice in [c for c in self._paths if c not in choices]:
            self._paths.pop(choice).unlink(missing_ok=True)

    def build(self, choices: Sequence[Choice]) -> list[Failure | None]:
        """Compile, at the same time, what is not there yet; None for what there is then."""
        missing = [c for c in dict.fromkeys(choices) if c not in self._paths]
        paths = {c: self._folder / f"{next(_numbers)}-{time.monotonic_ns()}.so" for c in missing}

        def work(choice: Choice) -> Callable[[], None]:
            return lambda: self._compile(choice, paths[choice])

        outcomes = dict(zip(missing, run_all([work(c) for c in missing], self._seconds), strict=True))
        self._paths |= {c: paths[c] for c, outcome in outcomes.items() if outcome is None}
        return [outcomes.get(c) for c in choices]

    def _compile(self, choice: Choice, path: Path) -> None:
        """Raises: UserError if the schedule names loops that are not there."""
        module, ctx = self.module.clone(), self._ctx.clone()
        if choice is not None:
            function_named(module, choice[0]).attributes["schedule"] = ScheduleAttr(choice[1])
        compilation = Compilation(module, ctx, self.options, PassManager(ctx), reached="tensor")
        compilation.lower("loop")
        if self._times > 1:
            repeat_body(module, self._times)
        compilation.build("shared", path, Cache(self._folder / "cache"))


def function_named(module: ModuleOp, name: str) -> FuncOp:
    """The function of a module that is called so."""
    return next(op for op in module.ops if isinstance(op, FuncOp) and op.sym_name.data == name)
