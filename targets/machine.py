"""Machines: what passes plan for, what the emitter prints on functions, what clang is asked for."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from mlc.support.errors import UserError
from mlc.targets import host
from mlc.targets.cpu_sources import SOURCES
from mlc.targets.cpus import CPUS, KERNEL_SPELLING, X86_LEVELS, Arch, Cpu, level_features
from mlc.targets.facts import FACTS, FactSource, Issue, Memory, ThreadCosts
from mlc.targets.machine_file import measured_facts


@dataclass(frozen=True)
class Machine:
    """One target, fully resolved: two equal `Machine`s give equal code."""

    name: str
    """The name that was asked for."""
    arch: Arch
    cpu: str
    """The CPU that is tuned for, as LLVM names it; a level of x86-64, or "generic", where none is known."""
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

    @property
    def triple(self) -> str:
        """The target triple of objects."""
        return f"{self.arch}-unknown-linux-gnu"

    @property
    def fma(self) -> bool:
        """Whether a fused multiply-add is one instruction."""
        return self.arch == "aarch64" or "fma" in self.features

    @property
    def has_minimum(self) -> bool:
        """Whether the smaller of two floats is one instruction that gives NaN if one of them is NaN."""
        return self.arch == "aarch64"

    @property
    def has_memory_operands(self) -> bool:
        """Whether arithmetic reads an operand from memory, so that a constant needs no register."""
        return self.arch == "x86_64"

    @property
    def converts_f16(self) -> bool:
        """Whether instructions convert between f16 and f32; LLVM calls a library elsewhere."""
        return self.arch == "aarch64" or "f16c" in self.features

    def lanes(self, element_bits: int) -> int:
        """How many elements of `element_bits` one vector register holds."""
        return self.vector_bits // element_bits

    def has_masked_load(self, element_bits: int) -> bool:
        """Whether one instruction loads only some lanes of a vector, without a fault for the others."""
        return self.has_masked_store(element_bits) or ("avx" in self.features and element_bits >= 32)

    def has_masked_store(self, element_bits: int) -> bool:
        """Whether one instruction stores only some lanes of a vector, at full speed; AVX's is slow on some CPUs."""
        return "avx512vl" in self.features and (element_bits >= 32 or "avx512bw" in self.features)

    @cached_property
    def function_attributes(self) -> dict[str, str]:
        """The string attributes that every emitted function carries.

        They make the code independent of the compiler's own flags. `min-legal-vector-width` keeps LLVM from splitting
        512-bit vectors; `prefer-vector-width` makes its own vectorizers use them. `slow-paired-128` keeps it from
        making one load of two, where that takes longer.
        """
        attributes = {"target-cpu": self.base}
        if self.arch == "x86_64":
            attributes["tune-cpu"] = self.cpu
            attributes["target-features"] = ",".join(f"+{f}" for f in self.features)
            attributes["prefer-vector-width"] = str(self.vector_bits)
            attributes["min-legal-vector-width"] = str(self.vector_bits)
        elif self.issue.pair_cycles * self.issue.loads > 2:
            attributes["target-features"] = "+slow-paired-128"
        return attributes

    @cached_property
    def clang_flags(self) -> tuple[str, ...]:
        """Code generation flags, for the C units and for functions without attributes."""
        if self.arch == "x86_64":
            return (
                f"--target={self.triple}",
                f"-march={self.base}",
                f"-mprefer-vector-width={self.vector_bits}",
            )
        # Atomic operations in line: those out of line are functions of a library.
        return (f"--target={self.triple}", f"-mcpu={self.base}", "-mno-outline-atomics")

    @property
    def named_cpu(self) -> str:
        """The CPU as artifacts name it to people."""
        return self.base if self.cpu == "generic" else self.cpu

    @cached_property
    def required_cpu_flags(self) -> tuple[str, ...]:
        """The features that a CPU must have on which the artifact runs, in the kernel's spelling."""
        return tuple(KERNEL_SPELLING.get(f, f) for f in self.features)


def resolve_target(name: str) -> Machine:
    """The machine that a `--target` name stands for; `native` is the CPU that this process runs on.

    Raises:
        UserError: the name is unknown, `native` is a CPU that mlc has no code generation for, or the file with what
            was measured of it is broken.
    """
    if name == "native":
        return _native()
    if name not in CPUS:
        near = difflib.get_close_matches(name, ["native", *CPUS], n=3)
        guess = f"did you mean {' or '.join(near)}? " if near else ""
        raise UserError(f"unknown target '{name}': {guess}`mlc targets` lists all of them")
    return _machine(name, CPUS[name])


def words_of_sources(machine: Machine) -> str:
    """Where the facts of a machine come from, most of them first: "34 measured, 3 sysfs"."""
    counts = Counter(machine.sources[name].kind for name in FACTS)
    return ", ".join(f"{count} {kind}" for kind, count in counts.most_common())


def available_targets() -> Iterator[Machine]:
    """Every target by name, `native` first where the host can be a target."""
    if host.architecture() is not None:
        yield resolve_target("native")
    for name, cpu in CPUS.items():
        yield _machine(name, cpu)


def _machine(name: str, cpu: Cpu) -> Machine:
    return Machine(
        name=name,
        arch=cpu.arch,
        cpu=cpu.tune,
        base=cpu.base,
        features=level_features(cpu.base) + cpu.extras,
        vector_bits=cpu.vector_bits,
        vector_registers=cpu.vector_registers,
        l1_bytes=cpu.l1_bytes,
        l2_bytes=cpu.l2_bytes,
        l3_bytes=cpu.l3_bytes,
        cores=cpu.cores,
        issue=cpu.issue,
        memory=Memory(l1_read=float(cpu.issue.loads * cpu.vector_bits // 8)),
        sources=SOURCES[cpu.name],
    )


def _native() -> Machine:
    arch = host.architecture()
    if arch is None:
        raise UserError(
            f"target 'native' is a {host.machine_name()} machine; mlc generates code for x86_64 and aarch64: "
            "name one of `mlc targets`"
        )
    known = CPUS.get(host.cpu_name() or "")
    if arch == "aarch64":
        described = _machine("native", known or CPUS["aarch64"])
        features = described.features
    else:
        # A virtual machine may hide features of its CPU, so code relies on what the kernel reports, never on the model.
        flags = host.cpu_flags()
        has = {f for f in _llvm_names() if KERNEL_SPELLING.get(f, f) in flags}
        level = next((v for v in reversed(X86_LEVELS) if has.issuperset(level_features(v))), None)
        if level is None:
            raise UserError("this CPU lacks SSE4.2; mlc requires at least x86-64-v2: cross-compile with --target")
        described = _machine("native", CPUS[level])
        extras = tuple(f for f in known.extras if f in has) if known else ()
        features = described.features + extras
    machine = replace(described, cpu=known.name if known else described.cpu, features=features, cores=host.core_count())
    if known is not None:
        machine = replace(
            machine,
            l1_bytes=known.l1_bytes,
            l2_bytes=known.l2_bytes,
            l3_bytes=known.l3_bytes,
            issue=known.issue,
            memory=replace(machine.memory, l1_read=float(known.issue.loads * machine.vector_bits // 8)),
            sources=SOURCES[known.name],
        )
    sizes = {f"l{level}_bytes": size for level, size in host.cache_bytes().items() if level <= 3}
    machine = machine.with_facts(sizes, dict.fromkeys(sizes, FactSource("sysfs")))
    return machine.with_facts(*measured_facts())


def _llvm_names() -> set[str]:
    return {f for features in X86_LEVELS.values() for f in features} | {f for c in CPUS.values() for f in c.extras}
