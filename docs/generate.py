"""Write the reference pages of the dialects, docs/dialects/*.md, from the definitions of their ops.

    python docs/generate.py

What a page says about an op stands in its class: the docstring, the declared operands, properties and results, and the
numbered constraints in the docstrings of its verifier. What an op means is the source of its function in the reference
interpreter. A test keeps the committed pages equal to what this makes.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import cast

from xdsl.dialects.builtin import (
    AffineMapAttr,
    ArrayAttr,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IntegerAttr,
    StringAttr,
    SymbolRefAttr,
    UnitAttr,
)
from xdsl.dialects.utils.enum_attribute import EnumAttribute
from xdsl.interfaces import HasCanonicalizationPatternsInterface
from xdsl.ir import Attribute, Dialect, TypeAttribute
from xdsl.irdl import (
    IRDLOperation,
)

from mlc.dialects.kept_text import KeptAsText
from mlc.dialects.loop import ScheduleAttr
from mlc.dialects.registry import dialect_names, load_dialect
from mlc.reference import interpreter as interpreter  # which registers the semantics of ops
from mlc.reference.execution import semantics_of
from mlc.tools.op_words import OpPart, class_words, parts_of, refused_by, required_by

FOLDER = Path(__file__).parent / "dialects"

_ACCESS: tuple[tuple[type[Attribute], str], ...] = (
    (IntegerAttr, ".value.data"),
    (FloatAttr, ".value.data"),
    (StringAttr, ".data"),
    (EnumAttribute, ".data"),
    (AffineMapAttr, ".data"),
    (ArrayAttr, ".data"),
    (DenseArrayBase, ".get_values()"),
    (DenseIntOrFPElementsAttr, ".get_values()"),
    (SymbolRefAttr, ".string_value()"),
    (UnitAttr, " is not None"),
)
"""How Python reads what an attribute holds; of others a pattern takes the attribute itself."""


def pages() -> dict[str, str]:
    """The text of every page, by file name."""
    return {f"{name}.md": _page(load_dialect(name)) for name in dialect_names()}


def own_ops(dialect: Dialect) -> list[type[IRDLOperation]]:
    """The ops of a dialect that mlc defines, without those that come from xDSL's dialect of the same name."""
    ops = [cast(type[IRDLOperation], op) for op in dialect.operations if op.__module__.startswith("mlc.")]
    # The operators of another source are made from its own lists, which its documentation describes.
    ops = [op for op in ops if hasattr(sys.modules[op.__module__], op.__name__)]
    return ops if dialect.name in ("graph", "tensor", "loop") else sorted(ops, key=lambda op: op.name)


def _page(dialect: Dialect) -> str:
    package = sys.modules[f"mlc.dialects.{dialect.name}"]
    ops = own_ops(dialect)
    attributes = [a for a in dialect.attributes if a.__module__.startswith("mlc.")]
    index = ["\n".join(["| op | |", "|---|---|", *map(_index_row, ops)])] if ops else []
    parts = [
        "<!-- Made by docs/generate.py from the op definitions. Edit those. -->",
        f"# The {dialect.name} dialect",
        inspect.cleandoc(package.__doc__ or ""),
        *index,
    ]
    for op in ops:
        parts += _op_section(op)
    kept = [a for a in attributes if issubclass(a, KeptAsText)]
    for attribute in attributes:
        parts += [] if attribute in kept else _attribute_section(attribute)
    if kept:
        names = ", ".join(f"`{'!' if issubclass(a, TypeAttribute) else '#'}{a.name}`" for a in kept)
        parts += ["## Kept as written", f"mlc carries these of upstream along, and looks into none of them: {names}."]
    return "\n\n".join(parts) + "\n"


def _index_row(op: type[IRDLOperation]) -> str:
    """A link to the op's section, by the fragment that Markdown renderers derive from its heading, and its summary."""
    summary = " ".join(inspect.cleandoc(op.__doc__ or "").partition("\n\n")[0].split()).replace("|", "\\|")
    return f"| [`{op.name}`](#{op.name.replace('.', '').lower()}) | {summary} |"


