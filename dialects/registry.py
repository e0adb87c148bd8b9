"""Which dialects there are: found by folder name, imported only when an op of theirs is met."""

from __future__ import annotations

import importlib
import inspect
from collections import Counter
from collections.abc import Iterator
from functools import cache, partial
from pathlib import Path

from xdsl.context import Context
from xdsl.dialects import get_all_dialects
from xdsl.dialects.builtin import Builtin
from xdsl.ir import Attribute, Dialect, Operation, TypeAttribute
from xdsl.traits import HasCanonicalizationPatternsTrait, HasFolder

from mlc.support.additions import Additions
from mlc.support.blame import place_of
from mlc.support.errors import UserError


@cache
def dialect_names() -> tuple[str, ...]:
    """The dialects that mlc defines, one per folder beside this file."""
    here = Path(__file__).parent
    return tuple(sorted(f.parent.name for f in here.glob("*/__init__.py")))


_UPSTREAM = ("builtin", "math")
"""The dialects of xDSL that mlc uses as they are. Others of xDSL's a plugin may replace by its own."""


def _owner(name: str) -> str | None:
    """Who has a dialect of that name which no plugin may replace."""
    return "mlc" if name in (*dialect_names(), *_UPSTREAM) else None


plugin_dialects = Additions("dialect", "mlc.dialects", _owner)
"""The dialects that plugins bring. An installed one is imported when a text first names it (entry point
`poly = "my_package.poly:Poly"` in the group `mlc.dialects`); ops of it exist only from then on, so it is early enough
if that import also registers lowering patterns and reference semantics."""


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


@cache
def registered_class(op_type: type[Operation]) -> type[Operation]:
    """The class that mlc has for the ops of one of xDSL's classes: that of the name, which parsing makes.

    What mlc knows of an op, such as its lowering and its meaning, it knows of that class.
    """
    dialect = op_type.name.partition(".")[0]
    if not op_type.__module__.startswith("xdsl.") or dialect not in dialect_names():
        return op_type
    return next((op for op in load_dialect(dialect).operations if op.name == op_type.name), op_type)


def register_dialects(ctx: Context) -> None:
    """Make every dialect known to `ctx`: mlc's own, those of plugins, and xDSL's where neither has one of that name.

    Raises:
        UserError: two plugins bring dialects of one name.
    """
    ctx.load_dialect(Builtin)
    ours = dialect_names()
    for name in ours:
        ctx.register_dialect(name, partial(load_dialect, name))
    theirs = plugin_dialects.names()
    for name in theirs:
        ctx.register_dialect(name, partial(load_plugin_dialect, name))
    for name, factory in get_all_dialects().items():
        if name not in ours and name not in theirs and name != Builtin.name:
            ctx.register_dialect(name, factory)


def load_plugin_dialect(name: str) -> Dialect:
    """The dialect that a plugin brings under this name.

    Raises:
        UserError: it cannot be imported, is not a dialect, or is not well formed.
    """
    addition = plugin_dialects.get(name)
    assert addition is not None
    dialect = addition.load()
    if not isinstance(dialect, Dialect) or dialect.name != name:
        found = f"the dialect '{dialect.name}'" if isinstance(dialect, Dialect) else type(dialect).__name__
        raise UserError(f"{addition.origin} promises a dialect '{name}', found {found}")
    check_dialect(dialect, addition.origin)
    return dialect


def check_dialect(dialect: Dialect, origin: str) -> None:
    """Refuse a dialect that xDSL would misunderstand.

    Raises:
        UserError: the name of an op or attribute is used twice, or does not start with the dialect's; a class lacks
            methods that it promises; an op has patterns or a folder that nobody would ask for. It is placed at the
            class.
    """
    for definition, fault in _faults(dialect):
        raise UserError(f"dialect '{dialect.name}' of {origin}: {fault}", place_of(definition))


_INTERFACES = (
    ("get_canonicalization_patterns", HasCanonicalizationPatternsTrait, "HasCanonicalizationPatternsInterface"),
    ("fold", HasFolder, "HasFolderInterface"),
)
"""Methods of ops, the trait by which passes know that an op has them, and what brings both."""


def _faults(dialect: Dialect) -> Iterator[tuple[type[Operation | Attribute], str]]:
    types = [a for a in dialect.attributes if issubclass(a, TypeAttribute)]
    attributes = [a for a in dialect.attributes if not issubclass(a, TypeAttribute)]
    for noun, definitions in (("op", list(dialect.operations)), ("type", types), ("attribute", attributes)):
        last = {d.name: d for d in definitions}
        for name, count in Counter(d.name for d in definitions).items():
            if count > 1:
                classes = " and ".join(d.__name__ for d in definitions if d.name == name)
                yield last[name], f"{noun} '{name}' is defined {count} times (by {classes}); rename or drop one"
            if not name.startswith(f"{dialect.name}."):
                fault = "is not in the dialect's namespace; its name has to start with"
                yield last[name], f"{noun} '{name}' {fault} '{dialect.name}.'"
        for definition in definitions:
            if inspect.isabstract(definition):
                missing = sorted(definition.__abstractmethods__)
                promised = " and ".join(f"{each}, which {_who_promises(definition, each)} promises" for each in missing)
                yield definition, f"{noun} '{definition.name}': {definition.__name__} has to define {promised}"
    for op in dialect.operations:
        for method, trait, interface in _INTERFACES:
            if hasattr(op, method) and not op.has_trait(trait):
                advice = f"{op.__name__} has to derive from {interface} of xdsl.interfaces"
                yield op, f"op '{op.name}' has {method}, which no pass calls: {advice}"


def _who_promises(definition: type, method: str) -> str:
    """The name of the class that has an abstract method, which `definition` derives from."""
    return next(base.__name__ for base in reversed(definition.__mro__) if method in vars(base))
