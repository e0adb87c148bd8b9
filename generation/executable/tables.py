"""What the C of `runtime/chat/` knows of a tokenizer: arrays, which lie beside the weights of a model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mlc.frontends.gguf.file import GgufFile
from mlc.generation.packages import llm_package
from mlc.generation.pairs import pairs_by_ranks, pairs_by_scores
from mlc.generation.spelling import CHARACTERS_OF_BYTES, USER_DEFINED
from mlc.generation.tokenizer import Tokenizer

_LETTER, _NUMBER, _SPACE, _DIGIT, _PRINTED, _STRIPPED = (1 << i for i in range(6))
"""Kinds of characters, as in `runtime/chat/text.c`."""
_NO_TOKEN = -1


@dataclass(frozen=True)
class TokenTables:
    """Arrays of u32, but for `bytes` of i32 and `token_bytes` of u8.

    Attributes:
        kinds: ranges of characters of the same kinds.
        bytes: the token of each byte, or -1.
        characters: `[n, 2]`, characters in order and their tokens.
        pairs: `[n, 4]`, in order of the first two: left, right, rank, and what they become.
        own, own_text: `[n, 3]`, texts that are a token as they are: where they start, their length, their token.
        token_bytes, token_ends: the bytes of all tokens, and where they start; the last one is the end of all.
    """

    kinds: NDArray[Any]
    bytes: NDArray[Any]
    characters: NDArray[Any]
    pairs: NDArray[Any]
    own: NDArray[Any]
    own_text: NDArray[Any]
    token_bytes: NDArray[Any]
    token_ends: NDArray[Any]

    @classmethod
    def of(cls, file: GgufFile, tokenizer: Tokenizer) -> TokenTables:
        """The tables of the tokenizer of a file."""
        tokens, spelling = tokenizer.tokens, tokenizer.spelling
        ids = {each: i for i, each in enumerate(tokens)}
        if spelling.is_of_bytes:
            bytes_, characters = {b: ids.get(c, _NO_TOKEN) for c, b in CHARACTERS_OF_BYTES.items()}, dict[int, int]()
            pairs = pairs_by_ranks(file, tokens)
        else:
            bytes_ = {i: ids.get(f"<0x{i:02X}>", _NO_TOKEN) for i in range(256)}
            characters = {ord(each): i for each, i in ids.items() if len(each) == 1}
            pairs = pairs_by_scores(file, tokens, spelling.types)
        own, own_text = _own(tokens, spelling.types, ids)
        spelled = [spelling.bytes_of(i) for i in range(len(tokens))]
        return cls(
            _kinds(),
            np.array([bytes_[i] for i in range(256)], np.int32),
            _rows([[c, characters[c]] for c in sorted(characters)], 2),
            _pairs(pairs, ids),
            own,
            own_text,
            np.frombuffer(b"".join(spelled) or b"\0", np.uint8),
            np.cumsum([0, *map(len, spelled)], dtype=np.uint32),
        )


def _rows(rows: Sequence[Sequence[int]], width: int) -> NDArray[Any]:
    """`[n, width]`, of at least one row, which nothing equals if there are none, as C has no empty arrays."""
    return np.array(rows or [[0xFFFFFFFF] * width], np.uint32).reshape(-1, width)


def _pairs(pairs: Sequence[tuple[str, str]], ids: Mapping[str, int]) -> NDArray[Any]:
    ranks = {(ids[a], ids[b]): rank for rank, (a, b) in enumerate(pairs)}  # the last one of several counts
    joined = (ids[a + b] for a, b in (pairs[rank] for rank in ranks.values()))
    found = _rows([(*pair, rank, whole) for (pair, rank), whole in zip(ranks.items(), joined, strict=True)], 4)
    return found[np.lexsort((found[:, 1], found[:, 0]))]


def _own(tokens: Sequence[str], types: Any, ids: Mapping[str, int]) -> tuple[NDArray[Any], NDArray[Any]]:
    names = {tokens[i] for i in np.flatnonzero(types == USER_DEFINED).tolist()} - {""}
    rows, text = list[tuple[int, int, int]](), list[int]()
    for name in sorted(names, key=lambda each: (each[0], -len(each), each)):
        rows.append((len(text), len(name), ids[name]))
        text += map(ord, name)
    return _rows(rows or [(0, 1, 0)], 3), np.array(text or [0xFFFFFFFF], np.uint32)


_AT_ONCE = 1 << 10
"""So many characters are split into parts at once."""


@cache
def _kinds() -> NDArray[Any]:
    """The kinds of all characters: what patterns say by the package `tokenizers`, which knows a Unicode of its own."""
    package = llm_package("tokenizers")
    split = package.pre_tokenizers
    characters = np.array([*range(0xD800), *range(0xE000, 0x110000)])
    text = "".join(map(chr, characters))
    found = np.zeros(0x110000, np.uint32)
    for kind, splitter in (
        (_LETTER, split.Split(package.Regex(r"\p{L}+"), "isolated")),
        (_NUMBER, split.Split(package.Regex(r"\p{N}+"), "isolated")),
        (_SPACE, split.Split(package.Regex(r"\s+"), "isolated")),
        (_DIGIT, split.Digits(individual_digits=False)),
    ):
        # Parts of the kind and of none take turns, and the first character is of none. A text of all takes longer.
        for first in range(0, len(text), _AT_ONCE):
            for _, (start, end) in splitter.pre_tokenize_str("\0" + text[first : first + _AT_ONCE])[1::2]:
                found[characters[first + start - 1 : first + end - 1]] |= kind
    kinds = (_PRINTED * c.isprintable() | _STRIPPED * c.isspace() for c in text)
    found[characters] |= np.fromiter(kinds, np.uint32, len(text))
    starts = np.flatnonzero(np.diff(found, prepend=0xFF))
    return (starts.astype(np.uint32) << 8) | found[starts]
