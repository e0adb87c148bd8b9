"""What may happen around each pass of a run: timing and checking. Reports go to a stream, as a rule standard error."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import ClassVar, Protocol, TextIO

from xdsl.dialects.builtin import ModuleOp

from mlc.pass_manager.base import Pass
from mlc.support.errors import CompilerBug
from mlc.support.rounding import Rounding

ModulePrinter = Callable[[ModuleOp, TextIO], None]


class Instrumentation:
    """Is called around every pass; the default does nothing."""

    watches_kernels: ClassVar[bool] = True
    """Whether it has to see kernels after each pass: then they are compiled with the rest of the module."""

    def options(self) -> Sequence[str]:
        """The options of mlc-opt without which a bug that is found here does not show."""
        return ()

    def before(self, pass_: Pass, module: ModuleOp) -> None:
        """`pass_` is about to run."""

    def during(self, pass_: Pass) -> AbstractContextManager[None]:
        """Is held open while `pass_` runs, and closed if it fails."""
        return nullcontext()

    def after(self, pass_: Pass, module: ModuleOp) -> None:
        """`pass_` has run and, if asked for, `module` has been verified."""

    def finish(self, module: ModuleOp) -> None:
        """No further pass will run on `module`."""

    def report(self) -> None:
        """The command has done its work: print what is to be told about it."""


class Checker(Protocol):
    """Compares what a module computes with what it computed at the start."""

    @property
    def seed(self) -> int:
        """Of the random inputs."""
        ...

    def start(self, module: ModuleOp) -> None: ...
    def settle(self, native: Mapping[str, CompilerBug | None]) -> None: ...
    @property
    def compared(self) -> int: ...

    def coverage(self) -> Sequence[str]: ...
    def check(self, pass_name: str, module: ModuleOp, rounding: Rounding | None) -> None: ...


@dataclass
class CheckEach(Instrumentation):
    """Have `checker` look at the module before the first and after every pass."""

    checker: Checker
    stream: TextIO
    _started: bool = False
    _has_run: bool = False

    def options(self) -> Sequence[str]:
        return ("--check-each", f"--seed={self.checker.seed}")

    def before(self, pass_: Pass, module: ModuleOp) -> None:
        if not self._started:
            self.checker.start(module)
        self._started = self._has_run = True

    def after(self, pass_: Pass, module: ModuleOp) -> None:
        self.checker.check(pass_.name, module, pass_.rounding_in(module))

    def finish(self, module: ModuleOp) -> None:
        self.checker.settle({})
        self._started = False  # the next module, of another shape, say, has nothing to do with this one

    def report(self) -> None:
        for line in self.checker.coverage() if self._has_run else ():
            self.stream.write(f"note: --check-each {line}\n")


@dataclass
class _Row:
    name: str
    seconds: float
    ops_before: int
    ops_after: int


@dataclass
class Timing(Instrumentation):
    """Measure the passes, and other phases by `phase`; print a table at the end."""

    stream: TextIO
    rows: list[_Row] = field(default_factory=list[_Row])
    _ops: int = 0
    _start: float = 0.0

    def before(self, pass_: Pass, module: ModuleOp) -> None:
        self._ops = _count_ops(module)
        self._start = time.perf_counter()

    def after(self, pass_: Pass, module: ModuleOp) -> None:
        seconds = time.perf_counter() - self._start
        self.rows.append(_Row(pass_.name, seconds, self._ops, _count_ops(module)))

    def phase(self, name: str, seconds: float) -> None:
        """Add a phase that is not a pass, such as parsing."""
        self.rows.append(_Row(f"({name})", seconds, 0, 0))

    def report(self) -> None:
        self.stream.write(self.table())

    def table(self) -> str:
        """The report: pass, milliseconds, share of the total, ops before and after."""
        total = sum(r.seconds for r in self.rows) or 1e-9
        width = max([len("pass"), *(len(r.name) for r in self.rows)])
        lines = [f"{'pass':<{width}} {'ms':>9} {'%':>6} {'ops before':>11} {'ops after':>10}"]
        for r in self.rows:
            line = f"{r.name:<{width}} {r.seconds * 1e3:>9.2f} {r.seconds / total * 100:>6.1f}"
            lines.append(line if r.name.startswith("(") else f"{line} {r.ops_before:>11} {r.ops_after:>10}")
        lines.append(f"{'total':<{width}} {total * 1e3:>9.2f} {100:>6.1f}")
        return "\n".join(lines) + "\n"


def _count_ops(module: ModuleOp) -> int:
    return sum(1 for _ in module.walk())
