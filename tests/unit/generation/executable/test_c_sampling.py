"""Draws of the C of chats beside those of Python."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytest.importorskip("tokenizers")

from mlc.generation.sampling import Sampling
from mlc.tests.unit.generation.executable.c_tokens import ChatLibrary
from mlc.tests.unit.generation.files import by_ranks, with_metadata


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> ChatLibrary:
    return ChatLibrary.of(with_metadata(by_ranks()), tmp_path_factory.mktemp("chat"))


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"temperature": 1},
        {"temperature": 1, "seed": 1 << 32},
        {"temperature": 0.7, "seed": 12345678901234567},
        {"temperature": 2, "top_k": 0, "top_p": 1, "min_p": 0},
        {"temperature": 2, "top_k": 0, "top_p": 0.5, "min_p": 0},
        {"temperature": 2, "top_k": 5, "top_p": 1, "min_p": 0.2},
        {"temperature": 3, "top_k": 9999, "top_p": 0},
        {"temperature": 1e-3, "top_k": 3, "top_p": 1, "min_p": 0},
        {"repetition_penalty": 1.3},
        {"temperature": 1, "repetition_penalty": 0.7, "frequency_penalty": 0.4, "presence_penalty": -0.3},
        {"frequency_penalty": 2},
        {"presence_penalty": 3},
    ],
)
def test_equal_seeds_draw_equal_tokens(options: dict[str, Any], library: ChatLibrary) -> None:
    """Of logits that are often equal, with what came before."""
    chance, size = np.random.default_rng(1), len(by_ranks()["tokenizer.ggml.tokens"])
    ours, theirs = library.drawing(Sampling(**options)), Sampling(**options)
    before, written = [3, 4, 5, 4], list[int]()
    for i in range(300):
        logits = (chance.standard_normal(size) * 2).astype(np.float32)
        logits = logits.round(1) if i % 2 else logits
        expected = theirs.token(logits, before, written)
        assert ours.token(logits, before, written) == expected, i
        before.append(expected)
        written.append(expected)
