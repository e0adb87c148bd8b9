"""What the machine that mlc runs on is, as the Linux kernel reports it, or as `MLC_HOST` says (`assumed_host.py`)."""

from __future__ import annotations

import hashlib
import os
import platform
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path

from mlc.runtime.cpu_features import kernel_fields, missing_features
from mlc.targets.assumed_host import assumed_host
from mlc.targets.cpus import KIB, MIB, Arch

_CACHES = Path("/sys/devices/system/cpu/cpu0/cache")

_INTEL_MODELS: dict[str, tuple[int, ...]] = {
    "haswell": (0x3C, 0x3F, 0x45, 0x46),
    "broadwell": (0x3D, 0x47, 0x4F, 0x56),
    "skylake": (0x4E, 0x5E, 0x8E, 0x9E, 0xA5, 0xA6),
    "skylake-avx512": (0x55,),
    "icelake-client": (0x7D, 0x7E),
    "icelake-server": (0x6A, 0x6C),
    "tigerlake": (0x8C, 0x8D),
    "alderlake": (0x97, 0x9A, 0xB7, 0xBA, 0xBF),
    "sapphirerapids": (0x8F, 0xCF),
    "graniterapids": (0xAD, 0xAE),
}
"""Model numbers of Intel's family 6."""

_ARM_PARTS: dict[tuple[int, int], str] = {
    (0x41, 0xD03): "cortex-a53",
    (0x41, 0xD05): "cortex-a55",
    (0x41, 0xD08): "cortex-a72",
    (0x41, 0xD0B): "cortex-a76",
    (0x41, 0xD41): "cortex-a78",
    (0x41, 0xD0C): "neoverse-n1",
    (0x41, 0xD49): "neoverse-n2",
    (0x41, 0xD40): "neoverse-v1",
    (0x41, 0xD4F): "neoverse-v2",
    (0x61, 0x022): "apple-m1",
    (0x61, 0x023): "apple-m1",
    (0x61, 0x032): "apple-m2",
    (0x61, 0x033): "apple-m2",
}
"""CPU names by implementer and part number, as in /proc/cpuinfo."""

_AMD_MODELS: dict[str, tuple[int, int]] = {
    "znver1": (0x17, 0x01),
    "znver2": (0x17, 0x31),
    "znver3": (0x19, 0x01),
    "znver4": (0x19, 0x11),
    "znver5": (0x1A, 0x02),
}
"""A family and a model number of each of AMD's."""


def _models() -> dict[str, dict[str, str]]:
    """The entries of /proc/cpuinfo that tell a CPU, by its name."""
    intel = {name: ("GenuineIntel", 6, models[0]) for name, models in _INTEL_MODELS.items()}
    intel["cascadelake"] = intel["skylake-avx512"]
    amd = {name: ("AuthenticAMD", *numbers) for name, numbers in _AMD_MODELS.items()}
    found = {
        name: {"vendor_id": vendor, "cpu family": str(family), "model": str(model)}
        for name, (vendor, family, model) in (intel | amd).items()
    }
    arm = {name: {"CPU implementer": hex(who), "CPU part": hex(part)} for (who, part), name in _ARM_PARTS.items()}
    return found | arm


def machine_name() -> str:
    """The host's architecture as the operating system names it."""
    assumed = assumed_host()
    return platform.machine() if assumed is None else assumed.arch


def architecture() -> Arch | None:
    """The host's architecture, if mlc generates code for it."""
    return _arch(machine_name())


def _arch(name: str) -> Arch | None:
    match name.lower():
        case "x86_64" | "amd64":
            return "x86_64"
        case "aarch64" | "arm64":
            return "aarch64"
        case _:
            return None


def core_count() -> int:
    """How many cores this process may use."""
    if (assumed := assumed_host()) is not None:
        return assumed.cores
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def cpu_flags() -> frozenset[str]:
    """The feature flags of the first CPU, in the kernel's spelling."""
    fields = _cpu_fields()
    return frozenset((fields.get("flags") or fields.get("Features") or "").split())


