"""Output files that are whole or absent."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Generator
from pathlib import Path
from typing import Literal

from mlc.support.errors import UserError
from mlc.targets.cache import Cache

OutputKind = Literal["obj", "archive", "shared", "exe", "asm", "header"]
"""What a model is compiled to."""
EXECUTABLE: tuple[OutputKind, ...] = ("shared", "exe")
"""The kinds whose files carry the permission to be executed."""


class OutputError(UserError):
    """A file cannot be written, or the disk is full."""


@contextlib.contextmanager
def staged_output(output: Path) -> Generator[Path, None, None]:
    """The path of a file to write; it becomes `output` if the block ends well, and disappears if not.

    The file lies in a temporary folder beside `output`, which the block may use for more files. A symbolic link is
    followed; a device such as /dev/stdout is written to, not replaced.

    Raises:
        OutputError: `output` cannot be written, or the disk is full.
    """
    target = Path(os.path.realpath(output))
    if target.is_dir():
        raise OutputError(f"cannot write '{output}': it is a folder; name a file in it")
    if not target.parent.is_dir():
        raise OutputError(f"cannot write '{output}': the folder '{output.parent}' does not exist")
    special = target.exists() and not target.is_file()
    try:
        with tempfile.TemporaryDirectory(prefix=".mlc-", dir=None if special else target.parent) as folder:
            staged = Path(folder) / (target.name or "output")
            yield staged
            if special:
                with staged.open("rb") as source, target.open("wb") as device:
                    shutil.copyfileobj(source, device)
            else:
                staged.replace(target)
    except OSError as e:
        raise OutputError(f"cannot write '{output}': {e.strerror or e}") from None


def restore_output(cache: Cache, key: str, kind: str, output: Path) -> bool:
    """Make the file `output` from the entry `key` of a cache; False, and no change, if there is no intact one.

    Raises:
        UserError: `output` cannot be written, or the disk is full.
    """
    try:
        with staged_output(output) as staged:
            if not cache.fetch(key, staged):
                raise _NotCached
            if kind in EXECUTABLE:
                make_executable(staged)
    except _NotCached:
        return False
    return True


class _NotCached(Exception):
    """There is nothing to write."""


def make_executable(file: Path) -> None:
    """Let everybody run a file who may read it, as the linker does."""
    mode = file.stat().st_mode
    file.chmod(mode | (mode & 0o444) >> 2)
