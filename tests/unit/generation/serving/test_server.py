"""`mlc serve` over HTTP, as clients see it."""

# The package openai has types of its own, which depend on its version.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

from __future__ import annotations

import http.client
import json
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

pytest.importorskip("gguf")
pytest.importorskip("tokenizers")
pytest.importorskip("jinja2")
pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

from mlc.generation.generator import Generator
from mlc.generation.serving.limits import Limits
from mlc.tests.numeric.gguf.tiny_models import WIDTH
from mlc.tests.unit.generation.serving.load import Load, expected_texts
from mlc.tests.unit.generation.serving.running import JSON, LIMITS, Running, running, until

if TYPE_CHECKING:
    from tests.conftest import CommandLine

pytestmark = pytest.mark.slow

_KEY = "a key of a test"
_CHAT, _TEXT = "/v1/chat/completions", "/v1/completions"


@pytest.fixture
def slow(generator: Generator, monkeypatch: pytest.MonkeyPatch) -> Generator:
    """A generator whose answers come to no end."""

    def reading(*_: Any) -> Iterator[Any]:
        while True:
            time.sleep(0.01)
            yield np.zeros(generator.vocabulary, np.float32)

    found = generator.another()
    monkeypatch.setattr(found, "reading", reading)
    return found


def _messages(*texts: str) -> list[dict[str, str]]:
    return [{"role": "user" if i % 2 == 0 else "assistant", "content": each} for i, each in enumerate(texts)]


def _alone(generator: Generator, prompt: str, most: int) -> str:
    return "".join(generator.another().stream(prompt, most))


def test_the_client_of_openai(generator: Generator) -> None:
    """Answers as a whole and piece by piece are equal, and continue what they continue; keys are asked for."""
    openai = pytest.importorskip("openai")
    with running(generator.another(), LIMITS, _KEY) as found:
        url = f"http://127.0.0.1:{found.port}/v1"
        client = openai.OpenAI(base_url=url, api_key=_KEY, max_retries=0)
        assert [each.id for each in client.models.list()] == ["tiny"] and client.models.retrieve("tiny").id == "tiny"
        asked: dict[str, Any] = {"model": "tiny", "max_tokens": 12, "seed": 5, "temperature": 1.5}
        whole = client.chat.completions.create(messages=_messages("hello world"), **asked)
        text, usage = whole.choices[0].message.content, whole.usage
        assert text and (whole.choices[0].finish_reason, usage.completion_tokens) == ("length", 12)
        options: dict[str, Any] = {"stream": True, "stream_options": {"include_usage": True}}
        *pieces, last = client.chat.completions.create(messages=_messages("hello world"), **asked, **options)
        assert "".join(each.choices[0].delta.content or "" for each in pieces) == text
        assert last.usage.prompt_tokens == usage.prompt_tokens
        assert last.usage.prompt_tokens_details.cached_tokens == usage.prompt_tokens - 1
        longer = client.chat.completions.create(messages=_messages("hello world", text, "well"), **asked)
        assert longer.usage.prompt_tokens_details.cached_tokens >= usage.prompt_tokens + 11
        other = client.chat.completions.create(messages=_messages("hello world"), **{**asked, "seed": 6})
        assert other.choices[0].message.content != text
        plain = client.completions.create(model="tiny", prompt="hello", max_tokens=9, temperature=0)
        assert plain.choices[0].text == _alone(generator, "hello", 9)
        vectors = client.embeddings.create(model="tiny", input=["hello", "world"])
        assert [len(each.embedding) for each in vectors.data] == [WIDTH, WIDTH]
        with pytest.raises(openai.NotFoundError, match="this server has no such model; required: 'tiny'"):
            client.completions.create(model="gpt-4", prompt="hello")
        with pytest.raises(openai.BadRequestError, match="'tools' is not offered by this server; leave it out"):
            client.chat.completions.create(messages=_messages("a"), tools=[{"type": "function"}], **asked)
        with pytest.raises(openai.AuthenticationError, match="found no key, or a wrong one; required: the header"):
            openai.OpenAI(base_url=url, api_key="another key", max_retries=0).models.list()
        assert found.get("/health")[0] == 200 and found.get("/metrics")[0] == 401


