"""The progress bar: what it shows on a terminal, and that there is none elsewhere."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest
from xdsl.dialects.builtin import ModuleOp

from mlc.compiler.compilation import Compilation, new_context
from mlc.compiler.options import CompileOptions
from mlc.pass_manager.default_passes import default_passes
from mlc.pass_manager.manager import PassManager
from mlc.tools import progress
from mlc.tools.mlc import main
from mlc.tools.observers import show_passes
from mlc.tools.progress import ProgressBar, progress_bar


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_there_is_no_bar_without_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stderr", io.StringIO())
    with progress_bar("compiling") as bar:
        assert bar is None


def test_there_is_no_bar_in_a_notebook(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its terminals keep every line that a bar erases."""
    monkeypatch.setattr("sys.stderr", _Terminal())
    monkeypatch.setenv("JPY_PARENT_PID", "1")
    with progress_bar("compiling") as bar:
        assert bar is None


def test_passes_and_units_are_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("JPY_PARENT_PID", raising=False)
    monkeypatch.setattr("sys.stderr", _Terminal())
    monkeypatch.setattr(progress, "_PATIENCE", -1.0)
    stages: list[tuple[str, int, int]] = []
    with progress_bar("compiling m.onnx") as bar:
        assert bar is not None
        update = bar.update

        def seen(stage: str, done: int, total: int) -> None:
            stages.append((stage, done, total))
            update(stage, done, total)

        monkeypatch.setattr(bar, "update", seen)
        passes = default_passes(2, 1, "llvm")  # a module without ops may come from anywhere
        ctx = new_context()
        manager = PassManager(ctx)
        compilation = Compilation(ModuleOp([]), ctx, CompileOptions(opt_level=2), manager)
        manager.instrumentations = [show_passes(bar, compilation)]
        manager.run(ModuleOp([]), passes)
        bar.update("clang", 3, 4)
        shown: Any = bar.progress
        assert [task.description for task in shown.tasks] == ["compiling m.onnx: clang"]
        assert [(task.completed, task.total) for task in shown.tasks] == [(3, 4)]
    assert stages == [*((p.name, n, len(passes)) for n, p in enumerate(passes)), ("clang", 3, 4)]
    assert shown.finished or not shown.live.is_started


def test_short_work_shows_nothing() -> None:
    bar = ProgressBar("compiling")
    bar.update("canonicalize", 0, 10)
    assert bar.progress is None


def test_kernels_that_are_measured_are_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`mlc explain` tells how many of them are done, beside the table that it prints."""
    monkeypatch.delenv("JPY_PARENT_PID", raising=False)
    monkeypatch.setattr("sys.stderr", _Terminal())
    shown: list[tuple[str, int, int]] = []

    def update(_: ProgressBar, stage: str, done: int, total: int) -> None:
        shown.append((stage, done, total))

    monkeypatch.setattr(ProgressBar, "update", update)
    model = tmp_path / "m.mlir"
    model.write_text(
        "func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {\n  %0 = graph.exp %x : tensor<8xf32>\n"
        "  return %0 : tensor<8xf32>\n}\n"
    )
    assert main(["explain", str(model)]) == 0
    assert "exp" in capsys.readouterr().out
    parts = [done for stage, done, _ in shown if stage == "kernels"]
    assert parts == list(range(1, 1 + len(parts))) and shown[-1] == ("kernels", parts[-1], parts[-1])
