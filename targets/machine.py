"""Machines: what passes plan for, what the emitter prints on functions, what clang is asked for."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from typing import Any

from mlc.architectures import cpus, instruction_set_named, instruction_sets, known_architecture
from mlc.architectures.architecture import (
    Architecture,
    Cpu,
    InstructionSet,
    MemorySpace,
)
from mlc.architectures.facts import FACTS, FactSource, Issue, Memory, ThreadCosts
from mlc.architectures.instructions import PER_WORD, ByteLookup, DotInstruction, MatrixRegisters
from mlc.support.errors import UserError
from mlc.targets import host
from mlc.targets.machine_file import measured_facts

_PER_LOADED_LANE = 3
"""Instructions that look up one lane of a vector in memory: an extraction, a load and an insertion."""


@dataclass(frozen=True)
class Machine:
    """One target, fully resolved: two equal `Machine`s give equal code."""

    name: str
    """The name that was asked for."""
    arch: str
    cpu: str
    """The CPU that is tuned for, as LLVM names it; a level of x86-64, or "aarch64", where none is known."""
    base: str
    """The CPU whose instructions may be used: an x86-64 level, or an ARM CPU."""
    features: tuple[str, ...]
    """All features that kernels may count on beyond the architecture's first version, in LLVM's spelling."""
    vector_bits: int
    vector_registers: int
    l1_bytes: int
    """The L1 data cache of one core."""
    l2_bytes: int
    l3_bytes: int
    """The last-level cache that one core reaches; 0 where there is none."""
    cores: int
    issue: Issue = field(default_factory=Issue)
    """What one core starts per cycle, for the cost models of schedules."""
    memory: Memory = field(default_factory=Memory)
    """Lines and ways of the first cache, and what arrives from each level."""
    threading: ThreadCosts = field(default_factory=ThreadCosts)
    """What it costs to share a loop."""
    frequency_mhz: int = 3000
    sources: Mapping[str, FactSource] = field(default_factory=dict[str, FactSource], compare=False, repr=False)
    """Where each fact comes from, by its name in `FACTS`."""

    def fact(self, name: str) -> float:
        """A number by its name in `FACTS`."""
        group = FACTS[name].group
        return getattr(getattr(self, group) if group else self, name)

    def with_facts(self, values: Mapping[str, float], sources: Mapping[str, FactSource]) -> Machine:
        """The machine with other numbers, by their names in `FACTS`, and where these come from."""
        changes: dict[str, Any] = {}
        for group in dict.fromkeys(FACTS[name].group for name in values):
            own = {name: value for name, value in values.items() if FACTS[name].group == group}
            changes |= {group: replace(getattr(self, group), **own)} if group else own
        return replace(self, **changes, sources={**self.sources, **sources})

    @cached_property
    def architecture(self) -> Architecture:
        """What holds of all CPUs of this architecture."""
        return known_architecture(self.arch)

    @property
    def instruction_set(self) -> InstructionSet:
        """What LLVM, the linker and the kernel are told of the architecture.

        Raises:
            UserError: it is not one that LLVM compiles for.
        """
        if not isinstance(found := self.architecture, InstructionSet):
            raise UserError(
                f"target '{self.name}' has no LLVM IR: its backend is '{found.backend}'; name a CPU of `mlc targets`"
            )
        return found

    @property
    def index_bits(self) -> int:
        """The width of `index`."""
        return self.architecture.index_bits

    def memory_space(self, name: str) -> MemorySpace | None:
        """The memory of this name for buffers, if the target has it."""
        return next((each for each in self.architecture.memory_spaces if each.name == name), None)

    @property
    def triple(self) -> str:
        """The target triple of objects."""
        return f"{self.arch}-unknown-linux-gnu"

    @property
    def fma(self) -> bool:
        """Whether a fused multiply-add is one instruction."""
        return self.architecture.fuses_multiply_add(self.features)

    @property
    def converts_f16(self) -> bool:
        """Whether instructions convert between f16 and f32; LLVM calls a library elsewhere."""
        return self.architecture.converts_f16(self.features)

    @property
    def rounds_to_bf16(self) -> bool:
        """Whether an instruction makes bf16 of vectors of f32, and perhaps 0 of subnormal numbers."""
        architecture = self.architecture
        return isinstance(architecture, InstructionSet) and architecture.rounds_to_bf16(self.features)

    def lanes(self, element_bits: int) -> int:
        """How many elements of `element_bits` one vector register holds."""
        return self.vector_bits // element_bits

    def words_per_load(self, word_bits: int = 32) -> int:
        """How many words of short numbers, each for all lanes of a dot product, one load brings."""
        return self.vector_bits // word_bits if self.architecture.takes_words_from_lanes else 1

    def dot_instruction(self, lhs: str, rhs: str, bits: int) -> DotInstruction | None:
        """The dot product of short numbers of these types, in this order, on vectors of `bits`.

        None if there is no instruction for it, or two multiply-adds of f32 are faster than one for bf16.
        """
        architecture, issue = self.architecture, self.issue
        if not isinstance(architecture, InstructionSet) or bits > self.vector_bits:
            return None
        if rhs == "bf16" and 2 * issue.bf16_dots < issue.fma_units:
            return None
        return architecture.dot_instruction(self.features, lhs, rhs, bits)

    def byte_products(self, lhs: str, rhs: str, bits: int) -> str | None:
        """LLVM's name of what multiplies vectors of bytes of two types and adds up neighbours in i16, saturating.

        None where one instruction does more, or pairs of i16 are not multiplied.
        """
        architecture = self.architecture
        if not isinstance(architecture, InstructionSet) or {lhs, rhs} != {"ui8", "i8"} or bits > self.vector_bits:
            return None
        if self.dot_instruction(lhs, rhs, bits) or self.dot_instruction(rhs, lhs, bits):
            return None
        found = architecture.byte_products(self.features, bits)
        return found if self.dot_instruction("i16", "i16", bits) else None

    def outer_dot_instruction(self, lhs: str, rhs: str) -> DotInstruction | None:
        """The dot products of each of two words of 64 bits with each of two others, on vectors of full width.

        None if there is no instruction for it, or dot products of vectors are as fast; for floats also where these are
        no instructions, which round otherwise.
        """
        architecture, bits = self.architecture, self.vector_bits
        if not isinstance(architecture, InstructionSet) or 2 * self._outer_dots(rhs) <= self.dots(lhs, rhs):
            return None
        if rhs == "bf16" and self.dot_instruction(lhs, rhs, bits) is None:
            return None
        return architecture.outer_dot_instruction(self.features, lhs, rhs, bits)

    @property
    def matrix_registers(self) -> MatrixRegisters | None:
        """The registers that hold matrices, if the target has them."""
        architecture = self.architecture
        return architecture.matrix_registers(self.features) if isinstance(architecture, InstructionSet) else None

    def matrix_instruction(self, lhs: str, rhs: str) -> str | None:
        """LLVM's name of the instruction that multiplies matrices of short numbers of these types, if there is one."""
        architecture = self.architecture
        if not isinstance(architecture, InstructionSet):
            return None
        return architecture.matrix_instruction(self.features, lhs, rhs)

    def byte_lookup(self, lanes: int) -> ByteLookup | None:
        """The instruction that looks up vectors of so many bytes in a table; None where it takes longer than loads."""
        if not isinstance(self.architecture, InstructionSet):
            return None
        found = self.architecture.byte_lookup(self.features, self.vector_bits)
        return found if found and found.instructions(lanes) < _PER_LOADED_LANE * lanes else None

    def lookup_instructions(self, lanes: int) -> int:
        """How many instructions look up a vector of so many bytes in a table."""
        found = self.byte_lookup(lanes)
        return found.instructions(lanes) if found else _PER_LOADED_LANE * lanes

    def dots(self, lhs: str, rhs: str, word_bits: int = 32, *, in_i16: bool = False) -> float:
        """How many vectors of words are multiplied and added per cycle, where words hold numbers of these types.

        Where no instruction takes them, words of 8 bits become two of 16 bits, or numbers are taken apart and
        multiplied one by one. With `in_i16` sums of two products of bytes fit there. Words of 64 bits are multiplied
        two rows at a time, or in halves.
        """
        if word_bits > 32:
            return self.outer_dots(lhs, rhs) or self.dots(lhs, rhs) / 2
        issue, bits, are_bytes = self.issue, self.vector_bits, PER_WORD[rhs] == 4
        if self.dot_instruction(lhs, rhs, bits) or self.dot_instruction(rhs, lhs, bits):
            rate = {"bf16": issue.bf16_dots}.get(rhs, issue.i8_dots if are_bytes else issue.i16_dots)
            return rate or issue.fma_units
        if are_bytes and (pairs := self.dot_instruction("i16", "i16", bits)):
            if in_i16 and self.byte_products(lhs, rhs, bits):  # one instruction in front of that for pairs
                each = 1 if pairs.adds else 2
                return issue.i16_dots * each / (each + 1)
            return issue.i16_dots / 2
        return issue.fma_units / (8 if are_bytes else 2)

    def outer_dots(self, lhs: str, rhs: str) -> float:
        """How many instructions that `outer_dot_instruction` gives for two types, in any order, start per cycle."""
        if self.outer_dot_instruction(lhs, rhs) or self.outer_dot_instruction(rhs, lhs):
            return self._outer_dots(rhs)
        return 0.0

    def _outer_dots(self, element: str) -> float:
        return self.issue.bf16_outer_dots if element == "bf16" else self.issue.i8_outer_dots

    def products(self, lhs: str, rhs: str, *, in_i16: bool = False) -> float:
        """How many products of short numbers are added to each lane of a vector per cycle; of f32, `fma_units` are.
        With `in_i16` sums of two products of bytes fit there."""
        vectors = max(self.dots(lhs, rhs, in_i16=in_i16), 2 * self.outer_dots(lhs, rhs))
        return max(PER_WORD[rhs] * vectors, self._products_of_matrices(lhs, rhs))

    def matrix_cycles(self, rows: int) -> float:
        """The cycles between products of matrices where the first one has so many rows.

        Raises:
            AssertionError: the target has no registers for matrices.
        """
        registers = self.matrix_registers
        assert registers is not None
        return self.issue.mma_cycles * max(rows, registers.least_rows) / registers.rows

    def _products_of_matrices(self, lhs: str, rhs: str) -> float:
        registers = self.matrix_registers
        if registers is None or not self.issue.mma_cycles or self.matrix_instruction(lhs, rhs) is None:
            return 0.0
        products = registers.rows * registers.words**2 * PER_WORD[rhs]
        return products / self.lanes(32) / self.issue.mma_cycles

    def multiplying(self, rate: float) -> Machine:
        """The machine with so many multiply-adds per cycle: for rules about loops whose multiply-adds are others."""
        return replace(self, issue=replace(self.issue, fma_units=rate))  # pyright: ignore[reportArgumentType]

    def has_masked_load(self, element_bits: int) -> bool:
        """Whether one instruction loads only some lanes of a vector, without a fault for the others."""
        return self.architecture.has_masked_load(self.features, element_bits)

    def has_masked_store(self, element_bits: int) -> bool:
        """Whether one instruction stores only some lanes of a vector, at full speed."""
        return self.architecture.has_masked_store(self.features, element_bits)

    @cached_property
    def function_attributes(self) -> dict[str, str]:
        """The string attributes that every emitted function carries, so that its code depends on no flag of clang."""
        return self.instruction_set.function_attributes(self)

    @cached_property
    def clang_flags(self) -> tuple[str, ...]:
        """Code generation flags, for the C units and for functions without attributes."""
        return f"--target={self.triple}", *self.instruction_set.clang_flags(self)

    @cached_property
    def required_cpu_flags(self) -> tuple[str, ...]:
        """The features that a CPU must have on which the artifact runs, in the kernel's spelling."""
        architecture = self.architecture
        spelled = isinstance(architecture, InstructionSet)
        return tuple(map(architecture.spelled_by_kernel, self.features)) if spelled else ()


