"""`mlc new`: what it writes passes its own tests and our style; wrong names and folders are refused."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.conftest import CommandLine

_SETTINGS = Path(__file__).parents[3] / "pyproject.toml"


def _run(folder: Path, *command: str, path: str = "") -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": path}
    return subprocess.run(
        [sys.executable, "-m", *command], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "name", "files"),
    [
        ("dialect", "tidy", ["tidy.py", "tests/canonicalize.mlir", "tests/invalid.mlir", "tests/lower.mlir"]),
        ("pass", "factor-out", ["factor_out.py", "tests/factor_out.mlir"]),
    ],
)
def test_a_skeleton_passes_its_tests(kind: str, name: str, files: list[str], tmp_path: Path, mlc: CommandLine) -> None:
    folder = tmp_path / "made"
    result = mlc("new", kind, name, "--dir", str(folder))
    assert (result.status, result.err) == (0, "")
    written = {str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file()}
    assert written == {*files, "README.md", "conftest.py", "pyproject.toml"}
    placeholders = ("@file@", "@dashed@", "@Class@")
    assert not [p for p in written if any(w in (folder / p).read_text() for w in placeholders)]
    tests = _run(folder, "pytest", "-q", "-p", "no:cacheprovider")
    assert tests.returncode == 0, tests.stdout + tests.stderr
    assert f"{len([f for f in files if f.endswith('.mlir')])} passed" in tests.stdout
    lint = _run(folder, "ruff", "check", "--no-cache", f"--config={_SETTINGS}", ".")
    assert lint.returncode == 0, lint.stdout
    formatted = _run(folder, "ruff", "format", "--no-cache", f"--config={_SETTINGS}", "--check", ".")
    assert formatted.returncode == 0, formatted.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["new"], "the following arguments are required: kind, NAME"),
        (["new", "op", "x"], "found 'op' as kind; it is one of dialect, pass (see"),
        (["new", "dialect", "Poly"], "'Poly' is not a name for a dialect: use lower-case words, such as 'my_dialect'"),
        (["new", "dialect", "class"], "'class' is not a name for a dialect"),
        (["new", "dialect", "json"], "'json' is a module of Python already; choose another name"),
        (["new", "dialect", "graph"], "two dialects are named 'graph': one of mlc, one of the new one; rename one"),
        (["new", "pass", "cse"], "two passes are named 'cse': one of mlc, one of the new one; rename one"),
        (["new", "dialect", "ok", "--dir", "."], "'.' exists and is not an empty folder; name another one by --dir"),
    ],
)
def test_refused(
    arguments: list[str], message: str, tmp_path: Path, mlc: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("occupied").write_text("")
    result = mlc(*arguments)
    assert message in result.err
    assert (result.status, result.out) == (1, "")
    assert [p.name for p in tmp_path.iterdir()] == ["occupied"]
