"""Going on after an error: the rest of the broken operation is skipped, and the next one is parsed as if it were
not there.

The place to go on is the next line, outside of any braces that the broken operation opened, that looks like the
start of an operation, a block label or the end of the region. Names that the operation would have defined are
marked, so that their uses make no further errors.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from xdsl.utils.exceptions import MultipleSpansParseError, ParseError

from mlc.syntax import words
from mlc.syntax.errors import FatalFault, Fault, SyntaxFault, TooManyErrors, reason_of
from mlc.syntax.lexer import STRING, Lexer, OpenBrace
from mlc.syntax.regions import OpenRegion
from mlc.syntax.tables import Tables

if TYPE_CHECKING:
    from mlc.syntax.builder import Builder

_SKIPPED = re.compile(rf'{STRING}|"|//[^\n]*|[{{}}]|\n')
_OPERATION = re.compile(
    r'[ \t]*(?:%[\w$.-]+(?::\d+)?\s*[,=]|"[\w.$-]+"\s*\(|[A-Za-z_]\w*\.[\w.$]+|\^|[#!][\w.$]+\s*=|\{-#)'
).match
_DEFINITIONS = re.compile(r"\s*%([\w$.-]+)(?::\d+)?\s*([,=])").match

_ALIAS = re.compile(r"\s*([#!][\w$.-]+)\s*=").match


class Recovery:
    """What one run of the machine does about errors."""

    def __init__(self, builder: Builder, tables: Tables, lexer: Lexer, states: list[int], values: list[Any]) -> None:
        self.builder = builder
        self.tables = tables
        self.lexer = lexer
        self.states = states
        self.values = values
        self._depth = builder.scopes.depth
        self._last = -1

    def resume_after(self, error: Exception) -> None:
        """Report an error and move the lexer and the stacks to where parsing can go on. Raises TooManyErrors."""
        fault = self._as_fault(error)
        self.builder.report(fault, self._behind_what_was_read())
        if isinstance(fault, FatalFault):
            raise TooManyErrors
        at = self.lexer.start if fault.position is None else max(fault.position, self._last)
        begin = self._begin_of_operation(min(at, self.lexer.start))
        self._forget_definitions(begin)
        braces = self._unwind()
        position = self._next_operation(begin, max(at, self._last + 1), bool(braces))
        if position is None:
            raise TooManyErrors
        self._last = position
        self.lexer.restart(position, braces)

    def _behind_what_was_read(self) -> int:
        """The place of an error that has none of its own: the next token, but none on another line."""
        text, start = self.builder.text, self.lexer.start
        end = len(text[:start].rstrip())
        return max(end - 1, 0) if "\n" in text[end:start] else start

    def _as_fault(self, error: Exception) -> Fault:
        match error:
            case SyntaxFault():
                if error.found == words.END and (opened := self._innermost_region()) is not None:
                    error.notes = (("this brace is not closed", opened.scope.opened_at),)
                return error
            case Fault():
                return error
            case MultipleSpansParseError():
                notes = [(text or error.ref_text or "see here", span.start) for span, text in error.refs]
                return Fault(words.one_line(error.msg), error.span.start, notes)
            case ParseError():
                return Fault(_with_token(words.one_line(error.msg), error.span.text), error.span.start)
            case _ if (reason := reason_of(error)) is not None:
                return Fault(reason)
            case _:
                raise error

    def _innermost_region(self) -> OpenRegion | None:
        return next((v for v in reversed(self.values) if isinstance(v, OpenRegion)), None)

    def _begin_of_operation(self, position: int) -> int:
        """The line of an error that starts the operation, as far as a look at the text can tell."""
        text = self.builder.text
        start = text.rfind("\n", 0, position) + 1
        while start > 0 and not _OPERATION(text, start) and start > self._last:
            start = text.rfind("\n", 0, start - 1) + 1
        return start

    def _forget_definitions(self, position: int) -> None:
        if m := _ALIAS(self.builder.text, position):
            self.builder.unusable_aliases.add(m[1])
        while m := _DEFINITIONS(self.builder.text, position):
            self.builder.scopes.give_up(m[1])
            if m[2] == "=":
                return
            position = m.end()

    def _next_operation(self, begin: int, error: int, in_region: bool) -> int | None:
        """Where to go on behind `error`, which is in the operation that starts at `begin`."""
        depth = 0
        text = self.builder.text
        for m in _SKIPPED.finditer(text, begin):
            token = m[0]
            if token == "{":
                depth += 1
            elif token == "}":
                if depth == 0 and in_region and m.start() >= error:
                    return m.start()
                depth = max(0, depth - 1)
            elif token == "\n" and depth == 0 and m.end() > error and _OPERATION(text, m.end()):
                return m.end()
        return None

    def _unwind(self) -> list[OpenBrace]:
        """Pop the parser's stack down to where an operation may start; tells which braces are open there.

        A region that was closed is not opened again: it goes with the operation that it belongs to.
        """
        accepts, states, values = self.tables.accepts, self.states, self.values
        closed = 0
        while len(states) > 1 and (closed or not (accepts(states, "OP_NAME") and accepts(states, "PERCENT_ID"))):
            states.pop()
            match values.pop():
                case "}":
                    closed += 1
                case OpenBrace() | OpenRegion():
                    closed = max(0, closed - 1)
                case _:
                    pass
        regions = [v for v in values if isinstance(v, OpenRegion)]
        self.builder.scopes.discard(self._depth + len(regions))
        braces = [r.brace for r in regions]
        if values and isinstance(values[-1], OpenBrace):
            braces.append(values[-1])
        return braces


def _with_token(message: str, token: str) -> str:
    """A message of xDSL's parser, with what stands in the text where it only says what should."""
    if "expected" in message.lower() and "got" not in message and token.strip() and len(token) <= 40:
        return f"{message}, got '{token}'"
    return message