def can_run(arch: Arch, required_flags: Iterable[str]) -> bool:
    """Whether code for `arch` that needs these CPU features, in the kernel's spelling, runs here."""
    return executes(arch) and not missing_flags(required_flags)


def executes(arch: Arch) -> bool:
    """Whether the CPU that is really there has this architecture."""
    return arch == _arch(platform.machine())


def missing_flags(required: Iterable[str]) -> list[str]:
    """Those of some CPU features, in the kernel's spelling, that the CPU does not have that is really there."""
    return missing_features(required)


def cpu_name() -> str | None:
    """The host CPU by LLVM's name, if the table has it."""
    fields = _cpu_fields()
    if "CPU implementer" in fields:
        return _ARM_PARTS.get((int(fields["CPU implementer"], 0), int(fields.get("CPU part", "0"), 0)))
    family, model = int(fields.get("cpu family", 0)), int(fields.get("model", 0))
    match fields.get("vendor_id"):
        case "AuthenticAMD":
            return _amd(family, model)
        case "GenuineIntel" if family == 6:
            name = next((n for n, models in _INTEL_MODELS.items() if model in models), None)
            later_stepping = name == "skylake-avx512" and "avx512_vnni" in cpu_flags()
            return "cascadelake" if later_stepping else name
        case _:
            return None


def cache_bytes() -> Mapping[int, int]:
    """The sizes of the first core's data caches by level; empty where the kernel does not say."""
    assumed = assumed_host()
    return _real_cache_bytes() if assumed is None else assumed.caches


@cache
def _real_cache_bytes() -> Mapping[int, int]:
    try:
        return {level: _parse_size(_read(index / "size")) for level, index in _data_caches()}
    except (OSError, ValueError):
        return {}


def first_cache() -> tuple[int, int] | None:
    """The bytes of a line, and the lines of a set, of the first data cache; None where the kernel does not say."""
    if assumed_host() is not None:
        return None
    try:
        for level, index in _data_caches():
            if level == 1:
                line, ways = (int(_read(index / name)) for name in ("coherency_line_size", "ways_of_associativity"))
                return (line, ways) if line > 0 and ways > 0 else None
    except (OSError, ValueError):
        pass
    return None


def identity() -> dict[str, str]:
    """What is equal for machines whose measurements are: the CPU, in several words, and a digest of its flags."""
    fields = _cpu_fields()
    names = ("model name", "vendor_id", "CPU implementer", "cpu family", "CPU part", "model", "stepping")
    model = ", ".join(f"{name} {fields[name]}" for name in names if name in fields)
    flags = hashlib.sha256(" ".join(sorted(cpu_flags())).encode()).hexdigest()[:16]
    return {"arch": machine_name(), "model": model, "flags": flags}


def _data_caches() -> Iterator[tuple[int, Path]]:
    for index in sorted(_CACHES.glob("index*")):
        if _read(index / "type") != "Instruction":
            yield int(_read(index / "level")), index


def _read(path: Path) -> str:
    return path.read_text().strip()


def _amd(family: int, model: int) -> str | None:
    match family:
        case 0x17:
            return "znver2" if model >= 0x30 else "znver1"
        case 0x19:
            zen4 = 0x10 <= model <= 0x1F or 0x60 <= model <= 0x7F or 0xA0 <= model <= 0xAF
            return "znver4" if zen4 else "znver3"
        case 0x1A:
            return "znver5"
        case _:
            return None


def _parse_size(text: str) -> int:
    units = {"K": KIB, "M": MIB}
    return int(text[:-1]) * units[text[-1]] if text[-1] in units else int(text)


def _cpu_fields() -> Mapping[str, str]:
    """The first CPU's entries of /proc/cpuinfo."""
    assumed = assumed_host()
    return kernel_fields() if assumed is None else {**_models().get(assumed.cpu, {}), **assumed.fields}
