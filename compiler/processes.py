"""Other processes that work for this one: a process runs one thread of Python at a time.

Nothing is forked, so they may be started beside the threads of PyTorch and JAX. They end when nothing has come for a
while, or with this process.
"""

from __future__ import annotations

import os
import pickle
import select
import signal
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Protocol

from mlc.compiler.recall import compiler_identity

_IDLE_SECONDS = 60.0
_PROGRAM = """
import gc, sys
gc.set_threshold(100_000, 20, 20)  # imports make much, and hardly any garbage
sys.path[:] = {path!r}
from mlc.compiler.processes import serve
serve({niceness})"""


class Job(Protocol):
    """Work for another process, which is pickled, as its result is."""

    def run(self) -> Any: ...


@dataclass(frozen=True)
class _Request:
    job: Job
    environment: Mapping[str, str]
    """Variables may have changed since the process was started."""


@dataclass
class WorkerProcess:
    """Another process of the same mlc."""

    process: subprocess.Popen[bytes]
    _is_known: bool = False

    @staticmethod
    def start(niceness: int = 0) -> WorkerProcess | None:
        """A new one, whose priority is lower by its `niceness`; None if the system starts none."""
        program = _PROGRAM.format(path=sys.path, niceness=niceness)
        if not sys.executable:  # Python is a part of another program
            return None
        try:
            process = subprocess.Popen(
                [sys.executable, "-c", program],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        except OSError:
            return None
        return WorkerProcess(process)

    @property
    def is_alive(self) -> bool:
        return self.process.poll() is None

    def do(self, job: Job) -> Any:
        """The result of a job.

        Raises:
            Exception: the process has ended, or is one of another mlc.
        """
        process = self.process
        assert process.stdin is not None and process.stdout is not None
        if not self._is_known and pickle.load(process.stdout) != compiler_identity():
            raise EOFError
        self._is_known = True
        pickle.dump(_Request(job, dict(os.environ)), process.stdin)
        process.stdin.flush()
        return pickle.load(process.stdout)

    def end(self) -> None:
        with suppress(OSError):
            self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout):
            with suppress(OSError):
                if stream is not None:
                    stream.close()


def serve(niceness: int = 0) -> None:
    """Do the jobs that come on the standard input until it ends, or nothing has come for a while."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with suppress(OSError):
        os.nice(niceness)
    source, target = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # nothing that is printed is taken for a result
    pickle.dump(compiler_identity(), target)
    target.flush()
    with suppress(Exception):  # a job that comes tells what is wrong
        from mlc.compiler.kernel_job import prepare

        prepare()  # the process that asks reads its model meanwhile
    with suppress(EOFError, OSError):
        while select.select([source], [], [], _IDLE_SECONDS)[0]:
            request: _Request = pickle.load(source)
            os.environ.clear()
            os.environ.update(request.environment)
            pickle.dump(request.job.run(), target)
            target.flush()
