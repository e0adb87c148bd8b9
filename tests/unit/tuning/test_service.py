"""A process that answers questions: values, failures, and a new process after the old one ended."""

from __future__ import annotations

import os
import time

import pytest

from mlc.support.errors import UserError
from mlc.tuning.isolated import Failure
from mlc.tuning.service import Service


def _answer(question: object) -> object:
    if question == "refuse":
        raise UserError("no")
    if question == "crash":
        os.abort()
    if question == "stall":
        time.sleep(60)
    return os.getpid() if question == "who" else question


def test_one_process_answers_many_questions() -> None:
    service = Service(_answer, 20)
    who = service.ask("who")
    assert who != os.getpid()
    assert [service.ask(i) for i in range(5)] == list(range(5))
    assert service.ask(b"x" * 1_000_000) == b"x" * 1_000_000
    assert service.ask("refuse") == Failure("refused", "no")
    assert service.ask("who") == who
    service.stop()
    with pytest.raises(ProcessLookupError):
        os.kill(who, 0)


def test_another_one_answers_after_a_crash() -> None:
    service = Service(_answer, 20)
    who = service.ask("who")
    assert service.ask("crash") == Failure("crash", "its process ended")
    assert service.ask("who") not in (who, os.getpid())
    service.stop()


def test_what_does_not_end_is_ended() -> None:
    service, start = Service(_answer, 0.3), time.monotonic()
    assert service.ask("stall") == Failure("hang", "no end after 0.3 s")
    assert time.monotonic() - start < 10
    assert service.ask("one") == "one"
    service.stop()
