"""`mlc-opt --reduce`: the smallest module with which passes end in the same error, or of which something else holds."""

from __future__ import annotations

import io
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import redirect_stderr
from dataclasses import dataclass, field, replace
from traceback import walk_tb
from typing import NamedTuple

from xdsl.dialects.builtin import ModuleOp

from mlc.compiler.emit_text import emit_text
from mlc.compiler.model_files import weights_of
from mlc.pass_manager.base import Pass
from mlc.pass_manager.instrumentation import Instrumentation
from mlc.pass_manager.manager import PassManager
from mlc.pass_manager.options import pipeline_text
from mlc.pass_manager.registry import load_pass, plugin_passes
from mlc.pass_manager.reproducer import reproducer_text, with_absolute_paths
from mlc.pass_manager.snapshots import Snapshot
from mlc.pass_manager.wrong_form import WrongForm
from mlc.support.context import CompilerContext
from mlc.support.errors import CompilerBug, UserError, UserErrors, causes_of
from mlc.tools.progress import progress_bar
from mlc.tools.reduce_predicates import KeptPredicate, PassesOutcome, ScriptPredicate
from mlc.tools.reduction import Reducer

_MOST_BYTES = 1 << 16
"""As many bytes of weights are written into the text of a reproducer."""


class _Raised(NamedTuple):
    """An exception without its words, which name values, sizes and inputs.

    Attributes:
        type: its class.
        place: the file and the line that raised it; None for a wrong form, which is found in several ways.
        subject: the name of the op that it is about, if it is about one; of a wrong form the pass.
    """

    type: type[BaseException]
    place: tuple[str, int] | None
    subject: str | None


class _Kind(NamedTuple):
    """What two errors have in common if they are the same: the pass, and the errors that led to one another."""

    stage: str
    causes: tuple[_Raised, ...]


@dataclass
class _LastPass(Instrumentation):
    """Keeps the module as the last pass found it, for as long as nothing says that this pass is right."""

    ctx: CompilerContext
    ran: list[Pass] = field(default_factory=list[Pass])
    found: Snapshot | None = None

    def before(self, pass_: Pass, module: ModuleOp) -> None:
        self.ran.append(pass_)
        self.found = Snapshot(module.clone(), self.ctx.resources.clone())

    def after(self, pass_: Pass, module: ModuleOp) -> None:
        self.found = None


@dataclass(frozen=True)
class ReducedRun:
    """Runs passes on candidates, each in a context of its own.

    Attributes:
        watching: makes the instrumentations of a run in a context.
    """

    passes: Sequence[Pass]
    ctx: CompilerContext
    watching: Callable[[CompilerContext], list[Instrumentation]]
    verify_each: bool

    def outcome(self, candidate: ModuleOp) -> PassesOutcome:
        """How the passes end on a module, which they change."""
        return self._outcome(candidate, self.ctx.clone())

    def first(
        self, module: ModuleOp, *further: Instrumentation
    ) -> tuple[PassesOutcome, list[tuple[ModuleOp, ReducedRun]]]:
        """How the passes end on `module`, which stays as it is, and from where to reduce, the best first: from what the
        pass that is wrong finds, with nothing but this pass; else from `module`, with the passes that came as far.
        """
        ctx = self.ctx.clone()
        last = _LastPass(ctx)
        outcome = self._outcome(module.clone(), ctx, *further, last)
        found, number = last.found, len(last.ran)
        for each in causes_of(outcome.error):
            if isinstance(each, WrongForm) and each.forms is not None:
                found, number = each.forms[0], each.forms[1].number
        if found is None:
            return outcome, [(module, self)]
        ctx.resources = found.resources
        alone = found.module, replace(self, passes=[last.ran[number - 1]], ctx=ctx)
        return outcome, [alone, (module, replace(self, passes=last.ran[:number]))]

    def _outcome(self, candidate: ModuleOp, ctx: CompilerContext, *further: Instrumentation) -> PassesOutcome:
        # What is added comes last: its `after` is called once the others find nothing wrong.
        manager = PassManager(ctx, [*self.watching(ctx), *further], self.verify_each)
        start, error = time.perf_counter(), None
        with redirect_stderr(io.StringIO()):
            try:
                manager.run(candidate, self.passes)
                manager.finish(candidate)
            except (UserError, CompilerBug) as e:
                error = e
        return PassesOutcome(error, time.perf_counter() - start)


