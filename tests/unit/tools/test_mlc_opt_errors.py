"""Whatever is wrong with the input or the command line: a message, status 1, and never a traceback."""

from __future__ import annotations

import os
import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from mlc.tools.opt_arguments import DESCRIPTION

if TYPE_CHECKING:
    from tests.conftest import CommandLine

_MODULE = "func.func @f(%x: i32) -> i32 {\n  return %x : i32\n}\n"
_MLC_OPT = [sys.executable, "-m", "mlc.tools.mlc_opt"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--canonicalise"], "mlc-opt: error: unknown pass '--canonicalise'; did you mean '--canonicalize'?"),
        (
            ["--optimise"],
            "mlc-opt: error: unknown pass or option '--optimise' (--list-passes prints the passes, --help the options)",
        ),
        (["--verify-ech"], "mlc-opt: error: unknown option '--verify-ech'; did you mean '--verify-each'?"),
        (["--qqqqq"], "mlc-opt: error: unknown pass or option '--qqqqq' (--list-passes prints the passes"),
        (["--emit=png"], "mlc-opt: error: unknown form 'png' for --emit; it is one of mlir, mlir:graph"),
        (["--print-ir-after=csee"], "mlc-opt: error: --print-ir-after: unknown pass 'csee'; did you mean 'cse'?"),
        (["a.mlir", "b.mlir"], "mlc-opt: error: unexpected argument 'b.mlir': mlc-opt reads one input file"),
        (["--pass-pipeline=cse{"], "mlc-opt: error: malformed pass pipeline 'cse{'"),
        (["--pass-pipeline"], "mlc-opt: error: argument --pass-pipeline: expected one argument"),
        (["--seed=x"], "mlc-opt: error: argument --seed: invalid int value: 'x'"),
        (["--cse=speed=9"], "mlc-opt: error: pass 'cse' has no option 'speed'"),
        (["--target=pdp11"], "unknown target 'pdp11'"),
        (["no/such/file.mlir"], "mlc-opt: error: input file 'no/such/file.mlir' not found"),
        (["."], "mlc-opt: error: input '.' is a directory, not a file"),
        (["-o", "no/such/folder/x.mlir"], "mlc-opt: error: cannot write 'no/such/folder/x.mlir'"),
        (["-o", "."], "mlc-opt: error: cannot write '.'"),
        (
            ["--accuracy", "fast", "--cse"],
            "--accuracy fast is for the default pipeline: add one of -O0 to",
        ),
        (["--emit=mlir:loop"], "--emit=mlir:loop says where the default pipeline stops: add one of -O0 to -O3, or"),
        (["--cse", "--emit=mlir:graph"], "name the passes and leave the level out (--emit=mlir)"),
        (["--run-reproducer"], "mlc-opt: error: '-' is not a reproducer"),
    ],
)
def test_wrong_command_lines(arguments: list[str], message: str, mlc_opt: CommandLine) -> None:
    result = mlc_opt(*arguments, stdin=_MODULE)
    assert result.status == 1
    assert message in result.err
    assert result.out == ""


def test_the_examples_of_the_help_are_right(mlc_opt: CommandLine) -> None:
    examples = [shlex.split(line)[1:] for line in DESCRIPTION.splitlines() if line.startswith("  mlc-opt")]
    assert len(examples) == 4
    for _, *options in examples:
        result = mlc_opt(*options, stdin="")
        assert (result.status, result.err) == (0, ""), options


def test_version(mlc_opt: CommandLine) -> None:
    assert re.fullmatch(r"mlc-opt \d+\.\d+\.\d+\n", mlc_opt("--version").out)


def test_input_that_is_not_text(mlc_opt: CommandLine) -> None:
    result = mlc_opt("-", stdin=b"module {\n\xff\xfe}")
    assert (result.status, result.out) == (1, "")
    assert "<stdin>:2: error: '<stdin>' is not UTF-8 text: byte 0xff at offset 9" in result.err


def test_unreadable_file(tmp_path: Path, mlc_opt: CommandLine) -> None:
    if os.geteuid() == 0:
        pytest.skip("root reads everything")
    file = tmp_path / "secret.mlir"
    file.write_text(_MODULE)
    file.chmod(0)
    result = mlc_opt(str(file))
    assert result.status == 1
    assert "cannot read input file" in result.err


@pytest.mark.parametrize("text", ["", "\n\n", "// nothing but a comment\n"])
def test_nothing_is_an_empty_module(text: str, mlc_opt: CommandLine) -> None:
    result = mlc_opt(stdin=text)
    assert (result.status, result.err) == (0, "")
    assert "module" in result.out


def test_syntax_error_has_a_place(mlc_opt: CommandLine) -> None:
    result = mlc_opt(stdin="func.func @f() {\n  %x = arith.constant : i32\n  return\n}\n")
    assert result.status == 1
    assert result.err.startswith("<stdin>:2:")
    assert "error:" in result.err


def test_deep_nesting(mlc_opt: CommandLine) -> None:
    depth = 20_000
    result = mlc_opt(stdin='"builtin.module"() ({' * depth + "})" * depth)
    assert result.status == 1
    assert "Traceback" not in result.err


def test_failed_run_leaves_the_output_alone(tmp_path: Path, mlc_opt: CommandLine) -> None:
    output = tmp_path / "out.mlir"
    output.write_text("before")
    assert mlc_opt("-o", str(output), stdin="nonsense").status == 1
    assert output.read_text() == "before"
    assert mlc_opt("-o", str(output), stdin=_MODULE).status == 0
    assert "func.func @f" in output.read_text()
    assert [p.name for p in tmp_path.iterdir()] == ["out.mlir"]


@pytest.mark.slow
def test_closed_pipe() -> None:
    big = "".join(f"func.func @f{n}() {{\n  return\n}}\n" for n in range(3000))
    tool = subprocess.Popen(_MLC_OPT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert tool.stdin and tool.stdout and tool.stderr
    tool.stdout.close()
    tool.stdin.write(big.encode())
    tool.stdin.close()
    assert (tool.stderr.read(), tool.wait()) == (b"", 141)
    tool.stderr.close()


def test_interrupt() -> None:
    # A shell that runs tests in the background lets them ignore this signal.
    tool = subprocess.Popen(
        _MLC_OPT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    assert tool.stdin
    tool.stdin.write(b"\n" * (1 << 22))  # more than a pipe holds: when this returns, the tool is reading
    tool.send_signal(signal.SIGINT)
    out, err = tool.communicate()
    assert (tool.returncode, out, err.strip()) == (130, b"", b"mlc-opt: interrupted")
