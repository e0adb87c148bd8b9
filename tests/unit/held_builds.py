"""Compilations in the background that wait until a test lets them go on, in this process."""

from __future__ import annotations

import threading
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest

from mlc.compiler import background
from mlc.support.errors import CompilerBug


@dataclass
class HeldBuilds:
    """What holds compilations back.

    Attributes:
        count: how many have begun; the thread of a call begins one later than the call ends, so ask after `go_on`.
        failure: what they end with instead of a result.
    """

    released: threading.Event = field(default_factory=threading.Event)
    count: int = 0
    failure: str = ""

    def go_on(self) -> None:
        """Let all compilations, those of later calls included, end, and wait for those that there are."""
        self.released.set()
        background.wait()

    def done(self, job: background.Job) -> Any:
        """What the other process would give."""
        if not isinstance(job, background._BuildJob):  # pyright: ignore[reportPrivateUsage]
            return None
        self.count += 1
        assert self.released.wait(60)
        if self.failure:
            raise CompilerBug(self.failure, "background")
        return job.run()


@contextmanager
def held_builds(monkeypatch: pytest.MonkeyPatch) -> Generator[HeldBuilds]:
    held = HeldBuilds()
    monkeypatch.setattr(background, "_done", held.done)
    try:
        yield held
    finally:
        held.go_on()
