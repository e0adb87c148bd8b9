"""One text of IR as an editor sees it: its tokens, where its names stand, what is wrong with it."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from operator import itemgetter
from pathlib import Path
from typing import Any

from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Operation, SSAValue

from mlc.compiler.compilation import new_context
from mlc.support.context import CompilerContext
from mlc.support.errors import SourceLocation, UserError, UserErrors
from mlc.support.locations import location_of
from mlc.syntax import verify_module
from mlc.syntax.errors import Source
from mlc.syntax.names import NamedThing, Names, RegionSpan, go_on
from mlc.syntax.parse import Reading, read_text
from mlc.syntax.recovery import starts_operation
from mlc.tools.language_server.dims import NamedDim, dim_at
from mlc.tools.language_server.tokens import TextToken, tokens_of

_LINES_OF_NAME = 20
"""How far from the name of an op its symbol is searched for."""

BETWEEN_OPERATIONS = re.compile(r"^[ \t]*(?:\^|[!#][\w$.-]+[ \t]*=|\{-#)", re.MULTILINE)
"""What stands between operations: labels, definitions of aliases, metadata."""


@dataclass(frozen=True)
class Edit:
    """The part of a text, from `start` to `old_end`, that became one that ends at `new_end`."""

    start: int
    old_end: int
    new_end: int

    def moved(self, position: int) -> int | None:
        """Where what stood at a position stands now; None in the part that was edited."""
        if position < self.start:
            return position
        return position + self.new_end - self.old_end if position >= self.old_end else None

    def before(self, position: int) -> int | None:
        """Where what stands at a position stood; None in the part that was edited."""
        if position < self.start:
            return position
        return position - self.new_end + self.old_end if position >= self.new_end else None


@dataclass
class AnalysedText:
    """A text, read as far as it can be read."""

    text: str
    file: str
    base: Path
    ctx: CompilerContext = field(default_factory=lambda: new_context(allow_unregistered=True))

    earlier: tuple[AnalysedText, Edit] | None = None
    """For a text of which only an edited part was read: the former text, and the part."""
    part: Reading | None = None
    """What that part says, if it could be read by itself."""
    new_ops: frozenset[Operation] = frozenset()
    """The ops of that part."""
    merge: Callable[[], Names] | None = None
    """Gives the names of an edited text."""
    check: Callable[[], None] = go_on
    """Is called while the text is read, and may raise `ReadingStopped`."""
    coloured: Sequence[Sequence[tuple[int, int, Any]]] | None = None
    """What `colours.py` found."""

    def __post_init__(self) -> None:
        self.source = Source(self.text, self.file)

    @cached_property
    def reading(self) -> Reading:
        """What the parser knows of the text."""
        return read_text(self.text, self.file, self.ctx, self.base, self.check)

    @cached_property
    def errors(self) -> list[UserError]:
        """What is wrong: of the syntax, or else what verifiers say."""
        if self.reading.errors:
            return list(self.reading.errors)
        ops = self.reading.ops
        module = ops[0] if len(ops) == 1 and isinstance(ops[0], ModuleOp) else ModuleOp([*ops])
        try:
            verify_module(module, check=self.check)
        except UserErrors as e:
            return list(e.errors)
        except UserError as e:
            return [e]
        return []

    def read_all(self) -> None:
        """Find out all that a later edit builds on."""
        for find in ("reading", "errors", "braces", "operation_lines", "symbols", "_definitions"):
            self.check()
            getattr(self, find)

    # -- tokens

    @cached_property
    def tokens(self) -> list[TextToken]:
        """All tokens but punctuation, in order."""
        return list(tokens_of(self.text))

    def tokens_between(self, first: int, last: int) -> Iterator[TextToken]:
        """The tokens of lines, which are numbered from 0; `last` is included."""
        starts = self.source.line_starts
        for line in range(first, min(last + 1, len(starts))):
            yield from tokens_of(self.line(line), starts[line])

    def line(self, number: int) -> str:
        """A line, numbered from 0, without its end."""
        starts = self.source.line_starts
        return self.text[starts[number] : starts[number + 1] - 1 if number + 1 < len(starts) else len(self.text)]

    def token_at(self, position: int) -> TextToken | None:
        """The token at a position, or that ends there."""
        line = bisect_right(self.source.line_starts, position) - 1
        around = [t for t in self.tokens_between(line, line) if t.start <= position <= t.end]
        return around[-1] if around else None

    @cached_property
    def braces(self) -> dict[int, int]:
        """The position of the closing brace for that of each opening one; the end of the text where it is missing."""
        pairs: dict[int, int] = {0: len(self.text)}
        opened: list[int] = []
        for token in self.brace_tokens():
            if token.kind == "open":
                opened.append(token.start)
            elif opened:
                pairs[opened.pop()] = token.start
        return pairs | dict.fromkeys(opened, len(self.text))

    def brace_tokens(self) -> Iterator[TextToken]:
        """The braces that are no part of strings and comments."""
        starts = self.source.line_starts
        for number, line in enumerate(self.text.split("\n")):
            if "{" in line or "}" in line:
                yield from (t for t in tokens_of(line, starts[number]) if t.kind in ("open", "close"))

    @cached_property
    def operation_lines(self) -> dict[int, list[int]]:
        """Where the lines start with which ops, labels and definitions of aliases begin, in order, by the position of
        the brace around them; 0 for the file."""
        lines = {p.line for op in self._walk() if (p := location_of(op)) is not None and p.file == self.file and p.line}
        starts = (self.source.line_starts[line - 1] for line in lines)
        found = {at for at in starts if self._starts_operation(at)}
        found |= {m.start() for m in BETWEEN_OPERATIONS.finditer(self.text)}
        result: dict[int, list[int]] = {0: []}
        opened = [0]
        events = [(at, "line") for at in found] + [(token.start, str(token.kind)) for token in self.brace_tokens()]
        for at, kind in sorted(events):
            if kind == "line":
                result.setdefault(opened[-1], []).append(at)
            elif kind == "open":
                opened.append(at)
            elif len(opened) > 1:
                opened.pop()
        return result

    def _starts_operation(self, position: int) -> bool:
        self.check()
        return starts_operation(self.text, position)

    def _walk(self) -> Iterator[Operation]:
        for outer in self.reading.ops:
            for inner in outer.walk():
                self.check()
                yield inner

    # -- values and blocks

    @cached_property
    def names(self) -> Names:
        """All names; after an edit, they are put together when somebody asks for them."""
        return self.reading.names if self.merge is None else self.merge()

    @cached_property
    def _definitions(self) -> list[tuple[int, NamedThing]]:
        """What the text defines, in the order of its positions; of an edited text, what the edited part does."""
        names = self.names if self.earlier is None else Names((), ()) if self.part is None else self.part.names
        found = [(thing.definition, thing) for thing in names.things if thing.definition is not None]
        return sorted(found, key=itemgetter(0))

    def definitions_between(self, start: int, end: int) -> Iterator[tuple[int, NamedThing]]:
        """The names that are defined from one position to another one, which is left out, and where."""
        if self.earlier is None:
            first, last = (bisect_left(self._definitions, at, key=itemgetter(0)) for at in (start, end))
            yield from self._definitions[first:last]
            return
        before, edit = self.earlier
        yield from before.definitions_between(start, min(end, edit.start))
        inside = max(start, edit.start), min(end, edit.new_end)
        yield from ((at, thing) for at, thing in self._definitions if inside[0] <= at < inside[1])
        moved = edit.new_end - edit.old_end
        later = before.definitions_between(max(start, edit.new_end) - moved, end - moved)
        yield from ((at + moved, thing) for at, thing in later)

    @cached_property
    def things(self) -> dict[int, NamedThing]:
        """The values and blocks that names stand for, by each position of a name."""
        return {place: thing for thing in self.names.things for place in thing.places}

    def value_at(self, position: int) -> SSAValue | None:
        """What the name of a value at a position stands for; of several values the first."""
        if self.earlier is None:
            thing = self.things.get(position)
            return thing.values[0] if thing is not None and thing.values else None
        before, edit = self.earlier
        if (at := edit.before(position)) is not None:
            return before.value_at(at)
        things = () if self.part is None else self.part.names.things
        thing = next((t for t in things if position == t.definition or position in t.uses), None)
        if thing is None or not thing.values:
            return None
        outside = None if thing.definition is None else edit.before(thing.definition)
        return thing.values[0] if outside is None else before.value_at(outside)

    def visible(self, position: int, written: str) -> list[NamedThing]:
        """The values (`%`) or blocks (`^`) that may be named at a position and start with what is written there, that
        which is defined last first."""
        found = [(thing.definition or 0, thing) for thing in self._visible(position, written)]
        return [thing for _, thing in sorted(found, key=itemgetter(0), reverse=True)]

    def _visible(self, position: int, written: str) -> Iterator[NamedThing]:
        around = [span for span in self.names.regions if self._contains(span, position)]
        isolated = max((span.opened_at for span in around if span.isolated), default=0)
        for thing in self.names.things:
            span, defined = thing.region, thing.definition
            if defined is None or not thing.name.startswith(written) or span not in around:
                continue
            is_label_here = written[0] == "^" and span is around[-1]
            if is_label_here or (written[0] == "%" and defined < position and span.opened_at >= isolated):
                yield thing

    def dialects_at(self, position: int) -> list[str]:
        """The dialects whose names need no prefix at a position, the nearest first."""
        around = [span.dialect for span in self.names.regions if self._contains(span, position)]
        return list(dict.fromkeys(reversed(around)))

    def _contains(self, span: RegionSpan, position: int) -> bool:
        return span.opened_at <= position <= self.braces.get(span.opened_at, len(self.text))

    # -- symbols and aliases

    @cached_property
    def symbols(self) -> dict[str, list[tuple[Operation, int]]]:
        """The ops that have a symbol, and the position of its `@`, by the symbol with its `@`: several modules may each
        have one of that name."""
        found: dict[str, list[tuple[Operation, int]]] = {}
        for op in self._walk():
            name = op.get_attr_or_prop("sym_name")
            if isinstance(name, StringAttr) and (start := self.start_of(op)) is not None:
                symbol = f"@{name.data}"
                at = next((t.start for t in self._from(start) if t.kind == "symbol" and t.text == symbol), None)
                if at is not None:
                    found.setdefault(symbol, []).append((op, at))
        return found

    def symbol_of(self, token: TextToken) -> tuple[Operation, int] | None:
        """The op that a symbol names, and where: that of `@module::`, or else of the innermost module around it."""
        found = self.symbols.get(token.text, [])
        if len(found) < 2:
            return found[0] if found else None
        before = self.text[self.text.rfind("\n", 0, token.start) + 1 : token.start]
        outer = self.token_at(token.start - 2) if before.endswith("::") else None
        module = None if outer is None else self.symbol_of(outer)
        if module is not None:
            return next((each for each in found if each[0].parent_op() is module[0]), None)
        scopes = [(self._brace_around(at), at == token.start, (op, at)) for op, at in found]
        inside = [each for each in scopes if self.braces[each[0]] > token.start >= each[0]]
        return max(inside, key=itemgetter(0, 1), default=scopes[0])[2]

    def _brace_around(self, position: int) -> int:
        return max(opened for opened, closed in self.braces.items() if opened <= position < closed)

    def _from(self, position: int) -> Iterator[TextToken]:
        first = bisect_right(self.source.line_starts, position) - 1
        return (t for t in self.tokens_between(first, first + _LINES_OF_NAME) if t.start >= position)

    def start_of(self, op: Operation) -> int | None:
        """The position of an op's name, if it stands in this text."""
        if self.earlier is not None and _outermost(op) not in self.new_ops:
            before, edit = self.earlier
            at = before.start_of(op)
            return None if at is None else edit.moved(at)
        place = location_of(op)
        return None if place is None or place.file != self.file or not place.line else self.source.position(place)

    def begins_op(self, position: int) -> bool:
        """Whether the name of an op begins at a position."""
        return any(self.start_of(op) == position for op in self._walk())

    def places_of(self, token: TextToken) -> list[int]:
        """All positions of the name that a token is, in order."""
        if (thing := self.things.get(token.start)) is not None:
            return thing.places
        if token.kind in ("symbol", "alias"):
            alike = [t for t in self.tokens if t.kind == token.kind and t.text == token.text]
            if len(self.symbols.get(token.text, ())) > 1:
                meant = self.symbol_of(token)
                alike = [t for t in alike if self.symbol_of(t) == meant]
            return [t.start for t in alike]
        return [] if (dim := self.dim_at(token)) is None else dim.places

    def dim_at(self, token: TextToken) -> NamedDim | None:
        """The dim of a function that a token names."""
        if token.kind != "word":
            return None
        ops = [op for found in self.symbols.values() for op, _ in found if op.regions]
        starts = [start for op in ops if (start := self.start_of(op)) is not None]
        start = max((at for at in starts if at <= token.start), default=None)
        if start is None:
            return None
        end = min((at for at in starts if at > token.start), default=len(self.text))
        return dim_at(self.text[start:end], start, token)

    def definition_of(self, token: TextToken) -> int | None:
        """The position where the name that a token is gets its meaning."""
        if (thing := self.things.get(token.start)) is not None:
            return thing.definition
        if token.kind == "symbol":
            return None if (meant := self.symbol_of(token)) is None else meant[1]
        if token.kind == "alias":
            return next((p for p in self.places_of(token) if re.match(r"\s*=", self.text[p + len(token.text) :])), None)
        if (dim := self.dim_at(token)) is not None:  # an op says how long its dims are after it names them
            return next((at for at in dim.declared if at >= token.start), dim.declared[-1])
        return None

    def range_of(self, location: SourceLocation) -> tuple[int, int]:
        """The positions that an error at a place is about: the token there, or the line."""
        line = min(max(location.line, 1), len(self.source.line_starts))
        start = self.source.line_starts[line - 1]
        if location.column:
            start = min(start + location.column - 1, len(self.text))
            token = self.token_at(start)
            return start, token.end if token is not None and token.end > start else min(start + 1, len(self.text))
        end = self.text.find("\n", start)
        return start, len(self.text) if end < 0 else end


def _outermost(op: Operation) -> Operation:
    while (around := op.parent_op()) is not None:
        op = around
    return op
