"""A function in a process of its own that answers one question after the other.

What crashes or hangs there is an answer, as in `isolated.py`, but a question costs no new process.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import signal
import struct
import time
from collections.abc import Callable
from typing import Any, NoReturn

from mlc.tuning.isolated import Failure, answer_of, fork, is_readable, keep_to_itself

_GRACE = 2.0
"""Seconds after its time in which a process that nobody waits for any more ends on its own."""
_LENGTH = struct.Struct("<Q")
_READ = 1 << 16


class Service:
    """Calls a function in a copy of this process, which is made when it is first needed, and again after it ended."""

    def __init__(self, function: Callable[[Any], Any], seconds: float) -> None:
        """`function` takes and gives what can be pickled; one call may take so many seconds."""
        self._function, self._seconds = function, seconds
        self._pid = self._questions = self._answers = 0

    def ask(self, question: Any) -> Any:
        """What the function gives, or a `Failure`, after which it is called in another copy of this process."""
        if not self._pid:
            self._start()
        done = False
        try:
            send(self._questions, question)
            found = receive(self._answers, time.monotonic() + self._seconds)
            done = True
            return found
        except TimeoutError:
            return Failure("hang", f"no end after {self._seconds:.3g} s")
        except (EOFError, OSError):
            return Failure("crash", "its process ended")
        finally:
            if not done:  # also where Ctrl-C comes between a question and its answer
                self.stop()

    def stop(self) -> None:
        """End the process, if it runs."""
        if self._pid:
            pid, self._pid = self._pid, 0
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            os.close(self._questions)
            os.close(self._answers)

    def _start(self) -> None:
        asked, self._questions = os.pipe()
        self._answers, told = os.pipe()
        self._pid = fork()
        if self._pid == 0:
            os.close(self._questions)
            os.close(self._answers)
            _serve(self._function, asked, told, self._seconds + _GRACE)
        os.close(asked)
        os.close(told)


def _serve(function: Callable[[Any], Any], asked: int, told: int, seconds: float) -> NoReturn:
    """The life of the process; it ends when nobody can ask any more."""
    try:
        keep_to_itself()
        while True:
            question = receive(asked, None)
            signal.setitimer(signal.ITIMER_REAL, seconds)
            send(told, answer_of(lambda question=question: function(question)))
            signal.setitimer(signal.ITIMER_REAL, 0)
    finally:
        os._exit(0)  # nothing of the process that this is a copy of ends here


def send(descriptor: int, value: Any) -> None:
    """Write a value, which can be pickled, to a pipe."""
    data = pickle.dumps(value)
    data = _LENGTH.pack(len(data)) + data
    while data:
        data = data[os.write(descriptor, data) :]


def receive(descriptor: int, end: float | None = None) -> Any:
    """What was written to the other end of a pipe.

    Raises:
        TimeoutError: it is not there at `end`, in the time of `time.monotonic`.
        EOFError: nobody writes it any more.
    """
    (length,) = _LENGTH.unpack(_read_bytes(descriptor, _LENGTH.size, end))
    return pickle.loads(_read_bytes(descriptor, length, end))


def _read_bytes(descriptor: int, count: int, end: float | None) -> bytes:
    found = bytearray()
    while len(found) < count:
        left = None if end is None else max(end - time.monotonic(), 0)
        if not is_readable(descriptor, left):
            raise TimeoutError
        data = os.read(descriptor, min(count - len(found), _READ))
        if not data:
            raise EOFError
        found += data
    return bytes(found)
