"""A small cache of pickles on disk, the folder `grammar` of the user's caches, which may be missing, unwritable or
damaged at any time.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from mlc.support.cache_folder import cache_folder

T = TypeVar("T")


def load(key: str, kind: type[T]) -> T | None:
    """The entry of `key`, or None: it is not there, cannot be read, or is damaged (then it is rewritten later)."""
    if (folder := cache_folder()) is None:
        return None
    try:
        data = (folder / "grammar" / key).read_bytes()
    except OSError:
        return None
    checksum, body = data[:32], data[32:]
    if hashlib.sha256(body).digest() != checksum:
        return None
    entry = pickle.loads(body)
    return entry if isinstance(entry, kind) else None


def store(key: str, entry: object) -> None:
    """Keep `entry` for later runs: written beside its place and renamed, so no reader sees half of it."""
    if (folder := cache_folder()) is None:
        return
    body = pickle.dumps(entry, protocol=pickle.HIGHEST_PROTOCOL)
    place = folder / "grammar"
    unfinished: Path | None = None
    try:
        place.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=place, delete=False) as f:
            unfinished = Path(f.name)
            f.write(hashlib.sha256(body).digest() + body)
            f.flush()
            os.fsync(f.fileno())
        unfinished.replace(place / key)
    except OSError:
        if unfinished is not None:
            with suppress(OSError):
                unfinished.unlink()
