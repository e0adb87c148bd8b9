"""`mlc-opt --reduce`: the smallest module with which the passes end in the same error."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Sequence
from contextlib import redirect_stderr
from traceback import walk_tb
from typing import NamedTuple

from xdsl.dialects.builtin import ModuleOp

from mlc.compiler.emit_text import emit_text
from mlc.pass_manager.base import Pass
from mlc.pass_manager.instrumentation import Instrumentation
from mlc.pass_manager.manager import PassManager
from mlc.pass_manager.options import pipeline_text
from mlc.pass_manager.reproducer import reproducer_text
from mlc.support.context import CompilerContext
from mlc.support.errors import CompilerBug, UserError, UserErrors
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


def reduce_error(
    module: ModuleOp,
    passes: Sequence[Pass],
    ctx: CompilerContext,
    watching: Callable[[], list[Instrumentation]],
    verify_each: bool,
) -> str:
    """A reproducer with the smallest module found on which `passes` end with the same error as on `module`.

    `watching` makes the instrumentations of a run. How much was left out is told on standard error.

    Raises:
        UserError: there is no error.
    """

    def error_of(candidate: ModuleOp) -> UserError | CompilerBug | None:
        manager = PassManager(ctx.clone(), watching(), verify_each)
        with redirect_stderr(io.StringIO()):
            try:
                manager.run(candidate, passes)
                manager.finish(candidate)
            except (UserError, CompilerBug) as e:
                return e
        return None

    error = error_of(module.clone())
    if error is None:
        raise UserError("--reduce keeps an error, and the passes end without one")
    kind = _kind_of(error)

    def has_same_error(candidate: ModuleOp) -> bool:
        found = error_of(candidate)
        return found is not None and _kind_of(found) == kind

    before = sum(1 for _ in module.walk())
    reducer = Reducer(module, has_same_error)
    reducer.reduce()
    after = sum(1 for _ in reducer.module.walk())
    print(f"note: reduced from {before} to {after} ops in {reducer.attempts} attempts", file=sys.stderr)
    last = error_of(reducer.module.clone())
    assert last is not None
    bug = last if isinstance(last, CompilerBug) else CompilerBug(last.message, kind.stage)
    options = list(dict.fromkeys(option for each in watching() for option in each.options()))
    return reproducer_text(bug, emit_text(reducer.module, ctx, "mlir"), pipeline_text(passes), ctx, options)


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
