"""How the dims of results are called."""

from __future__ import annotations

_NAMES_BY_RANK: dict[int, tuple[str, ...]] = {
    0: (),
    1: ("n",),
    2: ("m", "n"),
    3: ("b", "m", "n"),
    4: ("b", "y", "x", "n"),
}


def dim_names(rank: int) -> tuple[str, ...]:
    """The usual names of the dims of a result: `n` is the one that is contiguous in memory."""
    if rank in _NAMES_BY_RANK:
        return _NAMES_BY_RANK[rank]
    return (*(f"d{i}" for i in range(rank - 4)), *_NAMES_BY_RANK[4])
