"""The bytes that tokens stand for, and text from tokens that come one after the other."""

from __future__ import annotations

import codecs
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

CONTROL, USER_DEFINED, BYTE = 3, 4, 6
"""Types of tokens: those that stand for no text, those that stand for themselves as they are, and single bytes."""
SPACE = "\N{LOWER ONE EIGHTH BLOCK}"
"""What SentencePiece writes for a space."""
_ONE_BYTE = re.compile("<0x([0-9A-Fa-f]{2})>")


def _bytes_by_character() -> dict[str, int]:
    """What GPT-2 writes for bytes: printable ones of Latin-1 for themselves, other characters for the rest."""
    itself = [*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(ord("®"), ord("ÿ") + 1)]
    others = [each for each in range(256) if each not in itself]
    return {chr(each): each for each in itself} | {chr(256 + i): each for i, each in enumerate(others)}


CHARACTERS_OF_BYTES = _bytes_by_character()
"""The characters that stand for bytes, as GPT-2 writes them."""


@dataclass(frozen=True)
class Spelling:
    """How the texts of tokens say which bytes they stand for.

    Attributes:
        tokens: the texts in the file.
        types: a number for each.
        is_of_bytes: whether characters stand for bytes, as with GPT-2, and not for themselves, as with SentencePiece.
    """

    tokens: Sequence[str]
    types: Any
    is_of_bytes: bool

    @cached_property
    def longest(self) -> int:
        """The most characters that one token can stand for."""
        return max(len(each) for each in self.tokens)

    def bytes_of(self, token: int) -> bytes:
        """The bytes of a token: none of one that stands for no text. They may be a part of a character."""
        text, kind = self.tokens[token], self.types[token]
        if kind == CONTROL:
            return b""
        if self.is_of_bytes and kind != USER_DEFINED and all(each in CHARACTERS_OF_BYTES for each in text):
            return bytes(CHARACTERS_OF_BYTES[each] for each in text)
        if kind == BYTE and (found := _ONE_BYTE.fullmatch(text)) is not None:
            return bytes((int(found[1], 16),))
        return (text if self.is_of_bytes else text.replace(SPACE, " ")).encode(errors="replace")

    def shown(self, token: int) -> str:
        """The text of a token by itself: a replacement character for a part of a character, and the name of one that
        stands for no text."""
        return self.bytes_of(token).decode(errors="replace") or self.tokens[token]


@dataclass
class TextStream:
    """The text of tokens that come one after the other: a character comes when its last byte has come. Bytes that are
    not UTF-8 become replacement characters, as in `bytes.decode`."""

    spelling: Spelling
    _decoder: codecs.IncrementalDecoder = field(
        default_factory=lambda: codecs.getincrementaldecoder("utf-8")("replace"), repr=False
    )

    def added(self, token: int) -> str:
        """What the text grows by."""
        return self._decoder.decode(self.spelling.bytes_of(token))

    def rest(self) -> str:
        """What is left at the end: a replacement character, if a character was begun."""
        return self._decoder.decode(b"", final=True)
