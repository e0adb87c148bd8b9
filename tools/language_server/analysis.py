"""One text of IR as an editor sees it: its tokens, where its names stand, what is wrong with it."""

from __future__ import annotations

import re
import sys
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Literal, cast

from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Operation

from mlc.compiler.compilation import new_context
from mlc.support.context import CompilerContext
from mlc.support.errors import SourceLocation, UserError, UserErrors
from mlc.support.locations import location_of
from mlc.syntax import verify_module
from mlc.syntax.errors import Source
from mlc.syntax.lexer import STRING
from mlc.syntax.names import NamedThing, RegionSpan
from mlc.syntax.parse import Reading, read_text

TokenClass = Literal["comment", "string", "value", "block", "symbol", "alias", "word", "number", "open", "close"]

_NAME = r"(?:[0-9]+|[a-zA-Z$._-][a-zA-Z0-9$._-]*)"
_TOKEN = re.compile(
    rf"(?P<comment>//[^\n]*)|(?P<string>{STRING})|(?P<value>%{_NAME}(?:\#[0-9]+)?)|(?P<block>\^{_NAME})"
    rf"|(?P<symbol>@(?:[a-zA-Z_][a-zA-Z0-9_$.]*|{STRING}))|(?P<alias>[!\#][a-zA-Z_$.][a-zA-Z0-9$._-]*)"
    r"|(?P<word>[a-zA-Z_][a-zA-Z0-9_$.]*)|(?P<number>[0-9][0-9a-fA-FxX.]*)|(?P<open>\{)|(?P<close>\})",
    re.ASCII,
)


@dataclass(frozen=True)
class TextToken:
    """A part of the text that means something by itself."""

    kind: TokenClass
    text: str
    start: int

    @property
    def end(self) -> int:
        """The position after it."""
        return self.start + len(self.text)


def tokens_of(text: str, start: int = 0, end: int = sys.maxsize) -> Iterator[TextToken]:
    """The tokens of a part of a text, but for punctuation, in order."""
    return (TextToken(cast(TokenClass, m.lastgroup), m[0], m.start()) for m in _TOKEN.finditer(text, start, end))


@dataclass
class AnalysedText:
    """A text, read as far as it can be read."""

    text: str
    file: str
    base: Path
    ctx: CompilerContext = field(default_factory=lambda: new_context(allow_unregistered=True))

    def __post_init__(self) -> None:
        self.source = Source(self.text, self.file)

    @cached_property
    def reading(self) -> Reading:
        """What the parser knows of the text."""
        return read_text(self.text, self.file, self.ctx, self.base)

    @cached_property
    def errors(self) -> list[UserError]:
        """What is wrong: of the syntax, or else what verifiers say."""
        if self.reading.errors:
            return list(self.reading.errors)
        ops = self.reading.ops
        module = ops[0] if len(ops) == 1 and isinstance(ops[0], ModuleOp) else ModuleOp([*ops])
        try:
            verify_module(module)
        except UserErrors as e:
            return list(e.errors)
        except UserError as e:
            return [e]
        return []

    # -- tokens

    @cached_property
    def tokens(self) -> list[TextToken]:
        """All tokens but punctuation, in order."""
        return list(tokens_of(self.text))

    @cached_property
    def _starts(self) -> list[int]:
        return [token.start for token in self.tokens]

    def token_at(self, position: int) -> TextToken | None:
        """The token at a position, or that ends there."""
        for at in (position, position - 1):
            index = bisect_right(self._starts, at) - 1
            if index >= 0 and self.tokens[index].start <= at < self.tokens[index].end:
                return self.tokens[index]
        return None

    @cached_property
    def braces(self) -> dict[int, int]:
        """The position of the closing brace for that of each opening one; the end of the text where it is missing."""
        pairs: dict[int, int] = {0: len(self.text)}
        opened: list[int] = []
        for token in self.tokens:
            if token.kind == "open":
                opened.append(token.start)
            elif token.kind == "close" and opened:
                pairs[opened.pop()] = token.start
        return pairs | dict.fromkeys(opened, len(self.text))

    # -- values and blocks

    @cached_property
    def things(self) -> dict[int, NamedThing]:
        """The values and blocks that names stand for, by each position of a name."""
        return {place: thing for thing in self.reading.scopes.things for place in thing.places}

    def visible(self, position: int, sigil: str) -> Iterator[NamedThing]:
        """The values (`%`) or blocks (`^`) that may be named at a position."""
        around = [span for span in self.reading.scopes.regions if self._contains(span, position)]
        isolated = max((span.opened_at for span in around if span.isolated), default=0)
        for thing in self.reading.scopes.things:
            span, defined = thing.region, thing.definition
            if defined is None or not thing.name.startswith(sigil) or span not in around:
                continue
            is_label_here = sigil == "^" and span is around[-1]
            if is_label_here or (sigil == "%" and defined < position and span.opened_at >= isolated):
                yield thing

    def _contains(self, span: RegionSpan, position: int) -> bool:
        return span.opened_at <= position <= self.braces.get(span.opened_at, len(self.text))

    # -- symbols and aliases

    @cached_property
    def symbols(self) -> dict[str, tuple[Operation, int]]:
        """The ops that have a symbol, and the position of its `@`, by the symbol with its `@`."""
        found: dict[str, tuple[Operation, int]] = {}
        for op in (inner for outer in self.reading.ops for inner in outer.walk()):
            name = op.get_attr_or_prop("sym_name")
            if isinstance(name, StringAttr) and (start := self.start_of(op)) is not None:
                symbol = f"@{name.data}"
                at = next((t.start for t in self._from(start) if t.kind == "symbol" and t.text == symbol), None)
                if at is not None:
                    found.setdefault(symbol, (op, at))
        return found

    def _from(self, position: int) -> Iterator[TextToken]:
        first = max(bisect_right(self._starts, position) - 1, 0)
        return (self.tokens[index] for index in range(first, len(self.tokens)))

    def start_of(self, op: Operation) -> int | None:
        """The position of an op's name, if it stands in this text."""
        place = location_of(op)
        return None if place is None or place.file != self.file or not place.line else self.source.position(place)

    def places_of(self, token: TextToken) -> list[int]:
        """All positions of the name that a token is, in order."""
        if (thing := self.things.get(token.start)) is not None:
            return thing.places
        if token.kind in ("symbol", "alias"):
            return [t.start for t in self.tokens if t.kind == token.kind and t.text == token.text]
        return []

    def definition_of(self, token: TextToken) -> int | None:
        """The position where the name that a token is gets its meaning."""
        if (thing := self.things.get(token.start)) is not None:
            return thing.definition
        if token.kind == "symbol":
            return self.symbols[token.text][1] if token.text in self.symbols else None
        if token.kind == "alias":
            return next((p for p in self.places_of(token) if re.match(r"\s*=", self.text[p + len(token.text) :])), None)
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
