"""What all tests share: a compile cache of their own, kept between runs, and a way to call the command lines."""

from __future__ import annotations

import gc
import hashlib
import io
import math
import os
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import pytest

if TYPE_CHECKING:
    from pathlib import Path

_CASES = 2
"""So many cases of a slow test always run."""
_SHARE = 8
"""Of the others one in so many runs."""
_LONG = 10
"""The seconds that a test takes which is worth a mark, with other work on the machine."""
_SKIPPED = "mlc/skipped"
"""Under this name pytest's cache knows what the last run skipped."""

_skipped: set[str] = set()
"""The tests and files that this run skipped."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """An option for those who installed what a run lacked."""
    parser.addoption("--only-skipped", action="store_true", help="run what the last run skipped")


def pytest_configure(config: pytest.Config) -> None:
    """Keep the user's compile cache and machine file out of the tests, and the tests' own cache across runs."""
    gc.set_threshold(100_000, 20, 20)  # as in mlc's tools: IR is much that is hardly ever garbage
    patch = pytest.MonkeyPatch()
    if getattr(config, "cache", None):  # not there under `-p no:cacheprovider`
        (folder := config.cache.mkdir("mlc")).chmod(0o700)
        patch.setenv("MLC_CACHE_DIR", str(folder))
    patch.setenv("MLC_MACHINE_FILE", "")  # what was measured changes schedules
    patch.setenv("MLC_RECORDS_FILE", "")  # and so do records
    patch.delenv("MLC_CC", raising=False)
    patch.delenv("MLC_TRACEBACK", raising=False)
    patch.setenv("MLC_REDUCE_SECONDS", "0")
    patch.setenv("MLC_PROCESSES", "1")  # tests run side by side already
    if "MLC_HOST" in os.environ:
        _skip_what_cannot_run(patch)
    patch.setenv("MLC_STRICT_SCHEDULES", "1")  # a mistake in mlc's own schedules is an error, not a second try
    config.add_cleanup(patch.undo)


def pytest_sessionstart(session: pytest.Session) -> None:
    """Say at once what a thousand tests would say."""
    from mlc.support.errors import UserError
    from mlc.targets.cache import Cache
    from mlc.targets.toolchain import find_clang

    if session.config.getoption("collectonly"):
        return
    try:
        find_clang(None, Cache.default())
    except UserError as e:
        pytest.exit(f"the tests compile models, and {e.message} (pip install -e '.[dev,clang]')", returncode=4)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Of the cases of a slow test leave some, the same ones each time; MLC_THOROUGH=1 runs all.

    Of a test marked `sampled(n)` one case in n stays, of others the first two in some order, and an eighth of the rest.
    """
    if config.getoption("only_skipped"):
        _keep_skipped(config, items)
    if os.environ.get("MLC_THOROUGH", "") not in ("", "0"):
        return
    cases: dict[tuple[str, int | None], list[pytest.Item]] = defaultdict(list)
    for item in items:
        if item.get_closest_marker("slow") is not None:
            mark = item.get_closest_marker("sampled")
            cases[item.nodeid.partition("[")[0], mark.args[0] if mark else None].append(item)
    left_out: set[pytest.Item] = set()
    for (_, n), all_of_them in cases.items():
        # Some order that has nothing to do with how the cases are written down.
        all_of_them.sort(key=lambda item: hashlib.sha256(item.nodeid.encode()).digest())
        count = len(all_of_them)
        stay = math.ceil(count / n) if n else min(count, _CASES) + math.ceil(max(0, count - _CASES) / _SHARE)
        left_out.update(all_of_them[stay:])
    _leave_out(config, items, left_out)


