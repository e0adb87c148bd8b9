"""The limits of this machine: how fast it multiplies and adds, and how fast it reads each level of its memory."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from mlc.api import compile as compile_model
from mlc.benchmarks.case import Array
from mlc.benchmarks.engines import Call
from mlc.runtime import Model
from mlc.runtime.library import open_library
from mlc.targets.machine import Machine, resolve_target
from mlc.tools.probe_kernels import ProbeKernel, fma_probe, read_probe
from mlc.tuning.measure import aligned

_LEAST_MEMORY = 128 << 20
"""The bytes of the memory probe, or more where the caches are large."""
_L3_SHARE = 4
"""The L3 probe reads this part of it: other cores, and here other guests of the machine, use the cache too."""


@dataclass(frozen=True)
class Probe:
    """A kernel whose work is known."""

    name: str
    call: Call
    work: float
    """Flops or bytes of one call."""


@dataclass(frozen=True)
class Level:
    """A level of the memory."""

    name: str
    capacity: float
    """Bytes; infinite for main memory."""
    probe: Probe


@dataclass(frozen=True)
class Limits:
    """The probes of one machine for kernels of one target, on a number of threads at once."""

    target: str
    threads: int = 1

    @cached_property
    def machine(self) -> Machine:
        """What the target's kernels are planned for: here, its vectors and caches."""
        return resolve_target(self.target)

    @cached_property
    def peak(self) -> Probe:
        """Fused multiply-adds of f32."""
        return self._probe("FMA peak", fma_probe(self.machine), 0.5)

    @cached_property
    def levels(self) -> tuple[Level, ...]:
        """Reading, from the nearest level to main memory."""
        native = resolve_target("native")
        sizes = {"L1": native.l1_bytes, "L2": native.l2_bytes, "L3": native.l3_bytes}
        sizes = {name: size for name, size in sizes.items() if size}
        parts = {name: size // (_L3_SHARE if name == "L3" else 2) for name, size in sizes.items()}
        capacities = {**{name: float(size) for name, size in sizes.items()}, "memory": float("inf")}
        parts["memory"] = max(_LEAST_MEMORY, 4 * max(sizes.values(), default=0))
        return tuple(Level(name, size, self._read(name, parts[name])) for name, size in capacities.items())

    def level_of(self, footprint: float) -> Level:
        """The nearest level that holds `footprint` bytes."""
        return next(level for level in self.levels if footprint < level.capacity)

    def _read(self, level: str, size: int) -> Probe:
        return self._probe(f"read {level}", read_probe(self.machine, size), 1.0)

    def _probe(self, name: str, kernel: ProbeKernel, value: float) -> Probe:
        inputs = np.full(kernel.inputs, value, np.float32)
        return Probe(name, self._on_all_threads(kernel.text, inputs, kernel.outputs), self.threads * kernel.work)

    def _on_all_threads(self, text: str, inputs: Array, outputs: int) -> Call:
        """The kernel, called once on each thread with buffers of its own."""
        model = compile_model(text, target=self.target)
        calls = [_bind(model, aligned(inputs), aligned(np.zeros(outputs, np.float32))) for _ in range(self.threads)]
        if self.threads == 1:
            return calls[0]
        # A thread for each core: left to itself, a system may run two short threads on one core.
        cores = sorted(os.sched_getaffinity(0))
        pools = [ThreadPoolExecutor(1, initializer=os.sched_setaffinity, initargs=(0, {core})) for core in cores]

        def call() -> None:
            for future in [pool.submit(kernel) for pool, kernel in zip(pools, calls, strict=False)]:
                future.result()

        return call


def _bind(model: Model, inputs: Array, outputs: Array) -> Callable[[], None]:
    function = open_library(model.path, model.signature.name).function
    pointers = np.array([inputs.ctypes.data, outputs.ctypes.data], np.uintp)
    start = pointers.ctypes.data
    alive = model, inputs, outputs, pointers

    def call(_: object = alive) -> None:
        function(start, start + pointers.itemsize, 0)

    return call
