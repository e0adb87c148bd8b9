"""The tokens of a text, line by line: no token goes beyond its line, so equal lines have equal tokens."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Literal, NamedTuple, cast

from mlc.support.spelling import STRING, VALUE_NAME

TokenClass = Literal["comment", "string", "value", "block", "symbol", "alias", "word", "number", "open", "close"]

_PATTERNS: dict[TokenClass, str] = {
    "comment": r"//[^\n]*",
    "string": STRING,
    "value": rf"%{VALUE_NAME}(?:\#[0-9]+)?",
    "block": rf"\^{VALUE_NAME}",
    "symbol": rf"@(?:[a-zA-Z_][a-zA-Z0-9_$.]*|{STRING})",
    "alias": r"[!\#][a-zA-Z_$.][a-zA-Z0-9$._-]*",
    "word": r"[a-zA-Z_][a-zA-Z0-9_$.]*",
    "number": r"[0-9][0-9a-fA-FxX.]*",
    "open": r"\{",
    "close": r"\}",
}
"""The regular expression of each kind; the first one that matches decides."""
_TOKEN = re.compile("|".join(f"(?P<{kind}>{pattern})" for kind, pattern in _PATTERNS.items()), re.ASCII)
_CACHED_LINES = 400_000


class TextToken(NamedTuple):
    """A part of the text that means something by itself."""

    kind: TokenClass
    text: str
    start: int

    @property
    def end(self) -> int:
        """The position after it."""
        return self.start + len(self.text)


@lru_cache(_CACHED_LINES)
def tokens_of_line(line: str) -> Sequence[TextToken]:
    """The tokens of one line, but for punctuation, in order; their positions are those in the line."""
    return tuple(TextToken(cast(TokenClass, m.lastgroup), m[0], m.start()) for m in _TOKEN.finditer(line))


def tokens_of(text: str, start: int = 0) -> Iterator[TextToken]:
    """The tokens of whole lines, but for punctuation, in order; the text stands at the position `start`."""
    for line in text.split("\n"):
        for kind, part, at in tokens_of_line(line):
            yield TextToken(kind, part, start + at)
        start += len(line) + 1
