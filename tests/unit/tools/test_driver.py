"""How exceptions become messages and exit statuses, and how output files are written."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from mlc.support.context import CompilerContext, Remark
from mlc.support.errors import CompilerBug, Note, SourceLocation, UserError, UserErrors
from mlc.tools import driver
from mlc.tools.driver import open_output, print_remarks, read_text, run_tool

if TYPE_CHECKING:
    from tests.conftest import CommandLine


def _raise(error: BaseException) -> int:
    raise error


@pytest.mark.parametrize(
    ("error", "status", "message"),
    [
        (UserError("bad"), 1, "tool: error: bad\n"),
        (UserError("bad", SourceLocation("f", 1, 2)), 1, "f:1:2: error: bad\n"),
        (UserError("bad", None, [Note("see")]), 1, "tool: error: bad\nnote: see\n"),
        (UserErrors([UserError("one"), UserError("two")]), 1, "tool: error: one\ntool: error: two\n"),
        (OSError(28, "No space left on device", "/out"), 1, "tool: error: '/out': No space left on device\n"),
        (MemoryError(), 1, "tool: error: out of memory\n"),
        (RecursionError(), 1, "tool: error: the input nests too deeply\n"),
        (KeyboardInterrupt(), 130, "\ntool: interrupted\n"),
        (SystemExit(0), 0, ""),
    ],
)
def test_statuses(error: BaseException, status: int, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_tool("tool", lambda: _raise(error)) == status
    assert capsys.readouterr().err == message


def test_names_of_constraints_are_explained_once_for_each_op(tmp_path: Path, mlc: CommandLine) -> None:
    """In the commands that take models, and nothing is told of an error without such a name."""
    wrong = "  %{0} = graph.matmul %x, %{1} : tensor<6x8xf32>, tensor<{2}> -> tensor<6x2xf32>\n"
    model = "func.func @main(%x: tensor<6x8xf32>, %v: tensor<7x2xf32>, %w: tensor<2xf32>) {\n"
    model += wrong.format(0, "v", "7x2xf32") + wrong.format(1, "v", "7x2xf32") + wrong.format(2, "w", "2xf32")
    (tmp_path / "m.mlir").write_text(model + "  return\n}\n")
    for command in (["explain"], ["explore", "-o", str(tmp_path / "r.html")]):
        shown = mlc(*command, str(tmp_path / "m.mlir")).err
        assert shown.count("(matmul_c2)\n") == 2 and shown.count("(matmul_c1)\n") == 1
        note = "note: matmul_c2, matmul_c1 are constraints of graph.matmul, which docs/dialects/graph.md lists\n"
        assert shown.endswith(note) and shown.count("note: ") == 1
    (tmp_path / "m.mlir").write_text("func.func @main() { return %none : f32 }")
    shown = mlc("explain", str(tmp_path / "m.mlir")).err
    assert "error: " in shown and "note: " not in shown


def test_a_bug_is_called_one(capsys: pytest.CaptureFixture[str]) -> None:
    bug = CompilerBug("it is wrong", "fuse")
    bug.reproducer = Path("f")
    assert run_tool("tool", lambda: _raise(bug)) == 70
    shown = capsys.readouterr().err
    assert shown.startswith("tool: bug in mlc: it is wrong\n  in: fuse\n  reproducer: f\n")
    assert shown.endswith("\n  not reduced; to do so: mlc-opt --run-reproducer --reduce f -o small-f\n")


def test_an_unexpected_exception_is_a_bug_with_its_place(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_tool("tool", lambda: _raise(KeyError("x"))) == 70
    shown = capsys.readouterr().err
    assert shown.startswith("tool: bug in mlc: KeyError: 'x'\n  in: ")
    assert "Traceback" not in shown


def test_tracebacks_on_request(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MLC_TRACEBACK", "1")
    with pytest.raises(UserError):
        run_tool("tool", lambda: _raise(UserError("bad")))


def test_errors_show_the_line_they_are_about(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "m.mlir"
    file.write_text("first\nsecond line\n")
    _, name = read_text(str(file))
    run_tool("tool", lambda: _raise(UserError("bad", SourceLocation(name, 2, 8))))
    assert capsys.readouterr().err == f"{file}:2:8: error: bad\n  second line\n         ^\n"


def test_output_appears_when_it_is_complete(tmp_path: Path) -> None:
    file = tmp_path / "out"
    with pytest.raises(KeyError), open_output(str(file)) as stream:
        stream.write("half")
        raise KeyError
    assert not list(tmp_path.iterdir())
    with open_output(str(file)) as stream:
        stream.write("whole")
        assert not file.exists()
    assert file.read_text() == "whole"


def test_a_traceback_stands_in_front_of_the_message(mlc_opt: CommandLine, mlc: CommandLine) -> None:
    plain = mlc_opt("--tile=sizes=x", stdin="")
    shown = mlc_opt("--tile=sizes=x", "--traceback", stdin="")
    assert "Traceback" not in plain.err and shown.status == plain.status == 1
    assert shown.err.startswith("Traceback (most recent call last):\n") and "options.py" in shown.err
    assert shown.err.endswith(plain.err)
    assert "Traceback" in mlc("compile", "--traceback", "no such file").err
    assert "Traceback" not in mlc("compile", "no such file").err


def test_what_is_said_twice_of_a_place_is_printed_once(capsys: pytest.CaptureFixture[str]) -> None:
    here, there = SourceLocation("m.mlir", 2, 1), SourceLocation("m.mlir", 3, 1)
    ctx = CompilerContext(remarks=[Remark("look", place) for place in (here, there, here)])
    print_remarks(ctx, remarks=True)
    assert capsys.readouterr().err == "m.mlir:2:1: remark: look\nm.mlir:3:1: remark: look\n"


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        ("-m mlc --version >&-", 1, "mlc: error: standard output is closed\n"),
        ("-m mlc targets >&-", 1, "mlc: error: standard output is closed\n"),
        ("-m mlc targets >/dev/full", 1, "mlc: error: No space left on device\n"),
        ("-m mlc.tools.mlc_opt - <&-", 0, ""),
        ("-m mlc.tools.mlc_opt - >&- <&-", 1, "mlc-opt: error: standard output is closed\n"),
        ("-m mlc targets 2>&- >/dev/full", 1, ""),
    ],
)
def test_closed_streams(words: str, status: int, message: str) -> None:
    command = f"'{sys.executable}' {words}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (status, message)


@pytest.mark.parametrize(
    ("error", "limit", "told"),
    [
        (MemoryError(), None, "tool: error: out of memory\n"),
        (MemoryError(), 200 << 20, "error: out of memory; this process is limited to 200 MiB of addresses (ulimit -v)"),
        (ImportError("no segment"), 200 << 20, "error: out of memory: no segment; this process is limited to 200 MiB"),
    ],
)
def test_memory_that_is_used_up(
    error: Exception, limit: int | None, told: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(driver, "address_limit", lambda: limit)
    assert driver.report("tool", error) == driver.USER_ERROR
    assert told in capsys.readouterr().err
