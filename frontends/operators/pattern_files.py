"""The files of patterns of a conversion, imported when the first module needs them, or the first plugin."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any


@cache
def import_patterns(package: str) -> None:
    """Import the modules of a package whose names start with `_`: their patterns register themselves."""
    file = importlib.import_module(package).__file__
    assert file is not None
    for each in sorted(Path(file).parent.glob("_[a-z]*.py")):
        importlib.import_module(f"{package}.{each.stem}")


def exported(package: str, homes: Mapping[str, str], name: str) -> Any:
    """What a package of patterns exports to plugins: a name of one of the modules that `homes` has for names.

    Raises:
        AttributeError: it is none of these names.
    """
    if name not in homes:
        raise AttributeError(f"module '{package}' has no attribute '{name}'")
    # mlc's own patterns register first, so that an operator with two patterns is an error of who comes second.
    import_patterns(package)
    return getattr(importlib.import_module(homes[name]), name)
