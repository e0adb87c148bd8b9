"""What an architecture is to mlc, and a CPU of it."""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from pathlib import Path
from typing import ClassVar, Protocol

from mlc.architectures.facts import FACTS, FactSource, Issue
from mlc.architectures.instructions import ByteLookup, DotInstruction, MatrixRegisters, SaturatingPacks

KIB = 1024
MIB = 1024 * KIB

USUAL = FactSource("assumed", "what most CPUs have")
AS_MANY = FactSource("assumed", "as many as multiply-adds of f32, where its features have them")
HALF_AS_MANY = FactSource("assumed", "half as many as multiply-adds of f32: a multiplication and an addition each")
COMMON = FactSource("assumed", "a common part of the family")
ASSUMED = FactSource("assumed", "rules were written with it")
LLVM = FactSource("LLVM")
"""Numbers that `llvm-mca` (LLVM 19) gives for full vectors: rates of a dozen independent instructions, latencies of a
chain. Where its model says something else, or is that of another CPU, the number is assumed."""

_SHORT = {
    "f16_fma_units": {"avx512fp16", "fullfp16"},
    "bf16_dots": {"avx512bf16", "bf16"},
    "i8_dots": {"avx512vnni", "avxvnni", "dotprod"},
    "i8_outer_dots": {"i8mm"},
    "bf16_outer_dots": {"bf16"},
}
"""Rates of instructions that few CPUs have, and the features that have them."""
_FEW = {**_SHORT, **{name: {"amx-tile"} for name in ("mma_cycles", "mma_latency", "mma_awake")}}
"""All numbers of instructions that few CPUs have."""
_I16_DOTS = {"avx512vnni", "avxvnni"}
"""The features that have one instruction for dot products of pairs of i16."""

_WIDEST = {"avxvnni": 256}
"""The bits of the widest vectors of some features, where others have instructions for wider ones."""

Reported = tuple[str | int | range, ...]
"""Values of `Architecture.reported_as`; a range stands for all that it holds."""


@dataclass(frozen=True, eq=False)
class Cpu:
    """What one name of `--target` stands for. A wrong number costs speed, never correctness."""

    name: str
    """LLVM's name of it, or one with a suffix for some of its features: see `llvm_name`."""
    base: str
    """What clang is asked for: an x86-64 level, or the CPU itself on ARM."""
    features: tuple[str, ...]
    """All features that code for `base` may use, beyond those of every CPU, as LLVM spells them."""
    extras: tuple[str, ...]
    """Features beyond these that kernels can use."""
    vector_bits: int
    vector_registers: int
    cores: int
    facts: Mapping[FactSource, Mapping[str, float]] = field(default_factory=dict[FactSource, Mapping[str, float]])
    """The numbers of `facts.FACTS` that are known of it, by where they come from."""
    reported: tuple[Reported, ...] = ()
    """How the kernel reports it."""
    llvm_name: str = ""
    """What LLVM is to tune for; empty for `name`."""

    @cached_property
    def values(self) -> Mapping[str, float]:
        """The number of each fact that is known, by its name."""
        known = {name: value for values in self.facts.values() for name, value in values.items()}
        units, has = known.get("fma_units", Issue().fma_units), self._on_full_vectors
        rates = {**dict.fromkeys(_SHORT, units), "i16_dots": units if has & _I16_DOTS else units / 2}
        absent = {name: 0 for name, features in _FEW.items() if not has & features}
        return {**rates, **known, **absent}

    @cached_property
    def sources(self) -> Mapping[str, FactSource]:
        """Where each fact comes from, by its name."""
        i16 = AS_MANY if self._on_full_vectors & _I16_DOTS else HALF_AS_MANY
        found = {**dict.fromkeys(FACTS, USUAL), **dict.fromkeys(_SHORT, AS_MANY), "i16_dots": i16}
        return found | {name: source for source, values in self.facts.items() for name in values}

    @property
    def _on_full_vectors(self) -> set[str]:
        """The extra features that have instructions on full vectors."""
        return {f for f in self.extras if self.vector_bits <= _WIDEST.get(f, self.vector_bits)}

    @cached_property
    def issue(self) -> Issue:
        """What the core starts per cycle."""
        whole = {f.name for f in fields(Issue)}
        return Issue(**{name: value for name, value in self.values.items() if name in whole})  # pyright: ignore[reportArgumentType]


class Tuned(Protocol):
    """What code generation asks of a machine."""

    @property
    def cpu(self) -> str: ...
    @property
    def base(self) -> str: ...
    @property
    def features(self) -> tuple[str, ...]: ...
    @property
    def vector_bits(self) -> int: ...
    @property
    def issue(self) -> Issue: ...


@dataclass(frozen=True)
class MemorySpace:
    """A memory beside the one that arguments, weights and the workspace lie in, for buffers of the IR.

    `memref<64xf32, "local">` lies in the space that is named so.
    """

    name: str
    bytes: int
    """The most that the buffers of one function may take together."""


