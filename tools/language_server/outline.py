"""The structure of a text: its symbols, what can be folded, which types its values have."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Literal

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from mlc.tools.language_server.analysis import AnalysedText


@dataclass
class OutlineEntry:
    """A symbol of the outline, with those inside of it."""

    op: Operation
    name: str
    detail: str
    kind: Literal["function", "module", "other"]
    start: int
    """Where its op starts."""
    end: int
    name_at: int
    inside: list[OutlineEntry] = field(default_factory=list["OutlineEntry"])


def outline(text: AnalysedText) -> list[OutlineEntry]:
    """The symbols of a text in their order, as they contain each other."""
    symbols = ((name, op, at) for name, found in text.symbols.items() for op, at in found)
    entries: dict[Operation, OutlineEntry] = {}
    top: list[OutlineEntry] = []
    opened = sorted(text.braces)
    for name, op, at in sorted(symbols, key=itemgetter(2)):
        start = text.start_of(op)
        assert start is not None, "a symbol was found from the position of its op"
        end = name_end = at + len(name)
        while op.regions and (after := bisect_left(opened, end)) < len(opened):
            brace = opened[after]
            between = text.text[end:brace]
            # After the head, an attribute dictionary may stand before a region, and one region before another.
            if ("\n" in between) if end == name_end else between.strip() not in ("", ","):
                break
            end = text.braces[brace] + 1
        kind = "function" if isinstance(op, FuncOp) else "module" if isinstance(op, ModuleOp) else "other"
        entries[op] = OutlineEntry(op, name, op.name, kind, start, min(end, len(text.text)), at)
    for op, entry in entries.items():
        around = op.parent_op()
        while around is not None and around not in entries:
            around = around.parent_op()
        (top if around is None else entries[around].inside).append(entry)
    return top


def folds(text: AnalysedText) -> Iterator[tuple[int, int]]:
    """The first and the last line, from 0, of what braces enclose, and of comments of several lines."""
    for opened, closed in text.braces.items():
        first, last = (text.source.locate(p).line - 1 for p in (opened, closed))
        if opened < closed < len(text.text) and last > first + 1:
            yield first, last - 1
    begin = previous = -2
    for line in [text.source.locate(t.start).line - 1 for t in text.tokens if t.kind == "comment"] + [-2]:
        if line != previous + 1:
            if previous > begin >= 0:
                yield begin, previous
            begin = line
        previous = line


def _says(line: str, kind: str) -> bool:
    """Whether a type stands in a line by itself, not inside of another."""
    return re.search(rf"(?<![\w<]){re.escape(kind)}(?![\w>])", line) is not None


def inferred_types(text: AnalysedText, start: int, end: int) -> Iterator[tuple[int, str]]:
    """The types of values that the lines of their definitions do not say, and the position after the name."""
    for at, thing in text.definitions_between(start, end):
        line = text.text[text.text.rfind("\n", 0, at) + 1 : text.text.find("\n", at) % (len(text.text) + 1)]
        types = ", ".join(str(value.type) for value in thing.values)
        if not all(_says(line, str(value.type)) for value in thing.values):
            token = text.token_at(at)
            yield (at + len(thing.name) if token is None else token.end), types
