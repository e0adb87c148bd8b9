"""The wording of messages: texts of the package that are not docstrings use plain technical English."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

_ROOT = Path(__file__).parents[2]
_OTHERS = ("benchmarks", "build", "docs", "examples", "tests")
_BETTER = {
    r"(?<!there )\b(?:is|are) no (?!longer\b|more\b|less\b|fewer\b)": "is not a",
    r"\bno multiple of\b": "not a multiple of",
    r"\bin front of\b": "before",
    r"\bbehind\b": "after",
    r"\b(?:nobody|whoever)\b": "the name of who or what is meant",
}
"""Patterns of words that messages do without, and what they say instead."""
_WORDS = re.compile(r"\b(?:no|front|behind|nobody|whoever)\b")
"""Each pattern has one of them: sources without any need not be parsed."""


def _texts(tree: ast.Module) -> Iterator[ast.Constant]:
    """The strings of a module, also in f-strings, but for docstrings."""
    docstrings = set[int]()
    for node in ast.walk(tree):  # which gives a statement before its parts
        if isinstance(node, ast.Expr):
            docstrings.add(id(node.value))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
            yield node


def _found(source: str) -> list[tuple[int, str]]:
    """The line of each text with such words, and what to write."""
    if not _WORDS.search(source):
        return []
    return [
        (text.lineno, f"write '{better}' in {text.value!r}")
        for text in _texts(ast.parse(source))
        if _WORDS.search(str(text.value))
        for pattern, better in _BETTER.items()
        if re.search(pattern, str(text.value))
    ]


def test_messages_use_plain_words() -> None:
    files = [f for f in _ROOT.rglob("*.py") if not f.relative_to(_ROOT).parts[0].startswith((".", *_OTHERS))]
    assert len(files) > 300, "the package is somewhere else"
    found = {str(f.relative_to(_ROOT)): lines for f in files if (lines := _found(f.read_text(encoding="utf-8")))}
    assert not found


@pytest.mark.parametrize(
    ("source", "lines"),
    [
        ('raise E(f"{n} rows are no multiple of {m}")', [1, 1]),
        ('\nx = "it is no sum"', [2]),
        ('x = "the op behind it"', [1]),
        ('x = "put a cast in front of it"', [1]),
        ('x = "there is no file", "it is no longer known", "the rows are no more than 4", "it has no rows"', []),
        ('"""What is behind this."""', []),
        ('def f():\n    """What is no sum."""', []),
    ],
)
def test_what_is_found(source: str, lines: list[int]) -> None:
    assert [line for line, _ in _found(source)] == lines
