"""Plugins that are loaded for a while."""

from __future__ import annotations

import os
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import cast

from mlc import plugins
from mlc.support.additions import plugin_scope


def paths_of(given: object) -> tuple[Path, ...]:
    """The files that somebody gives as plugins, as they are found from the current folder.

    Raises:
        TypeError: they are not a list of paths.
    """
    paths = list(cast("Sequence[object]", given)) if isinstance(given, list | tuple) else [None]
    if not all(isinstance(each, str | os.PathLike) for each in paths):
        raise TypeError(f"found {given!r} as plugins; required: a list of paths of Python files")
    return tuple(Path(cast("str | os.PathLike[str]", each)).absolute() for each in paths)


@contextmanager
def loaded(files: Sequence[Path]) -> Generator[None]:
    """Know the dialects, passes and patterns of these files inside.

    Raises:
        UserError: one of them is not there, fails, or collides with another one.
    """
    with plugin_scope():
        for file in files:
            plugins.load_plugin(file)
        yield
