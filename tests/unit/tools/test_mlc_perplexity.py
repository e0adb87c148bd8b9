"""`mlc perplexity` beside an evaluation in f64 that shares no code with it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

pytest.importorskip("gguf")
pytest.importorskip("tokenizers")

from mlc.frontends.gguf.file import open_gguf
from mlc.generation.perplexity import Perplexity, surprise_of
from mlc.generation.tokenizer import Tokenizer
from mlc.tests.numeric.gguf.reference_models import ReferenceModel
from mlc.tests.numeric.gguf.tiny_models import CONTEXT, write_model

if TYPE_CHECKING:
    from tests.conftest import CommandLine

_TEXT = "hello world, hello world. " * 3 + "what follows is not what came before it!"


@pytest.mark.slow
def test_the_number(mlc: CommandLine, tmp_path: Path) -> None:
    """Chunks of the context, the second half of each scored; llama.cpp's definition, written down again."""
    write_model(path := tmp_path / "model.gguf", "llama", "Q4_0", with_texts="")
    (tmp_path / "text").write_text(_TEXT)
    tokens, reference = Tokenizer.of(open_gguf(path)).encoded(_TEXT), ReferenceModel(path)
    surprises: list[float] = []
    for chunk in [tokens[i * CONTEXT : (i + 1) * CONTEXT] for i in range(len(tokens) // CONTEXT)]:
        logits = reference.logits(chunk)
        for at in range(CONTEXT // 2, CONTEXT - 1):
            exact = np.exp(logits[at] - logits[at].max())
            surprises.append(-np.log(exact[chunk[at + 1]] / exact.sum()))
    assert len(surprises) == len(tokens) // CONTEXT * (CONTEXT // 2 - 1) > 30
    result = mlc("perplexity", str(path), str(tmp_path / "text"), "--context", str(CONTEXT))
    found = re.fullmatch(r"perplexity ([\d.]+) ± ([\d.]+), of (\d+) tokens\n", result.out)
    assert result.status == 0 and found is not None and int(found[3]) == len(surprises)
    mean = np.exp(np.mean(surprises))
    np.testing.assert_allclose(float(found[1]), mean, rtol=1e-4)
    np.testing.assert_allclose(float(found[2]), mean * np.std(surprises) / np.sqrt(len(surprises) - 1), rtol=1e-3)
    short = mlc("perplexity", str(path), "-", "--context", str(CONTEXT), stdin="hello")
    assert short.status == 1 and f"required: at least {2 * CONTEXT}, two chunks as long as the context" in short.err


def test_numbers_that_are_known() -> None:
    """A model that knows nothing is as perplexed as its vocabulary is large; logits may be large."""
    found = Perplexity()
    for token in range(8):
        found.add(surprise_of(np.full(8, 1e30, np.float32), token))
    assert found.count == 8 and abs(found.value - 8) < 1e-12 and found.error < 1e-6
    assert abs(surprise_of(np.array([1000, 0], np.float32), 1) - 1000) < 1e-9


@pytest.mark.parametrize(
    "arguments, words",
    [
        (("--context", "1"), "found a context of 1 tokens; required: at least 2, of which one is scored"),
        (("--chunks", "0"), "found --chunks 0; required: 1 or more"),
        ((), "input file 'missing' not found"),
    ],
)
def test_user_errors(mlc: CommandLine, arguments: tuple[str, ...], words: str) -> None:
    result = mlc("perplexity", "missing.gguf", "missing", *arguments)
    assert result.status == 1 and words in result.err
