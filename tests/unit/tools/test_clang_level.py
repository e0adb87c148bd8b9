"""clang optimises as much as mlc does."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from mlc.api import compile as compile_model
from mlc.targets.cache import Cache
from mlc.targets.toolchain import find_clang

if TYPE_CHECKING:
    from tests.conftest import CommandLine

_MODEL = """
func.func @main(%x: tensor<3xf32>, %y: tensor<3xf32>) -> tensor<3xf32> {
  %sum = graph.add %x, %y : tensor<3xf32>, tensor<3xf32> -> tensor<3xf32>
  return %sum : tensor<3xf32>
}
"""


@pytest.fixture
def recording_clang(tmp_path: Path) -> tuple[Path, Path]:
    """A clang that writes its arguments into a file, and the file."""
    clang, log = find_clang(None, Cache.default()), tmp_path / "arguments"
    path = tmp_path / "clang-recording"
    command, file = shlex.join(clang.command), shlex.quote(str(log))
    path.write_text(f'#!/bin/sh\necho "$@" >> {file}\nexec {command} "$@"\n', encoding="utf-8")
    path.chmod(0o755)
    return path, log


def _levels(log: Path) -> set[str]:
    """The levels of optimisation of all runs of clang that compiled something."""
    runs = [line.split() for line in log.read_text(encoding="utf-8").splitlines()]
    return {word for run in runs if "-x" in run for word in run if word.startswith("-O")}


@pytest.mark.parametrize("level", range(4))
def test_artifacts(level: int, recording_clang: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    clang, log = recording_clang
    monkeypatch.setenv("MLC_CACHE_DIR", str(log.with_name("cache")))
    model = compile_model(_MODEL, opt_level=level, cc=str(clang))
    assert _levels(log) == {f"-O{level}"}
    x = np.array([1, -2, np.inf], np.float32)
    np.testing.assert_array_equal(model(x, x), x + x)


@pytest.mark.parametrize(
    ("options", "level"), [(["-O0"], 0), (["-O2"], 2), (["-O1", "--cse"], 1), (["--lower-to-tensor"], 3)]
)
def test_assembly(
    options: list[str],
    level: int,
    mlc_opt: CommandLine,
    recording_clang: tuple[Path, Path],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Where passes are named one by one, nobody asked for less than all."""
    clang, log = recording_clang
    crossings = ["--lower-to-loops", "--expand-math", "--plan-memory", "--lower-to-llvm"]
    passes = options if options[0].startswith("-O") else [*options, *crossings]
    monkeypatch.setenv("MLC_CC", str(clang))
    monkeypatch.setenv("MLC_CACHE_DIR", str(log.with_name("cache")))
    assert mlc_opt(*passes, "--emit=asm", stdin=_MODEL).status == 0
    assert _levels(log) == {f"-O{level}"}
