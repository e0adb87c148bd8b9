"""The CPUs that mlc knows, as one table.

Names are LLVM's. Cache sizes are those of a common part of the family: L1 data and L2 of one core, L3 as one core
sees it. A wrong number costs speed, never correctness. Where each comes from stands in `cpu_sources.py`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, get_args

from mlc.targets.facts import Issue

Arch = Literal["x86_64", "aarch64"]
ARCHITECTURES: tuple[Arch, ...] = get_args(Arch)

KIB = 1024
MIB = 1024 * KIB


_ISSUE: dict[str, Issue] = {
    "x86-64-v2": Issue(l2_loads=1.25),
    "x86-64-v3": Issue(late=0.35),
    "nehalem": Issue(l2_loads=1.25),
    "haswell": Issue(2, 5, 2),
    "broadwell": Issue(2, 5, 2),
    "alderlake": Issue(2, 4, 3),
    "icelake-client": Issue(1, 4, 2),
    "tigerlake": Issue(1, 4, 2),
    "znver1": Issue(1, 5, 1),
    "znver2": Issue(2, 5, 2),
    "znver3": Issue(late=0.35),
    "cortex-a53": Issue(1, 8, 1),
    "cortex-a55": Issue(1, 4, 1, pair_cycles=6),
    "cortex-a72": Issue(2, 7, 1),
    "neoverse-v1": Issue(4, 4, 3, 2.5),
    "neoverse-v2": Issue(4, 4, 3, 2.5),
    "apple-m1": Issue(4, 4, 3, 2.5),
    "apple-m2": Issue(4, 4, 3, 2.5),
}
"""Where a CPU differs from the common case.

What arrives from second caches, and what is late, was measured on a Zen 4 with 256-bit vectors: 20 bytes per cycle of
the 32 that its path is wide. With 512-bit vectors it does all of this every other cycle; others have a wider path.
"""


_FMA = ("fma_units", "fma_latency")
_ALL = (*_FMA, "loads")
MODELLED: dict[str, tuple[str, ...]] = {
    "x86-64-v2": ("loads",),
    "x86-64-v3": ("fma_units", "loads"),
    "x86-64-v4": _ALL,
    "nehalem": ("loads",),
    "haswell": _ALL,
    "broadwell": _ALL,
    "skylake": _ALL,
    "alderlake": _ALL,
    "skylake-avx512": _ALL,
    "cascadelake": _ALL,
    "icelake-client": _ALL,
    "icelake-server": ("fma_latency", "loads"),
    "tigerlake": _ALL,
    "sapphirerapids": ("fma_latency",),
    "graniterapids": ("fma_latency",),
    "znver1": _FMA,
    "znver2": _FMA,
    "znver3": _ALL,
    "znver4": ("fma_latency", "loads"),
    "cortex-a53": ("fma_units", "loads"),
    "cortex-a55": ("fma_latency", "loads", "pair_cycles"),
    "neoverse-n1": _ALL,
    "neoverse-n2": _FMA,
    "neoverse-v1": _ALL,
    "neoverse-v2": ("fma_units", "loads"),
}
"""The numbers of each CPU that are those of LLVM's model of it. Nehalem has no multiply-add, but a multiplication."""
_OTHER_RATES: dict[str, tuple[int, int, float, float]] = {
    "x86-64-v2": (1, 3, 1, 1),
    "x86-64-v3": (1, 3, 1, 1),
    "x86-64-v4": (2, 4, 1, 1),
    "nehalem": (1, 3, 1, 1),
    "haswell": (1, 3, 1, 1),
    "broadwell": (1, 3, 1, 1),
    "skylake": (2, 4, 1, 1),
    "alderlake": (2, 3, 2, 1),
    "skylake-avx512": (2, 4, 1, 1),
    "cascadelake": (2, 4, 1, 1),
    "icelake-client": (1, 4, 2, 1),
    "icelake-server": (1, 4, 2, 1),
    "tigerlake": (1, 4, 2, 1),
    "sapphirerapids": (2, 3, 2, 1),
    "graniterapids": (2, 3, 2, 1),
    "znver1": (1, 3, 2, 1),
    "znver2": (2, 3, 3, 2),
    "znver3": (2, 3, 1, 2),
    "znver4": (1, 3, 1, 1),
    "cortex-a53": (1, 6, 1, 1),
    "cortex-a55": (1, 4, 1, 1),
    "neoverse-n1": (2, 2, 1, 2),
    "neoverse-n2": (2, 2, 2, 2),
    "neoverse-v1": (4, 2, 2, 4),
    "neoverse-v2": (4, 2, 2, 4),
}
"""Additions per cycle, the latency of one, stores and shuffles per cycle, as LLVM's model of a CPU has them."""
OTHER_RATES = ("adds", "add_latency", "stores", "shuffles")
"""The facts that stand in that table."""


