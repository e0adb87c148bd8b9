"""Which neighbours tokenizers join, in order, from the metadata of files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from mlc.frontends.gguf.file import GgufFile
from mlc.generation.spelling import BYTE, CONTROL


def pairs_by_ranks(file: GgufFile, tokens: Sequence[str]) -> list[tuple[str, str]]:
    """The pairs of a list in the file whose parts and whole are tokens (Sennrich et al., arXiv:1508.07909).

    Raises:
        UserError: the file has no such list.
    """
    merges = file.metadata.get("tokenizer.ggml.merges")
    pairs = [tuple(str(each).split(" ", 1)) for each in merges] if isinstance(merges, list) else []
    if not pairs or any(len(each) != 2 for each in pairs):
        raise file.error("the file has no list of pairs 'tokenizer.ggml.merges', which its tokenizer joins")
    known = frozenset(tokens)
    return [(a, b) for a, b in pairs if a in known and b in known and a + b in known]


def pairs_by_scores(file: GgufFile, tokens: Sequence[str], types: Any) -> list[tuple[str, str]]:
    """All pairs of pieces whose whole is one, that of the best score first, as SentencePiece joins (arXiv:1808.06226).

    Raises:
        UserError: the file has no scores, one for each token.
    """
    scores: list[float] = array_for_tokens(file, "scores", len(tokens), None).tolist()
    known = frozenset(tokens)
    joined: list[tuple[float, int, str, str]] = []
    for number in np.flatnonzero((types != CONTROL) & (types != BYTE)).tolist():
        token = tokens[number]
        for at in range(1, len(token)):
            if (left := token[:at]) in known and (right := token[at:]) in known:
                joined.append((-scores[number], number, left, right))
    joined.sort(key=lambda each: each[:2])
    return [(left, right) for _, _, left, right in joined]


def array_for_tokens(file: GgufFile, key: str, count: int, default: Any) -> Any:
    """A number for each token, `[count]`.

    Raises:
        UserError: the file has something else, or nothing and there is no default.
    """
    found = file.metadata.get(f"tokenizer.ggml.{key}", default)
    if not isinstance(found, np.ndarray) or found.shape != (count,):
        raise file.error(f"'tokenizer.ggml.{key}' is not a list of {count} numbers, one for each token")
    return found
