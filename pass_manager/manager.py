"""Runs passes over a module: in order, verified, observed, and with a reproducer when one of them has a bug."""

from __future__ import annotations

import gc
import os
import threading
import traceback
from collections.abc import Callable, Generator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field

from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import PassFailedException, VerifyException

from mlc.pass_manager._addressable import require_addressable
from mlc.pass_manager._own_classes import take_own_classes
from mlc.pass_manager._plugin_ops import Suspect, error_of_plugin, suspects_of
from mlc.pass_manager.base import Pass
from mlc.pass_manager.foreign_pass import as_pass
from mlc.pass_manager.instrumentation import Instrumentation
from mlc.pass_manager.lowering import has_patterns_of_others
from mlc.pass_manager.options import pipeline_text
from mlc.pass_manager.pattern_watch import failed_pattern
from mlc.pass_manager.registry import is_own_pass, plugin_passes
from mlc.pass_manager.reproducer import write_reproducer
from mlc.pass_manager.wrong_form import WrongForm
from mlc.support.blame import plugin_files
from mlc.support.context import CompilerContext
from mlc.support.errors import CompilerBug, UserError, Whereabouts
from mlc.support.ir import made_by
from mlc.support.locations import error_at


@dataclass
class PassManager:
    """Runs lists of passes; `instrumentations` are called around each pass, the first nearest to it."""

    ctx: CompilerContext
    instrumentations: Sequence[Instrumentation] = ()
    verify_each: bool = False
    """Verify after every pass, not only after the last and after those of plugins."""
    source: Callable[[], str] | None = None
    """Gives the text of the module as it was before the run, for a reproducer: not that of the module of the run, which
    passes have changed by then."""
    _ran: list[Pass] = field(default_factory=list[Pass])
    _suspects: dict[type, Suspect] = field(default_factory=dict[type, Suspect])
    """What plugins have for the ops of theirs that a pass met, since the module was last found right."""

    def for_another_module(self, source: Callable[[], str] | None) -> PassManager:
        """A manager that does the same for a module of another `source`, and has run nothing yet."""
        return PassManager(self.ctx, self.instrumentations, self.verify_each, source)

    def run(self, module: ModuleOp, passes: Sequence[ModulePass], more_follows: bool = False) -> None:
        """Apply `passes` to `module` in place; if more follow in another run, the module is verified after those.

        Passes of xDSL do, too.

        Raises:
            UserError: the module asks for something that a pass cannot do.
            CompilerBug: a pass crashed, or the module does not verify after it (UserError: ops of a plugin were there).
        """
        with collector_at_rest():
            take_own_classes(module)
            if not self._ran:
                require_addressable(module)
            for pass_ in (own := [as_pass(each) for each in passes]):
                self._run_one(module, pass_)
            if own and not self.verify_each and not more_follows:
                self._verify(module, own[-1] if len(self._ran) == 1 else None)

    def finish(self, module: ModuleOp) -> None:
        """Tell the instrumentations that no further pass will run on `module`.

        Raises:
            CompilerBug: one of them finds the result wrong.
        """
        for instrumentation in self.instrumentations:
            with self._reproducing(instrumentation):
                instrumentation.finish(module)

    def _run_one(self, module: ModuleOp, pass_: Pass) -> None:
        for instrumentation in reversed(self.instrumentations):
            instrumentation.before(pass_, module)
        self._ran.append(pass_)
        self._suspects |= suspects_of(pass_.name, module)
        try:
            with ExitStack() as held:
                for instrumentation in self.instrumentations:
                    held.enter_context(instrumentation.during(pass_))
                pass_.run(module, self.ctx)
        except PassFailedException as e:
            raise UserError(f"pass '{pass_.name}': {e}") from e
        except CompilerBug as e:
            raise self._with_reproducer(e) from e
        except (UserError, MemoryError):
            raise
        except Exception as e:
            notes = [note for note in getattr(e, "__notes__", ()) if isinstance(note, Whereabouts)]
            where = " ".join([f"pass '{pass_.name}' failed", *notes, *failed_pattern(e)])
            message = f"{where} with {type(e).__name__}: {e}"
            raise self._with_reproducer(CompilerBug(message, pass_.name, traceback.format_exc())) from e
        if plugin_files or has_patterns_of_others() or not is_own_pass(pass_.name):
            take_own_classes(module)
        # What a pass of a plugin leaves is not mlc's to trust, and later passes may hide it, or be blamed for it.
        if self.verify_each or plugin_passes.get(pass_.name) is not None:
            self._verify(module, pass_)
        for instrumentation in self.instrumentations:
            with self._reproducing(instrumentation):
                instrumentation.after(pass_, module)
        if self.verify_each or any(instrumentation.options() for instrumentation in self.instrumentations):
            self._suspects.clear()

    def _verify(self, module: ModuleOp, pass_: Pass | None) -> None:
        try:
            verify(module)
        except (UserError, VerifyException) as e:
            stage = f"pass '{pass_.name}'" if pass_ else "the pass pipeline (--verify-each finds the pass)"
            bug = CompilerBug(f"the IR does not verify after {stage}: {e}", pass_.name if pass_ else "pipeline")
            raise self._found(bug, [each for each in self._suspects.values() if not each.is_verified]) from e

    @contextmanager
    def _reproducing(self, instrumentation: Instrumentation) -> Generator[None]:
        """Give a bug that `instrumentation` finds a reproducer."""
        try:
            yield
        except CompilerBug as e:
            raise self._found(e, list(self._suspects.values()), instrumentation.options()) from e

    def _found(self, bug: CompilerBug, suspects: list[Suspect], options: Sequence[str] = ()) -> CompilerBug | UserError:
        """What a check of the module says: a bug in mlc, unless ops or steps of a plugin were there."""
        self._with_reproducer(bug, options)
        is_pass_of_plugin = plugin_passes.get(bug.stage) is not None
        return error_of_plugin(bug, suspects) if suspects and not is_pass_of_plugin else bug

    def _with_reproducer(self, bug: CompilerBug, options: Sequence[str] = ()) -> CompilerBug:
        if self.source is not None:
            text, passes = self._before_pass(bug) or (self.source(), self._ran)
            bug.reproducer = write_reproducer(bug, text, pipeline_text(passes), self.ctx, options)
        return bug

    def _before_pass(self, bug: CompilerBug) -> tuple[str, list[Pass]] | None:
        """The module as the pass that is wrong found it, and that pass alone, if a copy was kept."""
        from mlc.syntax import module_text

        if not isinstance(bug, WrongForm) or bug.forms is None:
            return None
        before, after = bug.forms
        ctx = self.ctx.clone()
        ctx.resources = before.resources
        return module_text(before.module, ctx), [self._ran[after.number - 1]]


