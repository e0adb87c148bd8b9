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
import signal
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from mlc.architectures import instruction_set_named
from mlc.support.errors import NamedOption, UserError
from mlc.support.file_digest import file_digest
from mlc.targets.cache import Cache, digest

MINIMUM_CLANG = 16
"""The first clang that reads opaque pointers in LLVM IR by default, with all intrinsics that mlc emits."""

INSTALL_CLANG = "pip install ziglang, or where the system has them: apt install clang-19 lld-19"
"""A system's package `clang` may well be older than `MINIMUM_CLANG`, so versions are named."""

TOOL_SECONDS = "MLC_TOOL_SECONDS"
"""The environment variable that says how long a run of clang or of a linker may take."""
_RUN_SECONDS = 900.0
_VERSION_SECONDS = 20.0
_LONGEST_VERSION = 200
_ELF = b"\x7fELF"
_PASSED_ON = (
    "PATH",
    "HOME",
    "TMPDIR",
    "TEMP",
    "TMP",
    "LD_LIBRARY_PATH",
    "XDG_CACHE_HOME",
    "ZIG_GLOBAL_CACHE_DIR",
    "ZIG_LOCAL_CACHE_DIR",
)
"""Where programs, libraries and temporary files are found."""

CC = NamedOption("cc")
"""What names a clang."""


@dataclass(frozen=True)
class Tool:
    """A program that can be run."""

    command: tuple[str, ...]
    version: str
    """The first line that it prints on `--version`."""
    origin: str
    """Where it comes from, in words for users."""
    contents: str = ""
    """A digest of its file."""

    @property
    def identity(self) -> str:
        """What has to be equal for the tool to give equal results."""
        return f"{' '.join(self.command)} {self.version} {self.contents}"

    def __str__(self) -> str:
        return f"{' '.join(self.command)} ({self.version}; {self.origin})"


def find_clang(cc: str | None, cache: Cache) -> Tool:
    """The clang that `cc` or `MLC_CC` names, else the newest on PATH, else that of `ziglang`.

    Raises:
        UserError: there is none, or the one that was named is not a clang of `MINIMUM_CLANG` or newer.
    """
    for name, spelled in ((CC, cc), ("MLC_CC", os.environ.get("MLC_CC"))):
        if spelled:
            return _named_clang(name, spelled, cache)
    rejected: list[str] = []
    for path in programs_on_path(r"clang(-\d+)?"):
        try:
            tool = _probe((str(path),), "on PATH", cache)
        except NoToolError as e:
            rejected.append(f"{path}, which {e}")
            continue
        if (major := _clang_major(tool)) is not None:
            if major >= MINIMUM_CLANG:
                return tool
            rejected.append(f"{path}, which is version {major}")
    if (zig := _zig()) is not None:
        try:
            return _probe((zig, "clang"), "package ziglang", cache)
        except NoToolError as e:
            rejected.append(f"{zig} clang, which {e}")
    found = f"found only {', '.join(rejected)}" if rejected else "found none on PATH"
    raise UserError(f"mlc needs clang {MINIMUM_CLANG} or newer ({found}); install one: {INSTALL_CLANG}")


def find_linker(arch: str, clang: Tool | None, cache: Cache) -> Tool:
    """The linker that fits `clang` best: its own lld, any lld, that of `ziglang`, or the system's for the host.

    Raises:
        UserError: there is none that links for `arch`.
    """
    if (instruction_set := instruction_set_named(arch)) is not None:
        for command, origin in _linkers(arch, clang):
            with suppress(NoToolError):
                tool = _probe(command, origin, cache)
                return replace(tool, command=(*tool.command, "-m", instruction_set.linker_emulation))
    raise UserError(f"mlc found no linker for {arch} (ld.lld, or ld for the host); install one: {INSTALL_CLANG}")


def find_emulator(arch: str) -> str | None:
    """The path of a user-mode emulator that runs Linux programs of `arch`, or None."""
    return shutil.which(f"qemu-{arch}-static") or shutil.which(f"qemu-{arch}")


def _named_clang(option: NamedOption | str, spelled: str, cache: Cache) -> Tool:
    command = _complete((spelled,) if Path(spelled).is_file() else tuple(shlex.split(spelled)))
    program = shutil.which(command[0]) if command else None
    if program is None:
        raise UserError((option, f" names '{spelled}', which is not a program; install a clang: {INSTALL_CLANG}"))
    # A relative path would not hold in the folder that clang runs in.
    absolute = os.path.abspath(program)  # noqa: PTH100, `Path.resolve` would follow links: clang goes by its name
    try:
        tool = _probe((absolute, *command[1:]), option if isinstance(option, str) else option.flag(), cache)
    except NoToolError as e:
        raise UserError((option, f" names '{spelled}', which {e}; name a clang {MINIMUM_CLANG} or newer")) from None
    major = _clang_major(tool)
    if major is None:
        raise UserError((option, f" names '{spelled}', which is not clang; name a clang {MINIMUM_CLANG} or newer"))
    if major < MINIMUM_CLANG:
        required = f"required: {MINIMUM_CLANG} or newer ({INSTALL_CLANG})"
        raise UserError((option, f" names '{spelled}', which is clang {major}; {required}"))
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


