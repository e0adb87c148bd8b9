"""The LALR(1) machine: runs lark's tables over the lexer's tokens and calls an action at each reduction."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from xdsl.utils.exceptions import ParseError

from mlc.syntax import words
from mlc.syntax.errors import Fault, SyntaxFault, reason_of
from mlc.syntax.lexer import Lexer, RegionOf
from mlc.syntax.recovery import Recovery
from mlc.syntax.tables import Tables

if TYPE_CHECKING:
    from mlc.syntax.builder import ModuleBuilder

Action = Callable[..., Any]


class LalrParser:
    """Tables, bound to the actions of one builder."""

    def __init__(self, tables: Tables, builder: ModuleBuilder) -> None:
        self.tables = tables
        self.builder = builder
        self._rules: list[tuple[int, str, Action | None]] = [
            (rule.size, rule.origin, None if rule.action is None else builder.action(rule.action))
            for rule in tables.rules
        ]

    def run(
        self,
        start: str,
        position: int,
        region_of: RegionOf | None = None,
        dialects: Sequence[str] = ("builtin",),
    ) -> tuple[Any, int]:
        """Parse from `position`: the whole rest of the text (`start` is "file"), or one region.

        Args:
            region_of: what the region belongs to.
            dialects: for the rest of a text, those whose names need no prefix there.

        Returns:
            The value of the start symbol and the position after it. After an error the parser goes on at the next
            operation and reports to the builder, which raises all errors at the end of the file.

        Raises:
            Fault: there was an error and no place to go on.
        """
        states = [self.tables.start_states[start]]
        values: list[Any] = []
        starts: list[int] = []
        lexer = Lexer(self.builder, self.tables, states, position, region_of, dialects)
        recovery = Recovery(self.builder, self.tables, lexer, states, values, starts)
        while True:
            try:
                self._run(lexer, states, values, starts, self.tables.end_states[start])
            except Exception as e:
                recovery.resume_after(_placed(e, values, starts))
                del starts[len(values) :]
            else:
                return values[-1], lexer.position

    def run_prefix(self, start: str, position: int) -> tuple[Any, int] | None:
        """Parse as much as belongs to the start symbol, from `position`.

        Returns:
            The value and the position after it; None if not even the first token fits.

        Raises:
            Fault: the text starts like the symbol, but goes on in another way.
        """
        states = [self.tables.start_states[start]]
        values: list[Any] = []
        starts: list[int] = []
        lexer = Lexer(self.builder, self.tables, states, position, None)
        end = position
        tokens = lexer.tokens()
        while True:
            try:
                kind, value = next(tokens)
                fits = self.tables.accepts(states, kind)
            except Fault:
                if not self.tables.accepts(states, "$END"):
                    raise
                kind, value, fits = "$END", None, True
            if not fits or kind == "$END":
                if self.tables.accepts(states, "$END"):
                    self._feed("$END", None, lexer.start, (states, values, starts), self.tables.end_states[start])
                    return values[-1], end
                if not values:
                    return None
                raise SyntaxFault(lexer.start, lexer.describe(kind), words.expected(self.tables, states))
            self._feed(kind, value, lexer.start, (states, values, starts))
            end = lexer.position

    def _feed(
        self, kind: str, value: Any, start: int, stacks: tuple[list[int], list[Any], list[int]], end_state: int = -1
    ) -> None:
        """Reduce as the token says, and shift it unless that completes the start symbol. Raises Fault."""
        states, values, starts = stacks
        rows, rules = self.tables.rows, self._rules
        while states[-1] != end_state or len(states) != 2:
            action = rows[states[-1]][kind]
            if action >= 0:
                states.append(action)
                values.append(value)
                starts.append(start)
                return
            size, origin, make = rules[~action]
            arguments = values[len(values) - size :]
            del values[len(values) - size :], states[len(states) - size :]
            try:
                values.append(arguments[0] if make is None else make(*arguments))
            except Exception as e:
                raise _placed(e, values, starts) from None
            starts[len(values) - 1 :] = starts[len(values) - 1 : len(values)] or [start]
            states.append(rows[states[-1]][origin])

    def _run(self, lexer: Lexer, states: list[int], values: list[Any], starts: list[int], end_state: int) -> None:
        """Parse to the end; `starts` tells where each value begins, also while an action makes one out of several."""
        rows, rules = self.tables.rows, self._rules
        taken_back: list[int | list[int]] = []  # states that the reductions for the current token removed
        for kind, value in lexer.tokens():
            taken_back.clear()
            while True:
                action = rows[states[-1]].get(kind)
                if action is None:
                    before = _before_reductions(states, taken_back)
                    may = words.spellings(self.tables, before)
                    raise SyntaxFault(lexer.start, lexer.describe(kind), words.expected(self.tables, before), may)
                if action >= 0:
                    states.append(action)
                    values.append(value)
                    starts.append(lexer.start)
                    break
                size, origin, make = rules[~action]
                # The symbols leave the stack before the action runs, which may fail.
                if size == 1:
                    taken_back.append(states.pop())
                    if make is not None:
                        values.append(make(values.pop()))
                elif make is None:
                    raise AssertionError("only the value of a single symbol can be kept")
                elif size:
                    arguments = values[-size:]
                    taken_back.append(states[-size:])
                    del values[-size:], states[-size:]
                    values.append(make(*arguments))
                    del starts[1 - size :]
                else:
                    taken_back.append([])
                    values.append(make())
                    starts.append(lexer.start)
                states.append(rows[states[-1]][origin])
                if kind == "$END" and states[-1] == end_state:
                    return
        raise Fault("unexpected end of file")


def _placed(error: Exception, values: list[Any], starts: list[int]) -> Exception:
    """An error of an action that does not know its place: where what the action makes begins in the text."""
    if len(values) == len(starts):
        return error
    if not isinstance(error, Fault | ParseError) and (reason := reason_of(error)) is not None:
        error = Fault(reason)
    if isinstance(error, Fault) and error.position is None:
        error.position = starts[len(values)]
    return error


def _before_reductions(states: list[int], taken_back: list[int | list[int]]) -> list[int]:
    """The stack as it was when the token came.

    LALR(1) may reduce before it sees that a token does not fit; what could have stood there is known before that.
    """
    result = list(states)
    for removed in reversed(taken_back):
        result.pop()
        if isinstance(removed, int):
            result.append(removed)
        else:
            result += removed
    return result