def reduce_module(
    module: ModuleOp, run: ReducedRun, keep: KeptPredicate | ScriptPredicate | None, notes: Instrumentation
) -> str:
    """A reproducer with the smallest module found for which `keep` holds, or else on which the passes end with the same
    error as on `module`. For a script it is the module alone.

    How much was left out is told on standard error; `notes` says there what the passes leave as it is.

    Raises:
        UserError: there is nothing to keep.
    """
    if isinstance(keep, ScriptPredicate):
        return _reduce_by_script(module, run, keep)
    first, starts = run.first(module, notes)
    if keep is None:
        if first.error is None:
            raise UserError(f"--reduce keeps an error, and the passes end without one{_and_absent(run.passes)}")
        kind = _kind_of(first.error)
        keep = KeptPredicate("", lambda o: o.error is not None and _kind_of(o.error) == kind)
    elif not keep.holds(first):
        raise UserError(f"--reduce-while keeps that the passes {keep.words}, and they do not{_and_absent(run.passes)}")
    holds = keep.holds
    start, run = next(
        ((start, each) for start, each in starts[:-1] if holds(each.outcome(start.clone()))),
        starts[-1],
    )
    smallest = _reduced(start, lambda candidate: holds(run.outcome(candidate)))
    _take_in_weights(smallest, run.ctx)
    last = run.outcome(smallest.clone()).error
    options = list(dict.fromkeys(option for each in run.watching(run.ctx) for option in each.options()))
    text, pipeline = emit_text(smallest, run.ctx, "mlir"), pipeline_text(run.passes)
    return reproducer_text(*_words_of(last, keep), text, pipeline, run.ctx, options)


def absent_passes(passes: Sequence[Pass]) -> list[str]:
    """Which passes of files that were loaded are not among those that ran, and how they get there, a line for each."""
    ran = {each.name for each in passes}
    absent = [(name, each.origin) for name, each in plugin_passes.unasked() if each.group is None and name not in ran]
    return [f"pass '{name}' of {origin} is not among them: {_way_in(name)}" for name, origin in absent]


def _and_absent(passes: Sequence[Pass]) -> str:
    return "".join(f"; {each}" for each in absent_passes(passes))


def _way_in(name: str) -> str:
    """How a pass gets among those that run."""
    place = load_pass(name).place
    placed = f", or a pipeline that has '{place.at}', beside which it is to run" if place is not None else ""
    return f"name it (--{name}){placed}"


def _reduce_by_script(module: ModuleOp, run: ReducedRun, script: ScriptPredicate) -> str:
    if run.passes:
        raise UserError(f"--reduce-while script={script.file} runs what it needs itself; leave out the passes")

    def text(candidate: ModuleOp) -> str:
        return with_absolute_paths(emit_text(candidate, run.ctx, "mlir"), run.ctx)

    if not script.accepts(text(module)):
        raise UserError(f"--reduce-while keeps that '{script.file}' ends with status 0, and it does not for the input")
    return text(_reduced(module, lambda candidate: script.accepts(text(candidate))))


def _reduced(module: ModuleOp, holds: Callable[[ModuleOp], bool]) -> ModuleOp:
    """The smallest module found for which `holds` does; who interrupts gets the smallest one until then."""
    before, interrupted = _count(module), ""
    with progress_bar("reducing") as bar:

        def watched(candidate: ModuleOp) -> bool:
            if bar is not None:
                left = _count(reducer.module)
                bar.update(f"{left} of {before} ops left", before - left, before)
            return holds(candidate)

        reducer = Reducer(module, watched)
        try:
            reducer.reduce()
        except KeyboardInterrupt:
            interrupted = "interrupted; "
    words = f"reduced from {before} to {_count(reducer.module)} ops in {reducer.attempts} attempts"
    print(f"note: {interrupted}{words}", file=sys.stderr)
    return reducer.module


def _count(module: ModuleOp) -> int:
    return sum(1 for _ in module.walk())


def _take_in_weights(module: ModuleOp, ctx: CompilerContext) -> None:
    """Let the text of a module contain its weights, if they are few: it needs no other file then, and can be moved."""
    weights = weights_of(module, ctx.resources)
    if sum(array.nbytes for array in weights.values()) <= _MOST_BYTES:
        for name in weights:
            ctx.resources.take_in(name)


def _words_of(error: UserError | CompilerBug | None, kept: KeptPredicate) -> tuple[str, str | None]:
    """What a reproducer says of the passes, and where the error is, if there is one."""
    if error is None:
        return f"the passes {kept.words}", None
    details = error.details if isinstance(error, CompilerBug) else ""
    return f"{error.message}\n{details}".strip(), _stage_of(error)


def _stage_of(error: UserError | CompilerBug) -> str:
    return error.stage if isinstance(error, CompilerBug) else "input"


def _kind_of(error: UserError | CompilerBug) -> _Kind:
    return _Kind(_stage_of(error), tuple(map(_raised, causes_of(error))))


def _raised(error: BaseException) -> _Raised:
    frames = [(frame.f_code.co_filename, line) for frame, line in walk_tb(error.__traceback__)]
    if isinstance(error, UserErrors):  # the others may go with what is left out
        error = error.errors[0]
    if isinstance(error, WrongForm):
        return _Raised(type(error), None, error.stage)
    subject = error.subject if isinstance(error, UserError) else None
    return _Raised(type(error), frames[-1] if frames else ("", 0), subject)
