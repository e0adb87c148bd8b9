"""The options that frameworks hand on to the compiler."""

from __future__ import annotations

from collections.abc import Iterable

from mlc.compiler.options import FRAMEWORK_OPTIONS
from mlc.support.errors import UserError


def require_known(options: Iterable[str], taker: str, known: tuple[str, ...] = FRAMEWORK_OPTIONS) -> None:
    """See that options exist.

    Raises:
        UserError: one does not.
    """
    if unknown := [name for name in options if name not in known]:
        raise UserError(f"found the option '{unknown[0]}'; {taker} takes {', '.join(known)}")
