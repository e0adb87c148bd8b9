"""Where the caches of a user lie: compiled things, artifacts of `mlc run`, tables of grammars.

Libraries that are found there are loaded, so nobody else may write there.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

from mlc.support.errors import UserError

_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH


def cache_folder() -> Path | None:
    """`$MLC_CACHE_DIR`, else `$XDG_CACHE_HOME/mlc`, else `~/.cache/mlc`; None where there is no home to put it in.

    The folder need not exist.

    Raises:
        UserError: it exists, and others may write there.
    """
    folder = _named_folder()
    if folder is not None:
        _require_private(folder)
    return folder


def _named_folder() -> Path | None:
    if own := os.environ.get("MLC_CACHE_DIR"):
        return Path(own)
    if shared := os.environ.get("XDG_CACHE_HOME"):
        return Path(shared) / "mlc"
    try:
        return Path.home() / ".cache" / "mlc"
    except RuntimeError:
        return None


def make_folder(cache: Path, part: str) -> Path:
    """The folder `part` of a cache, which is made if need be: for its owner alone.

    Raises:
        OSError: it cannot be made.
    """
    cache.mkdir(mode=stat.S_IRWXU, parents=True, exist_ok=True)
    folder = cache / part
    folder.mkdir(exist_ok=True)
    return folder


def _require_private(folder: Path) -> None:
    try:
        status = folder.stat()
    except OSError:
        return
    if not stat.S_ISDIR(status.st_mode):
        return  # a device, or a file that is in the way: nothing is kept
    advice = "or name a folder of your own by MLC_CACHE_DIR"
    if status.st_uid not in (os.geteuid(), 0):
        raise UserError(f"the cache folder '{folder}' belongs to another user, whose code would be run; {advice[3:]}")
    if status.st_mode & _OTHERS_WRITE:
        raise UserError(
            f"the cache folder '{folder}' can be written by others (mode {stat.S_IMODE(status.st_mode):03o}), whose "
            f"code would be run; run chmod go-w '{folder}' if you trust what is in it, {advice}"
        )
