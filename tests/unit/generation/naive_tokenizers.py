"""Tokenizers as their papers tell, one step after the other; no code of mlc, nor of the package `tokenizers`."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any

import regex

_GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
_LLAMA3 = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+"
    r"|\s+(?!\S)|\s+"
)
_SPLITS = {"smollm": (r"\p{N}", _GPT2), "gpt-2": (_GPT2,), "llama-bpe": (_LLAMA3,)}
_SCRIPTS = (
    *((0x20, 0x7F), (0xA0, 0x250), (0x370, 0x400), (0x400, 0x530), (0x590, 0x600), (0x600, 0x700), (0x900, 0x980)),
    *((0xE00, 0xE80), (0x1100, 0x1200), (0x2000, 0x2070), (0x2190, 0x2300), (0x3040, 0x3100), (0x4E00, 0x9FFF)),
    *((0xAC00, 0xD7A4), (0x1F300, 0x1F700), (0x0, 0x20), (0x300, 0x370), (0x30, 0x3A), (0xF0000, 0xF0010)),
)
"""Ranges of characters: letters of many languages, signs of combination, digits, controls, private ones."""
_WORDS = (
    "the",
    "of",
    "hello",
    "don't",
    "I'LL",
    "1234567890",
    "3.14",
    "f(x):\n\treturn",
    "",
    "x\n\n",
    "CAPS",
    "a.b/c?d=e\r\n",
)


class NaivePairs:
    """Pairs of bytes: in each word, the pair of the lowest rank is joined until there is none.

    Bytes of which no token is made fall away first.
    """

    def __init__(self, metadata: Mapping[str, Any]) -> None:
        self.tokens: Sequence[str] = metadata["tokenizer.ggml.tokens"]
        self._ids = {each: i for i, each in enumerate(self.tokens)}
        pairs = (tuple(each.split(" ", 1)) for each in metadata["tokenizer.ggml.merges"])
        self._ranks = {pair: i for i, pair in enumerate(pairs)}
        self._splits = _SPLITS[metadata["tokenizer.ggml.pre"]]

    def encoded(self, text: str) -> list[int]:
        """The tokens of a text that has no names of control tokens."""
        words = [text]
        for pattern in self._splits:
            words = [part for word in words for part in _isolated(pattern, word)]
        return [token for word in words for token in self._word(word)]

    def _word(self, word: str) -> list[int]:
        parts = [self._letters[each] for each in word.encode() if self._letters[each] in self._ids]
        while len(parts) > 1:
            ranks = [self._ranks.get((a, b), len(self._ranks)) for a, b in pairwise(parts)]
            if min(ranks) == len(self._ranks):
                break
            at = ranks.index(min(ranks))
            parts[at : at + 2] = [parts[at] + parts[at + 1]]
        return [self._ids[each] for each in parts]

    @cached_property
    def _letters(self) -> list[str]:
        printable = [each for each in range(256) if 33 <= each <= 126 or 161 <= each <= 172 or each >= 174]
        rest = iter(range(256, 512))
        return [chr(each) if each in printable else chr(next(rest)) for each in range(256)]


class NaivePieces:
    """SentencePiece: the neighbours whose whole has the best score are joined, the leftmost ones of several; what is
    not a piece becomes bytes."""

    def __init__(self, metadata: Mapping[str, Any]) -> None:
        self.tokens: Sequence[str] = metadata["tokenizer.ggml.tokens"]
        types, scores = metadata["tokenizer.ggml.token_type"], metadata["tokenizer.ggml.scores"]
        self._ids = {each: i for i, each in enumerate(self.tokens)}
        self._own = sorted((self.tokens[i] for i in range(len(types)) if types[i] == 4), key=len, reverse=True)
        self._scores = {each: float(scores[i]) for i, each in enumerate(self.tokens) if types[i] not in (3, 6)}
        self._space = metadata.get("tokenizer.ggml.add_space_prefix", True)

    def encoded(self, text: str) -> list[int]:
        """The tokens of a text that has no names of control tokens."""
        pattern = "|".join(map(regex.escape, self._own))
        found: list[int] = []
        for part in _isolated(pattern, text) if self._own else [text]:
            found += [self._ids[part]] if part in self._own else self._joined(part)
        return found

    def _joined(self, text: str) -> list[int]:
        parts = [*(("▁" if self._space else "") + text).replace(" ", "▁")]
        while True:
            wholes = [(self._scores[a + b], -i) for i, (a, b) in enumerate(pairwise(parts)) if a + b in self._scores]
            if not wholes:
                return [token for each in parts for token in self._of_part(each)]
            at = -max(wholes)[1]
            parts[at : at + 2] = [parts[at] + parts[at + 1]]

    def _of_part(self, part: str) -> list[int]:
        return [self._ids[part]] if part in self._ids else [self._ids[f"<0x{each:02X}>"] for each in part.encode()]


def _isolated(pattern: str, text: str) -> list[str]:
    """The matches of a pattern, and what lies between them."""
    found, at = list[str](), 0
    for match in regex.finditer(pattern, text):
        found += [text[at : match.start()], match[0]]
        at = match.end()
    return [each for each in (*found, text[at:]) if each]


def random_texts(count: int, seed: int = 0) -> list[str]:
    """Texts of words and of characters of many scripts."""
    chance, found = random.Random(seed), list[str]()
    for _ in range(count):
        parts: list[str] = []
        for _ in range(chance.randint(1, 12)):
            least, end = chance.choice(_SCRIPTS)
            others = "".join(chr(chance.randrange(least, end)) for _ in range(chance.randint(1, 8)))
            word = chance.choice(_WORDS) + chance.choice(["", " ", "  ", "\n"])
            parts.append(word if chance.random() < 0.4 else others)
        found.append("".join(parts))
    return found
