"""LALR(1) tables in the form that the machine runs: plain lists, dicts, strings and integers.

Lark computes them from a grammar (`grammar.py`); they are kept as lists of numbers and strings (`to_data`), so a run
that finds them in the cache neither computes nor imports anything of lark.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple, cast

Row = dict[str, int]
"""What a state does, by symbol: `n >= 0` shifts to (for a nonterminal, goes to) state `n`; `~n` reduces by rule `n`."""


class Production(NamedTuple):
    """A production: its length, the nonterminal that it makes, and the action that makes its value."""

    size: int
    origin: str
    action: str | None
    """None: the value of the only symbol is kept."""


@dataclass
class Tables:
    """A compiled grammar."""

    rows: list[Row]
    rules: list[Production]
    start_states: dict[str, int]
    end_states: dict[str, int]
    keywords: dict[str, str]
    """Terminals of words, by spelling."""
    punctuation: dict[str, str]
    """Terminals of punctuation, by spelling."""
    spellings: dict[str, str] = field(init=False)
    """The inverse of both."""
    directive_rows: dict[int, list[str]] = field(default_factory=dict[int, list[str]])
    """The terminals of hand-written directives that a state accepts, for the states that accept one."""

    def __post_init__(self) -> None:
        self.spellings = {t: s for spelling in (self.keywords, self.punctuation) for s, t in spelling.items()}

    def to_data(self) -> list[object]:
        """All of it in lists, dicts, strings and numbers; rows by numbers of symbols, in turn with actions."""
        numbers = {symbol: i for i, symbol in enumerate(dict.fromkeys(s for row in self.rows for s in row))}
        rows = [[n for symbol, action in row.items() for n in (numbers[symbol], action)] for row in self.rows]
        directives = list(self.directive_rows.items())
        words = self.start_states, self.end_states, self.keywords, self.punctuation
        return [list(numbers), rows, self.rules, *words, directives]

    @staticmethod
    def from_data(data: object) -> Tables | None:
        """What `to_data` gave; None if it is something else."""
        try:
            symbols, rows, rules, starts, ends, keywords, punctuation, directives = cast(Any, data)
            names = list(map(sys.intern, symbols))
            return Tables(
                [dict(zip(map(names.__getitem__, row[::2]), row[1::2], strict=True)) for row in rows],
                [_production(*rule) for rule in rules],
                dict(starts),
                dict(ends),
                _interned(keywords),
                _interned(punctuation),
                directive_rows={state: _interned_list(terminals) for state, terminals in directives},
            )
        except (TypeError, ValueError, IndexError, AttributeError):
            return None

    def accepts(self, stack: list[int], terminal: str) -> bool:
        """Whether the parser can really shift `terminal` next.

        LALR(1) look-ahead sets are too large where states were merged, so the pending reductions are simulated.
        """
        rows, rules = self.rows, self.rules
        action = rows[stack[-1]].get(terminal)
        if action is None:
            return False
        if action >= 0:
            return True
        states = list(stack)
        while action is not None and action < 0:
            size, origin, _ = rules[~action]
            if size:
                del states[-size:]
            states.append(rows[states[-1]][origin])
            if terminal == "$END" and len(states) == 2 and states[1] in self.end_states.values():
                return True
            action = rows[states[-1]].get(terminal)
        return action is not None

    def expected(self, stack: list[int]) -> list[str]:
        """The terminals that the parser can really shift next, in the order of the table."""
        return [
            t for t in self.rows[stack[-1]] if t[0].isupper() or t[0] == "_" or t == "$END" if self.accepts(stack, t)
        ]


def _production(size: int, origin: str, action: str | None) -> Production:
    return Production(size, sys.intern(origin), None if action is None else sys.intern(action))


def _interned(words: dict[str, str]) -> dict[str, str]:
    return {spelling: sys.intern(terminal) for spelling, terminal in words.items()}


def _interned_list(terminals: Iterable[str]) -> list[str]:
    return list(map(sys.intern, terminals))
