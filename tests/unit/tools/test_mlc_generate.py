"""`mlc generate`: what it prints, and what it refuses."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

pytest.importorskip("gguf")
pytest.importorskip("tokenizers")

from mlc.tests.numeric.gguf.reference_models import ReferenceModel
from mlc.tests.numeric.gguf.tiny_models import CONTEXT, write_model

if TYPE_CHECKING:
    from tests.conftest import CommandLine

_PROMPT = "hello world"
_TEMPLATE = "{{ messages[-1].content }}<|im_end|>"


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("models") / "model.gguf"
    write_model(path, "llama", "Q4_0", with_texts=_TEMPLATE)
    return path


@pytest.mark.slow
def test_what_follows(mlc: CommandLine, model: Path) -> None:
    """The tokens that the reference finds most likely, one after the other."""
    from mlc.frontends.gguf.file import open_gguf
    from mlc.generation.tokenizer import Tokenizer

    tokenizer, reference = Tokenizer.of(open_gguf(model)), ReferenceModel(model)
    tokens = tokenizer.encoded(_PROMPT)
    start = len(tokens)
    while len(tokens) < start + 6 and (token := int(reference.logits(tokens)[-1].argmax())) not in tokenizer.ends:
        tokens.append(token)
    result = mlc("generate", str(model), _PROMPT, "-n", "6")
    assert result.status == 0 and len(tokens) > start + 1
    assert result.out == f"{_PROMPT}{tokenizer.decoded(tokens[start:])}\n"


@pytest.mark.slow
def test_draws_have_seeds(mlc: CommandLine, model: Path) -> None:
    def drawn(seed: int) -> str:
        options = ("-n", "12", "--temperature", "3", "--top-p", "1", "--min-p", "0", "--seed", str(seed))
        return mlc("generate", str(model), _PROMPT, *options).out

    assert drawn(1) == drawn(1) != drawn(2)


@pytest.mark.slow
def test_the_context_is_the_end(mlc: CommandLine, model: Path) -> None:
    result = mlc("generate", str(model), _PROMPT, "-n", "100", "--temperature", "9", "--speed")
    assert result.status == 0 and "read: 8 tokens" in result.err
    result = mlc("generate", str(model), "o" * (CONTEXT + 1))
    assert result.status == 1
    assert f"found {CONTEXT + 1} tokens to read; required: 1 to {CONTEXT}, which the context has left" in result.err


@pytest.mark.slow
def test_a_chat(mlc: CommandLine, model: Path) -> None:
    pytest.importorskip("jinja2")
    result = mlc("generate", str(model), "hello", "--chat", "-n", "0")
    assert result.status == 0 and result.out == "\n"


@pytest.mark.slow
def test_messages_one_after_the_other(mlc: CommandLine, model: Path) -> None:
    """The template gives the last message alone: each answer is that of a chat of its own."""
    pytest.importorskip("jinja2")
    lines = "hello\nworld\n\nnot read\n"
    answers = mlc("chat", str(model), "-n", "3", "--temperature", "0", stdin=lines).out
    alone = [mlc("generate", str(model), each, "--chat", "-n", "3").out for each in ("hello", "world")]
    assert answers == "".join(alone)


@pytest.mark.slow
def test_what_is_forgotten(model: Path) -> None:
    from mlc.generation.generator import Generator

    generator = Generator.load(model)
    logits = generator.read([5, 6, 7, 8]).copy()
    assert generator.forget([5, 6, 9]) == [9]
    generator.read([9])
    assert generator.forget([5, 6, 9]) == [9], "the last one is read again"
    assert generator.forget([5, 6, 7, 8]) == [7, 8]
    np.testing.assert_allclose(generator.read([7, 8]), logits, rtol=1e-4, atol=1e-4)
    assert generator.forget() == []
    assert np.array_equal(generator.read([5, 6, 7, 8]), logits)


@pytest.mark.slow
def test_a_chat_that_goes_on_keeps_its_caches(model: Path) -> None:
    """What was said, and the answer, are not read again: the end of the answer and the next message are."""
    pytest.importorskip("jinja2")
    from mlc.generation.chat import Message, chat_tokens
    from mlc.generation.generator import Generator

    generator = Generator.load(model)
    everything = "{% for m in messages %}<|im_start|>{{ m.content }}<|im_end|>{% endfor %}<|im_start|>"
    file = replace(generator.file, metadata={**generator.file.metadata, "tokenizer.chat_template": everything})
    messages: list[Message] = [{"role": "user", "content": "hello"}]
    first = chat_tokens(file, messages, generator.tokenizer)
    answer = "".join(generator.stream(generator.forget(first), 5))
    messages += [{"role": "assistant", "content": answer}, {"role": "user", "content": "o"}]
    second = chat_tokens(file, messages, generator.tokenizer)
    assert len(generator.forget(second)) == len(second) - len(first) - 4
    assert generator.tokenizer.encoded(answer) == second[len(first) : len(first) + 5]


def test_what_a_model_writes_changes_no_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    from mlc.tools.text_arguments import show

    show("a\x1b[2Jb\n\tä")
    assert capsys.readouterr().out == "a\N{REPLACEMENT CHARACTER}[2Jb\n\tä"


@pytest.mark.parametrize(
    "arguments, words",
    [
        (("hello", "-n", "-1"), "found -n -1; required: 0 or more"),
        (("hello", "--top-p", "2"), "found top-p 2.0; required: a number from 0 to 1"),
        (("hello", "--system", "x"), "found --system without --chat; required: both, as it is a message of a chat"),
        (("hello", "--context", "99"), f"found a context of 99 tokens; required: 1 to {CONTEXT}"),
    ],
)
def test_user_errors(mlc: CommandLine, model: Path, arguments: tuple[str, ...], words: str) -> None:
    result = mlc("generate", str(model), *arguments)
    assert result.status == 1 and words in result.err


@pytest.mark.slow
def test_the_prompt_is_empty(mlc: CommandLine, model: Path) -> None:
    result = mlc("generate", str(model), "")
    assert result.status == 1 and "the prompt is empty; required: a text" in result.err


def test_what_is_not_known(mlc: CommandLine, tmp_path: Path) -> None:
    from mlc.tests.unit.frontends.gguf.files import STRING, gguf, metadatum, text

    path = tmp_path / "model.gguf"
    for metadata, words in (
        ([], "the file does not say its architecture; required: a text 'general.architecture'"),
        ([("general.architecture", "bert")], "its architecture is 'bert'; required: one that mlc knows, gemma3, gpt2"),
        ([("general.architecture", "llama")], "the file has no 'llama.context_length' in its metadata"),
    ):
        path.write_bytes(gguf([metadatum(key, STRING, text(value)) for key, value in metadata]))
        result = mlc("generate", str(path), "hello")
        assert result.status == 1 and words in result.err
