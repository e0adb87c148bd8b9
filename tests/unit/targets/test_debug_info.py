"""-g: instructions have lines, of the model or of its loops, and debuggers know functions by their names."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from mlc import parse
from mlc.compiler.debug_text import place_in_text
from mlc.dialects.func import FuncOp
from mlc.support.locations import location_of

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
    for level in ("-O1", "-O3"):
        for options, file in (([], "plain.s"), (["-g", "model"], "model.s"), (["-g", "loops"], "loops.s")):
            assert mlc("compile", "m.mlir", level, *options, "-o", file).status == 0
        plain, *debug = (_instructions(Path(f"{file}.s").read_text()) for file in ("plain", "model", "loops"))
        assert debug == [plain, plain] and len(plain) > 50


def _instructions(assembly: str) -> list[str]:
    """Lines that are instructions, without labels and names of kernels."""
    lines = [line.strip() for line in assembly.splitlines() if re.match(r"\s+[a-z]", line)]
    return [re.sub(r"mlc_kernel_\w+|\.L\w+|#.*", "", line).strip() for line in lines]


def test_the_text_of_loops_says_where_it_is_from() -> None:
    module = parse(MODEL)
    function = module.body.block.first_op
    assert isinstance(function, FuncOp)
    matmul, softmax, _ = function.body.block.ops
    lines = place_in_text(module).read_text(encoding="utf-8").splitlines()
    for op, source in ((matmul, "// <text>:2:8"), (softmax, "// <text>:3:8")):
        place = location_of(op)
        assert place is not None
        assert lines[place.line - 1][place.column - 1 :].startswith(f"%{op.results[0].name_hint} = ".replace("v", ""))
        assert lines[place.line - 2].strip() == source
    assert [op.results[0].name_hint for op in (matmul, softmax)] == ["v0", "v1"]


@pytest.mark.skipif(shutil.which("gdb") is None, reason="gdb is not installed")
def test_a_debugger_steps_through_loops(mlc: CommandLine) -> None:
    assert mlc("compile", "m.mlir", "-O1", "-g", "loops", "-o", "m").status == 0
    Path("in.bin").write_bytes(np.full(256, 0.5, np.float32).tobytes())
    steps = ["break softmax", "run < in.bin > out.bin", "next", "bt"]
    steps += ["break matmul", "run < in.bin > out.bin", *["next"] * 12, "info locals"]
    command = ["gdb", "-nx", "-batch", *(word for step in steps for word in ("-ex", step)), "./m"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    if "Breakpoint 1, " not in done.stdout:
        pytest.skip(f"gdb cannot run programs here: {done.stderr}")
    assert re.search(r"^\d+\s+.*(loop|arith|memref)\.", done.stdout, re.MULTILINE), done.stdout
    locals_ = dict(re.findall(r"^([\w$.]+) = (.*)$", done.stdout.split("matmul ()")[-1], re.MULTILINE))
    assert {"x", "out", "m", "n", "k", "acc"} <= locals_.keys(), done.stdout
    assert "0" in (locals_["m"], locals_["n"])  # what optimisations leave of the others differs from clang to clang
    assert re.search(r"#0 .*softmax \(\) at \w+\.mlir:\d+\n#1 .*mlc_main \(\) at \w+\.mlir:\d+", done.stdout)


_BAD_CALL = """\
#include "m.h"
int main(void) {
    static float out[256];
    const void *inputs[] = {(const void *)16};
    void *outputs[] = {out};
    static _Alignas(64) char workspace[1 << 16];
    return mlc_main(inputs, outputs, workspace);
}
"""


@pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")
def test_a_sanitizer_names_the_kernel_and_its_line(mlc: CommandLine) -> None:
    """An input at an address that is none: the report has a frame of the kernel, with a line that loads."""
    for output in ("m.so", "m.h"):
        assert mlc("compile", "m.mlir", "-O1", "-g", "loops", "-o", output).status == 0
    Path("m.c").write_text(_BAD_CALL)
    build = ["gcc", "-fsanitize=address", "m.c", "./m.so", "-o", "m"]
    if subprocess.run(build, capture_output=True, check=False).returncode != 0:
        pytest.skip("gcc has no address sanitizer here")
    done = subprocess.run(["./m"], capture_output=True, text=True, check=False)
    assert done.returncode != 0 and "AddressSanitizer: SEGV on unknown address 0x0000000000" in done.stderr
    frame = re.search(r"#0 \S+ in matmul (.+\.mlir):(\d+)", done.stderr)
    if frame is None and "m.so+0x" in done.stderr:
        pytest.skip("no symbolizer is installed")
    assert frame is not None, done.stderr
    assert "load" in Path(frame[1]).read_text(encoding="utf-8").splitlines()[int(frame[2]) - 1]