def test_where_answers_end(generator: Generator, served: Running) -> None:
    text = _alone(generator, "hello", 12)
    asked = {"prompt": "hello", "max_tokens": 12, "temperature": 0}
    for stop, expected in ((text[4:6], text[:4]), ([text[3:5], "never"], text[:3]), ("never", text)):
        status, found = served.post(_TEXT, {**asked, "stop": stop})
        assert (status, found["choices"][0]["text"]) == (200, expected)
        assert found["choices"][0]["finish_reason"] == ("length" if expected == text else "stop")
    assert (
        served.post(_TEXT, {**asked, "prompt": generator.tokenizer.encoded("hello")})[1]["choices"][0]["text"] == text
    )


def test_json_of_a_schema(served: Running) -> None:
    pytest.importorskip("llguidance")
    schema: dict[str, Any] = {"type": "array", "items": {"enum": ["a", "b"]}, "minItems": 2, "maxItems": 2}
    form: dict[str, Any] = {"type": "json_schema", "json_schema": {"name": "x", "schema": schema}}
    asked = {"messages": _messages("hello"), "max_tokens": 100, "response_format": form, "seed": 9}  # few spaces
    status, found = served.post(_CHAT, asked)
    assert status == 200 and found["choices"][0]["finish_reason"] == "stop"
    assert set(json.loads(found["choices"][0]["message"]["content"])) <= {"a", "b"}
    form["json_schema"]["schema"] = {"type": "list"}
    status, found = served.post(_CHAT, {"messages": _messages("hello"), "response_format": form})
    assert status == 400 and "the JSON schema cannot be used" in found["error"]["message"]


_WRONG: list[tuple[str, Any, int, str]] = [
    (_TEXT, b"{", 400, "the body is not JSON: "),
    (_TEXT, b"\xff\xfe", 400, "the body is not JSON: "),
    (_TEXT, b"[" * 100_000, 400, "the body is not JSON: "),
    (_TEXT, b'{"prompt": NaN}', 400, "found NaN, which JSON does not have"),
    (_TEXT, [1], 400, "the body is a list; required: an object"),
    (_TEXT, {}, 400, "found null in 'prompt'; required: a text, or a list of tokens"),
    (_TEXT, {"prompt": ["a", "b"]}, 400, "several prompts are several requests"),
    (_TEXT, {"prompt": [5, -1]}, 400, "found the token -1; required: numbers from 0 to 95"),
    (_TEXT, {"prompt": ""}, 400, "the prompt has 0 tokens; required: 1 to 256, the context of this server"),
    (_TEXT, {"prompt": "o" * 257}, 400, "the prompt has 257 tokens; required: 1 to 256"),
    (_TEXT, {"prompt": "a" * 1_000_000}, 400, "the text has 1000000 characters; required: at most 3072, for 256"),
    (_TEXT, {"prompt": "a" * (1 << 20)}, 413, "the body is longer than 1048576 bytes; shorten it"),
    (_TEXT, {"prompt": "\ud800"}, 400, "the text has halves of surrogate pairs"),
    (_TEXT, {"prompt": "a", "n": 2}, 400, "'n' is not offered by this server; leave it out"),
    (_TEXT, {"prompt": "a", "temperature": "1"}, 400, "found \"1\" in 'temperature'; required: a number from 0 to 2"),
    (_TEXT, {"prompt": "a", "temperature": True}, 400, "found true in 'temperature'"),
    (_TEXT, {"prompt": "a", "max_tokens": 0}, 400, "found 0 in 'max_tokens'; required: a whole number from 1"),
    (_TEXT, {"prompt": "a", "seed": 1.5}, 400, "found 1.5 in 'seed'; required: a whole number"),
    (_TEXT, {"prompt": "a", "stop": ["", "a"]}, 400, "in 'stop'; required: up to 16 texts of 1 to 1000 characters"),
    (_TEXT, {"prompt": "a", "stream": 1}, 400, "found 1 in 'stream'; required: true or false"),
    (_TEXT, {"prompt": "a", "stream_options": 1}, 400, "found 1 in 'stream_options'; required: an object"),
    (_TEXT, {"prompt": "a", "response_format": {"type": "xml"}}, 400, "in 'response_format'; required: {\"type\""),
    (_CHAT, {"messages": []}, 400, "found [] in 'messages'; required: a list of at least one message"),
    (_CHAT, {"messages": ["a"]}, 400, "'messages[0]' is a text; required: an object"),
    (_CHAT, {"messages": [{"role": "tool"}]}, 400, "the role of 'messages[0]' is 'tool'; required: system, developer"),
    (_CHAT, {"messages": [{"role": "user", "content": 5}]}, 400, "'messages[0].content' is a number; required: a text"),
    ("/v1/embeddings", {"input": []}, 400, "found [] in 'input'; required: a text, a list of tokens, or 1 to 2048 of"),
    ("/v1/embeddings", {"input": [1, "a"]}, 400, "required: a text, a list of tokens, or 1 to 2048 of these"),
    ("/v1/embeddings", {"input": ""}, 400, "the prompt has 0 tokens; required: 1 to 256"),
    ("/v1/embeddings", {"input": "a", "dimensions": 3}, 400, "'dimensions' is not offered by this server"),
    ("/v1/embeddings", {"input": "a", "encoding_format": "x"}, 400, 'required: "float" or "base64"'),
    ("/v2", {}, 404, "found POST /v2; required: one of the paths of this server, such as /v1/models"),
    ("/v1/models", {}, 405, "found POST /v1/models; required: one of the paths"),
]


