"""Texts at which an answer ends."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass
class StopStrings:
    """A text that comes piece by piece ends in front of the first of some strings that is complete, the longest one of
    several.

    What may be the start of one of them waits until that is known, so that it does not matter how the text is cut.

    Attributes:
        strings: the strings, none of them empty.
        is_found: whether one of them came; nothing follows then.
    """

    strings: Sequence[str]
    is_found: bool = False
    _waiting: str = ""

    def passed(self, piece: str, is_last: bool = False) -> str:
        """What of the text so far has not been passed on and comes before all strings; all of it after the last
        piece."""
        if self.is_found:
            return ""
        text = self._waiting + piece
        if places := [(at + len(each), at) for each in self.strings if (at := text.find(each)) >= 0]:
            self.is_found, self._waiting = True, ""
            return text[: min(places)[1]]
        kept = 0 if is_last else max((_begun(text, each) for each in self.strings), default=0)
        self._waiting = text[len(text) - kept :]
        return text[: len(text) - kept]


def _begun(text: str, string: str) -> int:
    """How many characters at the end of a text are the start of a string."""
    return next((n for n in range(min(len(string) - 1, len(text)), 0, -1) if text.endswith(string[:n])), 0)
