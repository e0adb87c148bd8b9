"""Whose fault an exception is, or wrong IR: the compiler's, or that of a plugin."""

from __future__ import annotations

import inspect
import sys
import traceback
from types import CodeType

from mlc.support.errors import SourceLocation

plugin_files: set[str] = set()
"""The Python files of plugins, as tracebacks name them."""


def is_raised_in_plugin(error: BaseException) -> bool:
    """Whether the very line that raised `error`, or called what has no lines in Python, is one of a plugin."""
    place = error.__traceback__
    while place is not None and place.tb_next is not None:  # without the lines of all frames, which are slow to find
        place = place.tb_next
    return place is not None and place.tb_frame.f_code.co_filename in plugin_files


def blame(error: BaseException) -> SourceLocation | None:
    """The innermost line of a plugin that `error`, or one of its causes, came through; None if there is none."""
    place: SourceLocation | None = None
    seen: set[int] = set()  # `raise e from e` makes a ring
    cause: BaseException | None = error
    while cause is not None and id(cause) not in seen:
        seen.add(id(cause))
        frames = [f for f in traceback.extract_tb(cause.__traceback__) if f.filename in plugin_files]
        if frames:
            place = SourceLocation(frames[-1].filename, frames[-1].lineno or 1)
        cause = cause.__cause__
    return place


def place_of_code(code: CodeType | None) -> SourceLocation | None:
    """The line at which the code of a function begins, if it is a plugin's."""
    if code is None or code.co_filename not in plugin_files:
        return None
    return SourceLocation(code.co_filename, code.co_firstlineno)


def place_of(definition: type) -> SourceLocation | None:
    """The line of a class, if a plugin defines it."""
    file = getattr(sys.modules.get(definition.__module__), "__file__", None)
    if file not in plugin_files:
        return None
    try:
        return SourceLocation(file, inspect.getsourcelines(definition)[1])
    except (OSError, TypeError, SyntaxError):  # the text of the file may be another one by now
        return SourceLocation(file, 1)