@dataclass(frozen=True)
class Cpu:
    """What one name of `--target` stands for."""

    name: str
    arch: Arch
    base: str
    """The CPU whose instructions code may use: an x86-64 level, or the CPU itself on ARM."""
    extras: tuple[str, ...]
    """Features beyond `base`, as LLVM spells them, that kernels can use."""
    vector_bits: int
    vector_registers: int
    l1_bytes: int
    l2_bytes: int
    l3_bytes: int
    cores: int

    @property
    def issue(self) -> Issue:
        """What the core starts per cycle."""
        issue = _ISSUE.get(self.name, Issue())
        if (rates := _OTHER_RATES.get(self.name)) is not None:
            adds, latency, stores, shuffles = rates
            issue = replace(issue, adds=adds, add_latency=latency, stores=stores, shuffles=shuffles)
        has = {*self.extras}
        return replace(
            issue,
            f16_fma_units=issue.fma_units if has & {"avx512fp16", "fullfp16"} else 0,
            bf16_dots=issue.fma_units if has & {"avx512bf16", "bf16"} else 0,
            i8_dots=issue.fma_units if has & {"avx512vnni", "avxvnni", "dotprod"} else 0,
        )

    @property
    def modelled(self) -> tuple[str, ...]:
        """The facts that are those of LLVM's model of this CPU."""
        return (*MODELLED.get(self.name, ()), *(OTHER_RATES if self.name in _OTHER_RATES else ()))

    @property
    def tune(self) -> str:
        """The CPU whose latencies LLVM schedules for.

        A level of x86-64 stands for the first CPU that has it. LLVM's "generic" one is a Sandy Bridge, which has no
        multiply-add: scheduled for it, a register tile that needs all registers spills.
        """
        return "generic" if self.name == self.base and self.arch == "aarch64" else self.name


X86_LEVELS: dict[str, tuple[str, ...]] = {
    "x86-64-v2": ("ssse3", "sse4.1", "sse4.2", "popcnt"),
    "x86-64-v3": ("avx", "avx2", "fma", "bmi", "bmi2", "f16c", "movbe", "lzcnt"),
    "x86-64-v4": ("avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"),
}
"""What each x86-64 level adds to the one before it (x86-64 psABI, section 3.1.1), lowest first."""


def level_features(base: str) -> tuple[str, ...]:
    """All features of an x86-64 level, including those of the levels below it; nothing for an ARM CPU."""
    if base not in X86_LEVELS:
        return ()
    levels = list(X86_LEVELS)
    return tuple(f for level in levels[: levels.index(base) + 1] for f in X86_LEVELS[level])


KERNEL_SPELLING: dict[str, str] = {
    "sse4.1": "sse4_1",
    "sse4.2": "sse4_2",
    "bmi": "bmi1",
    "lzcnt": "abm",
    "avxvnni": "avx_vnni",
    "avx512vnni": "avx512_vnni",
    "avx512bf16": "avx512_bf16",
    "avx512fp16": "avx512_fp16",
    "avx512vbmi2": "avx512_vbmi2",
    "dotprod": "asimddp",
    "fullfp16": "asimdhp",
}
"""LLVM's name of a feature → its name in /proc/cpuinfo, where the two differ."""

