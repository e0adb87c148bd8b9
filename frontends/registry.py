"""Who opens a model that is not text: the frontend that the suffix of its file names."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module
from pathlib import Path

from mlc.frontends.frontend import Frontend
from mlc.support.additions import Additions, own_class
from mlc.support.errors import UserError
from mlc.support.model_source import ModelSource


@cache
def _own() -> dict[str, str]:
    """The folder of each of mlc's own frontends, which has a module `source`, by its SUFFIX."""
    folders = sorted(file.parent.name for file in Path(__file__).parent.glob("*/source.py"))
    return {import_module(f"mlc.frontends.{folder}").SUFFIX: folder for folder in folders}


plugin_frontends = Additions("frontend", "mlc.frontends", lambda name: "mlc" if name in _own() else None)


def suffixes() -> list[str]:
    """How names of files of models end, with the dot."""
    return [f".{name}" for name in (*_own(), *plugin_frontends.names())]


def model_in_memory(model: object) -> ModelSource | None:
    """The model in the bytes of a file, or in the object that a format's own library makes of one; None for what no
    frontend knows.

    Raises:
        UserError: the object is not complete.
    """
    for frontend in _frontends():
        if (found := frontend.in_memory(model)) is not None:
            return found
    return None


def open_model(path: str | Path) -> ModelSource | None:
    """The model in a file of a frontend; None if the file is of no frontend's kind. Nothing is read yet."""
    frontend = _frontend(Path(path).suffix.lower().removeprefix("."))
    return None if frontend is None else frontend.open(Path(path))


def _frontends() -> Iterator[Frontend]:
    for name in (*_own(), *plugin_frontends.names()):
        if (found := _frontend(name)) is not None:
            yield found


def _frontend(name: str) -> Frontend | None:
    """The frontend of a suffix, if there is one.

    Raises:
        UserError: a plugin adds something else.
    """
    if (folder := _own().get(name)) is not None:
        return _made(own_class(f"mlc.frontends.{folder}.source", Frontend, name, "frontend", __name__))
    if (addition := plugin_frontends.get(name)) is None:
        return None
    loaded = addition.load()
    if not (isinstance(loaded, type) and issubclass(loaded, Frontend)):
        raise UserError(f"frontend '{name}' of {addition.origin} is not a class that derives from Frontend")
    return _made(loaded)


def _made(cls: Callable[[], Frontend]) -> Frontend:
    return cls()
