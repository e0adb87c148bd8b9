"""`mlc-opt --pass-bisect-limit`: some passes are left out, to find by hand the one that does harm (LLVM's
`-opt-bisect-limit`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TextIO

from mlc.pass_manager.base import Pass


def limited(passes: Sequence[tuple[Pass, bool]], limit: int, stream: TextIO) -> list[Pass]:
    """Those of `passes` that run: the first `limit` of the optional ones, or all for -1, and what is required, as the
    flag beside each says. `stream` is told of each optional one."""
    kept: list[Pass] = []
    number = 0
    for pass_, is_required in passes:
        number += not is_required
        runs = is_required or limit < 0 or number <= limit
        if not is_required:
            stream.write(f"pass {number}, {pass_.name}: {'runs' if runs else 'left out'}\n")
        if runs:
            kept.append(pass_)
    return kept