def test_what_is_wrong(served: Running) -> None:
    """Each is refused in the shape of the interface, and the server goes on."""
    for path, body, status, words in _WRONG:
        found, answer = served.post(path, body)
        assert (found, set(answer), set(answer["error"])) == (status, {"error"}, {"message", "type", "param", "code"})
        assert words in answer["error"]["message"], (path, answer)
    assert served.post(_TEXT, {"prompt": "a"}, **{"Content-Type": "text/plain"})[0] == 415
    assert served.post(_TEXT, {"prompt": "a", "max_tokens": 1})[0] == 200


def test_names_of_this_machine(served: Running) -> None:
    """Pages of other hosts cannot ask, whatever address their name has."""
    required = "required: localhost, or its address, as no key is asked for"
    for host in ("localhost:1", "[::1]:80", "127.0.0.2"):
        assert served.post(_TEXT, {"prompt": "a", "max_tokens": 1}, Host=host)[0] == 200, host
    for host in ("evil.example", "1.2.3.4", "localhost.evil.example"):
        found, answer = served.post(_TEXT, {"prompt": "a", "max_tokens": 1}, Host=host)
        assert found == 403 and required in answer["error"]["message"], host


def test_a_body_that_does_not_come(served: Running) -> None:
    connection = served.connection()
    connection.putrequest("POST", _TEXT)
    connection.putheader("Content-Type", "application/json")
    connection.putheader("Content-Length", "1000")
    connection.endheaders(b"{")
    assert connection.getresponse().status == 408
    connection.close()


def test_a_full_queue(slow: Generator) -> None:
    """One answer, one that waits, and a third that is refused."""
    with running(slow, replace(LIMITS, slots=1, waiting=1)) as found:
        connections = [found.connection() for _ in range(2)]
        asked = {"prompt": "a", "max_tokens": 9}
        for each in connections:
            each.request("POST", _TEXT, json.dumps(asked), {"Content-Type": "application/json"})
        until(lambda: found.server.engine.load == (1, 1))
        status, answer = found.post(_TEXT, asked)
        assert (status, answer["error"]["message"]) == (429, "1 requests wait already; try again later")
        for each in connections:
            each.close()
        until(lambda: found.server.engine.load == (0, 0))


