"""The lexer: tokens that depend on what the parser can accept.

MLIR's text cannot be cut into tokens without its grammar: `4x8` is two sizes in a shape, `index` is a type or the
name of an attribute, `"a.b"` is a string or an operation, and the body of an operation with a hand-written parser
is anything at all. So the lexer sees the parser's stack, and turns a word into a keyword only where the parser
accepts that keyword.

Lines and columns are not counted; errors find them (`errors.py`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from xdsl.dialects.builtin import UnregisteredOp
from xdsl.ir import Operation
from xdsl.traits import IsolatedFromAbove

from mlc.support.spelling import STRING, VALUE_NAME
from mlc.syntax import formats, words
from mlc.syntax.errors import Fault, SyntaxFault
from mlc.syntax.tables import Row, Tables

if TYPE_CHECKING:
    from mlc.syntax.builder import ModuleBuilder

FRACTION = r"\.[0-9]*+(?:[eE][+-]?[0-9]++)?|[eE][+-]?[0-9]++"
"""What makes a float of digits. As Python prints it, the point may be missing: `1e-05`, which upstream refuses."""
_SCALAR = r"(?:[su]?i[0-9]+|b?f[0-9]+|index)"
SIMPLE_TYPE = rf"(?:tensor|memref|vector)<(?:[0-9]+x|\?x)*{_SCALAR}>"
"""A shaped type of plain sizes, which is one token."""
LIKE_TYPE = re.compile(rf"{_SCALAR}\w*").fullmatch
"""Whether a word can only be meant as a type: `f31`."""

SPACE = r"[\s\0]"
_BETWEEN = rf"{SPACE}*+(?://[^\n]*+(?:\n|\Z){SPACE}*+)*+"
_TOKEN = re.compile(
    rf"{_BETWEEN}(?:"
    rf"(?P<percent>%{VALUE_NAME})(?P<index>\#[0-9]+)?"
    rf"|(?P<shaped>{SIMPLE_TYPE})"
    r"|(?P<word>[a-zA-Z_][a-zA-Z0-9_$.]*)"
    r"|(?P<punctuation>\#-\}|\{-\#|->|\.\.\.|[:,(){}\[\]<>=+\-*/?|])"
    rf"|(?P<string>{STRING})"
    rf"|(?P<number>0x[0-9a-fA-F]+|[0-9]+(?:{FRACTION})?)"
    rf"|(?P<caret>\^{VALUE_NAME})"
    rf"|(?P<symbol>@(?:[a-zA-Z_][a-zA-Z0-9_$.]*|{STRING}))"
    rf"|(?P<sigil>[!\#]{VALUE_NAME})"
    r"|(?P<end>\Z))",
    re.ASCII,
).match
_COMMENTS = re.compile(_BETWEEN, re.ASCII).match
_DIM = re.compile(r"([0-9]+|\?)\s*x").match
_SCALABLE_DIM = re.compile(r"\[\s*([0-9]+)\s*\]\s*x").match
_STAR_DIM = re.compile(r"\*\s*x").match
_DENSE_LIST = re.compile(r"[\[\]\s,0-9eE+\-.]*(?=>)|[\[\]\s,truefals]*(?=>)").match
_DOUBLE = re.compile(r"::|>=|<=|==").match


Token = tuple[str, Any, int]
"""A terminal, its value, and the position after it."""


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
    dialect: str
    position: int


class RegionOf(NamedTuple):
    """What a region belongs to that a hand-written parser asks for."""

    op: type[Operation] | None
    dialects: Sequence[str]


class Lexer:
    """The tokens of one text, for one run of the machine.

    Args:
        stack: the parser's stack of states, which the lexer watches.
        region_of: if only one region is to be read, what it belongs to.
        dialects: otherwise, those whose names need no prefix, the innermost last.
    """

    def __init__(
        self,
        builder: ModuleBuilder,
        tables: Tables,
        stack: list[int],
        position: int,
        region_of: RegionOf | None,
        dialects: Sequence[str] = ("builtin",),
    ) -> None:
        self.builder = builder
        self.tables = tables
        self.stack = stack
        self.position = position
        """The end of the last token."""
        self.start = position
        """The start of the last token."""
        self._region_of = region_of
        self.dialects: list[str] = list(dialects if region_of is None else region_of.dialects)
        """The dialect whose names need no prefix, for each open brace."""
        self._outer_dialects = len(self.dialects)
        self._ops: list[type[Operation] | None] = []
        """The operation around each open brace."""
        self._op = region_of.op if region_of is not None else None
        """The operation to which the next brace belongs."""
        self._dialect = self.dialects[-1]
        self._readers: dict[str, Callable[[int, int, Row], Token]] = {
            "index": self._percent_index,
            "shaped": self._shaped_type,
            "word": self._word,
            "punctuation": self._punctuation,
            "string": self._string,
            "number": self._number,
            "caret": self._caret,
            "symbol": self._symbol,
            "sigil": self._sigil,
            "end": self._end,
        }

    def tokens(self) -> Iterator[tuple[str, Any]]:
        """Terminals and their values. Raises Fault and xDSL's ParseError."""
        tables, stack, text = self.tables, self.stack, self.builder.text
        rows, directive_rows = tables.rows, tables.directive_rows
        opening, closing = tables.punctuation["{"], tables.punctuation["}"]
        readers = self._readers
        while True:
            m = _TOKEN(text, self.position)
            if m is None:
                raise self._no_token()
            group = m.lastgroup
            assert group is not None
            start, end = m.span(group)
            if group == "percent":  # the most frequent one
                kind, value = "PERCENT_ID", (text[start + 1 : end], 0, start)
            else:
                self.start, self.position = start, end
                kind, value, end = readers[group](start, end, rows[stack[-1]])
                if kind == "OP_NAME":
                    yield kind, value
                    kind, value, end = self._body_of(value, end)
                elif kind == "PERCENT_INDEXED":
                    start = value[2]
            if stack[-1] in directive_rows and (directive := self._directive(kind, start)) is not None:
                kind, value, end = directive
            self.start, self.position = start, end
            yield kind, value
            # The parser has taken the token.
            if kind == opening:
                self.dialects.append(self._dialect)
                self._ops.append(self._op)
            elif kind == closing:
                self._dialect, self._op = self.dialects.pop(), self._ops.pop()
                if self._region_of is not None and not self._ops:
                    yield "$END", None
                    return
            elif kind == "$END":
                return

    def _percent_index(self, start: int, end: int, row: Row) -> Token:
        at = self.builder.text.rindex("%", 0, start)
        text = self.builder.text
        return "PERCENT_INDEXED", (text[at + 1 : start], int(text[start + 1 : end]), at), end

    def _punctuation(self, start: int, end: int, row: Row) -> Token:
        text, punctuation = self.builder.text, self.tables.punctuation
        spelling = text[start:end]
        kind = punctuation.get(spelling, "")
        match spelling:
            case "{":
                return kind, OpenBrace(self._op, self._dialect, start), end
            case "[":
                if "DENSE_LIST" in row and (d := _DENSE_LIST(text, start)):
                    return "DENSE_LIST", Name(d[0], start), d.end()
                if "SCALABLE_DIM" in row and (d := _SCALABLE_DIM(text, start)):
                    return "SCALABLE_DIM", (int(d[1]), True), d.end()
            case "?":
                if "DIM" in row and (d := _DIM(text, start)):
                    return "DIM", (None, False), d.end()
            case "*":
                if "STAR_DIM" in row and (d := _STAR_DIM(text, start)):
                    return "STAR_DIM", spelling, d.end()
                return kind, Name(spelling, start), end
            case ":" | ">" | "<" | "=":
                if (d := _DOUBLE(text, start)) and punctuation.get(d[0]) in row:
                    return punctuation[d[0]], d[0], d.end()
            case _:
                pass
        return kind, spelling, end

    def _word(self, start: int, end: int, row: Row) -> Token:
        builder, tables, stack = self.builder, self.tables, self.stack
        word = builder.text[start:end]
        kind = tables.keywords.get(word, "")
        if kind in row and ("OP_NAME" not in row or tables.accepts(stack, kind)):
            return kind, Name(word, start), end
        if "TYPE" in row and (known := builder.scalar_type(word)) is not None:
            return "TYPE", known, end
        if "OP_NAME" in row and (op := self._operation(word, end, row)) is not None:
            return "OP_NAME", OpName(op, start), end
        if "TYPE" in row and "BARE_ID" not in row and LIKE_TYPE(word) and tables.accepts(stack, "TYPE"):
            raise builder.unknown_type(word, start)
        if "BARE_ID" not in row and tables.accepts(stack, "OP_NAME") and stack[-1] not in tables.directive_rows:
            raise builder.unknown_operation(word, start, self.dialects)
        return "BARE_ID", Name(word, start), end

    def _operation(self, word: str, end: int, row: Row) -> type[Operation] | None:
        """The operation that a word names here, if any."""
        if "BARE_ID" in row and self.builder.text[end : end + 3].lstrip()[:1] in ("=", ",", "}"):
            return None
        for name in (word, *(f"{d}.{word}" for d in reversed(self.dialects))):
            op = self.builder.operation_class(name, end - len(word))
            if op is not None and not issubclass(op, UnregisteredOp):
                return op
        return None

    def _body_of(self, name: OpName, end: int) -> Token:
        """What comes after the name of an operation: its terminal, or all the rest of it.

        The parser has taken the name by now, so the operation before it is complete and its results have names.
        """
        op = name.op
        self._dialect, self._op = op.dialect_name(), op
        kind = formats.terminal(op)
        if kind in self.tables.rows[self.stack[-1]]:
            return kind, name.position, end
        value, end = self.builder.hand.operation(op, (name.position, end), self.dialects)
        return "HAND_BODY", value, end

    def _shaped_type(self, start: int, end: int, row: Row) -> Token:
        return "TYPE", self.builder.simple_type(self.builder.text[start:end], start), end

    def _string(self, start: int, end: int, row: Row) -> Token:
        token = Name(self.builder.text[start:end], start)
        if "OP_STRING" not in row or ("STRING_LIT" in row and self.tables.accepts(self.stack, "STRING_LIT")):
            return "STRING_LIT", token, end
        name = token.text[1:-1]
        self._op = self.builder.operation_class(name, start)
        self._dialect = name.split(".", 1)[0]
        return "OP_STRING", token, end

    def _number(self, start: int, end: int, row: Row) -> Token:
        text = self.builder.text
        if "DIM" in row and (d := _DIM(text, start)):
            return "DIM", (int(d[1]), False), d.end()
        if "DENSE_LIST" in row and (d := _DENSE_LIST(text, start)) and d.end() >= end:
            return "DENSE_LIST", Name(d[0], start), d.end()
        spelling = text[start:end]
        kind = "HEX_LIT" if "x" in spelling else "INT_LIT" if spelling.isdigit() else "FLOAT_LIT"
        return kind, spelling, end

    def _caret(self, start: int, end: int, row: Row) -> Token:
        return "CARET_ID", Name(self.builder.text[start + 1 : end], start), end

    def _symbol(self, start: int, end: int, row: Row) -> Token:
        return "AT_ID", self.builder.symbol(self.builder.text[start:end], start), end

    def _sigil(self, start: int, end: int, row: Row) -> Token:
        """`!` or `#`: an alias, or a type or attribute of a dialect."""
        token = Name(self.builder.text[start:end], start)
        is_type = token.text[0] == "!"
        if "." not in token.text and not self.builder.text.startswith("<", end):
            return "EXCL_ALIAS" if is_type else "HASH_ALIAS", token, end
        kind = "DIALECT_TYPE" if is_type else "DIALECT_ATTR"
        if kind not in row:
            return kind, token, end
        value, end = self.builder.hand.dialect_attribute(token.text, start, end)
        return kind, value, end

    def _end(self, start: int, end: int, row: Row) -> Token:
        return "$END", None, end

    def _directive(self, kind: str, start: int) -> Token | None:
        """What a hand-written directive makes of the text here, unless the token fits as it is."""
        tables, stack = self.tables, self.stack
        if tables.accepts(stack, kind):
            return None
        for terminal in tables.directive_rows[stack[-1]]:
            if tables.accepts(stack, terminal):
                value, end = self.builder.hand.directive(terminal, start, self.dialects)
                return terminal, value, end
        return None

    def restart(self, position: int, open_braces: Sequence[OpenBrace]) -> None:
        """Go on at another position, inside of these braces."""
        self.position = self.start = position
        self.dialects[self._outer_dialects :] = [b.dialect for b in open_braces]
        self._ops = [b.op for b in open_braces]
        self._dialect, self._op = self.dialects[-1], None

    def describe(self, kind: str) -> str:
        """The last token, for an error message."""
        if kind == "$END" and self.start >= len(self.builder.text):
            return words.END
        token = self.builder.text[self.start : self.position].split("\n", 1)[0]
        return f"'{token if len(token) <= 40 else token[:37] + '...'}'" if token else words.END

    def _no_token(self) -> Fault:
        text = self.builder.text
        expected = words.expected(self.tables, self.stack)
        between = _COMMENTS(text, self.position)
        position = between.end() if between else self.position
        found = text[position]
        self.start, self.position = position, position + 1
        if found == '"':
            wrong = "a string that is not closed on its line, or has an unknown escape"
            return SyntaxFault(position, wrong, expected)
        return SyntaxFault(position, f"character {found!r}", expected)


def is_isolated(op: type[Operation] | None) -> bool:
    """Whether the regions of an op cannot see the values around it."""
    return op is not None and op.has_trait(IsolatedFromAbove, value_if_unregistered=False)
