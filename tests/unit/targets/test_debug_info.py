"""-g: instructions have lines, of the model or of its loops, and debuggers know functions by their names."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.conftest import CommandLine

MODEL = """\
func.func @main(%x: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %0 = graph.matmul %x, %x : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
  %1 = graph.softmax %0 axis 1 : tensor<16x16xf32>
  return %1 : tensor<16x16xf32>
}
"""


@pytest.fixture(autouse=True)
def in_tmp_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The model."""
    monkeypatch.chdir(tmp_path)
    Path("m.mlir").write_text(MODEL)


def _sections(file: str) -> set[bytes]:
    return set(re.findall(rb"\.debug_\w+", Path(file).read_bytes()))


def test_lines_of_the_model(mlc: CommandLine) -> None:
    assert mlc("compile", "m.mlir", "-O1", "-g", "model", "-o", "m.so").status == 0
    assert {b".debug_info", b".debug_line"} <= _sections("m.so")
    assert b"m.mlir" in Path("m.so").read_bytes()
    assert mlc("compile", "m.mlir", "-O1", "-o", "plain.so").status == 0
    assert _sections("plain.so") == set()


def test_code_is_the_same(mlc: CommandLine) -> None:
    for options, file in (([], "plain.s"), (["-g", "model"], "debug.s")):
        assert mlc("compile", "m.mlir", "-O1", *options, "-o", file).status == 0
    plain, debug = (_instructions(Path(file).read_text()) for file in ("plain.s", "debug.s"))
    assert plain == debug and len(plain) > 50


def _instructions(assembly: str) -> list[str]:
    """Lines that are instructions, without labels and names of kernels."""
    lines = [line.strip() for line in assembly.splitlines() if re.match(r"\s+[a-z]", line)]
    return [re.sub(r"mlc_kernel_\w+|\.L\w+|#.*", "", line).strip() for line in lines]


@pytest.mark.skipif(shutil.which("gdb") is None, reason="gdb is not installed")
def test_a_debugger_steps_through_loops(mlc: CommandLine) -> None:
    assert mlc("compile", "m.mlir", "-O1", "-g", "loops", "-o", "m").status == 0
    Path("in.bin").write_bytes(bytes(16 * 16 * 4))
    steps = ["break softmax", "run < in.bin > out.bin", "next", "bt"]
    command = ["gdb", "-nx", "-batch", *(word for step in steps for word in ("-ex", step)), "./m"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    if "Breakpoint 1, " not in done.stdout:
        pytest.skip(f"gdb cannot run programs here: {done.stderr}")
    assert re.search(r"^\d+\s+.*(loop|arith|memref)\.", done.stdout, re.MULTILINE), done.stdout
    assert re.search(r"#0 .*softmax \(\) at \w+\.mlir:\d+\n#1 .*mlc_main \(\) at \w+\.mlir:\d+", done.stdout)
