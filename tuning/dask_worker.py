"""What runs on a Dask worker for a search: it talks to a process of its own, which measures."""

from __future__ import annotations

import socket
import threading
from dataclasses import dataclass
from typing import Any

from mlc.compiler.recall import compiler_identity
from mlc.support.version import __version__
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
    worker: str
    """What the worker is called."""


def worker_compiler(dask_worker: Any = None) -> WorkerCompiler:
    """The mlc that is installed here; `dask_worker` is the worker, which Dask gives."""
    return WorkerCompiler(__version__, compiler_identity(), socket.gethostname(), str(getattr(dask_worker, "name", "")))


def set_up(search: str, parcel: ModelParcel) -> Surveyed | Failure:
    """Start the process that measures a model for a search."""
    process = MeasuringProcess(parcel)
    with _lock:
        before, _processes[search] = _processes.get(search), process
    if before is not None:
        before.stop()
    found = process.survey()
    if isinstance(found, Failure):
        end(search, process)
    return found


def carry_out(search: str, work: Work) -> Answer:
    """The answer of that process to a piece of work."""
    with _lock:
        process = _processes.get(search)
    if process is None:
        return Lost("the worker was started again")
    answer = process.carry_out(work)
    if isinstance(answer, Lost):
        end(search, process)
    return answer


def end(search: str, only: MeasuringProcess | None = None) -> None:
    """Stop the process of a search, if it runs, or `only` this one: there may be another one by now."""
    with _lock:
        known = _processes.get(search)
        process = known if only is None else only
        if process is known:
            _processes.pop(search, None)
    if process is not None:
        process.stop()
