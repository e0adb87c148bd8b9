"""Where answers of the C of chats end, beside those of Python."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

pytest.importorskip("tokenizers")

from mlc.generation.stop_strings import StopStrings
from mlc.tests.unit.generation.executable.c_tokens import ChatLibrary
from mlc.tests.unit.generation.files import by_ranks, with_metadata


def test_answers_end_before_the_same_texts(tmp_path: Path) -> None:
    """Texts of few letters, so that they begin often, overlap, and are the ends of each other."""
    library, chance, ended = ChatLibrary.of(with_metadata(by_ranks()), tmp_path), Random(3), 0
    cases: list[tuple[list[str], str]] = [
        ([], "abc"),
        (["x"], ""),
        (["a"], "a"),
        (["b", "abc"], "xab"),
        (["aab"], "aaab"),
        (["aé\U0001f600"], "aaé"),
    ]
    for _ in range(2000):
        stops = ["".join(chance.choices("abé", k=chance.randint(1, 5))) for _ in range(chance.randint(0, 4))]
        cases.append((stops, "".join(chance.choices("abé", k=chance.randint(0, 12)))))
    for stops, answer in cases:
        expected = StopStrings(stops)
        assert library.before(stops, answer) == expected.passed(answer, is_last=True), (stops, answer)
        ended += expected.is_found
    assert 500 < ended < 1900
