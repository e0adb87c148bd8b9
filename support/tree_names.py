"""Names for the leaves of trees of lists, tuples and dictionaries, as PyTorch and JAX describe the ways to them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


def keys_of(path: Iterable[Any]) -> list[str]:
    """The keys, attributes and positions on the way to a leaf."""
    return [next((str(getattr(p, n)) for n in ("key", "name", "idx") if hasattr(p, n)), str(p)) for p in path]


def output_name(path: Iterable[Any]) -> str:
    """What a leaf of a result is called: `logits`, `states.0`; `output` if it is all of it, `output1` in a tuple."""
    name = ".".join(keys_of(path)) or "output"
    return f"output{name}" if name[0].isdigit() else name
