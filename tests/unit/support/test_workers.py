"""Threads, and what is done without them."""

from __future__ import annotations

import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from mlc.support.errors import UserError
from mlc.support.workers import workers

_LIMITED = """
import resource, threading
resource.setrlimit(resource.RLIMIT_AS, (4 << 30, resource.RLIM_INFINITY))
from mlc.support.workers import workers
with workers(4) as pool:
    found = list(pool.map(lambda x: (x, threading.current_thread() is threading.main_thread()), range(3)))
    failed = pool.submit(lambda: 1 // 0)
print(found, repr(failed.exception()))
"""


def test_threads_do_it() -> None:
    with workers(2) as pool:
        assert pool.submit(lambda: threading.current_thread() is threading.main_thread()).result() is False
        assert list(pool.map(str, range(3))) == ["0", "1", "2"]


def test_the_caller_does_it_where_addresses_are_limited() -> None:
    done = subprocess.run([sys.executable, "-c", _LIMITED], capture_output=True, text=True, check=True)
    assert done.stdout == (
        "[(0, True), (1, True), (2, True)] ZeroDivisionError('integer division or modulo by zero')\n"
    )


def test_a_system_without_threads_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: object) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(ThreadPoolExecutor, "_adjust_thread_count", refuse)
    with workers(2) as pool, pytest.raises(UserError, match=r"the system starts no more threads.*\(ulimit -u\)"):
        pool.submit(int)
