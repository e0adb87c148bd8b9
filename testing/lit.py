"""Collects lit tests: every `.mlir` file is one test, made of its `// RUN:` lines.

A `conftest.py` with the line `from mlc.testing.lit import pytest_collect_file` turns it on for its folder.

As in LLVM's lit, `%s` is the file, `%S` its folder, `%t` a scratch path, `%%` a percent sign; a backslash at the end
continues a line; `// REQUIRES: clang, qemu` skips where a feature is missing, or an operator of torch (`aten.relu`);
`// XFAIL: *` expects a failure; a folder named `Inputs` holds no tests; `// SLOW: <reason>` marks a test for
`pytest -m "not slow"` to leave out.

Lines that only pipe between `mlc-opt`, `mlc`, `filecheck`, `mlir-opt` and `not` run inside this process, which saves an
interpreter start per command; all others run in bash with `pipefail`. A plain pass test (one `mlc-opt` that runs passes
over valid input) also gets `--verify-each --check-each`; `// NO-CHECK-EACH: <reason>` in the file turns the second off.
"""

from __future__ import annotations

import importlib.util
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import pytest

from mlc.pass_manager.registry import pass_names
from mlc.pass_manager.reproducer import FOLDER

_COMPILER_BUG = 70
"""The exit status of our tools after a bug in mlc: `not` accepts user errors only."""
_NOT = f'not() {{ "$@"; local s=$?; [ $s -ge 1 ] && [ $s -lt {_COMPILER_BUG} ]; }}'
_NEEDS_SHELL = re.compile(r"[;&<>`$*?(){}#~]")
_LEVELS = ("-O0", "-O1", "-O2", "-O3")
_OBSERVING = (
    "--verify-diagnostics",
    "--check-each",
    "--print-ir",
    "--print-pipeline",
    "--print-patterns",
    "--print-op-stats",
    "--pass-statistics",
    "--pass-bisect-limit",
    "--timing",
    "--run-reproducer",
    "--help",
)


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.File | None:
    """Make a test of every `.mlir` file that is neither an input of one nor a reproducer."""
    if file_path.suffix == ".mlir" and not {"Inputs", FOLDER} & set(file_path.parts):
        return LitFile.from_parent(parent, path=file_path)  # pyright: ignore[reportUnknownMemberType]
    return None


class LitFile(pytest.File):
    """One `.mlir` file."""

    def collect(self) -> Iterator[pytest.Item]:
        """Its one test."""
        script = read_script(self.path)
        test = LitTest.from_parent(self, name="lit", script=script)  # pyright: ignore[reportUnknownMemberType]
        if script.is_slow:
            self.config.addinivalue_line("markers", "slow: takes seconds of a core")
            test.add_marker(pytest.mark.slow)
        yield test


@dataclass
class Script:
    """The directives of a test file."""

    runs: list[str] = field(default_factory=list[str])
    requires: list[str] = field(default_factory=list[str])
    expected_failures: list[str] = field(default_factory=list[str])
    checks_each: bool = True
    is_slow: bool = False


