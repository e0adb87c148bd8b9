"""What runs on a Dask worker for a search: it talks to a process of its own, which measures."""

from __future__ import annotations

import socket
import threading
from dataclasses import dataclass

from mlc import __version__
from mlc.recall import compiler_identity
from mlc.tuning.isolated import Failure
from mlc.tuning.measuring_process import MeasuringProcess
from mlc.tuning.model_parcel import ModelParcel
from mlc.tuning.work import Answer, Lost, Surveyed, Work

_processes: dict[str, MeasuringProcess] = {}
"""By the names of searches."""
_lock = threading.Lock()


@dataclass(frozen=True)
class WorkerCompiler:
    """The mlc of a worker."""

    version: str
    identity: str
    """What is equal for compilers that make equal code."""
    host: str


def worker_compiler() -> WorkerCompiler:
    """The mlc that is installed here."""
    return WorkerCompiler(__version__, compiler_identity(), socket.gethostname())


def set_up(search: str, parcel: ModelParcel) -> Surveyed | Failure:
    """Start the process that measures a model for a search."""
    process = MeasuringProcess(parcel)
    with _lock:
        before, _processes[search] = _processes.get(search), process
    if before is not None:
        before.stop()
    found = process.survey()
    if isinstance(found, Failure):
        end(search)
    return found


def carry_out(search: str, work: Work) -> Answer:
    """The answer of that process to a piece of work."""
    with _lock:
        process = _processes.get(search)
    if process is None:
        return Lost("the worker was started again")
    answer = process.carry_out(work)
    if isinstance(answer, Lost):
        end(search)
    return answer


def end(search: str) -> None:
    """Stop the process, if it runs."""
    with _lock:
        process = _processes.pop(search, None)
    if process is not None:
        process.stop()
