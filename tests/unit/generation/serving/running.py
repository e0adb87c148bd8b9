"""Servers that run beside a test, and requests to them."""

from __future__ import annotations

import http.client
import json
import threading
import time
from collections.abc import Callable
from collections.abc import Generator as Steps
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from mlc.generation.generator import Generator
from mlc.generation.serving.app import Server
from mlc.generation.serving.engine import Engine
from mlc.generation.serving.limits import Limits
from mlc.generation.serving.listen import Listener, bound_socket

TEMPLATE = "{% for m in messages %}<|im_start|>{{ m.content }}<|im_end|>{% endfor %}<|im_start|>"
JSON = {"Content-Type": "application/json"}
LIMITS = Limits(slots=3, waiting=8, body=1 << 20, upload_seconds=1)


@dataclass(frozen=True)
class Running:
    """A server, and where it listens."""

    server: Server
    port: int

    def connection(self) -> http.client.HTTPConnection:
        """A connection of its own."""
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)

    def post(self, path: str, body: object, **headers: str) -> tuple[int, Any]:
        """The status and the JSON of an answer; a body of bytes is sent as it is."""
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        connection = self.connection()
        try:
            connection.request("POST", path, data, {**JSON, **headers})
            found = connection.getresponse()
            return found.status, json.loads(found.read())
        finally:
            connection.close()

    def get(self, path: str) -> tuple[int, str]:
        """The status and the text of an answer."""
        connection = self.connection()
        try:
            connection.request("GET", path)
            found = connection.getresponse()
            return found.status, found.read().decode()
        finally:
            connection.close()


@contextmanager
def running(generator: Generator, limits: Limits, key: str | None = None) -> Steps[Running]:
    """A server with an engine of its own."""
    engine = Engine(generator, limits.slots, limits.waiting)
    server = Server(generator, engine, "tiny", limits, key, is_local=True)
    listener, listening = Listener(server.app(), limits, engine.stop), bound_socket("127.0.0.1", 0)
    thread = threading.Thread(target=listener.run, args=([listening],))
    thread.start()
    try:
        until(lambda: listener.started)
        yield Running(server, listening.getsockname()[1])
    finally:
        listener.should_exit = True
        engine.stop()
        thread.join(20)
        assert not thread.is_alive()


def until(is_so: Callable[[], bool]) -> None:
    """Wait for something, at most ten seconds."""
    end = time.monotonic() + 10
    while not is_so():
        assert time.monotonic() < end, "it did not come true"
        time.sleep(0.005)
