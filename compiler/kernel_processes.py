"""Processes that compile kernels beside this one: a process runs one thread of Python at a time.

Each takes the next job when it has done one, and so does this process. They are started when a model has enough
kernels, serve the compilations that follow, and end when nothing has come for a while, or with this process. Nothing is
forked, so they may be started beside the threads of PyTorch and JAX.
"""

from __future__ import annotations

import atexit
import os
import pickle
import select
import signal
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from mlc.compiler.kernel_job import CompiledKernel, KernelJob, compile_job
from mlc.compiler.recall import compiler_identity
from mlc.support.address_limit import address_limit
from mlc.support.errors import UserError
from mlc.targets.host import core_count

PROCESSES = "MLC_PROCESSES"
"""The environment variable with the number of processes that lower kernels, this one included; by default one for each
core."""
_PREFIX = "MLC_"
_MANY_OPS = 60
"""How many ops of a model take longer to compile than a process takes to start."""
_MUCH_TEXT = 20_000
"""How many characters of kernels do."""
_IDLE_SECONDS = 60.0
_PROGRAM = "import sys; sys.path[:] = {path!r}; from mlc.compiler.kernel_processes import serve; serve()"


@dataclass(frozen=True)
class _Request:
    job: KernelJob
    environment: Mapping[str, str]
    """The variables that mlc reads, which may have changed since the process was started."""


@dataclass
class _Process:
    """Another process."""

    process: subprocess.Popen[bytes]
    _is_known: bool = False

    @staticmethod
    def start() -> _Process | None:
        """A new one; None if the system starts none."""
        program = _PROGRAM.format(path=sys.path)
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
        return _Process(process)

    def compile(self, job: KernelJob) -> CompiledKernel | None:
        """The result of a job.

        Raises:
            Exception: the process has ended, or is one of another mlc.
        """
        process = self.process
        assert process.stdin is not None and process.stdout is not None
        if not self._is_known and pickle.load(process.stdout) != compiler_identity():
            raise EOFError
        self._is_known = True
        pickle.dump(_Request(job, _variables()), process.stdin)
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


@dataclass
class _Pool:
    """The processes that are waiting for jobs."""

    waiting: list[_Process] = field(default_factory=list[_Process])
    lock: threading.Lock = field(default_factory=threading.Lock)
    owner: int = field(default_factory=os.getpid)

    def take(self, count: int) -> list[_Process]:
        """Up to `count` processes, new ones if there are too few."""
        with self.lock:
            if self.owner != os.getpid():  # forked: they belong to the parent
                self.waiting.clear()
                self.owner = os.getpid()
            alive = [each for each in self.waiting if each.process.poll() is None]
            taken, self.waiting = alive[:count], alive[count:]
        started = (_Process.start() for _ in range(count - len(taken)))
        return taken + [each for each in started if each is not None]

    def give_back(self, process: _Process) -> None:
        with self.lock:
            self.waiting.append(process)

    def end(self) -> None:
        with self.lock:
            for each in self.waiting if self.owner == os.getpid() else ():
                each.end()
            self.waiting.clear()


_pool = _Pool()
atexit.register(_pool.end)


def expect_jobs(ops: int) -> None:
    """Start processes for a model of so many ops, if these are many: while it is read and fused, they import mlc."""
    for each in _pool.take(min(_most_others(), ops // _MANY_OPS)):
        _pool.give_back(each)


def compile_jobs(jobs: Sequence[KernelJob]) -> list[CompiledKernel | None]:
    """The results of jobs, in their order, by this process and others; None for those that are done in the module."""
    results: list[CompiledKernel | None] = [None] * len(jobs)
    # The longest first, so that the last one to end is a short one.
    pending = deque(sorted(range(len(jobs)), key=lambda i: -len(jobs[i].text)))
    worth = max(len(_pool.waiting), sum(len(job.text) for job in jobs) // _MUCH_TEXT)
    others = _pool.take(max(0, min(_most_others(), len(jobs) - 1, worth)))

    def serve_by(process: _Process) -> None:
        number = None
        try:
            while pending:
                number = pending.popleft()
                results[number] = process.compile(jobs[number])
                number = None
        except IndexError:  # somebody else was faster
            pass
        except Exception:  # it has ended, or says what no process of mlc does
            process.end()
            if number is not None:
                pending.append(number)
            return
        _pool.give_back(process)

    threads = [threading.Thread(target=serve_by, args=(each,), daemon=True) for each in others]
    for thread in threads:
        thread.start()
    try:
        while True:
            _compile_pending(jobs, pending, results)
            for thread in threads:
                thread.join()
            if not pending:  # no process has ended in the middle of a job
                return results
    except BaseException:
        pending.clear()
        for each in others:
            each.end()
        raise


def _compile_pending(jobs: Sequence[KernelJob], pending: deque[int], results: list[CompiledKernel | None]) -> None:
    while True:
        try:
            number = pending.popleft()
        except IndexError:
            return
        results[number] = compile_job(jobs[number])


def _most_others() -> int:
    """How many processes there may be beside this one.

    Raises:
        UserError: the variable for it says no positive number.
    """
    said = os.environ.get(PROCESSES, "")
    if said and not (said.isdecimal() and said.isascii() and int(said)):
        raise UserError(f"{PROCESSES} is '{said}'; required: a number of processes, such as {core_count()}")
    if address_limit() is not None:  # each of them would have the same one
        return 0
    return (int(said) if said else core_count()) - 1


def _variables() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name.startswith(_PREFIX)}


def serve() -> None:
    """Compile what is asked for on the standard input until it ends, or nothing has come for a while."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    source, target = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # nothing that is printed is taken for a result
    pickle.dump(compiler_identity(), target)
    target.flush()
    with suppress(EOFError, OSError):
        while select.select([source], [], [], _IDLE_SECONDS)[0]:
            request: _Request = pickle.load(source)
            for name in _variables():
                del os.environ[name]
            os.environ.update(request.environment)
            pickle.dump(compile_job(request.job), target)
            target.flush()
