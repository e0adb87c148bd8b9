"""Kernels whose work is known, to measure a machine with: chains of multiply-adds, and sums over a buffer.

They are written at the loop level and compiled like any other model. Each has more independent chains of operations
than a core can have in flight, so what they measure is throughput, not latency (the method of the roofline model:
Williams, Waterman, Patterson, CACM 52(4), 2009).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from mlc.targets.machine import Machine

FMA_CHAINS = 24
"""Enough for a latency of 5 cycles at 4 FMAs per cycle; with two operands they fit into 32 registers."""
FMA_CHAINS_OF_16_REGISTERS = 12
"""For a latency of 5 cycles at 2 FMAs per cycle."""
READ_CHAINS = 12
_FMA_STEPS = 400_000
_BYTES_PER_CALL = 256 << 20
"""How much a call of `read_probe` reads at least."""


@dataclass(frozen=True)
class ProbeKernel:
    """A model with one input and one output, both vectors of f32."""

    text: str
    inputs: int
    """How many numbers it takes."""
    outputs: int
    """How many numbers it gives."""
    work: float
    """Flops or bytes of one call."""


def fma_probe(machine: Machine) -> ProbeKernel:
    """Fused multiply-adds on full vectors of f32; its work is in flops, two for each."""
    return _chains_probe(machine, ["math.fma %a{0}, %b, %c"])


def operations_probe(machine: Machine) -> ProbeKernel:
    """Fused multiply-adds and additions in turns, which some cores start side by side.

    Its work is in flops of as many multiply-adds, two for each operation.
    """
    return _chains_probe(machine, ["math.fma %a{0}, %b, %c", "arith.addf %a{0}, %c"])


def _chains_probe(machine: Machine, operations: Sequence[str]) -> ProbeKernel:
    """Chains of operations that take turns, each on its number `{0}`."""
    lanes = machine.lanes(32)
    chains = FMA_CHAINS if machine.vector_registers >= 32 else FMA_CHAINS_OF_16_REGISTERS
    vector, source = f"vector<{lanes}xf32>", f"memref<{2 * lanes}xf32>"
    steps = [f"%n{i} = {operations[i % len(operations)].format(i)} : {vector}" for i in range(chains)]
    body = [
        f"%b = loop.load %x[0] : {source}, {vector}",
        f"%c = loop.load %x[{lanes}] : {source}, {vector}",
        _carrying("k", _FMA_STEPS, 1, vector, "%r", "%a", ["%c"] * chains, [*steps, _yield("%n", chains, vector)]),
    ]
    outputs = chains * lanes
    return ProbeKernel(_kernel(source, lanes, chains, body), 2 * lanes, outputs, 2.0 * _FMA_STEPS * outputs)


def read_probe(machine: Machine, size: int) -> ProbeKernel:
    """Adds up a buffer of about `size` bytes of f32, again and again; its work is in bytes."""
    lanes = machine.lanes(32)
    block = READ_CHAINS * lanes
    count = size // 4 // block * block
    repeats = max(1, _BYTES_PER_CALL // (4 * count))
    vector, source = f"vector<{lanes}xf32>", f"memref<{count}xf32>"
    inner = _carrying(
        "n",
        count,
        block,
        vector,
        "%s",
        "%b",
        [f"%a{i}" for i in range(READ_CHAINS)],
        [*_sums(lanes, vector, source), _yield("%n", READ_CHAINS, vector)],
    )
    passes = [inner, _yield("%s#", READ_CHAINS, vector)]
    body = [
        f"%z = loop.load %x[0] : {source}, {vector}",
        _carrying("r", repeats, 1, vector, "%r", "%a", ["%z"] * READ_CHAINS, passes),
    ]
    return ProbeKernel(_kernel(source, lanes, READ_CHAINS, body), count, block, 4.0 * count * repeats)


def _sums(lanes: int, vector: str, source: str) -> Iterator[str]:
    for i in range(READ_CHAINS):
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