def resolve_target(name: str) -> Machine:
    """The machine that a `--target` name stands for; `native` is the CPU that this process runs on.

    Raises:
        UserError: the name is unknown, `native` is a CPU that mlc has no code generation for, or the file with what
            was measured of it is broken.
    """
    if name == "native":
        return _native()
    known = {cpu.name: (architecture, cpu) for architecture, cpu in cpus()}
    if name not in known:
        near = difflib.get_close_matches(name, ["native", *known], n=3)
        guess = f"did you mean {' or '.join(near)}? " if near else ""
        raise UserError(f"unknown target '{name}': {guess}`mlc targets` lists all of them")
    return _machine(name, *known[name])


def words_of_sources(machine: Machine) -> str:
    """Where the facts of a machine come from, most of them first: "34 measured, 3 sysfs"."""
    counts = Counter(machine.sources[name].kind for name in FACTS)
    return ", ".join(f"{count} {kind}" for kind, count in counts.most_common())


def available_targets() -> Iterator[Machine]:
    """Every target by name, `native` first where the host can be a target."""
    if host.architecture() is not None:
        yield resolve_target("native")
    for architecture, cpu in cpus():
        yield _machine(cpu.name, architecture, cpu)


@cache
def _machine(name: str, architecture: Architecture, cpu: Cpu) -> Machine:
    return _with_facts_of(_without_facts(name, architecture, cpu), cpu)