def verify(module: ModuleOp) -> None:
    """Check the whole module, dominance included, and that no op outside of it uses its values: passes take a value for
    used as long as such an op is there.

    Raises:
        UserError or VerifyException: it is not valid.
    """
    from mlc.syntax import verify_module

    verify_module(module)
    inside = set(module.walk())
    for op in inside:
        for value in made_by(op):
            for use in value.uses:
                if use.operation not in inside:
                    user = use.operation.name
                    raise error_at(op, f"a value of '{op.name}' is used by '{user}', which is outside of the module")


class _Rest:
    """The state of the garbage collector before somebody wanted it at rest, and how many still want that: it is one for
    all threads, so that the last one to end gives it back."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.users = 0
        self.before = gc.get_threshold()


_rest = _Rest()
os.register_at_fork(after_in_child=_rest.__init__)  # a forked process has none of the threads that count


@contextmanager
def collector_at_rest() -> Generator[None]:
    """Keep Python's garbage collector from walking the IR again and again while it grows.

    With hundreds of thousands of ops alive, every full collection visits them all and frees nothing.
    """
    with _rest.lock:
        _rest.users += 1
        if _rest.users == 1:
            _rest.before = gc.get_threshold()
            gc.freeze()
            gc.set_threshold(100_000, 50, 50)
    try:
        yield
    finally:
        with _rest.lock:
            _rest.users -= 1
            if not _rest.users:
                gc.set_threshold(*_rest.before)
                gc.unfreeze()