def test_answers_that_take_too_long(slow: Generator) -> None:
    """Whether they had a turn or waited for one, as a whole or piece by piece."""
    with running(slow, replace(LIMITS, slots=1, seconds=0.3)) as found:
        statuses: list[int] = []
        asked = {"prompt": "a", "max_tokens": 9}
        threads = [threading.Thread(target=lambda: statuses.append(found.post(_TEXT, asked)[0])) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert statuses == [504, 504]
        *_, last = _events(found, asked)
        assert json.loads(last)["error"]["message"].startswith("the answer took too long; ask for fewer tokens")


def _events(found: Running, asked: dict[str, Any]) -> list[str]:
    connection = found.connection()
    connection.request("POST", _TEXT, json.dumps({**asked, "stream": True}), {"Content-Type": "application/json"})
    lines = connection.getresponse().read().decode().split("\n\n")
    connection.close()
    return [each.removeprefix("data: ") for each in lines if each]


@pytest.mark.parametrize("is_streamed", [False, True])
def test_clients_that_go_away(slow: Generator, is_streamed: bool) -> None:
    """Nothing is computed for them, whether they had a turn or waited for one."""
    with running(slow, replace(LIMITS, slots=1)) as found:
        connections = [found.connection() for _ in range(3)]
        for each in connections:
            body = json.dumps({"prompt": "a", "max_tokens": 9, "stream": is_streamed})
            each.request("POST", _TEXT, body, {"Content-Type": "application/json"})
        until(lambda: found.server.engine.load == (1, 2))
        for each in connections:
            each.close()
        until(lambda: found.server.engine.load == (0, 0))


def test_an_answer_that_fails(
    slow: Generator, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Clients do not see why; the log does, and the next answer comes."""

    def reading(*_: Any) -> Iterator[Any]:
        yield np.zeros(slow.vocabulary, np.float32)
        raise ZeroDivisionError("secret")

    monkeypatch.setattr(slow, "reading", reading)
    with running(slow, replace(LIMITS, slots=1)) as found:
        for _ in range(2):
            status, answer = found.post(_TEXT, {"prompt": "a"})
            assert (status, answer["error"]["message"]) == (500, "the server failed; its log says why")
    assert "mlc: an answer failed: ZeroDivisionError: secret" in capfd.readouterr().err


def test_the_engine_stops(slow: Generator) -> None:
    """Answers that are not complete are cut in words."""
    with running(slow, LIMITS) as found:
        answers: list[Any] = []
        thread = threading.Thread(target=lambda: answers.append(found.post(_TEXT, {"prompt": "a"})))
        thread.start()
        until(lambda: found.server.engine.load == (1, 0))
        found.server.engine.stop()
        thread.join()
        assert answers[0][0] == 503 and answers[0][1]["error"]["message"] == "the server stops; try again later"
        assert found.post(_TEXT, {"prompt": "a"})[0] == 503 and found.get("/health")[0] == 503


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_an_engine_that_fails(slow: Generator, monkeypatch: pytest.MonkeyPatch) -> None:
    """An answer that cannot begin is one that fails; where the engine itself fails, nobody waits for it."""

    def fail(*_: object) -> None:
        raise ZeroDivisionError

    with running(slow, replace(LIMITS, slots=1)) as found:
        with monkeypatch.context() as patch:
            patch.setattr(slow, "forget", fail)
            assert found.post(_TEXT, {"prompt": "a"})[0] == 500 and found.get("/health")[0] == 200
        monkeypatch.setattr(slow, "common", fail)
        assert found.post(_TEXT, {"prompt": "a"})[0] == 503
        assert found.get("/health")[0] == 503


def test_metrics(served: Running) -> None:
    _, answer = served.post(_TEXT, {"prompt": "hello", "max_tokens": 2})
    lines = served.get("/metrics")[1].splitlines()
    numbers = dict(line.rsplit(" ", 1) for line in lines if not line.startswith("#"))
    assert int(numbers['mlc_requests_total{path="/v1/completions",status="200"}']) >= 1
    assert int(numbers["mlc_tokens_written_total"]) >= 2 and numbers["mlc_answers_running"] == "0"
    assert numbers['mlc_answer_seconds_bucket{le="+Inf"}'] == numbers["mlc_answer_seconds_count"]
    assert int(numbers["mlc_cached_tokens"]) >= answer["usage"]["prompt_tokens"] > 1
    assert int(numbers["mlc_cache_bytes"]) == served.server.engine.cache_bytes > 0
    assert sum(line.startswith("# TYPE") for line in lines) == 10


def test_answers_at_once(generator: Generator) -> None:
    """Each has its own seed, its own stop and its own length, and is what it is alone."""
    asked: list[dict[str, Any]] = [
        {"prompt": "hello" * (i + 1), "max_tokens": 8 + i, "temperature": 1.5, "seed": i} for i in range(3)
    ]
    asked[1]["stop"] = ["e", "q"]
    with running(generator.another(), LIMITS) as found:
        alone, at_once = [found.post(_TEXT, each) for each in asked], dict[int, Any]()

        def post(number: int) -> None:
            at_once[number] = found.post(_TEXT, asked[number])

        threads = [threading.Thread(target=post, args=(number,)) for number in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    texts = [[answer["choices"][0] for _, answer in each] for each in (alone, [at_once[i] for i in range(3)])]
    assert texts[0] == texts[1] and len({each["text"] for each in texts[0]}) == 3


@pytest.mark.parametrize("slots", [3, 9])
def test_many_clients(generator: Generator, slots: int) -> None:
    """Each gets its own answer, whatever others do, and nothing is left of those that went away. One step of the model
    writes a token of all answers, or of four of them."""
    with running(generator.another(), Limits(slots=slots)) as found:
        load = Load(found, expected_texts(generator, 8), requests=8, large=10_000)
        load.run(clients=slots + 1)
        assert not load.wrong and load.seconds and load.gone
        until(lambda: found.server.engine.load == (0, 0))


def test_the_command(generator: Generator, tmp_path: Path) -> None:
    """It says where it listens, asks for the key, ends an answer after SIGTERM, and ends well itself."""
    key = tmp_path / "key"
    key.write_text(_KEY)
    arguments = [generator.file.name, "--port", "0", "--api-key-file", str(key), "--name", "x"]
    command = [sys.executable, "-m", "mlc", "serve", *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None and process.stderr is not None
        try:
            line = process.stdout.readline()
            assert line.startswith("'x' answers at http://127.0.0.1:") and line.endswith("/v1\n"), process.stderr.read()
            connection = http.client.HTTPConnection("127.0.0.1", int(line.split(":")[-1].split("/")[0]), timeout=30)
            body = json.dumps({"prompt": "hello", "max_tokens": 200, "stream": True, "temperature": 0})
            connection.request("POST", _TEXT, body, {**JSON, "Authorization": f"Bearer {_KEY}"})
            response = connection.getresponse()
            first = response.readline()
            process.terminate()
            assert (first + response.read()).decode().endswith("data: [DONE]\n\n")
            assert process.wait(20) == 0 and process.stderr.read() == ""
        finally:
            process.kill()


@pytest.mark.parametrize(
    "arguments, words",
    [
        (("--port", "70000"), "found --port 70000; required: a number from 0 to 65535"),
        (("--slots", "0"), "found --slots 0; required: a number from 1 to 256"),
        (("--host", "no.such.host.invalid"), "cannot listen at no.such.host.invalid, port 8080: "),
        (("--api-key-file", "missing"), "cannot read the key in 'missing': No such file or directory"),
        (("--api-key-file", "/dev/null"), "the key in '/dev/null' has 0 characters; required: at least 8 of ASCII"),
    ],
)
def test_user_errors(mlc: CommandLine, arguments: tuple[str, ...], words: str) -> None:
    result = mlc("serve", "missing.gguf", *arguments)
    assert result.status == 1 and words in result.err
