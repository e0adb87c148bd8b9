"""The modules of a folder, for what is found by where it stands and listed nowhere."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TypeVar

from xdsl.ir import Attribute, Operation

_D = TypeVar("_D", bound=Operation | Attribute)


def modules_of(package: str, files: str = "[a-z]*.py") -> list[ModuleType]:
    """Import the modules of a package, by name; by default those that are not for its folder alone."""
    folder = import_module(package).__file__
    assert folder is not None
    return [import_module(f"{package}.{file.stem}") for file in sorted(Path(folder).parent.glob(files))]


def definitions_of(modules: Iterable[ModuleType], base: type[_D]) -> list[type[_D]]:
    """The ops or attributes that modules define and that derive from `base`, in the order of the text.

    A class that others derive from, and that no IR has, is given no `name`.
    """
    return [
        each
        for module in modules
        for each in vars(module).values()
        if isinstance(each, type) and each.__module__ == module.__name__ and "name" in vars(each)
        if issubclass(each, base)
    ]
