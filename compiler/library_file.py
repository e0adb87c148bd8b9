"""Where the library of a model that is compiled for this process is written."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from mlc.support.errors import UserError

_FOLDER = "MLC_LIBRARY_DIR"
"""The environment variable with the folder where such libraries are written, and stay: tools that look at a process
afterwards, as `perf` does, read the names of functions in them."""


def new_library_file(suffix: str) -> tuple[Path, bool]:
    """An empty file of a new name, and whether it is a temporary one, as it is if nobody names a folder.

    Raises:
        UserError: it cannot be made in that folder.
        OSError: no temporary file can be made.
    """
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
