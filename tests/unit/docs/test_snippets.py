"""Each block of code in README and ARCHITECTURE is run, in its language; test_commands runs the `console` ones."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from mlc.compiler.compilation import new_context
from mlc.syntax import parse_module, verify_module

from .test_dialect_pages import complete

if TYPE_CHECKING:
    from tests.conftest import CommandLine

_ROOT = Path(__file__).resolve().parents[3]
_BLOCK = re.compile(r"^(?:<!-- (.*?) -->\n)?```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_PAGES = ("README.md", "ARCHITECTURE.md")
_ARROW = "─>"
"""What a block without a language has to have: it is a picture."""


def _blocks(language: str) -> list[str]:
    """The blocks in a language; those that CI runs in an environment of their own are marked, and left out."""
    texts = [(_ROOT / page).read_text(encoding="utf-8") for page in _PAGES]
    blocks = [match for text in texts for match in _BLOCK.findall(text)]
    return [content for mark, found, content in blocks if found == language and not mark.startswith("ci: ")]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The example, with the names that the pages use, is the current folder."""
    shutil.copytree(_ROOT / "examples" / "digits", tmp_path, dirs_exist_ok=True)
    (tmp_path / "mlp.mlir").rename(tmp_path / "model.mlir")
    (tmp_path / "test.safetensors").rename(tmp_path / "data.safetensors")
    monkeypatch.chdir(tmp_path)


def test_every_block_is_run_by_some_test() -> None:
    known = {"mlir", "python", "sh", "console", ""}
    for page in _PAGES:
        languages = {language for _, language, _ in _BLOCK.findall((_ROOT / page).read_text(encoding="utf-8"))}
        assert languages <= known, page
    assert all(_ARROW in picture for picture in _blocks(""))


def test_ir() -> None:
    blocks = _blocks("mlir")
    assert blocks
    for text in blocks:
        ctx = new_context()
        verify_module(parse_module(complete(text, ctx), "page.mlir", ctx))


def test_python() -> None:
    (block,) = _blocks("python")
    names: dict[str, object] = {"x": np.zeros((1, 8, 8), np.float32)}
    exec(compile(block, "README.md", "exec"), names)
    assert np.shape(np.asarray(names["y"])) == (1, 10)
    assert Path("model.so").is_file()


@pytest.mark.slow
def test_command_lines(mlc: CommandLine, mlc_opt: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MLC_MACHINE_FILE", str(tmp_path / "machine.toml"))
    monkeypatch.setenv("MLC_RECORDS_FILE", str(tmp_path / "records.jsonl"))
    lines = [line for block in _blocks("sh") for line in block.splitlines()]
    assert len(lines) > 10
    for line in lines:
        words = shlex.split(line, comments=True)
        if words[0] in ("mlc", "mlc-opt"):
            result = (mlc if words[0] == "mlc" else mlc_opt)(*words[1:])
            assert result.status == 0 and "error: " not in result.err, line
        else:
            path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
            subprocess.run(["bash", "-c", line], check=True, env={**os.environ, "PATH": path})