class Architecture(ABC):
    """What rules ask of all machines of one kind, and the machines. Files for them are made by a backend.

    What is not said here holds of a machine without special instructions.
    """

    name: ClassVar[str]
    """As target triples name it."""
    aliases: ClassVar[tuple[str, ...]] = ()
    """Other names that systems report."""
    backend: ClassVar[str] = "native"
    """The `compiler.backend.Backend` that compiles for it, by its name."""
    index_bits: ClassVar[int] = 64
    """The width of `index`, 32 or 64: that of an address."""
    memory_spaces: ClassVar[Sequence[MemorySpace]] = ()
    """The memories that buffers may lie in beside the common one."""
    max_tile_rows: ClassVar[int] = 1
    """The most rows of a register tile: of more, some spill or their addresses do."""
    reduction_steps: ClassVar[int] = 1
    """How many steps of a reduction one iteration of a micro-kernel takes."""
    takes_words_from_lanes: ClassVar[bool] = False
    """Whether dot products multiply by a word in a lane of a register."""
    has_minimum: ClassVar[bool] = False
    """Whether the smaller of two floats is one instruction that gives NaN if one of them is NaN."""
    has_memory_operands: ClassVar[bool] = False
    """Whether arithmetic reads an operand from memory, so that a constant needs no register."""
    cpus: ClassVar[Sequence[Cpu]]
    """The CPUs, or other devices, that targets can name. The first ones stand for those of which only features are
    known."""

    def fuses_multiply_add(self, features: tuple[str, ...]) -> bool:
        """Whether a fused multiply-add is one instruction."""
        return False

    def converts_f16(self, features: tuple[str, ...]) -> bool:
        """Whether instructions convert between f16 and f32; LLVM calls a library elsewhere."""
        return False

    def has_masked_load(self, features: tuple[str, ...], element_bits: int) -> bool:
        """Whether one instruction loads only some lanes of a vector, without a fault for the others."""
        return self.has_masked_store(features, element_bits)

    def has_masked_store(self, features: tuple[str, ...], element_bits: int) -> bool:
        """Whether one instruction stores only some lanes of a vector, at full speed."""
        return False

    def lookup(self, features: tuple[str, ...], bits: int) -> str | None:
        """The intrinsic that looks up numbers of f32 in a vector of 16, by the low four bits of each lane of a vector
        of i32 of so many bits; None if it takes more than one instruction."""
        return None

    @cached_property
    def feature_names(self) -> frozenset[str]:
        """All features of its CPUs, as LLVM spells them."""
        return frozenset(f for cpu in self.cpus for f in (*cpu.features, *cpu.extras))


