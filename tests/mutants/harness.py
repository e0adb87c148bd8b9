"""`python -m tests.mutants [PATTERN …]`: whether the tests notice small mistakes in the compiler.

A mutant is the compiler with one short text of a source file replaced by another one, mostly a single token. The files
`*.toml` beside this one hold them, by source file:

    ["analysis/lanes.py"]
    tests = ["tests/lit/passes/loop/vectorize.mlir"]    # what has to notice each of them; the first failure is enough
    mutants = [
        ["factor * step)", "factor)"],                  # [what stands there, exactly once; what stands there instead]
    ]

Each is applied to a copy of the sources in a scratch folder, where pytest runs the tests; the checkout is not touched.
Tests that fail, or take ten times as long as they do without it, kill the mutant. One that survives is a test that is
missing. Before that, all tests have to pass on the copy as it is. (Mutation analysis: DeMillo, Lipton and Sayward,
"Hints on test data selection", 1978. A list that people choose, instead of all changes that are possible, stays quick
and has no mutants that are right by chance.)

A PATTERN selects mutants whose source file has it in its path. The exit status is 1 if a mutant survives, 2 if there is
nothing to be told: a pattern that selects nothing, a text that does not stand exactly once in its file, a mutant that
cannot be imported, or tests that fail without one.
"""

from __future__ import annotations

import argparse
import importlib
import multiprocessing
import os
import shutil
import sys
import tempfile
import time
import tomllib
import traceback
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import redirect_stderr, redirect_stdout, suppress
from dataclasses import dataclass
from enum import Enum
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
_FOLDER = Path(__file__).parent
_LEFT_OUT = shutil.ignore_patterns(".*", "*.egg-info", "notebooks", "examples", "benchmarks", "build", "dist")
_PATIENCE = 10
_LEAST_SECONDS = 60


class Stale(Exception):
    """A mutant's text does not stand in its file exactly once."""


class Outcome(Enum):
    """What the tests said to a mutant."""

    KILLED = "killed"
    SURVIVED = "SURVIVED"
    BROKEN = "BROKEN"


_NOT_IMPORTED = 70
_OUTCOMES = {0: Outcome.SURVIVED, 1: Outcome.KILLED, 2: Outcome.KILLED, None: Outcome.KILLED}
"""By the exit status of pytest: 2 is a test that cannot be collected, None one that does not come to an end."""


@dataclass(frozen=True)
class Mutant:
    """A source file in which `old` is replaced by `new`, and the tests that have to notice it."""

    file: str
    """From the root of the repository."""
    old: str
    new: str
    tests: tuple[str, ...]

    def source(self, root: Path = ROOT) -> str:
        """The text of the mutated file, below `root`.

        Raises:
            Stale: `old` does not stand in the file exactly once.
        """
        text = (root / self.file).read_text(encoding="utf-8")
        if (count := text.count(self.old)) != 1:
            raise Stale(f"{self.file}: expected exactly once, found {count} times: {self.old!r}")
        return text.replace(self.old, self.new)

    def __str__(self) -> str:
        line = (ROOT / self.file).read_text(encoding="utf-8").partition(self.old)[0].count("\n") + 1
        return f"{self.file}:{line}: {self.old!r} -> {self.new!r}"


def all_mutants() -> list[Mutant]:
    """Those of all files, in the order of the files."""
    found: list[Mutant] = []
    for path in sorted(_FOLDER.glob("*.toml")):
        content: dict[str, dict[str, Any]] = tomllib.loads(path.read_text(encoding="utf-8"))
        for file, entry in content.items():
            found += [Mutant(file, old, new, tuple(entry["tests"])) for old, new in entry["mutants"]]
    return found


@dataclass(frozen=True)
class Copy:
    """A copy of the sources and the tests, in a folder from which Python imports it as `mlc`."""

    folder: Path

    @staticmethod
    def make(folder: Path) -> Copy:
        """Copy what is in the repository to an empty folder."""
        shutil.copytree(ROOT, folder / "mlc", ignore=_LEFT_OUT, symlinks=True)
        return Copy(folder)

    def apply(self, mutant: Mutant) -> Callable[[], None]:
        """Change the copy; what is returned undoes that."""
        path = self.folder / "mlc" / mutant.file
        text, times = path.read_text(encoding="utf-8"), path.stat()

        def write(text: str, later: int) -> None:
            path.write_text(text, encoding="utf-8")
            # Python holds compiled files against the time of their source, in seconds.
            os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns + later))

        write(mutant.source(self.folder / "mlc"), 10**10)
        return lambda: write(text, 0)

    @property
    def log(self) -> Path:
        """What the last tests have printed."""
        return self.folder / "log"

    @property
    def modules(self) -> Path:
        """The names of the modules that tests without a mutant have loaded."""
        return self.folder / "modules"