def _without_facts(name: str, architecture: Architecture, cpu: Cpu) -> Machine:
    return Machine(
        name=name,
        arch=architecture.name,
        cpu=cpu.llvm_name or cpu.name,
        base=cpu.base,
        features=cpu.features + cpu.extras,
        vector_bits=cpu.vector_bits,
        vector_registers=cpu.vector_registers,
        l1_bytes=0,
        l2_bytes=0,
        l3_bytes=0,
        cores=cpu.cores,
    )


def _with_facts_of(machine: Machine, cpu: Cpu) -> Machine:
    """A machine with the numbers of a CPU, which reads as many vectors from its first cache as it starts loads."""
    known = machine.with_facts(cpu.values, cpu.sources)
    read = float(known.issue.loads * machine.vector_bits // 8)
    return replace(known, memory=replace(known.memory, l1_read=read))


def _native() -> Machine:
    architecture = instruction_set_named(host.machine_name())
    if architecture is None:
        names = " and ".join(each.name for each in instruction_sets())
        raise UserError(
            f"target 'native' is a {host.machine_name()} machine; mlc generates code for {names}: "
            "name one of `mlc targets`"
        )
    known = host.cpu()
    instructions, features = architecture.host_cpu(known, host.cpu_flags())
    described = replace(
        _without_facts("native", architecture, instructions),
        cpu=(known or instructions).llvm_name or (known or instructions).name,
        features=features,
        cores=host.core_count(),
    )
    there = tuple(f for f in features if f not in instructions.features)
    machine = _with_facts_of(described, replace(known or instructions, extras=there))
    known_here = {f"l{level}_bytes": size for level, size in host.cache_bytes().items() if level <= 3}
    if (cache := host.first_cache()) is not None and "l1_bytes" in known_here:
        ways = cache[1]
        known_here |= {"l1_ways": ways, "set_period": known_here["l1_bytes"] // ways}
    machine = machine.with_facts(known_here, dict.fromkeys(known_here, FactSource("sysfs")))
    return machine.with_facts(*measured_facts())
