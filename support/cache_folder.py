"""Where the caches of a user lie: compiled things, artifacts of `mlc run`, tables of grammars."""

from __future__ import annotations

import os
from pathlib import Path


def cache_folder() -> Path | None:
    """`$MLC_CACHE_DIR`, else `$XDG_CACHE_HOME/mlc`, else `~/.cache/mlc`; None where there is no home to put it in.

    The folder need not exist.
    """
    if own := os.environ.get("MLC_CACHE_DIR"):
        return Path(own)
    if shared := os.environ.get("XDG_CACHE_HOME"):
        return Path(shared) / "mlc"
    try:
        return Path.home() / ".cache" / "mlc"
    except RuntimeError:
        return None