def _linkers(arch: str, clang: Tool | None) -> Iterator[tuple[tuple[str, ...], str]]:
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
            names = os.listdir(folder := folder or ".")  # noqa: PTH208, a path each for 2,000 programs takes 5 ms
        except OSError:
            continue
        for name in filter(re.compile(pattern).fullmatch, names):
            if os.access(program := Path(folder) / name, os.X_OK):
                found.setdefault(name, program)

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


def tool_seconds() -> float:
    """How many seconds a run of clang or of a linker may take.

    Raises:
        UserError: the variable for it says no positive number.
    """
    spelled = os.environ.get(TOOL_SECONDS, "")
    try:
        seconds = float(spelled) if spelled else _RUN_SECONDS
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < float("inf"):
        raise UserError(f"{TOOL_SECONDS} is '{spelled}'; required: a number of seconds, such as {_RUN_SECONDS:g}")
    return seconds


def tool_environment() -> dict[str, str]:
    """The environment for clang and linkers: nothing by which they take options, such as CCC_OVERRIDE_OPTIONS or CPATH,
    because no key of the cache would know of it; and messages in English."""
    return {"LC_ALL": "C", **{name: os.environ[name] for name in _PASSED_ON if name in os.environ}}


class NoToolError(Exception):
    """What a program does instead of being a tool, for a sentence that begins with "which"."""


def _probe(command: tuple[str, ...], origin: str, cache: Cache) -> Tool:
    """The tool after `command`.

    What it says of itself is remembered under the identity of its file, so that a compile with nothing to do starts no
    process; unless it is a script, which may call another program tomorrow.

    Raises:
        NoToolError: it does not run, or does not say its version.
    """
    file = Path(command[0]).resolve()
    try:
        with file.open("rb") as stream:
            is_binary = stream.read(len(_ELF)) == _ELF
            status = os.fstat(stream.fileno())
            times = str(status.st_mtime_ns), str(status.st_ctime_ns)
            key = digest("tool", *command, str(file), str(status.st_size), str(status.st_ino), *times)
            if is_binary and (known := cache.read(key)) is not None:
                contents, _, version = known.decode().partition(" ")
                return Tool(command, version, origin, contents)
            contents = file_digest(stream.fileno())
    except OSError as e:
        raise NoToolError(f"cannot be read: {e.strerror}") from None
    version = _version_of(command)
    cache.write(key, f"{contents} {version}".encode())
    return Tool(command, version, origin, contents)


def _version_of(command: tuple[str, ...]) -> str:
    """Raises: NoToolError if the program does not say it."""
    limit = min(tool_seconds(), _VERSION_SECONDS)
    try:
        process = subprocess.Popen(
            [*command, "--version"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            env=tool_environment(),
            start_new_session=True,
        )
    except OSError as e:
        raise NoToolError(f"cannot be run: {e.strerror}") from None
    try:
        answer, _ = process.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        raise NoToolError(f"has not answered --version after {limit:g} s") from None
    finally:
        end_tool(process)
    if process.returncode:
        raise NoToolError(f"answers --version with {ending_of(process.returncode)}")
    version = answer.strip().partition("\n")[0][:_LONGEST_VERSION]
    if not version:
        raise NoToolError("prints nothing on --version")
    return version


def kill_tool(process: subprocess.Popen[str]) -> None:
    """Kill a program that was started in a session of its own, and what it has started: a script calls others."""
    with suppress(OSError):
        os.killpg(process.pid, signal.SIGKILL)


def end_tool(process: subprocess.Popen[str]) -> None:
    """Kill such a program if it still runs, and leave its pipes, which somebody may still hold."""
    if process.poll() is None:
        kill_tool(process)
        process.wait()
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe is not None:
            with suppress(OSError):
                pipe.close()


def ending_of(status: int) -> str:
    """How a process ended, in words: its exit status, or the signal that it died of."""
    if status >= 0:
        return f"exit status {status}"
    try:
        return f"signal {signal.Signals(-status).name}"
    except ValueError:
        return f"signal {-status}"


def _clang_major(tool: Tool) -> int | None:
    match = re.search(r"clang version (\d+)", tool.version)
    return int(match[1]) if match else None