class _Run:
    """Tests that run on a copy, in a fork of this process, which has loaded libraries but nothing of mlc."""

    def __init__(self, copy: Copy, tests: Sequence[str], mutant: Mutant | None = None) -> None:
        self.copy, self.mutant, self._begun = copy, mutant, time.monotonic()
        self._undo = copy.apply(mutant) if mutant else lambda: None
        is_python = mutant is not None and mutant.file.endswith(".py")  # what is not, tests compile
        module = "mlc." + mutant.file.removesuffix(".py").replace("/", ".") if mutant and is_python else None
        context = multiprocessing.get_context("fork")
        self._process = context.Process(target=_run_pytest, args=(copy, tests, module))
        self._process.start()

    @property
    def sentinel(self) -> int:
        """What is ready when the tests have ended."""
        return self._process.sentinel

    @property
    def has_ended(self) -> bool:
        """Whether the tests have ended."""
        return not self._process.is_alive()

    @property
    def seconds(self) -> float:
        """Since the start."""
        return time.monotonic() - self._begun

    def end(self) -> int | None:
        """The exit status of the tests, None if they are still running: these are stopped. The copy is as it was."""
        status = self._process.exitcode
        if status is None:
            self._process.kill()
        self._process.join()
        self._undo()
        return status


def _run_pytest(copy: Copy, tests: Sequence[str], module: str | None) -> None:
    """Import a module of a copy and run tests of it, in this process, which ends with that."""
    import pytest

    os.chdir(copy.folder / "mlc")
    os.environ["PYTHONPATH"] = str(copy.folder)  # for processes that tests start
    sys.path.insert(0, str(copy.folder))
    if module:
        os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
        sys.dont_write_bytecode = True
    with copy.log.open("w", encoding="utf-8") as log, redirect_stdout(log), redirect_stderr(log):
        status = _NOT_IMPORTED
        try:
            if module:
                importlib.import_module(module)
            status = int(pytest.main(["-x", "-p", "no:xdist", "--rootdir=.", *tests]))
            if not module:
                copy.modules.write_text("\n".join(sys.modules), encoding="utf-8")
        except Exception:
            traceback.print_exc()
        log.flush()
        os._exit(status)


def try_all(mutants: Sequence[Mutant], jobs: int) -> list[tuple[Mutant, Outcome]]:
    """Run the tests of each mutant, and print how that ended.

    Raises:
        Stale: one does not apply; nothing has been run.
        RuntimeError: tests fail without any mutant.
    """
    for mutant in mutants:
        mutant.source()
    found: list[tuple[Mutant, Outcome]] = []
    with tempfile.TemporaryDirectory(prefix="mlc-mutants-") as scratch:
        copies = [Copy.make(Path(scratch) / str(number)) for number in range(jobs)]
        limit = max(_LEAST_SECONDS, _PATIENCE * _seconds_without_mutants(copies[0], mutants))
        pending, running = deque(mutants), dict[int, _Run]()
        while pending or running:
            while pending and copies:
                run = _Run(copies.pop(), pending[0].tests, pending.popleft())
                running[run.sentinel] = run
            wait(list(running), max(0.0, min(limit - run.seconds for run in running.values())))
            for sentinel, run in list(running.items()):
                if run.has_ended or run.seconds > limit:
                    del running[sentinel]
                    found.append(_told(run))
                    copies.append(run.copy)
    return found


def _seconds_without_mutants(copy: Copy, mutants: Sequence[Mutant]) -> float:
    """What all tests take on the sources as they are."""
    run = _Run(copy, sorted({test for mutant in mutants for test in mutant.tests}))
    wait([run.sentinel])
    seconds = run.seconds
    if run.end():
        raise RuntimeError(f"the tests fail without any mutant:\n{copy.log.read_text(encoding='utf-8')}")
    _load_libraries(copy)
    return seconds


def _load_libraries(copy: Copy) -> None:
    """Load what the tests have loaded and is not ours, so that forks of this process need not."""
    for name in copy.modules.read_text(encoding="utf-8").split():
        if name.partition(".")[0] not in ("mlc", "tests", "conftest", "__main__"):
            with suppress(Exception):
                importlib.import_module(name)


def _told(run: _Run) -> tuple[Mutant, Outcome]:
    """End a run, and print its outcome."""
    assert run.mutant is not None
    seconds, status = run.seconds, run.end()
    outcome = _OUTCOMES.get(status, Outcome.BROKEN)
    print(f"{outcome.value:>8} {seconds:5.1f} s  {run.mutant}", flush=True)
    if outcome is Outcome.BROKEN:
        print(run.copy.log.read_text(encoding="utf-8"), flush=True)
    return run.mutant, outcome


def main(argv: Sequence[str] | None = None) -> int:
    """The command line."""
    description = "whether the tests notice small mistakes in the compiler"
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=description)
    parser.add_argument(
        "patterns", nargs="*", metavar="PATTERN", help="part of the path of a source file; default: all"
    )
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="how many mutants to try at a time")
    arguments = parser.parse_args(argv)
    patterns: list[str] = arguments.patterns or [""]
    mutants = [m for m in all_mutants() if any(p in m.file for p in patterns)]
    if not mutants:
        print(f"{parser.prog}: no mutants of {', '.join(patterns)}", file=sys.stderr)
        return 2
    started = time.monotonic()
    try:
        outcomes = [outcome for _, outcome in try_all(mutants, max(1, arguments.jobs))]
    except (Stale, RuntimeError) as reason:
        print(f"{parser.prog}: {reason}", file=sys.stderr)
        return 2
    killed, survived = outcomes.count(Outcome.KILLED), outcomes.count(Outcome.SURVIVED)
    print(f"{len(outcomes)} mutants: {killed} killed, {survived} survived, in {time.monotonic() - started:.0f} s")
    return 2 if Outcome.BROKEN in outcomes else 1 if survived else 0