_VNNI = ("avx512vnni",)
_ICELAKE = (*_VNNI, "avx512vbmi", "avx512vbmi2")
_ZEN4 = (*_ICELAKE, "avx512bf16")
_SAPPHIRE = (*_ZEN4, "avxvnni", "avx512fp16")
_FP16_DOT = ("fullfp16", "dotprod")
_SVE = (*_FP16_DOT, "sve", "i8mm", "bf16")


def _x86(name: str, level: int, extras: tuple[str, ...], l1: int, l2: int, l3: int, cores: int) -> Cpu:
    bits, registers = {2: (128, 16), 3: (256, 16), 4: (512, 32)}[level]
    return Cpu(name, "x86_64", f"x86-64-v{level}", extras, bits, registers, l1 * KIB, l2 * KIB, l3 * MIB, cores)


def _arm(name: str, extras: tuple[str, ...], l1: int, l2: int, l3: int, cores: int) -> Cpu:
    # SVE machines are programmed through 128-bit NEON too: their FMA throughput is the same, and widths stay static.
    base = "generic" if name == "aarch64" else name
    return Cpu(name, "aarch64", base, extras, 128, 32, l1 * KIB, l2 * KIB, l3 * MIB, cores)


CPUS: dict[str, Cpu] = {
    cpu.name: cpu
    for cpu in (
        # name, level, extras, L1 KiB, L2 KiB, L3 MiB, cores
        _x86("x86-64-v2", 2, (), 32, 256, 4, 4),
        _x86("x86-64-v3", 3, (), 32, 512, 8, 8),
        _x86("x86-64-v4", 4, (), 32, 1024, 16, 16),
        _x86("nehalem", 2, (), 32, 256, 8, 4),
        _x86("haswell", 3, (), 32, 256, 8, 4),
        _x86("broadwell", 3, (), 32, 256, 8, 4),
        _x86("skylake", 3, (), 32, 256, 8, 4),
        _x86("alderlake", 3, ("avxvnni",), 48, 1280, 24, 8),
        _x86("skylake-avx512", 4, (), 32, 1024, 24, 16),
        _x86("cascadelake", 4, _VNNI, 32, 1024, 32, 24),
        _x86("icelake-client", 4, _ICELAKE, 48, 512, 8, 4),
        _x86("icelake-server", 4, _ICELAKE, 48, 1280, 48, 32),
        _x86("tigerlake", 4, _ICELAKE, 48, 1280, 12, 4),
        _x86("sapphirerapids", 4, _SAPPHIRE, 48, 2048, 96, 48),
        _x86("graniterapids", 4, _SAPPHIRE, 48, 2048, 256, 64),
        _x86("znver1", 3, (), 32, 512, 8, 8),
        _x86("znver2", 3, (), 32, 512, 16, 16),
        _x86("znver3", 3, (), 32, 512, 32, 16),
        _x86("znver4", 4, _ZEN4, 32, 1024, 32, 16),
        _x86("znver5", 4, (*_ZEN4, "avxvnni"), 48, 1024, 32, 16),
        # name, extras, L1 KiB, L2 KiB, L3 MiB, cores
        _arm("aarch64", (), 32, 512, 1, 4),
        _arm("cortex-a53", (), 32, 512, 0, 4),
        _arm("cortex-a55", _FP16_DOT, 32, 128, 1, 4),
        _arm("cortex-a72", (), 32, 1024, 0, 4),
        _arm("cortex-a76", _FP16_DOT, 64, 512, 2, 4),
        _arm("cortex-a78", _FP16_DOT, 64, 512, 4, 4),
        _arm("neoverse-n1", _FP16_DOT, 64, 1024, 32, 64),
        _arm("neoverse-n2", _SVE, 64, 1024, 64, 64),
        _arm("neoverse-v1", _SVE, 64, 1024, 32, 64),
        _arm("neoverse-v2", _SVE, 64, 2048, 64, 64),
        _arm("apple-m1", _FP16_DOT, 128, 12288, 8, 8),
        _arm("apple-m2", (*_FP16_DOT, "i8mm", "bf16"), 128, 16384, 8, 8),
    )
}
