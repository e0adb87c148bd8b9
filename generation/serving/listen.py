"""A server on a socket: it starts, stops when it is asked to, and lets answers end."""

from __future__ import annotations

import signal
import socket
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from types import FrameType

import uvicorn
from starlette.applications import Starlette

from mlc.generation.serving.limits import Limits
from mlc.support.errors import UserError

_CLOSING = 5
"""How many seconds connections have to close after answers were cut."""


def bound_socket(host: str, port: int) -> socket.socket:
    """A socket at an address; port 0 takes a free one.

    Raises:
        UserError: there is no such address, or somebody else listens there.
    """
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        found = socket.socket(family, kind, protocol)
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        found.bind(address)
    except (OSError, UnicodeError, OverflowError) as e:
        words = getattr(e, "strerror", None) or e
        raise UserError(f"cannot listen at {host}, port {port}: {words}; choose another --host or --port") from None
    return found


class Listener(uvicorn.Server):
    """A server that answers until SIGINT or SIGTERM, which end it without an error, and gives answers some time then:
    `cut` ends those that take longer. After a second SIGINT nothing is waited for."""

    def __init__(self, app: Starlette, limits: Limits, cut: Callable[[], object]) -> None:
        config = uvicorn.Config(
            app,
            log_level="critical",
            lifespan="off",
            ws="none",
            limit_concurrency=limits.connections,
            timeout_graceful_shutdown=int(limits.shutdown_seconds) + _CLOSING,
            server_header=False,
        )
        super().__init__(config)
        self._timer = threading.Timer(limits.shutdown_seconds, cut)
        self._timer.daemon = True

    @contextmanager
    def capture_signals(self) -> Generator[None]:
        if threading.current_thread() is not threading.main_thread():  # which alone gets signals
            yield
            return
        before = {each: signal.signal(each, self.handle_exit) for each in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            self._timer.cancel()
            for number, handler in before.items():
                signal.signal(number, handler)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        if not self.should_exit:
            self._timer.start()
        super().handle_exit(sig, frame)
