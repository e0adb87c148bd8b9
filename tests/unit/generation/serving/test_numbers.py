"""What a server answers beside texts: embeddings, and probabilities of tokens."""

from __future__ import annotations

import base64
import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

pytest.importorskip("gguf")
pytest.importorskip("tokenizers")
pytest.importorskip("jinja2")
pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

from mlc.generation.generator import Generator
from mlc.generation.serving.request_error import RequestError
from mlc.generation.serving.wire import Fields, asked_chat, asked_completion
from mlc.tests.unit.generation.serving.running import JSON, LIMITS, Running, running

pytestmark = pytest.mark.slow

_CHAT, _TEXT = "/v1/chat/completions", "/v1/completions"


def test_embeddings(generator: Generator, served: Running) -> None:
    alone = generator.another()
    alone.read(alone.tokenizer.encoded("hello"))
    expected = alone.hidden / np.linalg.norm(alone.hidden)
    tokens = generator.tokenizer.encoded("hello")
    for given, count in (("hello", 1), (["hello", "a world"], 2), (tokens, 1), ([tokens], 1)):
        status, found = served.post("/v1/embeddings", {"input": given, "model": "tiny"})
        assert status == 200 and [each["index"] for each in found["data"]] == [*range(count)]
        np.testing.assert_allclose(found["data"][0]["embedding"], expected, rtol=1e-3, atol=1e-5)
        assert found["usage"]["total_tokens"] == len(tokens) + (count - 1) * len(generator.tokenizer.encoded("a world"))
    _, found = served.post("/v1/embeddings", {"input": "hello", "encoding_format": "base64"})
    shown = np.frombuffer(base64.b64decode(found["data"][0]["embedding"]), "<f4")
    np.testing.assert_allclose(shown, expected, rtol=1e-3, atol=1e-5)


def test_embeddings_of_whole_texts(generator: Generator) -> None:
    """Texts end as the file says, lists of tokens as the client says."""
    ended = replace(generator.another(), tokenizer=replace(generator.tokenizer, last=1))
    text = generator.tokenizer.encoded("hello")
    with running(ended, LIMITS) as found:
        answers = [found.post("/v1/embeddings", {"input": each})[1] for each in ("hello", [*text, 1], text)]
        whole, tokens, open_end = (each["data"][0]["embedding"] for each in answers)
        assert whole == tokens != open_end
        assert answers[0]["usage"]["total_tokens"] == len(text) + 1
        assert found.post(_TEXT, {"prompt": "hello", "max_tokens": 1})[1]["usage"]["prompt_tokens"] == len(text)


def _expected(generator: Generator, tokens: list[int], drawn: list[int]) -> list[float]:
    """The logarithms of probabilities by the definition."""
    alone, found = generator.another(), list[float]()
    logits = alone.read(tokens)
    for token in drawn:
        wide = logits.astype(np.float64)
        found.append(float(wide[token] - wide.max() - np.log(np.exp(wide - wide.max()).sum())))
        logits = alone.read([token])
    return found


def _of_chat(served: Running, **more: Any) -> list[dict[str, Any]]:
    asked = {"messages": [{"role": "user", "content": "hello"}], "max_tokens": 6, "seed": 3, "logprobs": True, **more}
    status, found = served.post(_CHAT, asked)
    assert status == 200
    return found["choices"][0]["logprobs"]["content"]


def test_probabilities_of_a_chat(generator: Generator, served: Running) -> None:
    content = _of_chat(served, top_logprobs=3)
    assert 0 < len(content) <= 6
    texts = {generator.tokenizer.spelling.shown(i): i for i in range(generator.vocabulary)}
    prompt = generator.tokenizer.encoded("<|im_start|>hello<|im_end|><|im_start|>")
    wanted = _expected(generator, prompt, [texts[each["token"]] for each in content])
    np.testing.assert_allclose([each["logprob"] for each in content], wanted, rtol=1e-3, atol=1e-3)
    for each in content:
        numbers = [other["logprob"] for other in each["top_logprobs"]]
        assert len(numbers) == 3 and numbers == sorted(numbers, reverse=True) and each["logprob"] <= numbers[0]
        assert bytes(each["bytes"] or []).decode(errors="replace") in (each["token"], "")
    assert all(each["top_logprobs"] == [] for each in _of_chat(served))


def test_probabilities_come_with_their_texts(served: Running) -> None:
    asked: dict[str, Any] = {"prompt": "hello", "max_tokens": 8, "seed": 5, "logprobs": 2}
    whole = served.post(_TEXT, asked)[1]["choices"][0]
    connection = served.connection()
    connection.request("POST", _TEXT, json.dumps({**asked, "stream": True}), JSON)
    lines = connection.getresponse().read().decode().split("\n\n")
    connection.close()
    events = [json.loads(each[6:])["choices"][0] for each in lines if each and not each.endswith("[DONE]")]
    drawn = [each["logprobs"] for each in events if each["logprobs"] is not None]
    for key in ("tokens", "token_logprobs", "top_logprobs", "text_offset"):
        joined = [number for each in drawn for number in each[key]]
        if key != "token_logprobs":
            assert joined == whole["logprobs"][key]
        np.testing.assert_equal(len(joined), len(whole["logprobs"]["tokens"]))
    tokens, offsets = whole["logprobs"]["tokens"], whole["logprobs"]["text_offset"]
    assert "".join(tokens) == whole["text"] and offsets[0] == 0
    assert offsets[1:] == [*np.cumsum([len(each) for each in tokens[:-1]])]


def test_tokens_after_a_stop_are_not_told(served: Running) -> None:
    asked: dict[str, Any] = {"prompt": "hello", "max_tokens": 8, "seed": 5, "logprobs": 0}
    text = served.post(_TEXT, asked)[1]["choices"][0]["text"]
    cut = served.post(_TEXT, {**asked, "stop": text[3]})[1]["choices"][0]
    assert "".join(cut["logprobs"]["tokens"]) == cut["text"] == text[: text.index(text[3])]
    assert cut["logprobs"]["top_logprobs"] == [{}] * len(cut["logprobs"]["tokens"])


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"top_logprobs": 2}, "found 2 in 'top_logprobs'; required: 'logprobs' of true beside it"),
        ({"logprobs": True, "top_logprobs": 21}, "found 21 in 'top_logprobs'; required: a whole number from 0 to 20"),
        ({"logprobs": 3}, "found 3 in 'logprobs'; required: true or false"),
        ({"prompt": "a", "logprobs": True}, "found true in 'logprobs'; required: a whole number from 0 to 20"),
        ({"prompt": "a", "logprobs": -1}, "found -1 in 'logprobs'; required: a whole number from 0 to 20"),
    ],
)
def test_wrong_fields(fields: dict[str, Any], words: str) -> None:
    read = asked_completion if "prompt" in fields else asked_chat
    with pytest.raises(RequestError) as found:
        read(Fields({"messages": [{"role": "user", "content": "a"}], **fields}))
    assert str(found.value) == words


def test_fields_that_ask_for_nothing() -> None:
    messages = [{"role": "user", "content": "a"}]
    for fields in ({"logprobs": False}, {"logprobs": None, "top_logprobs": 0}, {}):
        assert asked_chat(Fields({"messages": messages, **fields})).likeliest is None
        assert asked_completion(Fields({"prompt": "a", "logprobs": fields.get("logprobs")})).likeliest is None