class LitTest(pytest.Item):
    """All RUN lines of one file."""

    def __init__(self, *, script: Script, name: str, parent: LitFile) -> None:
        super().__init__(name, parent)  # pyright: ignore[reportUnknownMemberType]
        self.script = script
        self.funcargs: dict[str, object] = {}
        """The fixtures that it takes. The plugin of pytest-lsp fails on tests that do not say so."""

    def runtest(self) -> None:
        """Run the lines in order; the first that fails ends the test."""
        missing = [f for f in self.script.requires if f not in features() and not _is_operator(f)]
        if missing:
            pytest.skip(f"needs {', '.join(missing)}")
        expects_failure = "*" in self.script.expected_failures or features() & set(self.script.expected_failures)
        try:
            self._run_lines()
        except LitFailure:
            if expects_failure:
                pytest.xfail("fails as expected")
            raise
        if expects_failure:
            raise LitFailure("the test was expected to fail (XFAIL), and passed")

    def _run_lines(self) -> None:
        if not self.script.runs:
            raise LitFailure("no '// RUN:' line")
        with tempfile.TemporaryDirectory(prefix="mlc-lit-") as folder, _working_in(Path(folder)):
            for line in self.script.runs:
                command = substitute(line, self.path, Path(folder))
                stages = parse_simple(command)
                outcome = run_in_shell(command) if stages is None else run_stages(self._watched(stages))
                if outcome.status:
                    raise LitFailure(f"RUN: {line}\nexit status {outcome.status}\n{outcome.log}")

    def _watched(self, stages: list[list[str]]) -> list[list[str]]:
        """The same with verification and checking added, if the line is a plain pass test."""
        flags = {word.split("=")[0] for word in stages[0][1:]}
        runs_passes = bool(flags & {"--pass-pipeline", *_LEVELS, *(f"--{name}" for name in pass_names())})
        observes = any(flag.startswith(_OBSERVING) for flag in flags)
        if stages[0][0] != "mlc-opt" or not runs_passes or observes:
            return stages
        checks = ["--verify-each", *(["--check-each"] if self.script.checks_each else [])]
        return [[stages[0][0], *checks, *stages[0][1:]], *stages[1:]]

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: object = None) -> str:
        """What failed, without a Python traceback."""
        if isinstance(excinfo.value, LitFailure):
            return f"{self.path}\n{excinfo.value}"
        return str(super().repr_failure(excinfo))

    def reportinfo(self) -> tuple[Path, int, str]:
        """Name the test by its path."""
        root = self.config.rootpath
        return self.path, 0, str(self.path.relative_to(root) if self.path.is_relative_to(root) else self.path)


class LitFailure(Exception):
    """A RUN line failed."""


def read_script(path: Path) -> Script:
    """Collect the directives of a file."""
    script = Script()
    continued = ""
    for match in re.finditer(r"//\s*(RUN|REQUIRES|XFAIL|NO-CHECK-EACH|SLOW):(.*)", path.read_text(encoding="utf-8")):
        keyword, text = match[1], match[2].strip()
        if keyword == "RUN":
            continued += text.removesuffix("\\")
            if not text.endswith("\\"):
                script.runs.append(continued)
                continued = ""
        elif keyword == "NO-CHECK-EACH":
            script.checks_each = False
        elif keyword == "SLOW":
            script.is_slow = True
        else:
            words = [word for word in re.split(r"[,\s]+", text) if word]
            (script.requires if keyword == "REQUIRES" else script.expected_failures).extend(words)
    return script


def substitute(line: str, test: Path, scratch: Path) -> str:
    """Replace `%s` and its kin; paths with spaces are words of the shell."""
    paths = {"%s": test, "%S": test.parent, "%t": scratch / "t"}
    values = {"%%": "%", **{name: shlex.quote(str(path)) for name, path in paths.items()}}
    return re.sub("%[sSt%]", lambda m: values[m[0]], line)


@cache
def features() -> frozenset[str]:
    """What REQUIRES may ask for and this machine has."""
    found = {sys.platform}
    if any(shutil.which(name) for name in ("clang", *(f"clang-{n}" for n in range(16, 40)))):
        found.add("clang")
    if shutil.which("qemu-aarch64-static") or shutil.which("qemu-aarch64"):
        found.add("qemu")
    if importlib.util.find_spec("torch"):
        found.add("torch")
    if upstream_opt():
        found.add("mlir-opt")
    return frozenset(found)


def _is_operator(name: str) -> bool:
    """Whether it is an operator of ATen that the installed version of torch has, such as `aten.relu`."""
    if not name.startswith("aten.") or "torch" not in features():
        return False
    from mlc.dialects.aten.schemas import schema_of

    return schema_of(name) is not None


@cache
def upstream_opt() -> str | None:
    """The newest `mlir-opt` of upstream MLIR, as Debian names it; older than 19 is not looked for."""
    return next((path for n in range(40, 18, -1) if (path := shutil.which(f"mlir-opt-{n}"))), None)


