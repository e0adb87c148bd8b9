"""In which calls a prompt is read, and that its logits do not depend on them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("gguf")
pytest.importorskip("tokenizers")

from mlc.generation.generator import Generator, calls_for
from mlc.tests.numeric.gguf.reference_models import ReferenceModel
from mlc.tests.numeric.gguf.tiny_models import VOCABULARY, write_model

_TOKENS = np.random.default_rng(5).integers(0, VOCABULARY, 160).tolist()


@pytest.mark.parametrize(
    ("sizes", "calls"),
    [
        ([1], [(1, 1)]),
        ([16, 1], [(16, 4), (1, 1)]),
        ([1, 64, 16], [(64, 49), (16, 4), (1, 1)]),
        ([1, 1, 1, 16], [(16, 4), (1, 1)]),  # code for several sequences takes a token of each
    ],
)
def test_how_few_tokens_a_call_is_for(sizes: list[int], calls: list[tuple[int, int]]) -> None:
    assert calls_for(sizes) == calls


@pytest.mark.slow
@pytest.mark.parametrize("name", ["llama", "gemma3"])
def test_long_prompts(name: str, tmp_path: Path) -> None:
    """Calls of 64 tokens, then of 16, of which the last is not full; one by one where the context ends before. Where
    others may be written at once, calls take 16."""
    write_model(path := tmp_path / "model.gguf", name, "F32", "F32", with_texts="", context=len(_TOKENS))
    expected = ReferenceModel(path).logits(_TOKENS)
    for sequences, places in ((1, [64, 128, 144, 150, *range(151, 160)]), (2, [*range(16, 145, 16), *range(150, 160)])):
        generator, found = Generator.load(path, sequences=sequences), list[int]()
        for tokens in (_TOKENS[:150], _TOKENS[150:159]):
            for logits in generator.reading(tokens):
                found.append(generator.held)
                reference = expected[generator.held - 1]
                assert np.linalg.norm(logits - reference) < 5e-6 * np.linalg.norm(reference)
        assert found == places
