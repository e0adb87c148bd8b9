"""`mlc-opt --reduce`: the smallest module with which passes end in the same error, or of which something else holds."""

from __future__ import annotations

import io
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import redirect_stderr
from dataclasses import dataclass
from traceback import walk_tb
from typing import NamedTuple

from xdsl.dialects.builtin import ModuleOp

from mlc.compiler.emit_text import emit_text
from mlc.pass_manager.base import Pass
from mlc.pass_manager.instrumentation import Instrumentation
from mlc.pass_manager.manager import PassManager
from mlc.pass_manager.options import pipeline_text
from mlc.pass_manager.reproducer import reproducer_text, with_absolute_paths
from mlc.support.context import CompilerContext
from mlc.support.errors import CompilerBug, UserError, UserErrors
from mlc.tools.reduce_predicates import KeptPredicate, PassesOutcome, ScriptPredicate
from mlc.tools.reduction import Reducer


class _Raised(NamedTuple):
    """An exception without its words, which name values, sizes and inputs.

    Attributes:
        type: its class.
        place: the file and the line that raised it.
        subject: the name of the op that it is about, if it is about one.
    """

    type: type[BaseException]
    place: tuple[str, int]
    subject: str | None


class _Kind(NamedTuple):
    """What two errors have in common if they are the same: the pass, and the errors that led to one another."""

    stage: str
    causes: tuple[_Raised, ...]


@dataclass(frozen=True)
class ReducedRun:
    """Runs passes on candidates, each in a context of its own.

    Attributes:
        watching: makes the instrumentations of a run.
    """

    passes: Sequence[Pass]
    ctx: CompilerContext
    watching: Callable[[], list[Instrumentation]]
    verify_each: bool

    def outcome(self, candidate: ModuleOp) -> PassesOutcome:
        """How the passes end on a module, which they change."""
        manager = PassManager(self.ctx.clone(), self.watching(), self.verify_each)
        start, error = time.perf_counter(), None
        with redirect_stderr(io.StringIO()):
            try:
                manager.run(candidate, self.passes)
                manager.finish(candidate)
            except (UserError, CompilerBug) as e:
                error = e
        return PassesOutcome(error, time.perf_counter() - start)


def reduce_module(module: ModuleOp, run: ReducedRun, keep: KeptPredicate | ScriptPredicate | None) -> str:
    """A reproducer with the smallest module found for which `keep` holds, or else on which the passes end with the same
    error as on `module`. For a script it is the module alone.

    How much was left out is told on standard error.

    Raises:
        UserError: there is nothing to keep.
    """
    if isinstance(keep, ScriptPredicate):
        return _reduce_by_script(module, run, keep)
    first = run.outcome(module.clone())
    if keep is None:
        if first.error is None:
            raise UserError("--reduce keeps an error, and the passes end without one")
        kind = _kind_of(first.error)
        keep = KeptPredicate("", lambda o: o.error is not None and _kind_of(o.error) == kind)
    elif not keep.holds(first):
        raise UserError(f"--reduce-while keeps that the passes {keep.words}, and they do not")
    holds = keep.holds
    smallest = _reduced(module, lambda candidate: holds(run.outcome(candidate)))
    last = run.outcome(smallest.clone()).error
    bug = last if isinstance(last, CompilerBug) else CompilerBug(*_words_of(last, keep))
    options = list(dict.fromkeys(option for each in run.watching() for option in each.options()))
    return reproducer_text(bug, emit_text(smallest, run.ctx, "mlir"), pipeline_text(run.passes), run.ctx, options)


def _reduce_by_script(module: ModuleOp, run: ReducedRun, script: ScriptPredicate) -> str:
    if run.passes:
        raise UserError(f"--reduce-while script={script.file} runs what it needs itself; leave out the passes")

    def text(candidate: ModuleOp) -> str:
        return with_absolute_paths(emit_text(candidate, run.ctx, "mlir"), run.ctx)

    if not script.accepts(text(module)):
        raise UserError(f"--reduce-while keeps that '{script.file}' ends with status 0, and it does not for the input")
    return text(_reduced(module, lambda candidate: script.accepts(text(candidate))))


def _reduced(module: ModuleOp, holds: Callable[[ModuleOp], bool]) -> ModuleOp:
    """The smallest module found for which `holds` does."""
    before = sum(1 for _ in module.walk())
    reducer = Reducer(module, holds)
    reducer.reduce()
    after = sum(1 for _ in reducer.module.walk())
    print(f"note: reduced from {before} to {after} ops in {reducer.attempts} attempts", file=sys.stderr)
    return reducer.module


def _words_of(error: UserError | None, kept: KeptPredicate) -> tuple[str, str]:
    """What a reproducer says is wrong, and where."""
    return (f"the passes {kept.words}", "pipeline") if error is None else (error.message, _kind_of(error).stage)


def _kind_of(error: UserError | CompilerBug) -> _Kind:
    stage = error.stage if isinstance(error, CompilerBug) else "input"
    causes: list[_Raised] = []
    seen: list[BaseException] = []
    cause: BaseException | None = error
    while cause is not None and not any(cause is other for other in seen):  # `raise e from e` makes a ring
        seen.append(cause)
        frames = [(frame.f_code.co_filename, line) for frame, line in walk_tb(cause.__traceback__)]
        if isinstance(cause, UserErrors):  # the others may go with what is left out
            cause = cause.errors[0]
        subject = cause.subject if isinstance(cause, UserError) else None
        causes.append(_Raised(type(cause), frames[-1] if frames else ("", 0), subject))
        cause = cause.__cause__
    return _Kind(stage, tuple(causes))
