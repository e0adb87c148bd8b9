"""An architecture that a package adds: one file, and C beside it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import pytest

from mlc.architectures import add_architecture, architecture_named, known_architecture
from mlc.support.additions import plugin_scope
from mlc.support.errors import UserError
from mlc.targets.machine import resolve_target
from mlc.targets.toolchain import find_emulator
from mlc.tests.unit.architectures.riscv64 import Riscv64
from mlc.tools.mlc import main

_WEIGHTS = [
    [1.0, 2.0, 0.5, -1.0],
    [0.0, 1.0, 1.0, -2.0],
    [2.0, 0.0, 1.0, 0.0],
    [1.0, 1.0, 0.0, 2.0],
    [0.0, -1.0, 2.0, 0.0],
]
_MODEL = f"""
func.func @main(%x: tensor<3x5xf32>) -> tensor<3x4xf32> {{
  %w = graph.constant dense<{_WEIGHTS}> : tensor<5x4xf32>
  %0 = graph.matmul %x, %w : tensor<3x5xf32>, tensor<5x4xf32> -> tensor<3x4xf32>
  %1 = graph.tanh %0 : tensor<3x4xf32>
  return %1 : tensor<3x4xf32>
}}
"""


def test_it_compiles_and_runs(tmp_path: Path) -> None:
    with plugin_scope():
        add_architecture(Riscv64, "a test")
        machine = resolve_target("rv64gc")
        assert (machine.triple, machine.fma, machine.l2_bytes) == ("riscv64-unknown-linux-gnu", True, 512 << 10)
        source, program = tmp_path / "model.mlir", tmp_path / "model"
        source.write_text(_MODEL)
        assert main(["compile", str(source), "--target", "rv64gc", "-o", str(program)]) == 0
    assert program.read_bytes()[18:20] == (243).to_bytes(2, "little")
    if (emulator := find_emulator("riscv64")) is None:
        pytest.skip("qemu-riscv64 is not installed")
    x = np.linspace(-2, 2, 15, dtype=np.float32).reshape(3, 5)
    done = subprocess.run([emulator, program], input=x.tobytes(), capture_output=True, check=True)
    found = np.frombuffer(done.stdout, np.float32).reshape(3, 4)
    np.testing.assert_allclose(found, np.tanh(x @ np.array(_WEIGHTS, np.float32)), rtol=1e-5, atol=1e-6)


def test_it_goes_with_the_plugin() -> None:
    with plugin_scope():
        add_architecture(Riscv64, "a test")
        assert known_architecture("riscv64") is architecture_named("riscv64")
    assert architecture_named("riscv64") is None
    with pytest.raises(UserError, match="found architecture 'riscv64'; mlc generates code for x86_64 and aarch64"):
        known_architecture("riscv64")
    with pytest.raises(UserError, match="unknown target 'rv64gc'"):
        resolve_target("rv64gc")


def test_names_are_taken_once() -> None:
    class Again(Riscv64):
        name = "aarch64"

    with plugin_scope(), pytest.raises(UserError, match="two architectures are named 'aarch64': one of mlc, one of x"):
        add_architecture(Again, "x")
