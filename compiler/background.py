"""Compilations in the background: another process makes the artifact, and a slower tier answers until it is there.

    this process                                             another process, of lower priority
    a thread: the cache, else the text of the model  ─────>  all passes, clang
    callers: the first tier until then, the code after it <─ the file, and what was warned of; or an error

The thread waits most of the time, so that it does not take the interpreter from callers. There is one such process,
which does one compilation after the other and ends with this one.
"""

from __future__ import annotations

import atexit
import os
import sys
import tempfile
import threading
import weakref
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from mlc.compiler.compilation import Compilation, ModelText, new_context
from mlc.compiler.library import Build, build_module
from mlc.compiler.options import CompileOptions
from mlc.compiler.processes import Job, WorkerProcess
from mlc.compiler.recall import plugins_may_take_part
from mlc.support.address_limit import address_limit
from mlc.support.errors import CompilerBug, UserError
from mlc.support.recursion import deep_recursion
from mlc.targets.cache import Cache

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

    from mlc.support.context import CompilerContext, Remark
    from mlc.targets.build import BuildReport

_NICENESS = 10
_T = TypeVar("_T")


class Background(Generic[_T]):
    """What a thread makes, by compilations that another process does.

    In a forked process, which has no such thread, `is_done` starts it anew.
    """

    def __init__(self, make: Callable[[Build], _T]) -> None:
        """`make` is called with what is to build its modules."""
        self._make = make
        self._start()

    def _start(self) -> None:
        self._owner = os.getpid()
        self._result: _T | None = None
        self._error: BaseException | None = None
        self._done, self._is_handed_over = threading.Event(), threading.Event()
        _running.add(self)
        threading.Thread(target=self._run, name="mlc background", daemon=True).start()

    @property
    def is_done(self) -> bool:
        """Whether `result` does not wait."""
        if self._owner != os.getpid() and not self._done.is_set():
            self._start()
        return self._done.is_set()

    def wait_for_start(self) -> bool:
        """Wait until it is done, as nothing had to be compiled, or the other process has its first compilation; returns
        whether it is done. Until then the thread needs the interpreter for itself."""
        self._is_handed_over.wait()
        return self.is_done

    def wait(self) -> None:
        """Wait until it is done."""
        if not self.is_done:
            self._done.wait()

    def result(self) -> _T:
        """What was made; waits for it.

        Raises:
            Exception: what making it has raised.
        """
        self.wait()
        if self._error is not None:
            raise self._error
        assert self._result is not None
        return self._result

    def _run(self) -> None:
        try:
            self._result = self._make(self._build)
        except BaseException as e:  # it is raised where the result is wanted
            self._error = e
        finally:
            self._done.set()
            self._is_handed_over.set()
            _running.discard(self)

    def _build(
        self, module: ModuleOp, context: CompilerContext, options: CompileOptions, form: str, output: Path, cache: Cache
    ) -> tuple[CompilerContext, BuildReport]:
        """As `build_module`, by the other process."""
        from mlc.compiler.model_files import write_model

        expect()
        if not _can_help():
            self._is_handed_over.set()
            return build_module(module, context, options, form, output, cache)
        resources = context.resources
        with tempfile.TemporaryDirectory(prefix="mlc-") as folder:
            text = Path(folder) / "model.mlir"
            write_model(module, context, text)
            context.resources = resources
            resources.require_unchanged()
            self._is_handed_over.set()
            built = _built(_BuildJob(text, options, form, output, cache))
        context.warnings += built.warnings
        return context, built.report


def expect(*packages: str) -> None:
    """Start the process, if there is none, and let it import what compilations need, `packages` among it: while a
    framework traces a model, say."""
    if _can_help() and not _worker:
        threading.Thread(target=_prepare, args=(packages,), name="mlc background", daemon=True).start()


def _prepare(packages: Sequence[str]) -> None:
    with suppress(CompilerBug):  # a compilation says it
        _done(_Preparation(tuple(packages)))


def wait() -> None:
    """Wait until all that is compiled in the background is there: the next calls run it.

    Whether a compilation has failed is told by the next call of what it is for.
    """
    for each in list(_running):
        each.wait()


@dataclass(frozen=True)
class _Built:
    report: BuildReport
    warnings: list[Remark]


@dataclass(frozen=True)
class _Failed:
    message: str
    is_bug: bool


@dataclass(frozen=True)
class _BuildJob:
    """A model in a file of text that is to be compiled."""

    text: Path
    options: CompileOptions
    form: str
    output: Path
    cache: Cache

    def run(self) -> _Built | _Failed:
        try:
            with deep_recursion():
                ctx = new_context()
                model = ModelText("<model>", self.text.parent, self.text.read_text(encoding="utf-8"))
                made, report = build_module(model.module(ctx), ctx, self.options, self.form, self.output, self.cache)
                return _Built(report, made.warnings)
        except Exception as e:
            return _Failed(str(e) or type(e).__name__, not isinstance(e, UserError))


_SMALL_MODEL = """func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = graph.matmul %x, %x : tensor<8x8xf32>, tensor<8x8xf32> -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}"""


@dataclass(frozen=True)
class _Preparation:
    """What has the process import what compilations import."""

    packages: tuple[str, ...]

    def run(self) -> None:
        from mlc.pass_manager.manager import PassManager

        for name in self.packages:
            import_module(name)
        ctx = new_context()
        module = ModelText("<model>", Path(), _SMALL_MODEL).module(ctx)
        Compilation(module, ctx, CompileOptions(), PassManager(ctx), is_watched=False).lower("llvm")


_running: weakref.WeakSet[Background[Any]] = weakref.WeakSet()
_turn = threading.Lock()
_worker: list[WorkerProcess] = []
"""The process, if there is one."""
_is_over = threading.Event()
"""Whether this process ends, so that no other one is started for it."""


def _can_help() -> bool:
    """Whether there can be another process that makes the same: it knows no plugins, it would have this one's limit of
    memory, and a program that Python is a part of cannot start one."""
    return bool(sys.executable) and not plugins_may_take_part() and address_limit() is None


def _built(job: _BuildJob) -> _Built:
    """What the process makes of a model.

    Raises:
        UserError: the model is wrong.
        CompilerBug: mlc is wrong, or the process has ended: of too little memory, say.
    """
    found: _Built | _Failed = _done(job)
    if isinstance(found, _Failed):
        raise CompilerBug(found.message, "background") if found.is_bug else UserError(found.message)
    return found


def _done(job: Job) -> Any:
    """What the process gives for a job, when it is its turn.

    Raises:
        CompilerBug: the process has ended.
    """
    with _turn:
        for worker in [each for each in _worker if not each.is_alive]:
            worker.end()
            _worker.remove(worker)
        if not _worker and not _is_over.is_set() and (started := WorkerProcess.start(_NICENESS)) is not None:
            _worker.append(started)
        try:
            return _worker[0].do(job)
        except Exception:
            end()
            raise CompilerBug("the process that compiles in the background has ended", "background") from None


def end() -> None:
    """End the process, and what it compiles."""
    while _worker:
        with suppress(IndexError):
            _worker.pop().end()


def _end_for_good() -> None:
    _is_over.set()
    end()


def _forget() -> None:
    """A forked process has neither the threads nor the process."""
    global _turn
    _turn = threading.Lock()
    _worker.clear()
    _running.clear()


atexit.register(_end_for_good)
os.register_at_fork(after_in_child=_forget)
