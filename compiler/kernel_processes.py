"""Processes that compile kernels beside this one.

Each takes the next job when it has done one, and so does this process. They are started when a model has enough
kernels, and serve the compilations that follow.
"""

from __future__ import annotations

import atexit
import os
import threading
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field

from mlc.compiler.kernel_job import CompiledKernel, KernelJob
from mlc.compiler.processes import WorkerProcess
from mlc.support.address_limit import address_limit
from mlc.support.errors import UserError
from mlc.targets.host import core_count

PROCESSES = "MLC_PROCESSES"
"""The environment variable with the number of processes that lower kernels, this one included; by default one for each
core."""
_MANY_OPS = 60
"""How many ops of a model take longer to compile than a process takes to start."""
_MUCH_TEXT = 20_000
"""How many characters of kernels do."""


@dataclass
class _Pool:
    """The processes that are waiting for jobs."""

    waiting: list[WorkerProcess] = field(default_factory=list[WorkerProcess])
    lock: threading.Lock = field(default_factory=threading.Lock)
    owner: int = field(default_factory=os.getpid)

    def take(self, count: int) -> list[WorkerProcess]:
        """Up to `count` processes, new ones if there are too few."""
        with self.lock:
            if self.owner != os.getpid():  # forked: they belong to the parent
                self.waiting.clear()
                self.owner = os.getpid()
            alive = [each for each in self.waiting if each.is_alive]
            taken, self.waiting = alive[:count], alive[count:]
        started = (WorkerProcess.start() for _ in range(count - len(taken)))
        return taken + [each for each in started if each is not None]

    def give_back(self, process: WorkerProcess) -> None:
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
    for each in _pool.take(min(most_others(), ops // _MANY_OPS)):
        _pool.give_back(each)


def compile_jobs(jobs: Sequence[KernelJob]) -> list[CompiledKernel | None]:
    """The results of jobs, in their order, by this process and others; None for those that are done in the module."""
    results: list[CompiledKernel | None] = [None] * len(jobs)
    # The longest first, so that the last one to end is a short one.
    pending = deque(sorted(range(len(jobs)), key=lambda i: -len(jobs[i].text)))
    worth = max(len(_pool.waiting), sum(len(job.text) for job in jobs) // _MUCH_TEXT)
    others = _pool.take(max(0, min(most_others(), len(jobs) - 1, worth)))

    def serve_by(process: WorkerProcess) -> None:
        number = None
        try:
            while pending:
                number = pending.popleft()
                results[number] = process.do(jobs[number])
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
        results[number] = jobs[number].run()


def most_others() -> int:
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
