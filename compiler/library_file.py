"""The file of an artifact that is compiled for this process."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from mlc.compiler.backend import Backend
from mlc.compiler.backends import backend_for
from mlc.runtime import Model
from mlc.runtime.opening import model_of
from mlc.support.errors import UserError
from mlc.targets.cache import Cache

_FOLDER = "MLC_LIBRARY_DIR"
"""The environment variable with the folder where such libraries are written, and stay: tools that look at a process
afterwards, as `perf` does, read the names of functions in them."""


@dataclass
class LibraryFile:
    """A file in which somebody is to make an artifact, in the form that this process runs."""

    backend: Backend
    path: Path
    cache: Cache
    """What the artifact may be linked from: nobody writes into it in this process."""
    is_temporary: bool
    is_used: bool = False

    @property
    def form(self) -> str:
        return self.backend.runnable

    def model(self) -> Model:
        """The model of the artifact that is there by now. A temporary file goes with it."""
        model = model_of(self.backend.open(self.path), temporary=self.is_temporary)
        self.is_used = True
        return model


@contextmanager
def library_file(target: str) -> Generator[LibraryFile]:
    """A new file, which is removed in the end unless there is a model of it.

    Raises:
        UserError: there is no such target, or no file can be made in the folder that a person has named.
        OSError: no temporary file can be made.
    """
    backend = backend_for(target)
    path, is_temporary = _new_file(backend.suffix)
    made = LibraryFile(backend, path, replace(Cache.default(), links=True), is_temporary)
    try:
        yield made
    finally:
        if not made.is_used:
            path.unlink(missing_ok=True)


def _new_file(suffix: str) -> tuple[Path, bool]:
    """An empty file of a new name, and whether it is a temporary one, as it is if nobody names a folder."""
    folder = os.environ.get(_FOLDER) or None
    try:
        handle, name = tempfile.mkstemp(prefix="mlc-", suffix=suffix, dir=folder)
    except OSError as e:
        if folder is None:
            raise
        raise UserError(
            f"no library can be written to '{folder}', which {_FOLDER} names: {e.strerror}; make it, or name another"
        ) from None
    os.close(handle)
    return Path(name).absolute(), folder is None
