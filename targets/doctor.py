"""What `mlc doctor` tells: which tools there are, and how to get those that are missing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from mlc.support.errors import UserError
from mlc.targets import host
from mlc.targets.cache import Cache
from mlc.targets.cpus import ARCHITECTURES, Arch
from mlc.targets.machine import resolve_target
from mlc.targets.toolchain import Tool, find_clang, find_emulator, find_linker


@dataclass(frozen=True)
class Finding:
    """One line of the report. A tool that is missing has no `found`, and a `fix` says which command installs it."""

    name: str
    found: str | None
    fix: str | None = None
    required: bool = True
    """Whether mlc cannot compile without it."""


def doctor(cc: str | None = None) -> list[Finding]:
    """Everything that a compile depends on, as it is on this machine."""
    cache = Cache.default()
    clang: Tool | None = None

    def newest_clang() -> str:
        nonlocal clang
        clang = find_clang(cc, cache)
        return str(clang)

    findings = [_attempt("machine", _native), _attempt("clang", newest_clang)]
    for arch in ARCHITECTURES:
        is_host = arch == host.architecture()
        findings.append(_attempt(f"linker for {arch}", partial(_linker, arch, clang, cache), is_host))
        if not is_host:
            emulator = find_emulator(arch)
            fix = None if emulator else "only needed to run its code here: apt install qemu-user-static"
            findings.append(Finding(f"emulator for {arch}", emulator, fix, required=False))
    entries, size = cache.size()
    findings.append(Finding("cache", f"{cache.folder} ({entries} entries, {size / 1e6:.1f} MB)"))
    return findings


def _attempt(name: str, find: Callable[[], str], required: bool = True) -> Finding:
    try:
        return Finding(name, find(), None, required)
    except UserError as e:
        return Finding(name, None, e.message, required)


def _linker(arch: Arch, clang: Tool | None, cache: Cache) -> str:
    return str(find_linker(arch, clang, cache))


def _native() -> str:
    machine = resolve_target("native")
    return f"{machine.arch} {machine.cpu}, {machine.vector_bits}-bit vectors, {machine.cores} cores"