def _keep_skipped(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave the tests that the last run skipped, alone or with their whole file."""
    names: set[str] = set(config.cache.get(_SKIPPED, [])) if config.cache else set()  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType]
    _leave_out(config, items, {i for i in items if not {i.nodeid, i.nodeid.partition("::")[0]} & names})


def _leave_out(config: pytest.Config, items: list[pytest.Item], left_out: set[pytest.Item]) -> None:
    if left_out:
        config.hook.pytest_deselected(items=list(left_out))
        items[:] = [item for item in items if item not in left_out]


def pytest_collectreport(report: pytest.CollectReport) -> None:
    """Note a file that is skipped as a whole."""
    if report.skipped:
        _skipped.add(report.nodeid)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Note a test that is skipped."""
    if report.skipped and not hasattr(report, "wasxfail"):
        _skipped.add(report.nodeid)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Keep what was skipped for `--only-skipped`."""
    output: dict[str, object] | None = getattr(session.config, "workeroutput", None)
    if output is not None:
        output[_SKIPPED] = sorted(_skipped)
    elif getattr(session.config, "cache", None):
        session.config.cache.set(_SKIPPED, sorted(_skipped))


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Take over what a worker of pytest-xdist skipped: of files that one module has skipped it reports the first."""
    _skipped.update(getattr(node, "workeroutput", {}).get(_SKIPPED, ()))


def _skip_what_cannot_run(patch: pytest.MonkeyPatch) -> None:
    """Under an assumed host: skip a test where it is about to run code for this host that is not there."""
    from mlc.runtime import library
    from mlc.targets import host
    from mlc.targets.machine import resolve_target

    needed = resolve_target("native")
    if host.can_run(needed.arch, needed.required_cpu_flags):
        return
    missing_flags, can_run = host.missing_flags, host.can_run

    def flags_or_skip(required: Iterable[str]) -> list[str]:
        if missing := missing_flags(required := tuple(required)):
            _skip(set(required) <= set(needed.required_cpu_flags))
        return missing

    def can_run_or_skip(arch: str, required: Iterable[str]) -> bool:
        found = can_run(arch, required := tuple(required))
        _skip(not found and arch == needed.arch and set(required) <= set(needed.required_cpu_flags))
        return found

    def check_or_skip(path: Path, cpu: str, required: list[str]) -> None:
        flags_or_skip(required)
        check_features(path, cpu, required)

    check_features = library._check_features  # pyright: ignore[reportPrivateUsage]
    patch.setattr(library, "_check_features", check_or_skip)
    patch.setattr(host, "missing_flags", flags_or_skip)
    patch.setattr(host, "can_run", can_run_or_skip)


def _skip(is_needed: bool) -> None:
    if is_needed:
        pytest.skip("code for the assumed host cannot run here")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Name the tests that took long and are not marked `slow`, so that `pytest -m "not slow"` stays quick."""
    reports = terminalreporter.getreports("passed")  # pyright: ignore[reportUnknownMemberType]
    long = [r for r in reports if r.when == "call" and r.duration > _LONG and "slow" not in r.keywords]
    for report in sorted(long, key=lambda r: -r.duration):
        terminalreporter.write_line(f"took {report.duration:.0f} s and is not marked slow: {report.nodeid}")


@dataclass(frozen=True)
class Result:
    """How a command line ended."""

    status: int
    out: str
    err: str


class CommandLine(Protocol):
    """Calls a tool with arguments and, perhaps, standard input."""

    def __call__(self, *arguments: str, stdin: bytes | str = b"") -> Result: ...


@pytest.fixture(autouse=True)
def plugins_go_with_the_test() -> Iterator[None]:
    """A plugin that a test leaves behind would keep the models of later ones from being recalled."""
    from mlc.support.additions import plugin_scope

    with plugin_scope():
        yield


@pytest.fixture
def lowered_levels(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The levels that models are lowered to in this process, from here on."""
    from mlc.compiler.compilation import Compilation

    lowered: list[str] = []
    lower = Compilation.lower

    def noting(self: Compilation, level: str, more_follows: bool = False, *, separately: bool = False) -> None:
        lowered.append(level)
        lower(self, level, more_follows, separately=separately)

    monkeypatch.setattr(Compilation, "lower", noting)
    return lowered


@pytest.fixture
def mlc_opt(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    """Runs `mlc-opt` in this process."""
    from mlc.tools.mlc_opt import main

    return _caller(main, capsys, monkeypatch)


@pytest.fixture
def mlc(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    """Runs `mlc` in this process."""
    from mlc.tools.mlc import main

    return _caller(main, capsys, monkeypatch)


def _caller(
    main: Callable[[Sequence[str]], int], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> CommandLine:
    def call(*arguments: str, stdin: bytes | str = b"") -> Result:
        data = stdin.encode() if isinstance(stdin, str) else stdin
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data), encoding="utf-8"))
        capsys.readouterr()
        status = main(arguments)
        captured = capsys.readouterr()
        return Result(status, captured.out, captured.err)

    return call
