"""Collects lit tests: every `.mlir` file is one test, made of its `// RUN:` lines.

A `conftest.py` with the line `from mlc.testing.lit import pytest_collect_file` turns it on for its folder.

As in LLVM's lit, `%s` is the file, `%S` its folder, `%t` a scratch path, `%%` a percent sign; a backslash at the end
continues a line; `// REQUIRES: clang, qemu` skips where a feature is missing, or an operator of torch (`aten.relu`);
`// XFAIL: *` expects a failure; a folder named `Inputs` holds no tests; `// SLOW: <reason>` marks a test for
`pytest -m "not slow"` to leave out.

Lines that only pipe between `mlc-opt`, `mlc`, `filecheck`, `mlir-opt` and `not`, and to and from files, run inside this
process, which saves the start of an interpreter and the imports per command; all others run in bash with `pipefail`. A
plain pass test (one `mlc-opt` that runs passes over valid input and writes to no file) also gets
`--verify-each --check-each`; `// NO-CHECK-EACH: <reason>` in the file turns the second off.
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
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

import pytest

from mlc.pass_manager.registry import pass_names
from mlc.pass_manager.reproducer import FOLDER

_COMPILER_BUG = 70
"""The exit status of our tools after a bug in mlc: `not` accepts user errors only."""
_NOT = f'not() {{ "$@"; local s=$?; [ $s -ge 1 ] && [ $s -lt {_COMPILER_BUG} ]; }}'
_PART = r"""'[^']*'|"[^"$`\\]*"|[^\s|;&<>`$*?(){}#~'"\\]"""
"""What a word is made of that no shell has to expand: quoted text, or one other character."""
_TOKEN = re.compile(
    rf"\s*(?:(?P<pipe>\|)|(?P<merged>2>&1)|(?P<redirect>2?>|<)\s*(?P<file>(?:{_PART})+)|(?P<word>(?:{_PART})+))"
)
_PIPE, _LOG = "|", ""
"""Where a stream leads that leads to no file."""
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

    def _watched(self, stages: list[PipedCommand]) -> list[PipedCommand]:
        """The same with verification and checking added, if the line is a plain pass test."""
        words = stages[0].words
        flags = {word.split("=")[0] for word in words[1:]}
        runs_passes = bool(flags & {"--pass-pipeline", *_LEVELS, *(f"--{name}" for name in pass_names())})
        observes = any(flag.startswith(_OBSERVING) for flag in flags)
        if words[0] != "mlc-opt" or not runs_passes or observes or stages[0].names_file:
            return stages
        checks = ["--verify-each", *(["--check-each"] if self.script.checks_each else [])]
        return [replace(stages[0], words=[words[0], *checks, *words[1:]]), *stages[1:]]

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


@dataclass
class PipedCommand:
    """A command between pipes, and where its streams lead: the path of a file, `_PIPE` or `_LOG`."""

    words: list[str] = field(default_factory=list[str])
    stdin: str = _PIPE
    stdout: str = _PIPE
    stderr: str = _LOG

    @property
    def names_file(self) -> bool:
        """Whether a stream leads to or from a file."""
        return not {self.stdin, self.stdout, self.stderr} <= {_PIPE, _LOG}


def parse_simple(command: str) -> list[PipedCommand] | None:
    """The stages of a line that needs no shell; None if it needs one."""
    stages, at = [PipedCommand()], 0
    command = command.strip()
    while at < len(command):
        token = _TOKEN.match(command, at)
        if token is None:
            return None
        at, stage = token.end(), stages[-1]
        if token["pipe"]:
            stages.append(PipedCommand())
        elif token["merged"]:
            stage.stderr = stage.stdout
        elif token["redirect"]:
            name = {"<": "stdin", ">": "stdout", "2>": "stderr"}[token["redirect"]]
            setattr(stage, name, _unquoted(token["file"]))
        else:
            stage.words.append(_unquoted(token["word"]))
    names = [(s.words[1:] if s.words[:1] == ["not"] else s.words)[:1] for s in stages]
    return stages if all(name and name[0] in _COMMANDS for name in names) else None


def _unquoted(text: str) -> str:
    return re.sub(r"""'([^']*)'|"([^"]*)\"""", lambda m: m[1] or m[2] or "", text)


def run_stages(stages: Iterable[PipedCommand]) -> RunResult:
    """Run commands in this process, each reading what the one before it wrote. The first failure is the result."""
    data, log, status = b"", "", 0
    for stage in stages:
        expects_error = stage.words[0] == "not"
        code, data, errors = _call(stage, stage.words[int(expects_error) :], data)
        log += errors
        failed = not 1 <= code < _COMPILER_BUG if expects_error else code != 0
        if failed and status == 0:
            status = code or 1
            log += f"({shlex.join(stage.words)}: exit status {code})\n"
    return RunResult(status, log if status else "")


def _call(stage: PipedCommand, words: list[str], data: bytes) -> tuple[int, bytes, str]:
    """The exit status of a command, and what it wrote to the pipe and to the log; files are written."""
    name, *arguments = words
    streams = {
        to: io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for to in (stage.stdout, stage.stderr)
    }
    stdin = sys.stdin
    read = data if stage.stdin == _PIPE else Path(stage.stdin).read_bytes()
    sys.stdin = io.TextIOWrapper(io.BytesIO(read), encoding="utf-8")
    try:
        with redirect_stdout(streams[stage.stdout]), redirect_stderr(streams[stage.stderr]):
            code = _COMMANDS[name](arguments)
    finally:
        sys.stdin = stdin
    written = {to: stream.buffer.getvalue() for to, stream in streams.items()}
    for to in written.keys() - {_PIPE, _LOG}:
        Path(to).write_bytes(written[to])
    return code, written.get(_PIPE, b""), written.get(_LOG, b"").decode("utf-8", "replace")


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
