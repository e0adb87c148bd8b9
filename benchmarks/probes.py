"""The limits of this machine: how fast it multiplies and adds, and how fast it reads each level of its memory.

The probes are kernels in the loop dialect, compiled by mlc like any other model. They have more independent chains of
operations than any core can have in flight, so what they measure is throughput, not latency (the method of the roofline
model: Williams, Waterman, Patterson, CACM 52(4), 2009).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from mlc.api import compile as compile_model
from mlc.benchmarks.case import Array, aligned
from mlc.benchmarks.engines import Call
from mlc.runtime import Model
from mlc.runtime.library import open_library
from mlc.targets.machine import Machine, resolve_target

_CHAINS = 24
"""Enough for a latency of 5 cycles at 4 FMAs per cycle; with two operands they fit into 32 registers."""
_CHAINS_OF_16_REGISTERS = 12
"""For a latency of 5 cycles at 2 FMAs per cycle."""
_FMA_STEPS = 400_000
_BYTES_PER_CALL = 256 << 20
"""How much a call of a bandwidth probe reads at least."""
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
        lanes = self.machine.lanes(32)
        chains = _CHAINS if self.machine.vector_registers >= 32 else _CHAINS_OF_16_REGISTERS
        text = _fma_kernel(lanes, chains)
        inputs = np.full(2 * lanes, 0.5, np.float32)
        return Probe(
            "FMA peak",
            self._on_all_threads(text, inputs, chains * lanes),
            self.threads * 2.0 * _FMA_STEPS * chains * lanes,
        )

    @cached_property
    def levels(self) -> tuple[Level, ...]:
        """Reading, from the nearest level to main memory."""
        native = resolve_target("native")
        sizes = {"L1": native.l1_bytes, "L2": native.l2_bytes, "L3": native.l3_bytes}
        sizes = {name: size for name, size in sizes.items() if size}
        parts = {name: size // (_L3_SHARE if name == "L3" else 2) for name, size in sizes.items()}
        capacities = {**{name: float(size) for name, size in sizes.items()}, "memory": float("inf")}
        parts["memory"] = max(_BYTES_PER_CALL // 2, 4 * max(sizes.values(), default=0))
        return tuple(Level(name, size, self._read(name, parts[name])) for name, size in capacities.items())

    def level_of(self, footprint: float) -> Level:
        """The nearest level that holds `footprint` bytes."""
        return next(level for level in self.levels if footprint < level.capacity)

    def _read(self, level: str, size: int) -> Probe:
        lanes = self.machine.lanes(32)
        chains = _CHAINS_OF_16_REGISTERS
        block = chains * lanes
        count = size // 4 // block * block
        repeats = max(1, _BYTES_PER_CALL // (4 * count))
        text = _read_kernel(lanes, chains, count, repeats)
        call = self._on_all_threads(text, np.ones(count, np.float32), block)
        return Probe(f"read {level}", call, self.threads * 4.0 * count * repeats)

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


def _fma_kernel(lanes: int, chains: int) -> str:
    vector, source = f"vector<{lanes}xf32>", f"memref<{2 * lanes}xf32>"
    steps = [f"%n{i} = math.fma %a{i}, %b, %c : {vector}" for i in range(chains)]
    return _kernel(
        source,
        lanes,
        chains,
        [
            f"%b = loop.load %x[0] : {source}, {vector}",
            f"%c = loop.load %x[{lanes}] : {source}, {vector}",
            _carrying("k", _FMA_STEPS, 1, vector, "%r", "%a", ["%c"] * chains, [*steps, _yield("%n", chains, vector)]),
        ],
    )


def _read_kernel(lanes: int, chains: int, count: int, repeats: int) -> str:
    """Adds up all of `%x`, `repeats` times."""
    vector, source = f"vector<{lanes}xf32>", f"memref<{count}xf32>"
    steps = list(_sums(lanes, chains, vector, source))
    block = chains * lanes
    inner = _carrying(
        "n", count, block, vector, "%s", "%b", [f"%a{i}" for i in range(chains)], [*steps, _yield("%n", chains, vector)]
    )
    zeros = [f"%z = loop.load %x[0] : {source}, {vector}"]
    outer = _carrying("r", repeats, 1, vector, "%r", "%a", ["%z"] * chains, [inner, _yield("%s#", chains, vector)])
    return _kernel(source, lanes, chains, [*zeros, outer])


def _sums(lanes: int, chains: int, vector: str, source: str) -> Iterator[str]:
    for i in range(chains):
        yield f"%v{i} = loop.load %x[%n + {i * lanes}] : {source}, {vector}"
        yield f"%n{i} = arith.addf %b{i}, %v{i} : {vector}"


def _carrying(
    dim: str, upper: int, step: int, vector: str, result: str, carried: str, starts: list[str], body: list[str]
) -> str:
    """A loop that carries vectors."""
    chains = len(starts)
    arguments = ", ".join(f"{carried}{i} = {start}" for i, start in enumerate(starts))
    header = f'{result}:{chains} = loop.for serial "{dim}" %{dim} = 0 to {upper} step {step} iter_args({arguments})'
    return "\n".join([f"{header} -> ({', '.join([vector] * chains)}) {{", *body, "}"])


def _yield(prefix: str, chains: int, vector: str) -> str:
    values = ", ".join(f"{prefix}{i}" for i in range(chains))
    return f"loop.yield {values} : {', '.join([vector] * chains)}"


def _kernel(source: str, lanes: int, chains: int, body: list[str]) -> str:
    """A model that computes vectors `%r` and stores them, so that none of the work is dead."""
    vector, target = f"vector<{lanes}xf32>", f"memref<{chains * lanes}xf32>"
    stores = [f"loop.store %r#{i}, %y[{i * lanes}] : {target}, {vector}" for i in range(chains)]
    lines = "\n".join([*body, *stores, "return"])
    return f"func.func @main(%x: {source}, %y: {target} {{mlc.output}}) {{\n{lines}\n}}\n"
