"""All dialects that mlc knows, by name, none of them imported before a text or a pass names it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib import import_module
from pkgutil import iter_modules

from xdsl.context import Context
from xdsl.dialects import get_all_dialects
from xdsl.ir import Dialect

import mlc.dialects
from mlc.support.errors import CompilerBug


def register_all(ctx: Context) -> None:
    """Register xDSL's dialects and ours; of two with the same name (tensor, llvm), ours, which extends the other."""
    for name, load in all_dialects().items():
        ctx.register_dialect(name, load)


def all_dialects() -> dict[str, Callable[[], Dialect]]:
    """A loader for each dialect. Ours are the packages of this folder: the folder's name is the dialect's."""
    ours = [m.name for m in iter_modules(mlc.dialects.__path__) if m.ispkg]
    return {**get_all_dialects(), **{name: partial(_load, name) for name in ours}}


def _load(name: str) -> Dialect:
    module = import_module(f"{mlc.dialects.__name__}.{name}")
    found = [v for v in vars(module).values() if isinstance(v, Dialect) and v.name == name]
    if len(found) > 1:  # one that extends xDSL's has that one at hand too
        upstream = get_all_dialects()[name]()
        found = [d for d in found if d is not upstream]
    if len(found) != 1:
        raise CompilerBug(
            f"{module.__name__} exports {len(found)} dialects named '{name}', not one", "dialects.universe"
        )
    return found[0]
