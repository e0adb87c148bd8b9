"""An index is as wide as the target's addresses: a model for 32-bit RISC-V, run by an emulator."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import numpy as np
import pytest

from mlc.architectures import add_architecture
from mlc.architectures.architecture import COMMON, Cpu
from mlc.architectures.facts import facts
from mlc.support.additions import plugin_scope
from mlc.support.errors import UserError
from mlc.targets.cache import Cache
from mlc.targets.toolchain import find_clang, find_emulator
from mlc.tests.unit.architectures.riscv64 import Riscv64
from mlc.tools.mlc import main

_BASE = ("m", "a", "f", "d", "c")


class Riscv32(Riscv64):
    """RV32GC."""

    name = "riscv32"
    index_bits = 32
    linker_emulation = "elf32lriscv"
    any_cpu_flags = ("-march=rv32gc", "-mabi=ilp32d")
    cpus = (Cpu("rv32gc", "generic-rv32", _BASE, (), 128, 32, 4, {COMMON: facts(l1_kib=32, l2_kib=512, l3_mib=2)}),)


_TABLE = np.arange(24, dtype=np.float32).reshape(6, 4) / 8
_MODEL = f"""
func.func @main(%x: tensor<3x5xf32>, %rows: tensor<3xi64>) -> tensor<12xf32> {{
  %w = graph.constant dense<{(np.arange(20) - 9.5).reshape(5, 4).tolist()}> : tensor<5x4xf32>
  %table = graph.constant dense<{_TABLE.tolist()}> : tensor<6x4xf32>
  %0 = graph.matmul %x, %w : tensor<3x5xf32>, tensor<5x4xf32> -> tensor<3x4xf32>
  %1 = graph.gather %table, %rows axis 0 : tensor<6x4xf32>, tensor<3xi64> -> tensor<3x4xf32>
  %2 = graph.add %0, %1 : tensor<3x4xf32>, tensor<3x4xf32> -> tensor<3x4xf32>
  %3 = graph.transpose %2 [1, 0] : tensor<3x4xf32> -> tensor<4x3xf32>
  %4 = graph.reshape %3 : tensor<4x3xf32> -> tensor<12xf32>
  %5 = graph.tanh %4 : tensor<12xf32>
  return %5 : tensor<12xf32>
}}
"""
_MAIN = """
int mlc_main(void **in, void **out, void *workspace);
static char workspace[1 << 16] __attribute__((aligned(64)));
static float x[15] = {XS}, y[12];
static long long rows[3] = {ROWS};
static long call(long number, long a, long b, long c) {
  register long a0 __asm__("a0") = a, a1 __asm__("a1") = b, a2 __asm__("a2") = c, a7 __asm__("a7") = number;
  __asm__ volatile("ecall" : "+r"(a0) : "r"(a1), "r"(a2), "r"(a7) : "memory");
  return a0;
}
void mlc_parallel_for(void (*task)(void *, long long), void *context, long long count) {
  for (long long i = 0; i < count; i++) task(context, i);
}
void _start(void) {
  void *in[] = {x, rows}, *out[] = {y};
  int status = mlc_main(in, out, workspace);
  call(64, 1, (long)y, sizeof y);
  call(93, status, 0, 0);
}
"""


@pytest.mark.parametrize("arguments", [["-O0"], ["-O3"], ["-O3", "--threads", "2"]])
def test_it_runs_on_a_machine_of_32_bits(
    arguments: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model, text, harness, program = (tmp_path / n for n in ("m.mlir", "m.ll", "main.c", "main"))
    model.write_text(_MODEL)
    with plugin_scope():
        add_architecture(Riscv32, "a test")
        assert main(["compile", str(model), "--target", "rv32gc", "-o", str(text), *arguments]) == 0
    counters = re.findall(r"= phi (\w+) .*\n", text.read_text())
    assert {"i32"} <= {*counters} and "i64" not in counters
    x, rows = np.linspace(-1, 1, 15, dtype=np.float32), [4, 0, 5]
    source = _MAIN.replace("XS", ", ".join(float(v).hex() for v in x)).replace("ROWS", ", ".join(map(str, rows)))
    harness.write_text(source)
    if (emulator := find_emulator("riscv32")) is None:
        pytest.skip("qemu-riscv32 is not installed")
    clang = find_clang(None, Cache.default())
    flags = ["--target=riscv32-unknown-linux-gnu", *Riscv32.any_cpu_flags, "-O1", "-ffreestanding", "-nostdlib"]
    link = ["-static", "-fuse-ld=lld", "-Wno-override-module", "-o", program]
    done = subprocess.run([*clang.command, *flags, *link, text, harness], capture_output=True, text=True, check=False)
    if done.returncode and "lld" in done.stderr:
        pytest.skip("clang has no linker for it")
    assert done.returncode == 0, done.stderr
    out = subprocess.run([emulator, program], capture_output=True, check=True).stdout
    w = (np.arange(20, dtype=np.float32) - 9.5).reshape(5, 4)
    expected = np.tanh(x.reshape(3, 5) @ w + _TABLE[rows]).T.reshape(-1)
    np.testing.assert_allclose(np.frombuffer(out, np.float32), expected, rtol=1e-5, atol=1e-6)


def test_the_width_ends_with_the_pass(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = tmp_path / "m.mlir"
    model.write_text(_MODEL)
    texts: list[str] = []
    for target in ("rv64gc", "rv32gc", "rv64gc"):
        with plugin_scope():
            add_architecture(Riscv64, "a test")
            add_architecture(Riscv32, "a test")
            assert main(["compile", str(model), "--target", target, "-o", "-", "--emit", "mlir:llvm"]) == 0
        texts.append(capsys.readouterr().out)
    assert texts[0] == texts[2] != texts[1]
    with pytest.raises(UserError, match="unknown target"):
        from mlc.targets.machine import resolve_target

        resolve_target("rv32gc")