class InstructionSet(Architecture):
    """An architecture that LLVM compiles for: how files, the kernel, LLVM and C name it."""

    elf_machine: ClassVar[int]
    """`e_machine` of ELF files."""
    elf_flags: ClassVar[int] = 0
    """`e_flags` of ELF files, where linkers compare them."""
    linker_emulation: ClassVar[str]
    """What `ld -m` is given."""
    any_cpu_flags: ClassVar[tuple[str, ...]]
    """Options of clang for code that runs on every CPU."""
    reported_as: ClassVar[tuple[str, ...]]
    """The entries of /proc/cpuinfo that tell the model of a CPU."""
    features_field: ClassVar[str]
    """The entry that lists its features."""
    kernel_spelling: ClassVar[Mapping[str, str]] = {}
    """LLVM's name of a feature → its name in /proc/cpuinfo, where the two differ."""

    @abstractmethod
    def function_attributes(self, machine: Tuned) -> dict[str, str]:
        """The string attributes that every function of LLVM IR carries: its code depends on no flag of clang."""

    @abstractmethod
    def clang_flags(self, machine: Tuned) -> tuple[str, ...]:
        """Code generation flags for the units in C, and for functions without attributes."""

    @abstractmethod
    def host_cpu(self, known: Cpu | None, flags: frozenset[str]) -> tuple[Cpu, tuple[str, ...]]:
        """The CPU whose instructions code for the host may use, and the features beyond those of every CPU.

        Args:
            known: the CPU of the table that the host is.
            flags: its features, as the kernel spells them.

        Raises:
            UserError: it lacks what mlc requires of each.
        """

    @abstractmethod
    def present_features(self) -> frozenset[str]:
        """The features of the CPU on which this process runs, in the kernel's spelling, as the CPU or the kernel say.

        Raises:
            OSError, AttributeError, ValueError: they do not say it here.
        """

    @abstractmethod
    def feature_initializer(self, name: str) -> str:
        """The initializer of a `Feature` of `c_source`, by its name in the kernel's spelling."""

    def dot_instruction(self, features: tuple[str, ...], lhs: str, rhs: str, bits: int) -> DotInstruction | None:
        """The dot product of short numbers of two types on vectors of `bits`, if one instruction computes it.

        Args:
            features: of the CPU.
            lhs: the type of the first operand's numbers: "i8", "ui8", "i16" or "bf16".
            rhs: the type of the second operand's.
            bits: the width of a vector.
        """
        return None

    def outer_dot_instruction(self, features: tuple[str, ...], lhs: str, rhs: str, bits: int) -> DotInstruction | None:
        """The dot products of each of two words of 64 bits with each of two others, on vectors of `bits`, if one
        instruction computes them.

        The first operand's words are rows, the second one's columns; the sums lie row by row.

        Args:
            features: of the CPU.
            lhs: the type of the first operand's numbers: "i8", "ui8" or "bf16".
            rhs: the type of the second operand's.
            bits: the width of a vector.
        """
        return None

    def matrix_registers(self, features: tuple[str, ...]) -> MatrixRegisters | None:
        """The registers that hold matrices, if the CPU has them.

        Artifacts that use them call `prepare_matrices` of `c_source` first: see `runtime/matrices.c`.
        """
        return None

    def matrix_configuration(self, sizes: Sequence[tuple[int, int]]) -> Sequence[int]:
        """What registers are told of their matrices, as integers of 64 bits in memory.

        Args:
            sizes: the rows of the matrix in each register, and the bytes of a row; zeros for one that is not used.
        """
        raise NotImplementedError

    def matrix_instruction(self, features: tuple[str, ...], lhs: str, rhs: str) -> str | None:
        """LLVM's name of the instruction that adds a product of matrices of short numbers to a third, if there is one.

        The first matrix has rows of words of 32 bits, the second columns of words, each word the numbers that follow
        each other along the reduction; the third has a sum for each row and column. The instruction takes the numbers
        of their registers, that of the sums first.

        Args:
            features: of the CPU.
            lhs: the type of the first matrix's numbers: "i8", "ui8" or "bf16".
            rhs: the type of the second one's.
        """
        return None

    def rounds_to_bf16(self, features: tuple[str, ...]) -> bool:
        """Whether an instruction makes bf16 of vectors of f32, where it may make 0 of subnormal numbers."""
        del features
        return False

    def byte_products(self, features: tuple[str, ...], bits: int) -> str | None:
        """LLVM's name of what multiplies vectors of ui8 and i8 of `bits` and adds up neighbours in i16, saturating."""
        del features, bits
        return None

    def saturating_packs(self, features: tuple[str, ...], bits: int) -> SaturatingPacks | None:
        """What makes bytes of floats, if vectors of `bits` have instructions that saturate."""
        del features, bits
        return None

    def byte_lookup(self, features: tuple[str, ...], bits: int) -> ByteLookup | None:
        """What looks up bytes in a table of 256, if vectors of `bits` have an instruction for it."""
        del features, bits
        return None

    def measured_dots(self, features: tuple[str, ...], bits: int) -> Mapping[str, DotInstruction]:
        """The dot products on vectors of `bits` that are measured, by the name of what measures them."""
        found: dict[str, DotInstruction] = {}
        for lhs, rhs in (("ui8", "i8"), ("i8", "i8"), ("i16", "i16"), ("bf16", "bf16")):
            if (dot := self.dot_instruction(features, lhs, rhs, bits)) is not None:
                found.setdefault(f"{rhs} dots", dot)
            if (dot := self.outer_dot_instruction(features, lhs, rhs, bits)) is not None:
                found.setdefault(f"{rhs} outer dots", dot)
        return found

    @cached_property
    def c_source(self) -> str:
        """System calls, the entry point and the features of a CPU, in C: for `runner.c` and `threads.c`.

        It lies beside the module that defines the class, under its name, and follows `common.h`.
        """
        files = Path(__file__).with_name("common.h"), Path(inspect.getfile(type(self))).with_suffix(".h")
        return "".join(file.read_text(encoding="utf-8") for file in files)

    def spelled_by_kernel(self, feature: str) -> str:
        """A feature's name in /proc/cpuinfo."""
        return self.kernel_spelling.get(feature, feature)

    def cpu_reported(self, entries: Mapping[str, str]) -> Cpu | None:
        """The CPU that entries of /proc/cpuinfo tell, if the table has it.

        Where models share a number, the one is meant that has the most of its features.
        """
        found = [cpu for cpu in self.cpus if any(self._is_reported(entries, values) for values in cpu.reported)]
        if len(found) < 2:
            return found[0] if found else None
        flags = {*entries.get(self.features_field, "").split()}

        def features_there(cpu: Cpu) -> int:
            has_all = all(self.spelled_by_kernel(f) in flags for f in cpu.extras)
            return len(cpu.extras) if has_all else -1

        return max(found, key=features_there)

    def entries_of(self, cpu: Cpu) -> dict[str, str]:
        """Entries of /proc/cpuinfo that tell a CPU and its features."""
        values = cpu.reported[0] if cpu.reported else ()
        firsts = [value[0] if isinstance(value, range) else value for value in values]
        entries = {name: str(value) for name, value in zip(self.reported_as, firsts, strict=False)}
        flags = map(self.spelled_by_kernel, (*cpu.features, *cpu.extras))
        return {**entries, self.features_field: " ".join(flags)}

    def _is_reported(self, entries: Mapping[str, str], values: Reported) -> bool:
        return all(_agrees(entries.get(name), value) for name, value in zip(self.reported_as, values, strict=True))


def _agrees(entry: str | None, value: str | int | range) -> bool:
    if entry is None or isinstance(value, str):
        return entry == value
    number = int(entry, 0)
    return number in value if isinstance(value, range) else number == value
