"""Finding clang, a linker and an emulator.

Only PATH, `--cc`, `MLC_CC` and the installed Python packages are looked at. Any of the tools may come from the PyPI
package `ziglang`, whose one binary holds a complete clang and lld: `zig clang` and `zig ld.lld` take their flags.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from mlc.support.errors import UserError
from mlc.targets.cache import Cache, digest
from mlc.targets.cpus import Arch

MINIMUM_CLANG = 16
"""The first clang that reads opaque pointers in LLVM IR by default, with all intrinsics that mlc emits."""

INSTALL_CLANG = "pip install ziglang, or where the system has them: apt install clang-19 lld-19"
"""A system's package `clang` may well be older than `MINIMUM_CLANG`, so versions are named."""

_EMULATIONS: dict[Arch, str] = {"x86_64": "elf_x86_64", "aarch64": "aarch64linux"}


@dataclass(frozen=True)
class Tool:
    """A program that can be run."""

    command: tuple[str, ...]
    version: str
    """The first line that it prints on `--version`."""
    origin: str
    """Where it comes from, in words for users."""

    @property
    def identity(self) -> str:
        """What has to be equal for the tool to give equal results."""
        return f"{' '.join(self.command)} {self.version}"

    def __str__(self) -> str:
        return f"{' '.join(self.command)} ({self.version}; {self.origin})"


def find_clang(cc: str | None, cache: Cache) -> Tool:
    """The clang that `cc` or `MLC_CC` names, else the newest on PATH, else that of `ziglang`.

    Raises:
        UserError: there is none, or the one that was named is not a clang of `MINIMUM_CLANG` or newer.
    """
    for name, spelled in (("--cc", cc), ("MLC_CC", os.environ.get("MLC_CC"))):
        if spelled:
            return _named_clang(name, spelled, cache)
    rejected: list[str] = []
    for path in programs_on_path(r"clang(-\d+)?"):
        tool = _probe((str(path),), "on PATH", cache)
        if tool is not None and (major := _clang_major(tool)) is not None:
            if major >= MINIMUM_CLANG:
                return tool
            rejected.append(f"{path} is version {major}")
    if (zig := _zig()) is not None and (tool := _probe((zig, "clang"), "package ziglang", cache)) is not None:
        return tool
    found = f"found only {', '.join(rejected)}" if rejected else "found none on PATH"
    raise UserError(f"mlc needs clang {MINIMUM_CLANG} or newer ({found}); install one: {INSTALL_CLANG}")


def find_linker(arch: Arch, clang: Tool | None, cache: Cache) -> Tool:
    """The linker that fits `clang` best: its own lld, any lld, that of `ziglang`, or the system's for the host.

    Raises:
        UserError: there is none that links for `arch`.
    """
    for command, origin in _linkers(arch, clang):
        if (tool := _probe(command, origin, cache)) is not None:
            return Tool((*tool.command, "-m", _EMULATIONS[arch]), tool.version, tool.origin)
    raise UserError(f"mlc found no linker for {arch} (ld.lld, or ld for the host); install one: {INSTALL_CLANG}")


def find_emulator(arch: Arch) -> str | None:
    """The path of a user-mode emulator that runs Linux programs of `arch`, or None."""
    return shutil.which(f"qemu-{arch}-static") or shutil.which(f"qemu-{arch}")


def _named_clang(option: str, spelled: str, cache: Cache) -> Tool:
    command = _complete((spelled,) if Path(spelled).is_file() else tuple(shlex.split(spelled)))
    program = shutil.which(command[0]) if command else None
    if program is None:
        raise UserError(f"{option} names '{spelled}', which is not a program; install a clang: {INSTALL_CLANG}")
    tool = _probe((program, *command[1:]), option, cache)
    major = _clang_major(tool) if tool else None
    if major is None:
        raise UserError(f"{option} names '{spelled}', which is not clang; name a clang {MINIMUM_CLANG} or newer")
    assert tool is not None
    if major < MINIMUM_CLANG:
        raise UserError(
            f"{option} names '{spelled}', which is clang {major}; required: {MINIMUM_CLANG} or newer ({INSTALL_CLANG})"
        )
    return tool


def _complete(command: tuple[str, ...]) -> tuple[str, ...]:
    """`zig` holds a clang but has to be told; that of `zig cc` takes fewer languages. The package's is not on PATH."""
    if not command:
        return command
    if command[0] in ("zig", "ziglang") and shutil.which(command[0]) is None and (zig := _zig()) is not None:
        command = (zig, *command[1:])
    return (command[0], "clang") if command[1:] in ((), ("cc",)) and _is_zig(command[0]) else command


def _is_zig(program: str) -> bool:
    return Path(program).stem == "zig"


def _linkers(arch: Arch, clang: Tool | None) -> Iterator[tuple[tuple[str, ...], str]]:
    zig = _zig()
    if clang is not None and _is_zig(clang.command[0]):
        yield (clang.command[0], "ld.lld"), "package ziglang" if clang.command[0] == zig else "of the same zig"
    elif clang is not None:
        program = Path(clang.command[0]).resolve()
        if (beside := program.parent / "ld.lld").is_file():
            yield (str(beside),), "beside clang"
        if (same := shutil.which(program.name.replace("clang", "ld.lld"))) is not None:
            yield (same,), "on PATH"
    for path in programs_on_path(r"ld\.lld(-\d+)?"):
        yield (str(path),), "on PATH"
    if zig is not None:
        yield (zig, "ld.lld"), "package ziglang"
    gnu = shutil.which("ld") if os.uname().machine == arch else shutil.which(f"{arch}-linux-gnu-ld")
    if gnu is not None:
        yield (gnu,), "on PATH"


def programs_on_path(pattern: str) -> list[Path]:
    """Programs on PATH whose names match, highest version number first, then those without one."""
    found: dict[str, Path] = {}
    for folder in os.environ.get("PATH", "").split(os.pathsep):
        try:
            programs = list(Path(folder or ".").iterdir())
        except OSError:
            continue
        for program in programs:
            if re.fullmatch(pattern, program.name) and os.access(program, os.X_OK):
                found.setdefault(program.name, program)

    def version(name: str) -> int:
        return int(name.rpartition("-")[2]) if name[-1].isdigit() else -1

    return [found[name] for name in sorted(found, key=version, reverse=True)]


def _zig() -> str | None:
    """The binary of the PyPI package `ziglang`."""
    spec = importlib.util.find_spec("ziglang")
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        for name in ("zig", "zig.exe"):
            if (path := Path(folder) / name).is_file():
                return str(path)
    return None


def _probe(command: tuple[str, ...], origin: str, cache: Cache) -> Tool | None:
    """The tool behind `command`, or None if it does not run.

    Its version is remembered under the program file's identity, so that a compile with nothing to do starts no process.
    """
    try:
        status = Path(command[0]).resolve().stat()
    except OSError:
        return None
    key = digest("version", *command, str(status.st_size), str(status.st_mtime_ns), str(status.st_ino))
    if (known := cache.read(key)) is not None:
        return Tool(command, known.decode(), origin)
    try:
        result = subprocess.run([*command, "--version"], capture_output=True, text=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    version = result.stdout.strip().partition("\n")[0]
    if result.returncode != 0 or not version:
        return None
    cache.write(key, version.encode())
    return Tool(command, version, origin)


def _clang_major(tool: Tool) -> int | None:
    match = re.search(r"clang version (\d+)", tool.version)
    return int(match[1]) if match else None
