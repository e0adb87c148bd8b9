"""How often tests repeat what they do with random numbers."""

from __future__ import annotations

import os


def repetitions(most: int, few: int) -> range:
    """The numbers of `most` repetitions under `MLC_THOROUGH=1`, and of the `few` first ones elsewhere."""
    return range(most if os.environ.get("MLC_THOROUGH", "") not in ("", "0") else few)
