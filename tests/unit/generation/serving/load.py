"""Clients that ask at the same time, some of which go away; with the answers that each has to get.

    python -m mlc.tests.unit.generation.serving.load --clients 8 --requests 50

prints how long requests took.
"""

from __future__ import annotations

import argparse
import json
import random
import socket
import struct
import tempfile
import threading
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from mlc.generation.generator import Generator
from mlc.generation.serving.limits import Limits
from mlc.tests.numeric.gguf.tiny_models import write_model
from mlc.tests.unit.generation.serving.running import JSON, TEMPLATE, Running, running

_PATH = "/v1/completions"
_MOST = 24


@dataclass
class Load:
    """Some clients, each with requests one after the other.

    Attributes:
        expected: the prompts, and what follows each.
        large: the characters of a prompt that is too large.
        seconds: how long each request took that was answered.
        wrong: what was not as it had to be.
    """

    found: Running
    expected: dict[str, str]
    requests: int
    large: int
    seconds: list[float] = field(default_factory=list[float])
    wrong: list[str] = field(default_factory=list[str])
    gone: int = 0

    def run(self, clients: int) -> None:
        """All of it."""
        threads = [threading.Thread(target=self._client, args=(i,)) for i in range(clients)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()

    def _client(self, number: int) -> None:
        chance = random.Random(number)
        for _ in range(self.requests):
            prompt = chance.choice([*self.expected])
            try:
                match chance.choice(("whole", "stream", "slow", "leave", "kill", "broken", "large")):
                    case "leave":
                        self._leave(prompt, chance, is_killed=False)
                    case "kill":
                        self._leave(prompt, chance, is_killed=True)
                    case "broken":
                        self._check(self.found.post(_PATH, b'{"prompt": ')[0] == 400, "a broken body")
                    case "large":
                        status, _ = self.found.post(_PATH, {"prompt": prompt * (self.large // len(prompt) + 1)})
                        self._check(status == 400, "a large prompt")
                    case kind:
                        self._ask(prompt, kind)
            except Exception as e:
                self.wrong.append(f"{type(e).__name__}: {e}")

    def _check(self, is_right: bool, what: str) -> None:
        if not is_right:
            self.wrong.append(what)

    def _ask(self, prompt: str, kind: str) -> None:
        asked: dict[str, Any] = {"prompt": prompt, "max_tokens": _MOST, "temperature": 0, "stream": kind != "whole"}
        start = time.monotonic()
        connection = self.found.connection()
        connection.request("POST", _PATH, json.dumps(asked), JSON)
        response = connection.getresponse()
        data = b""
        while part := response.read(40 if kind == "slow" else None):
            data += part
            time.sleep(0.001 if kind == "slow" else 0)
        connection.close()
        self.seconds.append(time.monotonic() - start)
        if kind == "whole":
            text = json.loads(data)["choices"][0]["text"]
        else:
            *events, last = [each.removeprefix("data: ") for each in data.decode().split("\n\n") if each]
            self._check(last == "[DONE]", "the end of a stream is missing")
            text = "".join(json.loads(each)["choices"][0]["text"] for each in events)
        self._check(text == self.expected[prompt], f"{prompt!r} got {text!r}, not {self.expected[prompt]!r}")

    def _leave(self, prompt: str, chance: random.Random, is_killed: bool) -> None:
        """Go away after some bytes of the answer; a process that is killed may reset its connection."""
        body = json.dumps({"prompt": prompt, "max_tokens": _MOST, "stream": chance.random() < 0.5})
        with socket.create_connection(("127.0.0.1", self.found.port)) as connection:
            head = f"POST {_PATH} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: {len(body)}"
            sent = f"{head}\r\n\r\n{body}".encode()
            connection.sendall(sent[: chance.choice((20, len(sent) - 5, len(sent)))])
            connection.settimeout(0.01 * chance.random())
            with suppress(TimeoutError):
                connection.recv(64)
            if is_killed:
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.gone += 1


def expected_texts(generator: Generator, count: int) -> dict[str, str]:
    """Prompts of different lengths, of which some start like others, and what follows them."""
    chance, found = random.Random(1), dict[str, str]()
    while len(found) < count:
        prompt = "hello world, " * chance.randint(0, 2) + "".join(chance.choices("abcdef ", k=chance.randint(1, 40)))
        found[prompt] = "".join(generator.another().stream(prompt, _MOST))
    return found


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--clients", type=int, default=8)
    parser.add_argument("--requests", type=int, default=50)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        write_model(path := Path(folder) / "tiny.gguf", "llama", "Q4_0", with_texts=TEMPLATE, context=256)
        generator = Generator.load(path)
    with running(generator, Limits()) as found:
        load = Load(found, expected_texts(generator, 20), given.requests, 1_000_000)
        start = time.monotonic()
        load.run(given.clients)
        taken = time.monotonic() - start
        ends = [f"{np.percentile(load.seconds, p) * 1000:.0f}" for p in (50, 90, 99, 100)]
        print(f"{len(load.seconds)} answers in {taken:.1f} s; {load.gone} clients went away; {len(load.wrong)} wrong")
        print(f"milliseconds of an answer, by percentiles 50, 90, 99, 100: {', '.join(ends)}")
        print(*load.wrong[:10], sep="\n")


if __name__ == "__main__":
    main()
