"""Where answers end."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest

from mlc.generation.stop_strings import StopStrings


def _passed(strings: list[str], pieces: list[str]) -> list[str]:
    stop = StopStrings(strings)
    return [*(stop.passed(each) for each in pieces), stop.passed("", is_last=True)]


@pytest.mark.parametrize(
    "strings, pieces, passed",
    [
        ([], ["a", "b"], ["a", "b", ""]),
        (["END"], ["xE", "N", "y", "EN"], ["x", "", "ENy", "", "EN"]),
        (["END"], ["xE", "ND", "z"], ["x", "", "", ""]),
        (["\n\n", "b"], ["a\n", "cb", "d"], ["a", "\nc", "", ""]),
        (["aab"], ["aa", "ab"], ["", "a", ""]),
    ],
)
def test_pieces(strings: list[str], pieces: list[str], passed: list[str]) -> None:
    assert _passed(strings, pieces) == passed


def test_pieces_do_not_matter() -> None:
    """However a text is cut, what passes ends where the shortest text that ends with a string begins to end with it."""
    chance = random.Random(5)
    for _ in range(300):
        text = "".join(chance.choices("ab", k=12))
        strings = ["".join(chance.choices("ab", k=chance.randint(1, 5))) for _ in range(2)]
        ends = [(end, end - len(each)) for end in range(13) for each in strings if text[:end].endswith(each)]
        expected = text[: min(ends)[1]] if ends else text
        cuts = [0, *sorted(chance.choices(range(13), k=3)), 12]
        for pieces in ([text], list(text), [text[a:b] for a, b in pairwise(cuts)]):
            assert "".join(_passed(strings, pieces)) == expected, (text, strings, pieces)
