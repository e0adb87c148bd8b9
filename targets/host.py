"""What the machine that mlc runs on is, as the Linux kernel reports it, or as `MLC_HOST` says (`assumed_host.py`)."""

from __future__ import annotations

import hashlib
import os
import platform
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path

from mlc.architectures import instruction_set_named, kernel_entries, missing_features, real_architecture
from mlc.architectures.architecture import KIB, MIB, Cpu, InstructionSet
from mlc.targets.assumed_host import assumed_host

_CACHES = Path("/sys/devices/system/cpu/cpu0/cache")


def machine_name() -> str:
    """The host's architecture as the operating system names it."""
    assumed = assumed_host()
    return platform.machine() if assumed is None else assumed.arch


def architecture() -> str | None:
    """The name of the host's architecture, if mlc generates code for it."""
    here = _architecture()
    return here.name if here else None


def core_count() -> int:
    """How many cores this process may use."""
    if (assumed := assumed_host()) is not None:
        return assumed.cores
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def cpu_flags() -> frozenset[str]:
    """The feature flags of the first CPU, in the kernel's spelling."""
    here, entries = _architecture(), _cpu_entries()
    return frozenset(entries.get(here.features_field, "").split()) if here else frozenset()


def can_run(arch: str, required_flags: Iterable[str]) -> bool:
    """Whether code for `arch` that needs these CPU features, in the kernel's spelling, runs here."""
    return executes(arch) and not missing_flags(required_flags)


def executes(arch: str) -> bool:
    """Whether the CPU that is really there has this architecture."""
    here = real_architecture()
    return here is not None and arch == here.name


def missing_flags(required: Iterable[str]) -> list[str]:
    """Those of some CPU features, in the kernel's spelling, that the CPU does not have that is really there."""
    return missing_features(required)


def cpu() -> Cpu | None:
    """The host's CPU, if the table of its architecture has it."""
    here = _architecture()
    return here.cpu_reported(_cpu_entries()) if here else None


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
    return _real_first_cache() if assumed_host() is None else None


@cache
def _real_first_cache() -> tuple[int, int] | None:
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
    fields = _cpu_entries()
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


def _parse_size(text: str) -> int:
    units = {"K": KIB, "M": MIB}
    return int(text[:-1]) * units[text[-1]] if text[-1] in units else int(text)


def _architecture() -> InstructionSet | None:
    return instruction_set_named(machine_name())


def _cpu_entries() -> Mapping[str, str]:
    """The first CPU's entries of /proc/cpuinfo."""
    assumed = assumed_host()
    return kernel_entries() if assumed is None else assumed.entries
