"""Where the numbers of the table of CPUs come from.

`LLVM` stands for numbers that `llvm-mca` (LLVM 19) gives for full vectors of the table: rates of a dozen independent
instructions, latencies of a chain. Where its model says something else, or is that of another CPU, the number is
assumed: rules were written with it, and `mlc machine measure` says what is true of a machine that is here.
"""

from __future__ import annotations

from collections.abc import Mapping

from mlc.targets.cpus import CPUS, Cpu
from mlc.targets.facts import FACTS, FactSource

_INTEL = FactSource("manual", "Intel 64 and IA-32 Architectures Optimization Reference Manual")
_AMD = {
    "znver1": FactSource("manual", "AMD Software Optimization Guide, Family 17h"),
    "znver2": FactSource("manual", "AMD Software Optimization Guide, Family 17h Models 30h and greater"),
    "znver3": FactSource("manual", "AMD Software Optimization Guide, Family 19h"),
    "znver4": FactSource("manual", "AMD Software Optimization Guide, Zen 4"),
    "znver5": FactSource("manual", "AMD Software Optimization Guide, Zen 5"),
}
_ARM = FactSource("manual", "Technical Reference Manual of the core")
_COMMON = FactSource("assumed", "a common part of the family")
_AS_MANY = FactSource("assumed", "as many as multiply-adds of f32, where its features have them")
_USUAL = FactSource("assumed", "what most CPUs have")
_ZEN4 = FactSource("measured", "on a Zen 4, with 256-bit vectors")
_LLVM = FactSource("LLVM")

_OF_ZEN4 = {
    "x86-64-v2": ("l2_loads",),
    "nehalem": ("l2_loads",),
    "x86-64-v3": ("late", "l2_loads"),
    "znver3": ("late", "l2_loads"),
    "znver4": ("l2_loads",),
}
_CONFIGURABLE = ("cortex-a53", "cortex-a55", "cortex-a78")
"""Cores whose first cache comes in several sizes."""


def sources_of(cpu: Cpu) -> Mapping[str, FactSource]:
    """The source of each fact of an entry of the table."""
    found = dict.fromkeys(FACTS, _USUAL)
    found |= dict.fromkeys(("l1_bytes", "l2_bytes", "l3_bytes"), _COMMON)
    if cpu.name in _AMD:
        found |= dict.fromkeys(("l1_bytes", "l2_bytes"), _AMD[cpu.name])
    elif cpu.arch == "x86_64" and cpu.name != cpu.base:
        found |= dict.fromkeys(("l1_bytes", "l2_bytes"), _INTEL)
    elif cpu.name.startswith(("cortex", "neoverse")) and cpu.name not in _CONFIGURABLE:
        found["l1_bytes"] = _ARM
    found |= dict.fromkeys(("f16_fma_units", "bf16_dots", "i8_dots"), _AS_MANY)
    found |= dict.fromkeys(cpu.modelled, _LLVM)
    return found | dict.fromkeys(_OF_ZEN4.get(cpu.name, ()), _ZEN4)


SOURCES: Mapping[str, Mapping[str, FactSource]] = {name: sources_of(cpu) for name, cpu in CPUS.items()}
"""By name of a CPU, then of a fact."""
