"""Which files hold models that are not text, and who reads them: the folder of a frontend, by the suffix."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from mlc.support.model_source import ModelSource

FRONTENDS = {".onnx": "onnx", ".pt2": "torch"}
"""The folder of the frontend for each suffix. Its module `source` has the functions `open_source(path)` and
`in_memory(model)`."""


def model_in_memory(model: object) -> ModelSource | None:
    """The model in the bytes of a file, or in the object that a frontend's own library makes of one; None for what no
    frontend knows.

    Raises:
        UserError: the object is not complete.
    """
    for folder in dict.fromkeys(FRONTENDS.values()):
        module = importlib.import_module(f"mlc.frontends.{folder}.source")
        if (found := cast(Callable[[object], Any], module.in_memory)(model)) is not None:
            return found
    return None


def open_model(path: str | Path) -> ModelSource | None:
    """The model in a file of a frontend; None if the file is of no frontend's kind. Nothing is read yet."""
    folder = FRONTENDS.get(Path(path).suffix.lower())
    if folder is None:
        return None
    module = importlib.import_module(f"mlc.frontends.{folder}.source")
    return cast(Callable[[Path], Any], module.open_source)(Path(path))
