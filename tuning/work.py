"""What is asked of a place where schedules are measured, and what it answers, as values for other processes."""

from __future__ import annotations

from dataclasses import dataclass

from mlc.schedules.records.kernel_key import KernelKey
from mlc.schedules.records.record import TunedMachine
from mlc.tuning.examination import Examination
from mlc.tuning.isolated import Failure


@dataclass(frozen=True)
class TunedKernel:
    """A kernel of the model as a machine compiles it."""

    name: str
    key: KernelKey
    calls: int
    """How often a call of the model calls it."""
    rules: str
    """The schedule by the rules of that machine, without steps that do nothing."""
    candidates: tuple[str, ...]
    """The other candidates of its template there, without steps that do nothing."""
    seconds: float
    """Of one call with the schedule by the rules, there."""
    others: int
    """The bytes that are touched between two calls when schedules are measured."""
    lanes: int
    """How many elements a vector has there."""
    text: str
    """The kernel, and a model that calls it, at the tensor level."""
    weights: tuple[tuple[str, str, tuple[int, ...]], ...]
    """Name, dtype and shape of the weights that the text names."""


@dataclass(frozen=True)
class Surveyed:
    """The model on a machine."""

    machine: TunedMachine
    facts: str
    """Where the facts of the machine come from."""
    kernels: tuple[TunedKernel, ...]


@dataclass(frozen=True)
class Build:
    """Compile schedules of a kernel, at the same time. The answer is a tuple: a `Failure` or None for each."""

    kernel: str
    schedules: tuple[str, ...]
    best: str
    """The one that they are going to be compared with."""


@dataclass(frozen=True)
class Examine:
    """Measure a schedule of a kernel that was built. The answer is an `Examination`."""

    kernel: str
    schedule: str
    best: str
    """The best schedule that was measured on that machine."""


@dataclass(frozen=True)
class Lost:
    """The answer of a place that is gone."""

    reason: str


Work = Build | Examine
Answer = tuple[Failure | None, ...] | Examination | Lost


@dataclass(frozen=True)
class Site:
    """A place where schedules are compiled and measured, one piece of work at a time."""

    name: str
    """Of a worker; empty for this machine."""
    machine: TunedMachine
    jobs: int
    """How many candidates are compiled at a time."""
    kernels: tuple[TunedKernel, ...]
