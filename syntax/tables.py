"""LALR(1) tables in the form that the machine runs: plain lists, dicts, strings and integers.

Lark computes them from a grammar (`grammar.py`); they are pickled as they are, so a run that finds them in the cache
neither computes nor imports anything of lark.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

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
