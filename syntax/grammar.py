"""From the core grammar and the operations of some dialects to LALR(1) tables, cached on disk.

Building the tables takes lark up to a second; loading them takes milliseconds. So they are kept, one file for each
set of dialects that a text named, and found again by a hash of everything they depend on.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from xdsl.ir import Dialect
from xdsl.irdl import AttrConstraint, IRDLOperation, declarative_assembly_format, declarative_assembly_format_parser

from mlc.syntax import cache as disk
from mlc.syntax.formats import grammar_of
from mlc.syntax.tables import Tables

_HERE = Path(__file__).parent
_SOURCES = ("mlir.lark", "lalr.py", "tables.py", "formats.py", "directives.py")
_in_process: dict[str, Tables] = {}


def formatted_operations(dialect: Dialect) -> list[type[IRDLOperation]]:
    """The operations of a dialect that have a declarative assembly format and no `parse` of their own."""
    return [op for op in dialect.operations if issubclass(op, IRDLOperation) and _is_formatted(op)]


@cache
def _is_formatted(op: type[IRDLOperation]) -> bool:
    return op.get_irdl_definition().assembly_format is not None and not _overrides_parse(op)


def _overrides_parse(op: type[IRDLOperation]) -> bool:
    """Whether `op` extends an operation that has a format, by a `parse` of its own."""
    for base in op.__mro__:
        if "get_irdl_definition" in base.__dict__:
            return False
        if "parse" in base.__dict__:
            return True
    return False


def tables_for(dialects: Sequence[Dialect]) -> Tables:
    """The tables of the core grammar and the formatted operations of `dialects`, from the cache where possible."""
    operations = [op for d in sorted(dialects, key=lambda d: d.name) for op in formatted_operations(d)]
    key = _key(operations)
    if key not in _in_process:
        _in_process[key] = Tables.from_data(disk.load(key)) or _build_and_store(key, operations)
    return _in_process[key]


def core_grammar() -> str:
    """The grammar of the generic form, of regions, types and attributes, as lark reads it."""
    return (_HERE / "mlir.lark").read_text("utf-8")


def dialect_grammar(dialect: Dialect) -> str:
    """What a dialect adds: the rules of its formatted ops, and the names of those with a parser of their own."""
    lines: list[str] = []
    by_hand: list[str] = []
    formatted = set(formatted_operations(dialect))
    for op in dialect.operations:
        part = grammar_of(op) if op in formatted and issubclass(op, IRDLOperation) else None
        if part is None:
            by_hand.append(op.name)
        else:
            lines += [f"// {op.name}", f"custom_body: {part.alternative.strip().removeprefix('| ')}", *part.rules, ""]
    if by_hand:
        lines.append(f"// parsed by hand: {', '.join(by_hand)}")
    return "\n".join(lines).rstrip() + "\n"


def _build_and_store(key: str, operations: Sequence[type[IRDLOperation]]) -> Tables:
    from mlc.syntax.lalr import build_tables  # lark takes time to import, and is needed only here

    tables = build_tables(operations)
    disk.store(key, tables.to_data())
    return tables


def _key(operations: Sequence[type[IRDLOperation]]) -> str:
    digest = hashlib.sha256(_own_digest())
    for op in operations:
        digest.update(_identity(op))
    return digest.hexdigest()


@cache
def _own_digest() -> bytes:
    """Of what makes tables of formats: ours, that of xDSL, and the release of lark, which its first file names.

    To ask for the releases of packages takes as long as to read a short text.
    """
    digest = hashlib.sha256(f"{sys.version_info[:2]}".encode())
    lark = find_spec("lark")
    assert lark is not None and lark.origin is not None
    formats = (declarative_assembly_format.__file__, declarative_assembly_format_parser.__file__)
    for file in (lark.origin, *formats, *(_HERE / name for name in _SOURCES)):
        digest.update(Path(file).read_bytes())
    return digest.digest()


@cache
def _identity(op: type[IRDLOperation]) -> bytes:
    """What the grammar of an operation depends on: its name, its format, and how many of each part it may have."""
    return "\0".join(_parts(op)).encode()


def _parts(op: type[IRDLOperation]) -> Iterator[str]:
    definition = op.get_irdl_definition()
    yield op.name
    yield definition.assembly_format or ""
    for parts in (definition.operands, definition.results, definition.regions, definition.successors):
        yield " ".join(f"{name}:{type(part).__name__}" for name, part in parts)
    for named in (definition.properties, definition.attributes):
        yield " ".join(f"{name}:{type(part).__name__}:{_kind(part.constr)}" for name, part in named.items())


def _kind(constraint: AttrConstraint) -> str:
    """What decides whether a format writes an attribute in a short form."""
    bases = constraint.get_bases() or ()
    return f"{type(constraint).__name__}<{' '.join(sorted(b.__name__ for b in bases))}>"
