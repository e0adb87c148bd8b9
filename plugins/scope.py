"""Plugins that are loaded for a while."""

from __future__ import annotations

import os
import threading
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


class _Turns(threading.local):
    """Whose turn it is among threads: what plugins add is seen by the whole process, so a thread that loads some waits
    until no other one compiles, and the others wait for it. Those that load none run side by side."""

    changed = threading.Condition()
    without = 0
    """How many threads are inside that load nothing."""
    is_alone = False
    """Whether one is inside that has loaded something."""

    def __init__(self) -> None:
        self.depth = 0  # of this thread: what is compiled while something is compiled has its turn already

    @contextmanager
    def taken(self, alone: bool) -> Generator[None]:
        """Inside it is this thread's turn."""
        if not self.depth:
            with _Turns.changed:
                _Turns.changed.wait_for(lambda: not _Turns.is_alone and not (alone and _Turns.without))
                self._enter(alone, 1)
        self.depth += 1
        try:
            yield
        finally:
            self.depth -= 1
            if not self.depth:
                with _Turns.changed:
                    self._enter(alone, -1)
                    _Turns.changed.notify_all()

    @staticmethod
    def _enter(alone: bool, change: int) -> None:
        if alone:
            _Turns.is_alone = change > 0
        else:
            _Turns.without += change


_turns = _Turns()


@contextmanager
def loaded(files: Sequence[Path]) -> Generator[None]:
    """Know the dialects, passes and patterns of these files inside, in this thread alone.

    Raises:
        UserError: one of them is not there, fails, or collides with another one.
    """
    with _turns.taken(alone=bool(files)), plugin_scope():
        for file in files:
            plugins.load_plugin(file)
        yield
