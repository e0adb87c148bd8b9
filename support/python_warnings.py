"""Warnings of Python that point at the program that called mlc."""

from __future__ import annotations

import sys
import warnings


class FormerNameWarning(FutureWarning):
    """Something is named as it was called before."""


def warn_caller(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn at the nearest line that is none of mlc's own."""
    frame, level = sys._getframe(1), 2  # pyright: ignore[reportPrivateUsage]; level 2 is who called this
    while frame.f_back is not None and _is_own(frame.f_globals.get("__name__", "")):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)


def _is_own(module: str) -> bool:
    return module.partition(".")[0] == "mlc"
