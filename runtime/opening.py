"""Opening a compiled model in Python."""

from __future__ import annotations

import os
import weakref
from collections.abc import Sequence
from pathlib import Path

from mlc.runtime.library import Library, open_variants
from mlc.runtime.model import Model
from mlc.runtime.shaped_model import ShapedModel


def load(path: str | os.PathLike[str], name: str | None = None, *, temporary: bool = False) -> Model:
    """Open a compiled model (a shared library) for its function `name`: by default `main`, or the only one it has.

    One that was compiled for several shapes is a `ShapedModel`, which runs the code for the shapes of a call.
    A `temporary` file goes with the `Model`.

    Raises:
        FileNotFoundError: there is no such file.
        ArtifactError: the file is not a model, not one that this machine can run, or has several and none is `main`.
    """
    return model_of(open_variants(Path(path), name), temporary=temporary)


def model_of(libraries: Sequence[Library], *, temporary: bool = False) -> Model:
    """The model of functions that are open, one for each of its shapes; a `temporary` file goes with it."""
    models = [Model(library) for library in libraries]
    if temporary:
        file = _TemporaryFile()
        weakref.finalize(file, _remove, models[0].path)
        for model in models:
            model.file = file
    return models[0] if len(models) == 1 else ShapedModel(models)


class _TemporaryFile:
    """What keeps a file: it goes with the last model that holds this."""


def _remove(path: Path) -> None:
    path.unlink(missing_ok=True)
