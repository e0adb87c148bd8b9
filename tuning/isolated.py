"""Work in a process of its own: a crash or an endless loop ends that process, and is an answer.

The process is a copy of this one (`fork`), so it starts in milliseconds and knows all that is known here. It leads a
group, so that what it starts ends with it; Ctrl-C is for the process that waits.
"""

from __future__ import annotations

import contextlib
import faulthandler
import os
import pickle
import select
import signal
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NoReturn

from mlc.support.errors import UserError

_GRACE = 2.0
"""Seconds after its time in which a process that nobody waits for any more ends on its own."""
_READ = 1 << 16


class WrongResult(Exception):
    """A candidate computes something else."""


@dataclass(frozen=True)
class Failure:
    """What became of work that gave no value."""

    outcome: Literal["refused", "crash", "hang", "wrong"]
    reason: str


class Job:
    """One function call in a process of its own, under way."""

    def __init__(self, work: Callable[[], Any], seconds: float) -> None:
        """Start `work`, whose value has to be picklable, and which may take so long."""
        reader, writer = os.pipe()
        self._reader, self._received = reader, bytearray()
        self._seconds, self._end = seconds, time.monotonic() + seconds
        self._pid = fork()
        if self._pid == 0:
            _be_child(work, writer, seconds + _GRACE)
        os.close(writer)
        with contextlib.suppress(OSError):
            os.setpgid(self._pid, self._pid)

    def value(self) -> Any:
        """What the work gave, or a `Failure`."""
        try:
            while (left := self._end - time.monotonic()) > 0:
                if is_readable(self._reader, left):
                    data = os.read(self._reader, _READ)
                    if not data:
                        return self._ended()
                    self._received += data
            return Failure("hang", f"no end after {self._seconds:.3g} s")
        finally:
            self.stop()

    def stop(self) -> None:
        """End the process and all that it started, if it runs."""
        if self._pid:
            with contextlib.suppress(OSError):
                os.killpg(self._pid, signal.SIGKILL)
            with contextlib.suppress(OSError):
                os.kill(self._pid, signal.SIGKILL)
            os.waitpid(self._pid, 0)
            os.close(self._reader)
            self._pid = 0

    def _ended(self) -> Any:
        if self._received:
            return pickle.loads(bytes(self._received))
        _, status = os.waitpid(self._pid, 0)
        self._pid = 0
        os.close(self._reader)
        if os.WIFSIGNALED(status):
            name = signal.Signals(os.WTERMSIG(status)).name
            return (
                Failure("hang", "stopped by its alarm") if name == "SIGALRM" else Failure("crash", f"ended by {name}")
            )
        return Failure("crash", f"ended with the status {os.WEXITSTATUS(status)}")


def run_all(works: Sequence[Callable[[], Any]], seconds: float) -> list[Any]:
    """What each of several works gives, which run at the same time: its value, or a `Failure`."""
    jobs: list[Job] = []
    try:
        for work in works:
            jobs.append(Job(work, seconds))
        return [job.value() for job in jobs]
    finally:
        for job in jobs:
            job.stop()


def is_readable(descriptor: int, seconds: float | None) -> bool:
    """Whether a descriptor has something to read, or its end, within so many seconds; None waits for as long as needed.

    Not by `select`, which refuses descriptors from 1024 on: a process that holds many files has such.
    """
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    return bool(poll.poll(None if seconds is None else seconds * 1000))


def fork() -> int:
    """`os.fork`, but Ctrl-C, which the terminal sends to all processes, never reaches the copy.

    From Python 3.12 on `os.fork` warns where other threads run: a lock that one of them holds is never released in the
    copy. Such threads are those of BLAS and OpenMP, which wait for work, and that of Dask's client. The copies call
    none of these: they run passes, start clang, call a library, and end by `os._exit`. What Python itself locks it
    renews there, and so does glibc; and if one hangs nevertheless, that is an answer like any other. The warning is a
    DeprecationWarning about this module, which Python shows to nobody who does not ask for such, so nothing hides it.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        pid = os.fork()
        if pid == 0:
            signal.signal(signal.SIGINT, signal.SIG_IGN)
        return pid
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _be_child(work: Callable[[], Any], writer: int, seconds: float) -> NoReturn:
    """The life of the process."""
    status = 1
    try:
        keep_to_itself()
        signal.setitimer(signal.ITIMER_REAL, seconds)
        os.setpgid(0, 0)
        data = pickle.dumps(answer_of(work))
        while data:
            data = data[os.write(writer, data) :]
        status = 0
    finally:
        os._exit(status)  # nothing of the process that this is a copy of ends here


def keep_to_itself() -> None:
    """Let a process that is a copy read and print nothing; an alarm ends it."""
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    faulthandler.disable()
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)


def answer_of(work: Callable[[], Any]) -> Any:
    """What the work gives, or a `Failure` for what it raises."""
    try:
        return work()
    except WrongResult as e:
        return Failure("wrong", str(e))
    except UserError as e:
        return Failure("refused", e.message)
    except BaseException as e:
        return Failure("crash", f"{type(e).__name__}: {e}")
