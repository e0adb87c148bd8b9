"""Compiling units with clang: in parallel, equal ones once, each at most once per machine thanks to the cache."""

from __future__ import annotations

import signal
import subprocess
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Literal, TypeVar

from mlc.support.errors import CompilerBug, UserError
from mlc.support.workers import workers
from mlc.targets.cache import Cache, digest
from mlc.targets.host import core_count
from mlc.targets.machine import Machine
from mlc.targets.output import OutputError
from mlc.targets.toolchain import (
    CC,
    TOOL_SECONDS,
    Tool,
    end_tool,
    ending_of,
    kill_tool,
    tool_environment,
    tool_seconds,
)

_T = TypeVar("_T")
_GLANCE_SECONDS = 0.2
"""How long Ctrl-C may go unnoticed."""
_LONGEST_MESSAGES = 20_000
"""Characters of what clang or a linker says that are kept."""

Progress = Callable[[int, int], None]
"""Told how many units are done, of how many."""

_FLAGS = (
    "-fPIC",
    "-ffreestanding",  # loops that look like memcpy or memset stay loops
    "-fomit-frame-pointer",
    "-fno-stack-protector",
    "-fno-asynchronous-unwind-tables",
    "-fno-addrsig",  # those tables name symbols by index, which the final object changes
    "-fno-ident",
    "--no-default-config",  # which no key of the cache knows
    "-Wno-override-module",
    "-Wno-unused-command-line-argument",
)


def clang_flags(machine: Machine, opt_level: int) -> tuple[str, ...]:
    """What clang is told about all units: the machine, and how much it optimises (0 to 3), as much as mlc does."""
    return (f"-O{opt_level}", *_FLAGS, *machine.clang_flags)


@dataclass(frozen=True)
class Unit:
    """One run of clang: a text in, an object or assembly text out."""

    name: str
    text: str
    language: Literal["ir", "c"] = "ir"
    opt_level: int | None = None
    """How much clang optimises it, if that is another level than that of all units."""
    flags: tuple[str, ...] = ()
    """What clang is told besides, which has the last word."""


@dataclass
class Processes:
    """The running subprocesses of one build, so that an interrupted build leaves none behind."""

    _running: set[subprocess.Popen[str]] = field(default_factory=set[subprocess.Popen[str]])
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _stopped: bool = False

    def run(self, command: Sequence[str], folder: Path, text: str = "") -> tuple[int, str]:
        """Run `command` in `folder` with `text` on its standard input; returns its exit status and messages.

        Raises:
            UserError: it does not start, was killed from outside, takes too long, or the disk is full.
        """
        limit = tool_seconds()
        try:
            with self._lock:
                if self._stopped:
                    return -signal.SIGKILL, "the build was stopped"
                process = subprocess.Popen(
                    command,
                    cwd=folder,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.PIPE,
                    text=True,
                    encoding="utf-8",
                    errors="replace",
                    env=tool_environment(),
                    start_new_session=True,
                )
                self._running.add(process)
        except OSError as e:
            raise UserError(f"cannot run {command[0]}: {e.strerror}") from None
        try:
            _, messages = process.communicate(text, timeout=limit)
        except subprocess.TimeoutExpired:
            end_tool(process)
            raise UserError(
                (
                    f"{command[0]} has not ended after {limit:g} s; {TOOL_SECONDS} allows it more, ",
                    CC,
                    " names another clang",
                )
            ) from None
        finally:
            with self._lock:
                self._running.discard(process)
        messages = _shortened(messages)
        if process.returncode == -signal.SIGKILL:
            raise UserError(f"{command[0]} was killed, most likely for lack of memory")
        # A linker maps its output, and a page of it that finds no room on the disk is a signal.
        if process.returncode == -signal.SIGBUS or (process.returncode and "No space left on device" in messages):
            raise OutputError("the disk is full: free some space, or set TMPDIR and the output to another disk")
        return process.returncode, messages

    def stop(self) -> None:
        """Kill what runs and start nothing more."""
        with self._lock:
            self._stopped = True
            for process in self._running:
                kill_tool(process)


