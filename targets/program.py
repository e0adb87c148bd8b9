"""What the code generator hands to the toolchain: LLVM IR texts, weights and the model's signature."""

from __future__ import annotations

import builtins
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from numpy.typing import NDArray

from mlc.targets.machine import Machine


@dataclass(frozen=True)
class TensorSpec:
    """One input or output of a model; `dtype` is NumPy's name of it ("float32", "bool", …)."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    extents: tuple[int, ...] = ()
    """For each dim the number of the output, or of the input, that holds its actual extent, -1 where the shape says it;
    or nothing."""
    range: builtins.range | None = None
    """Of an input that holds an extent of others: what it may be."""
    donor: int | None = None
    """The number of the input in whose memory this output may lie; None for none."""


@dataclass(frozen=True)
class Signature:
    """How a model function is called. `name` "main" makes the C functions `mlc_main`, `mlc_main_signature`, …"""

    name: str
    inputs: tuple[TensorSpec, ...]
    outputs: tuple[TensorSpec, ...]
    workspace_bytes: int
    """Size of the memory that a call needs, 64-byte aligned, its contents undefined."""
    version: str
    """The mlc version that compiles the model."""
    kernels: tuple[str, ...] = ()
    """What a traced model records, by number: itself, and the kernels that it calls."""

    @property
    def symbol(self) -> str:
        """The C name of the model function."""
        return f"mlc_{self.name}"

    def to_json(self, machine: Machine) -> str:
        """The text that `mlc_<name>_signature` returns."""
        return json.dumps(
            {
                "name": self.name,
                "mlc": self.version,
                **described_machine(machine),
                "workspace_bytes": self.workspace_bytes,
                **({"kernels": self.kernels} if self.kernels else {}),
                "inputs": [_tensor(t) for t in self.inputs],
                "outputs": [_tensor(t) for t in self.outputs],
            }
        )


@dataclass(frozen=True)
class KernelParts:
    """The text of a kernel in pieces."""

    declarations: tuple[str, ...]
    """Lines that declare functions, which others may declare, too."""
    definition: str
    """The function."""
    end: str
    """What stands after it."""


@dataclass(frozen=True)
class Kernel:
    """A complete LLVM IR module, compiled on its own; a kernel's defines one `weak_odr hidden` function."""

    name: str
    text: str
    opt_level: int | None = None
    """clang's -O level, 0 to 3, if the kernel has one of its own."""
    parts: KernelParts | None = None
    """What the text is made of, if several kernels with the same `end` may stand in one text."""
    function: str = ""
    """The function of the module that it was made of, the first one if there were equal ones."""


@dataclass(frozen=True)
class Weight:
    """Constant data behind `symbol`, which units declare as `external hidden constant`, 64-byte aligned.

    An array of bools takes one byte per element. A memory-mapped array is read when it is written.
    """

    symbol: str
    array: NDArray[Any]


@dataclass(frozen=True)
class RunnerSource:
    """A program around a model, of its own.

    Attributes:
        source: C, in front of which `runtime/program.c` stands; it defines `run_model`.
        weights: constant data that it declares.
    """

    source: str
    weights: Sequence[Weight] = ()


@dataclass(frozen=True)
class Program:
    """A model, ready for clang. The entry unit defines `i32 @mlc_<name>(ptr inputs, ptr outputs, ptr workspace)`."""

    kernels: Sequence[Kernel]
    entry: Kernel
    signature: Signature
    weights: Sequence[Weight] = field(default=())
    threads: int = 1
    """How many threads a loop may run on, if a kernel calls `mlc_parallel_for`."""
    runner: RunnerSource | None = None
    """The program of an executable; None for that of `runtime/runner.c`."""


def described_machine(machine: Machine) -> dict[str, object]:
    """What signatures say of the machine that code is for."""
    return {
        "arch": machine.arch,
        "cpu": machine.cpu,
        "requires": machine.required_cpu_flags,
    }


def _tensor(spec: TensorSpec) -> dict[str, object]:
    described: dict[str, object] = {"name": spec.name, "dtype": spec.dtype, "shape": spec.shape}
    described |= {"extents": spec.extents} if spec.extents else {}
    if (allowed := spec.range) is not None:
        described["range"] = [allowed[0], allowed[-1], *([allowed.step] if allowed.step > 1 else [])]
    return described | ({"donor": spec.donor} if spec.donor is not None else {})
