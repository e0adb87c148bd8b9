"""A host that is assumed instead of the one that is there: how tests show that they do not depend on it.

    MLC_HOST="cpu=znver4 cores=64 caches=none hypervisor"

`cpu` is a name of the table of CPUs, or a level of x86-64 for one that nobody knows; the other words may be left out.
Code is made for it. Whether code can run is still told by the CPU that is there.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from mlc.architectures import cpus
from mlc.architectures.architecture import Cpu, InstructionSet
from mlc.support.errors import UserError

HOST_VARIABLE = "MLC_HOST"
"""The environment variable that describes the host."""
_WORDS = ("cpu", "cores", "caches")
_FORM = "'cpu=NAME', and perhaps 'cores=N', 'caches=none' and 'hypervisor'"


@dataclass(frozen=True)
class AssumedHost:
    """What the kernel would report."""

    cpu: str
    """Its name in the table."""
    arch: str
    entries: Mapping[str, str]
    """Of /proc/cpuinfo."""
    cores: int
    caches: Mapping[int, int]
    """Bytes of data caches by level; empty where the kernel does not say."""


def assumed_host() -> AssumedHost | None:
    """The host that the variable describes; None if it is not set.

    Raises:
        UserError: the variable says something else than a host.
    """
    text = os.environ.get(HOST_VARIABLE)
    return _parsed(text) if text else None


@lru_cache(maxsize=8)
def _parsed(text: str) -> AssumedHost:
    words = {word.partition("=")[0]: word.partition("=")[2] for word in text.split()}
    is_virtual = words.pop("hypervisor", None) is not None
    architecture, cpu = next((found for found in cpus() if found[1].name == words.get("cpu")), (None, None))
    cores, caches = words.get("cores", str(cpu.cores if cpu else 0)), words.get("caches", "")
    if (
        not isinstance(architecture, InstructionSet)
        or cpu is None
        or words.keys() - set(_WORDS)
        or not cores.isdecimal()
        or int(cores) < 1
        or caches not in ("", "none")
    ):
        raise UserError(f"{HOST_VARIABLE} is '{text}'; required: {_FORM}, where NAME is one of `mlc targets`")
    entries = architecture.entries_of(cpu)
    entries["model name"] = f"assumed {cpu.name}"
    if is_virtual:
        entries[architecture.features_field] += " hypervisor"
    return AssumedHost(cpu.name, architecture.name, entries, int(cores), {} if caches == "none" else _caches(cpu))


def _caches(cpu: Cpu) -> dict[int, int]:
    sizes = {level: int(cpu.values.get(f"l{level}_bytes", 0)) for level in (1, 2, 3)}
    return {level: size for level, size in sizes.items() if size}
