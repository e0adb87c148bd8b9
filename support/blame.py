"""Whose fault an exception is: the compiler's, or that of a plugin."""

from __future__ import annotations

import traceback

from mlc.support.errors import SourceLocation

plugin_files: set[str] = set()
"""The Python files of plugins, as tracebacks name them."""


def blame(error: BaseException) -> SourceLocation | None:
    """The innermost line of a plugin that `error`, or the first cause of it, came through; None if there is none."""
    while error.__cause__ is not None:
        error = error.__cause__
    frames = [f for f in traceback.extract_tb(error.__traceback__) if f.filename in plugin_files]
    return SourceLocation(frames[-1].filename, frames[-1].lineno or 1) if frames else None
