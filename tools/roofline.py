"""How fast a kernel can be at best: the roofline of a machine, measured here or planned from its table entry.

The time of a kernel is at least that of its arithmetic at full speed, and at least that of moving its operands and
results once (Williams, Waterman, Patterson, CACM 52(4), 2009). What the nearer levels of the memory hold need not come
from the next one, so that a bound holds for operands that are there already, as far as they fit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from mlc.api import compile as compile_model
from mlc.runtime.model import Model
from mlc.targets import host
from mlc.targets.machine import Machine
from mlc.tools.kernel_work import KernelWork, ShortProducts
from mlc.tools.probe_kernels import fma_probe, operations_probe, read_probe
from mlc.tuning.measure import aligned, shortest_time

_CALLS = 5
"""How many calls of a probe give a rate, by the shortest one."""
_L3_SHARE = 4
"""The probe of L3 reads this part of it: other cores use it too."""
_LEAST_MEMORY = 128 << 20
"""The bytes of the memory probe, or more where the caches are large."""

_OF_ONE_CORE = ("L1", "L2")
"""The levels of the memory that each core has for itself."""


@dataclass(frozen=True)
class Bound:
    """The least time of a kernel, in the unit of its roofline, and what it is spent on."""

    arithmetic: float
    transfer: float
    level: str
    """The level of the memory that what is moved waits for."""

    @property
    def time(self) -> float:
        """The longer one of both."""
        return max(self.arithmetic, self.transfer)

    @property
    def limit(self) -> str:
        """What the kernel waits for: `compute`, or a level of the memory."""
        return "compute" if self.arithmetic >= self.transfer else self.level


@dataclass(frozen=True)
class Roofline:
    """The limits of one core, or of several at once."""

    machine: Machine
    cores: int
    unit: str
    """Of times: `s`, or `cycles` where nothing was measured."""
    peak: Callable[[], float]
    """Flops of f32 multiply-adds per unit of time."""
    operations: Callable[[], float]
    """What would be flops per unit of time if all were multiply-adds, where half of them are additions."""
    bandwidth: Callable[[str], float]
    """Bytes that are read from a level per unit of time."""
    refresh: Callable[[str], None] = lambda _: None
    """Measures the peak and the bandwidth of a level once more: the best that was ever seen is the limit."""
    unsteadiness: Callable[[], float] = lambda: 0.0
    """By how much a limit has differed from its best when it was measured again, as a part of it."""
    share: Callable[[], float] = lambda: 1.0
    """The part of the cores that limits are of: the arithmetic of all threads at once by as many times that of one."""

    def bound(self, work: KernelWork) -> Bound:
        """The least time of one call.

        An operation that is not a multiply-add takes as long as one, or less where a core starts additions beside them.
        Products with padding are left out: a kernel need not compute them. Vectors have more lanes of narrow integers,
        and dot products add several products of short numbers at a time.
        """
        needed, width = work.multiply_adds - work.with_padding, work.element_bits / 32
        needed /= self.gain(work)
        arithmetic = width * needed / self.peak() if needed else 0.0
        if work.other_flops:
            every = max(self.operations(), self.peak())
            arithmetic = max(arithmetic, width * (needed + 2 * work.other_flops) / every)
        moved = {level: size / self.bandwidth(level) for level, size in self._moved(work)}
        level = max(moved, key=lambda name: moved[name])
        return Bound(arithmetic, moved[level], level)

    def gain(self, work: KernelWork) -> float:
        """How many times as many multiply-adds as of f32 are possible, since numbers are short."""
        needed = work.multiply_adds - work.with_padding
        saved = sum(each.flops * (1 - 1 / self._gain(each)) for each in work.short)
        return needed / (needed - saved) if needed else 1.0

    def _gain(self, products: ShortProducts) -> float:
        rate = self.machine.products(*products.types, in_i16=products.in_i16)
        return max(rate / self.machine.issue.fma_units, 1.0)

    @property
    def levels(self) -> dict[str, int | None]:
        """All levels of the memory, nearest first, with the bytes that each holds; None for the main memory."""
        return {**{level: self._capacity(level) for level in _cache_sizes(self.machine)}, "memory": None}

    def levels_of(self, work: KernelWork) -> list[str]:
        """The levels of the memory whose bandwidths a bound asks for."""
        return [level for level, _ in self._moved(work)]

    def _moved(self, work: KernelWork) -> Iterator[tuple[str, int]]:
        """The levels up to the one that holds all, each with the bytes that have to come from there.

        In the nearest level reading and writing go on at the same time. What is written comes from farther ones, too:
        the lines around it are fetched.
        """
        nearer, home = 0, self.level_of(work.bytes)
        for level in (*_cache_sizes(self.machine), "memory"):
            yield level, work.bytes - nearer if nearer else max(work.bytes - work.written, work.written)
            if level == home:
                return
            nearer += self._capacity(level)

    def level_of(self, footprint: int) -> str:
        """The nearest level that holds `footprint` bytes, spread over the cores."""
        return next((name for name in _cache_sizes(self.machine) if footprint < self._capacity(name)), "memory")

    def _capacity(self, level: str) -> int:
        size = _cache_sizes(self.machine)[level]
        return size * self.cores if level in _OF_ONE_CORE else size


def measured(machine: Machine, threads: int = 1) -> Roofline:
    """The roofline of this machine for code of `machine` on `threads` threads, or on one per core.

    A limit is measured when it is first asked for, by that many threads at once, and whenever it is refreshed. Where
    something else keeps cores busy, or threads share one (hyper-threading), these are limits of fewer cores, which
    `share` tells.

    Raises:
        UserError: there is no usable clang.
        ArtifactError: this machine cannot run code for `machine`.
    """
    limits = _Limits(machine, min(threads, host.core_count()))

    def refresh(level: str) -> None:
        for name in (_PEAK, *([_ONE_PEAK] if limits.cores > 1 else []), _OPERATIONS, level):
            limits.measure(name)

    return Roofline(
        machine,
        limits.cores,
        "s",
        lambda: limits.best(_PEAK),
        lambda: limits.best(_OPERATIONS),
        limits.best,
        refresh,
        lambda: limits.unsteadiness,
        lambda: limits.best(_PEAK) / (limits.cores * limits.best(_ONE_PEAK)) if limits.cores > 1 else 1.0,
    )


_PEAK, _ONE_PEAK, _OPERATIONS = "peak", "peak of one thread", "operations"
_OF_CORES = {_PEAK: fma_probe, _ONE_PEAK: fma_probe, _OPERATIONS: operations_probe}


class _Limits:
    """Rates of this machine, by name: `peak`, that of one thread, `operations`, or a level of the memory.

    Programs beside us only make them smaller.
    """

    def __init__(self, machine: Machine, cores: int) -> None:
        self.cores = cores
        self._machine = machine
        self._rates: dict[str, list[float]] = {}
        self._probe = cache(self._build_probe)

    def best(self, name: str) -> float:
        """The highest rate that was seen: flops or bytes per second."""
        if name not in self._rates:
            self.measure(name)
        return max(self._rates[name])

    def measure(self, name: str) -> None:
        """Measure a rate once more."""
        work, model, inputs = self._probe(name)
        threads = 1 if name == _ONE_PEAK else self.cores
        rate = threads * work / shortest_time(model, inputs, _CALLS, threads)
        self._rates.setdefault(name, []).append(rate)

    @property
    def unsteadiness(self) -> float:
        """By how much the worst measurement of a rate was below the best, as a part of that."""
        return max((1 - min(rates) / max(rates) for rates in self._rates.values()), default=0.0)

    def _build_probe(self, name: str) -> tuple[float, Model, list[NDArray[np.float32]]]:
        """The flops or bytes of a call, what to call, and on what."""
        if name in _OF_CORES:
            probe = _OF_CORES[name](self._machine)
        else:
            probe = read_probe(self._machine, self._bytes_to_read(name))
        inputs = [aligned(np.full(probe.inputs, 0.5, np.float32))]
        return probe.work, compile_model(probe.text, target=self._machine.name), inputs

    def _bytes_to_read(self, level: str) -> int:
        """How much each core reads, again and again, in order to measure a level."""
        sizes = _cache_sizes(self._machine)
        if level == "memory":
            size = max(_LEAST_MEMORY, 4 * max(sizes.values(), default=0))
        else:
            size = sizes[level] // (_L3_SHARE if level == "L3" else 2)
        return size if level in _OF_ONE_CORE else size // self.cores


def planned(machine: Machine, threads: int = 1) -> Roofline:
    """The roofline of a machine that is not here, in cycles: from what its cores start per cycle.

    All its cores together read no more from the main memory than one.
    """
    memory, cores = machine.memory, min(threads, machine.cores)
    rates = {"L1": memory.l1_read, "L2": memory.l2_read, "L3": memory.l3_read, "memory": memory.memory_read}
    peak = 2.0 * machine.issue.fma_units * machine.lanes(32) * cores
    operations = peak * max(machine.issue.adds / machine.issue.fma_units, 1)

    def bandwidth(level: str) -> float:
        return rates[level] if level == "memory" else rates[level] * cores

    return Roofline(machine, cores, "cycles", lambda: peak, lambda: operations, bandwidth)


def _cache_sizes(machine: Machine) -> dict[str, int]:
    sizes = {"L1": machine.l1_bytes, "L2": machine.l2_bytes, "L3": machine.l3_bytes}
    return {name: size for name, size in sizes.items() if size}
