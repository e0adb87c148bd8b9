"""What editors are told of colours that changed, against all colours told anew."""

from __future__ import annotations

import random

from mlc.tools.language_server.colour_numbers import changed_numbers, numbers_of
from mlc.tools.language_server.colours import ColouredLine

_LINES: list[ColouredLine] = [(), (), ((0, 3, "variable"),), ((2, 1, "number"), (4, 2, "method")), ((9, 1, "number"),)]


def test_numbers_are_relative_to_the_token_before() -> None:
    assert numbers_of([(), ((2, 1, "comment"), (4, 2, "method"))]) == [1, 2, 1, 0, 0, 0, 2, 2, 7, 0]


def test_changes_lead_from_old_numbers_to_new_ones() -> None:
    rng = random.Random(0)
    for _ in range(3_000):
        old = [rng.choice(_LINES) for _ in range(rng.randrange(8))]
        start = rng.randrange(len(old) + 1)
        end = rng.randrange(start, len(old) + 1)
        new = [*old[:start], *(rng.choice(_LINES) for _ in range(rng.randrange(4))), *old[end:]]
        numbers = numbers_of(old)
        for at, removed, added in changed_numbers(old, new):
            numbers[at : at + removed] = added
        assert numbers == numbers_of(new), (old, new)


def test_a_change_is_told_without_the_lines_around_it() -> None:
    old: list[ColouredLine] = [_LINES[2]] * 1_000
    ((at, removed, added),) = changed_numbers(old, [*old[:500], _LINES[3], *old[501:]])
    assert (at, removed, len(added)) == (2_500, 10, 15)
    assert changed_numbers(old, [*old]) == []