@dataclass
class RunResult:
    """How a RUN line ended."""

    status: int
    log: str


def run_in_shell(command: str) -> RunResult:
    """Run a line in bash; our own commands are those of this Python's environment."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    script = f"set -o pipefail\n{_NOT}\n{command}"
    done = subprocess.run(
        ["bash", "-c", script],
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    return RunResult(done.returncode, done.stdout + done.stderr)


def parse_simple(command: str) -> list[list[str]] | None:
    """The stages of a line that needs no shell, each as words, with `2>&1` as a last word; None if it needs one."""
    lexer = shlex.shlex(command.replace("2>&1", "MERGED_STDERR"), posix=True, punctuation_chars="|")
    lexer.whitespace_split, lexer.commenters = True, ""
    words = list(lexer)
    unquoted = re.sub(r"""'[^']*'|"[^"$`]*\"""", "", command.replace("2>&1", ""))
    if _NEEDS_SHELL.search(unquoted) or "\\" in unquoted:
        return None
    stages: list[list[str]] = [[]]
    for word in words:
        if word == "|":
            stages.append([])
        else:
            stages[-1].append("2>&1" if word == "MERGED_STDERR" else word)
    names = [(stage[1:] if stage[:1] == ["not"] else stage)[:1] for stage in stages]
    return stages if all(name and name[0] in _COMMANDS for name in names) else None


def run_stages(stages: Iterable[list[str]]) -> RunResult:
    """Run commands in this process, each reading what the one before it wrote. The first failure is the result."""
    data, log, status = b"", "", 0
    for stage in stages:
        words = list(stage)
        expects_error = words[0] == "not"
        merged = words[-1] == "2>&1"
        name, *arguments = words[int(expects_error) : len(words) - int(merged)]
        code, data, errors = _call(_COMMANDS[name], arguments, data, merged)
        log += errors
        failed = not 1 <= code < _COMPILER_BUG if expects_error else code != 0
        if failed and status == 0:
            status = code or 1
            log += f"({shlex.join(stage)}: exit status {code})\n"
    return RunResult(status, log if status else "")


def _call(
    command: Callable[[list[str]], int], arguments: list[str], data: bytes, merged: bool
) -> tuple[int, bytes, str]:
    """The exit status, standard output and standard error of a command."""
    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
    err = out if merged else io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
    stdin = sys.stdin
    sys.stdin = io.TextIOWrapper(io.BytesIO(data), encoding="utf-8")
    try:
        with redirect_stdout(out), redirect_stderr(err):
            code = command(arguments)
    finally:
        sys.stdin = stdin
    written, errors = out.buffer, err.buffer
    assert isinstance(written, io.BytesIO) and isinstance(errors, io.BytesIO)
    return code, written.getvalue(), "" if merged else errors.getvalue().decode("utf-8", "replace")


def _mlc_opt(arguments: list[str]) -> int:
    from mlc.tools.mlc_opt import main

    return main(arguments)


def _mlc(arguments: list[str]) -> int:
    from mlc.tools.mlc import main

    return main(arguments)


def _filecheck(arguments: list[str]) -> int:
    from filecheck.main import main

    try:
        main(["filecheck", *arguments])
    except SystemExit as e:
        return e.code if isinstance(e.code, int) else int(e.code is not None)
    return 0


def _mlir_opt(arguments: list[str]) -> int:
    """Upstream's, for tests that require it."""
    path = upstream_opt()
    assert path is not None, "a test that runs mlir-opt says '// REQUIRES: mlir-opt'"
    done = subprocess.run([path, *arguments], input=sys.stdin.read(), capture_output=True, text=True, check=False)
    sys.stdout.write(done.stdout)
    sys.stderr.write(done.stderr)
    return done.returncode


_COMMANDS = {"mlc-opt": _mlc_opt, "mlc": _mlc, "filecheck": _filecheck, "mlir-opt": _mlir_opt}


@contextmanager
def _working_in(folder: Path) -> Generator[None]:
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)
