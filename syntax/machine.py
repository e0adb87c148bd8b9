"""The LALR(1) machine: runs lark's tables over the lexer's tokens and calls an action at each reduction."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from xdsl.utils.exceptions import ParseError, VerifyException

from mlc.syntax.errors import Fault, SyntaxFault
from mlc.syntax.lexer import Lexer, RegionOf
from mlc.syntax.recovery import Recovery
from mlc.syntax.tables import Tables

if TYPE_CHECKING:
    from mlc.syntax.builder import Builder

Action = Callable[..., Any]


class Machine:
    """Tables, bound to the actions of one builder."""

    def __init__(self, tables: Tables, builder: Builder) -> None:
        self.tables = tables
        self.builder = builder
        self._rules: list[tuple[int, str, Action | None]] = [
            (rule.size, rule.origin, None if rule.action is None else builder.action(rule.action))
            for rule in tables.rules
        ]

    def run(self, start: str, position: int, region_of: RegionOf | None = None) -> tuple[Any, int]:
        """Parse from `position`: the whole rest of the text (`start` is "file"), or one region.

        Returns:
            The value of the start symbol and the position behind it. After an error the parser goes on at the next
            operation and reports to the builder, which raises all errors at the end of the file.

        Raises:
            Fault: there was an error and no place to go on.
        """
        states = [self.tables.start_states[start]]
        values: list[Any] = []
        lexer = Lexer(self.builder, self.tables, states, position, region_of)
        recovery = Recovery(self.builder, self.tables, lexer, states, values)
        while True:
            try:
                self._run(lexer, states, values, self.tables.end_states[start])
            except (Fault, ParseError, VerifyException, ValueError, OverflowError) as e:
                recovery.resume_after(e)
            else:
                return values[-1], lexer.position

    def _run(self, lexer: Lexer, states: list[int], values: list[Any], end_state: int) -> None:
        rows, rules = self.tables.rows, self._rules
        for kind, value in lexer.tokens():
            while True:
                action = rows[states[-1]].get(kind)
                if action is None:
                    raise SyntaxFault(lexer.start, lexer.describe(kind))
                if action >= 0:
                    states.append(action)
                    values.append(value)
                    break
                size, origin, make = rules[~action]
                if size == 1:
                    if make is not None:
                        values[-1] = make(values[-1])
                    states.pop()
                elif size:
                    arguments = values[-size:]
                    assert make is not None
                    result = make(*arguments)
                    del values[-size:], states[-size:]
                    values.append(result)
                else:
                    assert make is not None
                    values.append(make())
                states.append(rows[states[-1]][origin])
                if kind == "$END" and states[-1] == end_state:
                    return
        raise Fault("unexpected end of file")
