"""`mlc-opt --reduce`: the smallest module with which the passes end in the same error."""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Callable, Sequence
from contextlib import redirect_stderr
from typing import NamedTuple

from xdsl.dialects.builtin import ModuleOp

from mlc.compiler.emit_text import emit_text
from mlc.pass_manager.base import Pass
from mlc.pass_manager.instrumentation import Instrumentation
from mlc.pass_manager.manager import PassManager
from mlc.pass_manager.options import pipeline_text
from mlc.pass_manager.reproducer import reproducer_text
from mlc.support.context import CompilerContext
from mlc.support.errors import CompilerBug, UserError
from mlc.tools.reduction import Reducer

_PARTICULAR = re.compile(r"'[^']*'|%\w+|\[[^\]]*\]|-?\d[\w.+-]*|\bnan\b|-?\binf\b|/\S+|for inputs [^:]*")
"""What may differ between two messages of one error: names, values, sizes, paths, the inputs that show it."""


class _Kind(NamedTuple):
    """What two errors have in common if they are the same."""

    type: str
    stage: str
    message: str


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
    return _Kind(type(error).__name__, stage, _PARTICULAR.sub("…", error.message))
