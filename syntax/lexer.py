"""The lexer: tokens that depend on what the parser can accept.

MLIR's text cannot be cut into tokens without its grammar: `4x8` is two sizes in a shape, `index` is a type or the name of
an attribute, `"a.b"` is a string or an operation, and the body of an operation with a hand-written parser is anything at
all. So the lexer sees the parser's stack, and turns a word into a keyword only where the parser accepts that keyword.

Lines and columns are not counted; errors find them (`errors.py`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from xdsl.ir import Operation
from xdsl.traits import IsolatedFromAbove
from xdsl.dialects.builtin import UnregisteredOp

from mlc.syntax import formats, words
from mlc.syntax.errors import Fault, SyntaxFault
from mlc.syntax.tables import Tables

if TYPE_CHECKING:
    from mlc.syntax.builder import Builder

_SUFFIX = r"(?:[0-9]+|[a-zA-Z$._-][a-zA-Z0-9$._-]*)"
STRING = r'"(?:[^"\\\n\v\f]+|\\(?:["nt\\]|[0-9A-Fa-f]{2}))*"'
_SCALAR = r"(?:[su]?i[0-9]+|b?f[0-9]+|index)"
SIMPLE_TYPE = rf"(?:tensor|memref|vector)<(?:[0-9]+x|\?x)*{_SCALAR}>"
"""A shaped type of plain sizes, which is one token."""

_TOKEN = re.compile(
    r"(?:\s+|//[^\n]*)*(?:"
    rf"(?P<percent>%{_SUFFIX})(?P<index>\#[0-9]+)?"
    rf"|(?P<shaped>{SIMPLE_TYPE})"
    r"|(?P<word>[a-zA-Z_][a-zA-Z0-9_$.]*)"
    r"|(?P<punctuation>\#-\}|\{-\#|->|\.\.\.|[:,(){}\[\]<>=+\-*/?|])"
    rf"|(?P<string>{STRING})"
    r"|(?P<hexadecimal>0x[0-9a-fA-F]+)"
    r"|(?P<real>[0-9]+\.[0-9]*(?:[eE][+-]?[0-9]+)?)"
    r"|(?P<integer>[0-9]+)"
    rf"|(?P<caret>\^{_SUFFIX})"
    rf"|(?P<symbol>@(?:[a-zA-Z_][a-zA-Z0-9_$.]*|{STRING}))"
    rf"|(?P<exclamation>!{_SUFFIX})"
    rf"|(?P<hash>\#{_SUFFIX})"
    r"|(?P<end>\Z))",
    re.ASCII,
).match
_DIM = re.compile(r"([0-9]+|\?)\s*x").match
_SCALABLE_DIM = re.compile(r"\[\s*([0-9]+)\s*\]\s*x").match
_STAR_DIM = re.compile(r"\*\s*x").match
_DENSE_LIST = re.compile(r"[\[\]\s,0-9eE+\-.]*(?=>)|[\[\]\s,truefals]*(?=>)").match
_DOUBLE = re.compile(r"::|>=|<=|==").match


class Name(NamedTuple):
    """A token whose text and position the builder needs."""

    text: str
    position: int


class OpName(NamedTuple):
    """The name of an operation with a custom assembly format."""

    op: type[Operation]
    position: int


class OpenBrace(NamedTuple):
    """A `{`, which may open a region."""

    op: type[Operation] | None
    """The operation that it belongs to."""
    position: int
    braces: int
    """How many braces are open behind it."""


class RegionOf(NamedTuple):
    """What a region belongs to that a hand-written parser asks for."""

    op: type[Operation] | None
    dialects: Sequence[str]


class Lexer:
    """The tokens of one text, for one run of the machine.

    Args:
        stack: the parser's stack of states, which the lexer watches.
        region_of: if only one region is to be read, what it belongs to.
    """

    def __init__(
        self, builder: Builder, tables: Tables, stack: list[int], position: int, region_of: RegionOf | None
    ) -> None:
        self.builder = builder
        self.tables = tables
        self.stack = stack
        self.position = position
        """The end of the last token."""
        self.start = position
        """The start of the last token."""
        self._region_of = region_of
        self.dialects: list[str] = ["builtin"] if region_of is None else list(region_of.dialects)
        """The dialect whose names need no prefix, for each open brace."""
        self.ops: list[type[Operation] | None] = []
        """The operation around each open brace."""

    def tokens(self) -> Iterator[tuple[str, Any]]:
        """Terminals and their values. Raises Fault and xDSL's ParseError."""
        builder, tables = self.builder, self.tables
        text, rows, stack, types = builder.text, tables.rows, self.stack, builder.simple_types
        punctuation, keywords = tables.punctuation, tables.keywords
        directive_rows = tables.directive_rows
        dialects, ops = self.dialects, self.ops
        current = self._region_of.op if self._region_of is not None else None
        dialect = dialects[-1]
        position = self.position
        while True:
            m = _TOKEN(text, position)
            row = rows[stack[-1]]
            if m is None:
                raise self._no_token(position)
            group = m.lastgroup
            assert group is not None
            start, end = m.span(group)
            value: Any
            if group == "percent":
                kind, value = "PERCENT_ID", (text[start + 1 : end], 0, start)
            elif group == "punctuation":
                value = text[start:end]
                kind = punctuation.get(value, "UNKNOWN")
                if value == "{":
                    dialects.append(dialect)
                    ops.append(current)
                    value = OpenBrace(current, start, len(ops))
                elif value == "}":
                    if ops:
                        dialect = dialects.pop()
                        current = ops.pop()
                elif value == "[":
                    if "DENSE_LIST" in row and (d := _DENSE_LIST(text, start)):
                        kind, end = "DENSE_LIST", d.end()
                        value = Name(text[start:end], start)
                    elif "SCALABLE_DIM" in row and (d := _SCALABLE_DIM(text, start)):
                        kind, value, end = "SCALABLE_DIM", (int(d[1]), True), d.end()
                elif value == "?":
                    if "DIM" in row and (d := _DIM(text, start)):
                        kind, value, end = "DIM", (None, False), d.end()
                elif value == "*":
                    if "STAR_DIM" in row and (d := _STAR_DIM(text, start)):
                        kind, end = "STAR_DIM", d.end()
                elif value in ":><=" and (d := _DOUBLE(text, start)) and punctuation.get(d[0]) in row:
                    kind, value, end = punctuation[d[0]], d[0], d.end()
            elif group == "word":
                word = text[start:end]
                kind = keywords.get(word, "")
                value = word
                if kind in row and ("OP_NAME" not in row or tables.accepts(stack, kind)):
                    value = Name(word, start)
                elif "TYPE" in row and (known := types.get(word) or builder.scalar_type(word)) is not None:
                    kind, value = "TYPE", known
                elif "OP_NAME" in row and (op := self._operation(word, text, end, row)) is not None:
                    self.start, self.position = start, end
                    yield "OP_NAME", OpName(op, start)
                    dialect, current = op.dialect_name(), op
                    kind, value = formats.terminal(op), start
                    if kind not in rows[stack[-1]]:
                        kind = "HAND_BODY"
                        value, end = builder.hand.operation(op, end, dialects)
                elif "BARE_ID" in row:
                    kind, value = "BARE_ID", Name(word, start)
                elif tables.accepts(stack, "OP_NAME") and stack[-1] not in directive_rows:
                    self.start, self.position = start, end
                    raise builder.unknown_operation(word, start, dialects)
                else:
                    kind = kind or "BARE_ID"
            elif group == "shaped":
                word = text[start:end]
                kind = "TYPE"
                if (value := types.get(word)) is None and kind in row:
                    self.start, self.position = start, end
                    value = builder.simple_type(word)
            elif group == "string":
                kind, value = "STRING_LIT", Name(text[start:end], start)
                if "OP_STRING" in row and ("STRING_LIT" not in row or not tables.accepts(stack, kind)):
                    kind = "OP_STRING"
                    name = value.text[1:-1]
                    current = builder.operation_class(name)
                    dialect = name.split(".", 1)[0]
            elif group in ("integer", "hexadecimal", "real"):
                if "DIM" in row and (d := _DIM(text, start)):
                    kind, value, end = "DIM", (int(d[1]), False), d.end()
                elif "DENSE_LIST" in row and (d := _DENSE_LIST(text, start)) and d.end() - start > end - start:
                    kind, end = "DENSE_LIST", d.end()
                    value = Name(text[start:end], start)
                elif group == "integer":
                    kind, value = "INT_LIT", text[start:end]
                elif group == "real":
                    kind, value = "FLOAT_LIT", text[start:end]
                else:
                    kind, value = "HEX_LIT", text[start:end]
            elif group == "index":
                start = m.start("percent")
                kind, value = "PERCENT_INDEXED", (m["percent"][1:], int(text[m.start("index") + 1 : end]), start)
            elif group == "caret":
                kind, value = "CARET_ID", Name(text[start + 1 : end], start)
            elif group == "symbol":
                kind, value = "AT_ID", builder.symbol(text[start:end], start)
            elif group == "end":
                self.start = self.position = end
                yield "$END", None
                return
            else:
                kind = "EXCL_ALIAS" if group == "exclamation" else "HASH_ALIAS"
                value = Name(text[start:end], start)
                if "." in value.text or text.startswith("<", end):
                    kind = "DIALECT_TYPE" if group == "exclamation" else "DIALECT_ATTR"
                    if kind in row:
                        value, end = builder.hand.dialect_attribute(value.text, start, end)
            if stack[-1] in directive_rows and not (kind in row and tables.accepts(stack, kind)):
                for terminal in directive_rows[stack[-1]]:
                    if tables.accepts(stack, terminal):
                        if kind == punctuation["{"]:
                            dialects.pop()
                            ops.pop()
                        kind = terminal
                        value, end = builder.hand.directive(terminal, start, dialects)
                        break
            self.start, self.position = start, end
            yield kind, value
            position = end
            if self._region_of is not None and not ops:
                yield "$END", None
                return

    def restart(self, position: int, open_braces: int) -> None:
        """Go on at another position, inside of so many of the braces that are open."""
        self.position = self.start = position
        del self.dialects[open_braces + 1 :], self.ops[open_braces:]

    def describe(self, kind: str) -> str:
        """The last token, for an error message."""
        if kind == "$END" and self.start >= len(self.builder.text):
            return words.END
        token = self.builder.text[self.start : self.position].split("\n", 1)[0]
        return f"'{token if len(token) <= 40 else token[:37] + '...'}'" if token else words.END

    def _operation(self, word: str, text: str, end: int, row: dict[str, int]) -> type[Operation] | None:
        """The operation that a word names here, if any."""
        if "BARE_ID" in row and text[end : end + 3].lstrip()[:1] in ("=", ",", "}"):
            return None
        for name in (word, *(f"{d}.{word}" for d in reversed(self.dialects))):
            if (op := self.builder.operation_class(name)) is not None and not issubclass(op, UnregisteredOp):
                return op
        return None

    def _no_token(self, position: int) -> Fault:
        text = self.builder.text
        while position < len(text) and text[position].isspace():
            position += 1
        found = text[position]
        self.start, self.position = position, position + 1
        if found == '"':
            return SyntaxFault(position, "a string that is not closed on its line, or has an unknown escape")
        return SyntaxFault(position, f"character {found!r}")


def is_isolated(op: type[Operation] | None) -> bool:
    """Whether the regions of an op cannot see the values around it."""
    return op is not None and op.has_trait(IsolatedFromAbove, value_if_unregistered=False)
