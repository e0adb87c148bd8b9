"""Which dialects there are: found by folder name, imported only when an op of theirs is met."""

from __future__ import annotations

import importlib
from functools import cache
from pathlib import Path

from xdsl.context import Context
from xdsl.dialects import get_all_dialects
from xdsl.dialects.builtin import Builtin
from xdsl.ir import Dialect


@cache
def dialect_names() -> tuple[str, ...]:
    """The dialects that mlc defines, one per folder beside this file."""
    here = Path(__file__).parent
    return tuple(sorted(f.parent.name for f in here.glob("*/__init__.py")))


def load_dialect(name: str) -> Dialect:
    """Import `mlc.dialects.<name>` and return the dialect of that name which it exports.

    Raises:
        LookupError: the package exports no such dialect.
    """
    module = importlib.import_module(f"mlc.dialects.{name}")
    for export in module.__all__:
        value = getattr(module, export)
        if isinstance(value, Dialect) and value.name == name:
            return value
    raise LookupError(f"mlc/dialects/{name}/__init__.py exports no dialect named '{name}'")


def register_dialects(ctx: Context) -> None:
    """Make every dialect known to `ctx`: mlc's own, and xDSL's where mlc has none of that name."""
    ctx.load_dialect(Builtin)
    ours = dialect_names()
    for name in ours:
        ctx.register_dialect(name, lambda name=name: load_dialect(name))
    for name, factory in get_all_dialects().items():
        if name not in ours and name != Builtin.name:
            ctx.register_dialect(name, factory)
