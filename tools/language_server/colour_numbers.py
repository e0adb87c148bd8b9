"""Coloured tokens as the protocol has them: five numbers each, the first two of them relative to the token before."""

from __future__ import annotations

from collections.abc import Sequence

from mlc.tools.language_server.colours import ColouredLine

COLOURS = ("comment", "string", "variable", "parameter", "label", "function", "macro", "method", "number")
_NUMBERS = 5
"""Of one token."""


def numbers_of(lines: Sequence[ColouredLine], first: int = 0, last: int = 0) -> list[int]:
    """The numbers of the tokens of lines.

    Args:
        first: the number of the first line, from 0.
        last: that of the line on which the token before them stands; 0 if there is none.
    """
    numbers: list[int] = []
    for number, tokens in enumerate(lines, first):
        before = 0
        for at, length, kind in tokens:
            numbers += (number - last, at - before, length, COLOURS.index(kind), 0)
            last, before = number, at
    return numbers


def changed_numbers(old: Sequence[ColouredLine], new: Sequence[ColouredLine]) -> list[tuple[int, int, list[int]]]:
    """How the numbers of some lines become those of others: where to replace, how many, and by what; nothing if they
    are the same. Only lines that changed are written out, and the next one with a token, which is relative to them."""
    shorter = min(len(old), len(new))
    start = next((i for i in range(shorter) if old[i] != new[i]), shorter)
    same = next((i for i in range(shorter - start) if old[-1 - i] != new[-1 - i]), shorter - start)
    while same and not new[-same]:
        same -= 1
    same = max(same - 1, 0)
    removed, added = old[start : len(old) - same], new[start : len(new) - same]
    last = next((i for i in range(start - 1, -1, -1) if new[i]), 0)
    before, numbers = numbers_of(removed, start, last), numbers_of(added, start, last)
    return [] if before == numbers else [(_NUMBERS * sum(map(len, old[:start])), len(before), numbers)]
