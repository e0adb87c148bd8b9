"""A limit on how long something takes."""

from __future__ import annotations

import signal
from collections.abc import Generator
from contextlib import contextmanager


@contextmanager
def at_most(seconds: int) -> Generator[None]:
    """Raises: TimeoutError, in the main thread, if what is inside takes longer."""

    def stop(*_: object) -> None:
        raise TimeoutError(f"takes more than {seconds} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
