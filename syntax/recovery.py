"""Going on after an error: the rest of the broken operation is skipped, and the next one is parsed as if it were
not there.

The place to go on is the next line, outside of any braces that the broken operation opened, that looks like the
start of an operation, a block label or the end of the region. Names that the operation would have defined are
marked, so that their uses make no further errors.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, cast

from xdsl.utils.exceptions import MultipleSpansParseError, ParseError

from mlc.support.spelling import STRING
from mlc.syntax import words
from mlc.syntax.errors import FatalFault, Fault, SyntaxFault, TooManyErrors, reason_of
from mlc.syntax.lexer import Lexer, OpenBrace
from mlc.syntax.mismatches import explain_token
from mlc.syntax.regions import OpenRegion, Result
from mlc.syntax.tables import Tables

if TYPE_CHECKING:
    from mlc.syntax.builder import ModuleBuilder

_SKIPPED = re.compile(rf'{STRING}|"|//[^\n]*|[{{}}]|\n')
_OPERATION = re.compile(
    r'[ \t]*(?:%[\w$.-]+(?::\d+)?\s*[,=]|"[\w.$-]+"\s*\(|[A-Za-z_]\w*\.[\w.$]+|return\b|\^|[#!][\w.$]+\s*=|\{-#)'
).match
_DEFINITIONS = re.compile(r"\s*%([\w$.-]+)(?::\d+)?\s*([,=])").match

_DEFINED = re.compile(r"%([\w$.-]+)(?::\d+)?\s*=")
_ALIAS = re.compile(r"\s*([#!][\w$.-]+)\s*=").match
_LABEL = re.compile(r"\s*\^([\w$.-]+)([^\n]*)").match
_ARGUMENT = re.compile(r"%([\w$.-]+)\s*:")


def starts_operation(text: str, position: int) -> bool:
    """Whether what stands at a position looks like the start of an operation, a block or the definition of an alias."""
    return _OPERATION(text, position) is not None


class Recovery:
    """What one run of the machine does about errors."""

    def __init__(
        self,
        builder: ModuleBuilder,
        tables: Tables,
        lexer: Lexer,
        states: list[int],
        values: list[Any],
        starts: list[int],
    ) -> None:
        self.builder = builder
        self.tables = tables
        self.lexer = lexer
        self.states = states
        self.values = values
        self.starts = starts
        self._depth = builder.scopes.depth
        self._last = -1

    def resume_after(self, error: Exception) -> None:
        """Report an error and move the lexer and the stacks to where parsing can go on. Raises TooManyErrors."""
        fault = self._as_fault(error)
        if isinstance(fault, SyntaxFault) and fault.found == words.END:
            self.builder.spellings_at_end = fault.spellings
        self.builder.report(fault, self._behind_what_was_read())
        if isinstance(fault, FatalFault):
            raise TooManyErrors
        at = self.lexer.start if fault.position is None else max(fault.position, self._last)
        begin = self._begin_of_operation(min(at, self.lexer.start))
        self._forget_definitions(begin)
        braces = self._unwind(at)
        position = self._next_operation(begin, max(at, self._last + 1), bool(braces))
        if position is None:
            raise TooManyErrors
        self._forget_rest_of_line(at, position)
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
                return Fault(explain_token(error.msg, error.span.text), error.span.start)
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
        """Say nothing about uses of what the line at a position would have defined."""
        text, scopes = self.builder.text, self.builder.scopes
        if m := _ALIAS(text, position):
            self.builder.unusable_aliases.add(m[1])
        if m := _LABEL(text, position):
            scopes.give_up_block(m[1])
            for name in _ARGUMENT.findall(m[2]):
                scopes.give_up(name)
        while m := _DEFINITIONS(text, position):
            scopes.give_up(m[1])
            if m[2] == "=":
                return
            position = m.end()

    def _forget_rest_of_line(self, error: int, position: int) -> None:
        """The same for operations after the broken one on its line, which are skipped with it."""
        end = self.builder.text.find("\n", error, position)
        for name in _DEFINED.findall(self.builder.text, error, position if end < 0 else end):
            self.builder.scopes.give_up(name)

    def _next_operation(self, begin: int, error: int, in_region: bool) -> int | None:
        """Where to go on after `error`, which is in the operation that starts at `begin`."""
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

    def _unwind(self, error: int) -> list[OpenBrace]:
        """Pop the parser's stack down to where an operation may start; tells which braces are open there.

        What was read of the broken operation goes, even if it could stand alone. An operation on the lines in front
        stays, though it is only complete when the next token is known. A region that was closed is not opened again:
        it goes with the operation that it belongs to.
        """
        states, values = self.states, self.values
        closed = 0
        complete = bool(values) and self._may_start() and self.builder.text.find("\n", self.starts[-1], error) >= 0
        while len(states) > 1 and not complete and (closed or not self._starts_here()):
            states.pop()
            match values.pop():
                case "}":
                    closed += 1
                case OpenBrace() | OpenRegion():
                    closed = max(0, closed - 1)
                case [Result(), *_] as results:
                    for result in cast("list[Result]", results):
                        self.builder.scopes.give_up(result.name)
                case _:
                    pass
        regions = [v for v in values if isinstance(v, OpenRegion)]
        self.builder.scopes.discard(self._depth + len(regions))
        braces = [r.brace for r in regions]
        if values and isinstance(values[-1], OpenBrace):
            braces.append(values[-1])
        return braces

    def _may_start(self) -> bool:
        """Whether an operation may be next, perhaps once the one before it is complete."""
        accepts = self.tables.accepts
        return accepts(self.states, "OP_NAME") and accepts(self.states, "PERCENT_ID")

    def _starts_here(self) -> bool:
        """Whether an operation may be next, and nothing is unfinished before it."""
        action = self.tables.rows[self.states[-1]].get("OP_NAME")
        return action is not None and (action >= 0 or not self.tables.rules[~action].size) and self._may_start()
