"""A small cache of data on disk, the folder `grammar` of the user's caches, which may be missing, unwritable or damaged
at any time. Entries are JSON after a digest: reading one runs no code, whatever wrote it.
"""

from __future__ import annotations

import hashlib
import json
import os
from contextlib import suppress
from pathlib import Path

from mlc.support.cache_folder import cache_folder, make_folder


def load(key: str) -> object:
    """The entry of `key`, or None: it is not there, cannot be read, or is damaged (then it is written again later).

    Raises:
        UserError: others may write into the cache.
    """
    if (folder := cache_folder()) is None:
        return None
    try:
        data = (folder / "grammar" / key).read_bytes()
    except OSError:
        return None
    checksum, body = data[:32], data[32:]
    if hashlib.sha256(body).digest() != checksum:
        return None
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None


def store(key: str, entry: object) -> None:
    """Keep `entry` for later runs: written beside its place and renamed, so no reader sees half of it.

    Raises:
        UserError: others may write into the cache.
    """
    if (folder := cache_folder()) is None:
        return
    import shutil  # texts are read more often than something new is kept, and these take time
    import tempfile

    body = json.dumps(entry, separators=(",", ":")).encode()
    unfinished: Path | None = None
    try:
        place = make_folder(folder, "grammar")
        with tempfile.NamedTemporaryFile(dir=place, delete=False) as f:
            unfinished = Path(f.name)
            f.write(hashlib.sha256(body).digest() + body)
            f.flush()
            os.fsync(f.fileno())
        if (place / key).is_dir():
            shutil.rmtree(place / key)
        unfinished.replace(place / key)
    except OSError:
        if unfinished is not None:
            with suppress(OSError):
                unfinished.unlink()
