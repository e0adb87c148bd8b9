"""Tokens beside tokenizers that are written down again, of random texts in many scripts."""

from __future__ import annotations

import random
from typing import Any

import pytest

pytest.importorskip("tokenizers")
pytest.importorskip("regex")

from mlc.frontends.gguf.file import open_gguf
from mlc.generation.tokenizer import Tokenizer
from mlc.tests.numeric.gguf.real_models import smollm2
from mlc.tests.unit.generation.files import by_ranks, by_scores, with_metadata
from mlc.tests.unit.generation.naive_tokenizers import NaivePairs, NaivePieces, random_texts


@pytest.mark.parametrize("pre", ["smollm", "gpt-2", "llama-bpe"])
def test_pairs_of_bytes(pre: str) -> None:
    metadata = by_ranks(pre=pre)
    ours, naive = Tokenizer.of(with_metadata(metadata)), NaivePairs(metadata)
    for text in [*random_texts(200), *_short("hello wä12\n'", 200)]:
        assert ours.encoded(text) == naive.encoded(text), text


@pytest.mark.parametrize("more", [{}, {"add_space_prefix": False}])
def test_pieces_with_scores(more: dict[str, Any]) -> None:
    metadata = by_scores(**more)
    ours, naive = Tokenizer.of(with_metadata(metadata)), NaivePieces(metadata)
    for text in [*random_texts(200), *_short("ab \né", 200)]:
        assert ours.encoded(text, is_start=False) == naive.encoded(text), text
        if "\n\n" not in text or not ours.puts_space:  # a token of its own, after which another space is put
            assert ours.decoded(naive.encoded(text)) == text


def test_a_real_vocabulary() -> None:
    """That of SmolLM2, which has no tokens for six of the bytes of texts."""
    file = open_gguf(smollm2())
    ours, naive = Tokenizer.of(file), NaivePairs(file.metadata)
    missing: dict[int, None] = dict.fromkeys((4, 6, 19, 20, 22, 29))
    for text in random_texts(200):
        tokens = naive.encoded(text)
        assert ours.encoded(text) == tokens, text
        assert ours.decoded(tokens) == text.translate(missing), text


def _short(letters: str, count: int) -> list[str]:
    chance = random.Random(2)
    return ["".join(chance.choices(letters, k=chance.randint(1, 30))) for _ in range(count)]
