"""What the document tells of machine code and of the artifact."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class LoopSimulation:
    """A long run of a loop in LLVM's model of the CPU, which knows pipelines and latencies, but no caches."""

    cycles: float
    """Of an iteration."""
    busiest: float
    """For how many of these the unit is busy that most is asked of, the front of the core being one."""
    unit: str
    """LLVM's name of that unit."""
    instructions: dict[str, float]
    """For how many of these it works on which instructions, by their names, the longest first."""


@dataclass(frozen=True)
class InnerLoop:
    """A loop of one block that computes on vectors."""

    text: int
    """Its instructions."""
    block: str
    """What LLVM calls its block: as in the LLVM IR, `b3`, or `b3.1` for a copy; empty if that is not known."""
    loops: Sequence[str]
    """The names of the loops of the IR around that block, the innermost, which it is, last; nothing if LLVM made it."""
    instructions: int
    counts: dict[str, int]
    """How many there are of each kind, in words."""
    cycles: dict[str, float]
    """How long an iteration keeps parts of the core busy at least, by the facts of the machine."""
    vector_registers: int
    """How many different ones it names."""
    other_registers: int
    simulation: LoopSimulation | None
    """None without llvm-mca, or if that refuses the loop."""


@dataclass(frozen=True)
class MachineCode:
    """What became of a function below the IR."""

    function: str
    symbol: str
    """Its name for the linker."""
    llvm_ir: int
    assembly: int
    loops: Sequence[InnerLoop] = ()
    """The one with the most multiply-adds first."""


@dataclass(frozen=True)
class ArtifactSymbol:
    """A function or a constant of the artifact."""

    name: str
    kind: str
    """kernel, weight or other"""
    function: str
    """The kernel that it is; empty for anything else."""
    bytes: int


@dataclass(frozen=True)
class ArtifactSection:
    """A section of the artifact."""

    name: str
    bytes: int
    is_stored: bool
    """Whether it is in the file: zeros are not."""
    is_loaded: bool
    """Whether a process maps it."""
    symbols: Sequence[ArtifactSymbol]
    """The largest first."""


@dataclass(frozen=True)
class Artifact:
    """The shared library that the model becomes."""

    bytes: int
    """Of the file."""
    sections: Sequence[ArtifactSection]
    reason: str
    """Why there is none, if it could not be made."""
