"""Work in processes of its own: whatever becomes of it is an answer."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from mlc.support.errors import UserError
from mlc.tuning.isolated import Failure, Job, WrongResult, run_all
from mlc.tuning.service import Service


def _raise(error: BaseException) -> None:
    raise error


def test_a_value_comes_back() -> None:
    assert Job(lambda: list(range(100_000)), 20).value() == list(range(100_000))
    assert run_all([lambda: 1, lambda: 2], 20) == [1, 2]


@pytest.fixture
def _many_open_files() -> Iterator[None]:
    """A process that has more descriptors than `select` takes."""
    resource = pytest.importorskip("resource")
    before, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(before, min(hard, 4096)), hard))
    with contextlib.ExitStack() as stack, Path(os.devnull).open() as stream:
        while (descriptor := os.dup(stream.fileno())) < 1100:
            stack.callback(os.close, descriptor)
        stack.callback(os.close, descriptor)
        yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (before, hard))


@pytest.mark.usefixtures("_many_open_files")
def test_a_process_with_many_open_files_has_its_answers() -> None:
    assert run_all([lambda: 1, lambda: 2], 20) == [1, 2]
    service = Service(lambda question: question, 20)
    assert service.ask("one") == "one"
    service.stop()


def test_what_ends_badly_says_how() -> None:
    works = (
        lambda: _raise(UserError("no")),
        lambda: _raise(WrongResult("2 elements differ")),
        lambda: _raise(ValueError("bug")),
        lambda: os.kill(os.getpid(), signal.SIGSEGV),
        lambda: os._exit(3),
    )
    assert run_all(works, 20) == [
        Failure("refused", "no"),
        Failure("wrong", "2 elements differ"),
        Failure("crash", "ValueError: bug"),
        Failure("crash", "ended by SIGSEGV"),
        Failure("crash", "ended with the status 3"),
    ]


def test_what_does_not_end_is_ended() -> None:
    start = time.monotonic()
    assert Job(lambda: time.sleep(60), 0.3).value() == Failure("hang", "no end after 0.3 s")
    assert time.monotonic() - start < 10


def test_a_process_that_is_stopped_leaves_nothing() -> None:
    job = Job(lambda: time.sleep(60), 60)
    process = job._pid  # pyright: ignore[reportPrivateUsage]
    job.stop()
    with pytest.raises(ChildProcessError):
        os.waitpid(process, os.WNOHANG)


_INTERRUPTED = """
import os, signal
from mlc.tuning.isolated import fork

copy, parent = os.fork, os.getpid()

def copy_and_interrupt():
    pid = copy()
    os.kill(os.getpid(), signal.SIGINT)
    return pid

os.fork = copy_and_interrupt
try:
    if fork() == 0:
        os._exit(0)
except KeyboardInterrupt:
    print("parent" if os.getpid() == parent else "copy", flush=True)
    if os.getpid() != parent:
        os._exit(1)
os.wait()
"""


def test_an_interrupt_in_the_moment_of_the_copy_is_none_of_the_copy() -> None:
    """Ctrl-C goes to both processes. One of them has a handler for it, and it is not the copy."""
    result = subprocess.run([sys.executable, "-c", _INTERRUPTED], capture_output=True, text=True, timeout=60)
    assert result.stdout == "parent\n", result.stderr