def _op_section(op: type[IRDLOperation]) -> Iterator[str]:
    yield f"## `{op.name}`"
    yield _LISTED.sub("", inspect.cleandoc(op.__doc__ or "")).rstrip()
    definition = op.get_irdl_definition()
    if definition.assembly_format is not None:
        yield f"Syntax:\n\n```text\n{op.name} {_plain(definition.assembly_format)}\n```"
    rows, variables = _rows(op)
    if rows:
        yield "\n".join(["| | name | what it is | in Python |", "|---|---|---|---|", *rows])
    if variables:
        yield "\n".join(f"`{name}`: {meaning}, the same each time." for name, meaning in variables.items())
    if facts := _facts(op):
        yield "\n".join(facts)
    if errors := list(_constraints(op)):
        yield "\n".join(errors)
    yield from _semantics(op)


def _semantics(op: type[IRDLOperation]) -> Iterator[str]:
    """The source of the function with which the reference interpreter computes the op, if it has one."""
    if (function := semantics_of(op)) is not None:
        file = Path(inspect.getsourcefile(function) or "").relative_to(FOLDER.parents[1]).as_posix()
        source = inspect.cleandoc("\n" + inspect.getsource(function))
        yield f"Reference semantics ([{file}](../../{file})):\n\n```python\n{source}\n```"


def _plain(assembly_format: str) -> str:
    """An assembly format as a reader sees it: keywords without backquotes."""
    text = re.sub(r"`([^`]*)`", r"\1", assembly_format)
    return re.sub(r" ([,\])])", r"\1", re.sub(r"([\[(]) ", r"\1", text))


def _rows(op: type[IRDLOperation]) -> tuple[list[str], dict[str, str]]:
    """Table rows for what an op takes and gives, and the type variables that occur in them."""
    parts, variables = parts_of(op)
    return [f"| {p.role} | `{p.name}` | {p.words} | {_access(p)} |" for p in parts], variables


def _access(part: OpPart) -> str:
    """How Python reads a part of an op: `op.starts.get_values()`."""
    endings = {next((e for kind, e in _ACCESS if issubclass(base, kind)), "") for base in part.bases}
    (ending,) = endings if len(endings) == 1 else ("",)
    return f"`{part.field}{ending}`"


def _facts(op: type[IRDLOperation]) -> list[str]:
    """Traits and canonicalization patterns."""
    facts: list[str] = []
    if names := sorted(t for t in (type(t).__name__ for t in op.traits.traits) if not t.startswith("_")):
        facts.append("Traits: " + ", ".join(f"`{n}`" for n in names) + ".")
    if issubclass(op, HasCanonicalizationPatternsInterface):
        patterns = op.get_canonicalization_patterns()
        if patterns:
            facts.append("Simplified by: " + ", ".join(f"`{type(p).__name__}`" for p in patterns) + ".")
    return facts


_LISTED = re.compile(r"^Constraints\b.*:\n(?:  .*\n?)+", re.MULTILINE)
"""The list of constraints in a docstring, which has a section of its own on the page."""


def _constraints(op: type[IRDLOperation]) -> Iterator[str]:
    """The numbered constraints."""
    for title, lines in (("Required", required_by(op)), ("Refused", refused_by(op))):
        if lines:
            yield f"{title}:\n"
            yield from (f"- `{name}`: {text}" for name, text in lines)


def _attribute_section(attribute: type[Attribute]) -> Iterator[str]:
    yield f"## `#{attribute.name}`"
    yield inspect.cleandoc(attribute.__doc__ or "")
    if issubclass(attribute, ScheduleAttr):
        yield attribute.listing()
    words = class_words(attribute)
    if words.startswith("one of"):
        yield f"It is {words}."


def main() -> None:
    """Write the pages."""
    FOLDER.mkdir(exist_ok=True)
    for name, text in pages().items():
        (FOLDER / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