@dataclass(frozen=True)
class Compiler:
    """clang with the flags of one machine."""

    clang: Tool
    flags: tuple[str, ...]
    cache: Cache
    processes: Processes
    output: Literal["-c", "-S"] = "-c"

    def key(self, unit: Unit) -> str:
        """What the result of compiling `unit` is cached under."""
        return digest("unit", self.clang.identity, *self.flags_of(unit), self.output, unit.language, unit.text)

    def flags_of(self, unit: Unit) -> tuple[str, ...]:
        """The flags for one unit: of two levels, or two CPUs, clang takes the last."""
        level = () if unit.opt_level is None else (f"-O{unit.opt_level}",)
        return (*self.flags, *level, *unit.flags)

    def compile(self, unit: Unit, destination: Path) -> None:
        """Run clang on `unit`, without the cache.

        Raises:
            UserError: clang does not start, ends by a signal, takes too long, or the disk is full.
            CompilerBug: clang refuses the unit.
        """
        command = [
            *self.clang.command,
            *self.flags_of(unit),
            "-x",
            unit.language,
            self.output,
            "-",
            "-o",
            destination.name,
        ]
        status, messages = self.processes.run(command, destination.parent, unit.text)
        if status < 0:
            raise UserError(
                (f"{self.clang} ended by {ending_of(status)} on the code of '{unit.name}'; ", CC, " names another")
            )
        if status != 0:
            refused = f"{self.clang} refuses the code of '{unit.name}'"
            raise CompilerBug(refused, "clang", f"{messages}\n{unit.text}")
        if not destination.is_file() or not destination.stat().st_size:
            raise UserError((f"{self.clang} says that all is well, and writes nothing; ", CC, " names another"))

    def compile_all(self, units: Sequence[Unit], folder: Path, progress: Progress | None) -> tuple[list[Path], int]:
        """Compile `units` into files in `folder`, one per different unit, and say how many the cache had.

        Raises:
            UserError, CompilerBug: as `compile`.
        """
        unique = {self.key(unit): unit for unit in units}
        files = {key: folder / f"{key}.{'o' if self.output == '-c' else 's'}" for key in unique}
        missing = [key for key, file in files.items() if not self.cache.fetch(key, file)]
        hits = len(unique) - len(missing)

        # Not the futures' own way to wait: an interrupt in the middle of it leaves locks behind that workers need.
        ended: SimpleQueue[BaseException | None] = SimpleQueue()

        def make(key: str) -> None:
            try:
                self.compile(unique[key], files[key])
                self.cache.store(key, files[key])
            except BaseException as e:
                ended.put(e)
            else:
                ended.put(None)

        if progress:
            progress(hits, len(unique))
        pool = workers(core_count())
        try:
            # The longest texts start first, so that the last one to end is a short one.
            for key in sorted(missing, key=lambda k: -len(unique[k].text)):
                pool.submit(make, key)
            for done in range(hits + 1, len(unique) + 1):
                if (error := _next(ended)) is not None:
                    raise error
                if progress:
                    progress(done, len(unique))
        except BaseException:
            # Also when interrupted between two submissions: what runs already would be waited for below.
            self.processes.stop()
            raise
        finally:
            pool.shutdown(wait=True, cancel_futures=True)
        return list(files.values()), hits


def _shortened(messages: str) -> str:
    """Messages that a person can read: the first and the last of them, if there are more than a few pages."""
    if len(messages) <= _LONGEST_MESSAGES:
        return messages
    half = _LONGEST_MESSAGES // 2
    return f"{messages[:half]}\n… {len(messages) - 2 * half:,} characters are left out …\n{messages[-half:]}"


def _next(queue: SimpleQueue[_T]) -> _T:
    """What comes next. Ctrl-C ends the wait, also if it comes just before the wait begins, which no wait notices."""
    while True:
        try:
            return queue.get(timeout=_GLANCE_SECONDS)
        except Empty:
            continue
