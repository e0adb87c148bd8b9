"""The tutorials are programs: their files are written, their commands run, and the output is what they show.

A code block with a file name behind its language is that file, or the next part of it if `append` follows. A `console`
block holds commands behind `$ ` (continued behind `> `), each with its output; there `…` stands for anything. The
commands of one page build on each other, in an empty folder.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

_DOCS = Path(__file__).parents[3] / "docs"
_BLOCK = re.compile(r"^```(\w+)([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_TITLE = re.compile(r"([\w./]+\.\w+)( append)?")
_FILES_OF = re.compile(r"<!-- files of (\S+) -->")
_LONGEST_DIALECT = 150
_ONLY_OURS = "-p no:asyncio"
"""A plugin of our tests, which warns where a reader of a tutorial has none."""
TUTORIALS = (
    "writing-a-dialect.md",
    "writing-a-pass.md",
    "writing-more-ops.md",
    "importing-onnx.md",
    "pytorch.md",
    "jax.md",
)


def _write(title: re.Match[str], text: str, folder: Path) -> None:
    file = folder / title[1]
    file.parent.mkdir(parents=True, exist_ok=True)
    before = f"{file.read_text()}\n\n" if title[2] else ""
    file.write_text(before + text)


def _write_files(document: str, folder: Path) -> None:
    for match in _BLOCK.finditer((_DOCS / document).read_text(encoding="utf-8")):
        if title := _TITLE.search(match[2]):
            _write(title, match[3], folder)


def _commands(block: str) -> Iterator[tuple[str, str]]:
    """Each command of a console block with its output."""
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        lines = part.splitlines(keepends=True)
        rest = next(i for i in range(1, len(lines) + 1) if i == len(lines) or not lines[i].startswith("> "))
        yield lines[0] + "".join(line[2:] for line in lines[1:rest]), "".join(lines[rest:])


def _run(command: str, folder: Path) -> str:
    """Everything that a command prints; the exit status does not matter, as errors are shown too."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env={**os.environ, "PATH": path, "PYTHONDONTWRITEBYTECODE": "1", "PYTEST_ADDOPTS": _ONLY_OURS},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        timeout=120,
    )
    return done.stdout


def _matches(expected: str, found: str) -> bool:
    pattern = ".*".join(re.escape(part.rstrip("\n")) for part in expected.rstrip("\n").split("…"))
    return re.fullmatch(pattern, found.rstrip("\n"), re.DOTALL) is not None


@pytest.mark.slow
@pytest.mark.parametrize("document", TUTORIALS)
def test_tutorial(document: str, tmp_path: Path) -> None:
    text = (_DOCS / document).read_text(encoding="utf-8")
    for other in _FILES_OF.findall(text):
        _write_files(other, tmp_path)
    commands = 0
    for match in _BLOCK.finditer(text):
        language, info, body = match.groups()
        if title := _TITLE.search(info):
            _write(title, body, tmp_path)
        elif language == "console":
            for command, expected in _commands(body):
                found = _run(command, tmp_path)
                assert _matches(expected, found), f"$ {command}\nthe document says:\n{expected}\nfound:\n{found}"
                commands += 1
    assert commands >= 5


def test_the_dialect_is_short(tmp_path: Path) -> None:
    _write_files("writing-a-dialect.md", tmp_path)
    assert len((tmp_path / "poly.py").read_text().splitlines()) < _LONGEST_DIALECT


@pytest.mark.parametrize("document", TUTORIALS)
def test_style(document: str, tmp_path: Path) -> None:
    """The Python of the tutorials is as clean as ours."""
    _write_files(document, tmp_path)
    settings = f"--config={_DOCS.parent / 'pyproject.toml'}"
    for arguments in (["check"], ["format", "--check"]):
        command = [sys.executable, "-m", "ruff", *arguments, "--no-cache", settings, str(tmp_path)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout
