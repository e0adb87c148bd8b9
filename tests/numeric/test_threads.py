"""Results have the same bits for any number of threads."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mlc
from mlc.compiler.compilation import Compilation, new_context, parse_verified
from mlc.compiler.options import CompileOptions
from mlc.pass_manager.manager import PassManager
from mlc.targets.host import architecture
from mlc.targets.machine import resolve_target
from mlc.targets.toolchain import find_emulator

_MODEL = """
func.func @main(%x: tensor<190x256xf32>, %w: tensor<256x192xf32>) -> (tensor<190x192xf32>, tensor<190x256xf32>) {
  %0 = graph.matmul %x, %w : tensor<190x256xf32>, tensor<256x192xf32> -> tensor<190x192xf32>
  %1 = graph.softmax %0 axis 1 : tensor<190x192xf32>
  %2 = graph.sigmoid %x : tensor<190x256xf32>
  return %1, %2 : tensor<190x192xf32>, tensor<190x256xf32>
}
"""
"""Loops of 190 rows, which no number of threads divides, and of its tiles."""


def _random(seed: int, *shape: int) -> np.ndarray[Any, np.dtype[np.float32]]:
    return np.random.default_rng(seed).standard_normal(shape, np.float32)


_X, _W = _random(0, 190, 256), _random(1, 256, 192)


def _answer(model: mlc.Model) -> bytes:
    return b"".join(y.tobytes() for y in model(_X, _W))


def test_any_number_of_threads_gives_the_same_bits() -> None:
    expected = _answer(mlc.compile(_MODEL))
    for threads in (2, 7):
        model = mlc.compile(_MODEL, threads=threads)
        assert b"mlc_parallel_for" in model.path.read_bytes()
        assert [_answer(model) for _ in range(20)] == [expected] * 20


@pytest.mark.parametrize("rows", [390, 397])
def test_rows_with_buffers_of_their_own(rows: int) -> None:
    """Spread in blocks, each with a buffer; 397 is a prime, so each row has one."""
    text = f"""
    func.func @main(%x: tensor<{rows}x1500xf32>) -> tensor<{rows}x1500xf32> {{
      %0 = graph.softmax %x axis 1 : tensor<{rows}x1500xf32>
      return %0 : tensor<{rows}x1500xf32>
    }}
    """
    x = _random(2, rows, 1500)
    one = mlc.compile(text)
    expected = one(x)
    for threads in (2, 3):
        model = mlc.compile(text, threads=threads)
        assert b"mlc_parallel_for" in model.path.read_bytes()
        assert model.signature.workspace_bytes > one.signature.workspace_bytes
        assert [model(x).tobytes() for _ in range(10)] == [expected.tobytes()] * 10


def test_threads_at_most_give_the_same_bits() -> None:
    """190 rows in 3 shares, which differ."""
    text = """
    func.func private @kernel(%x: tensor<190x256xf32>) -> tensor<190x256xf32>
        attributes {schedule = #loop.schedule<[vectorize_reduction(k, 16), tile(n, 16), vectorize(ni)]>} {
      %0 = tensor.reduce add %x[m, k] over (m: 190) reduce (k: 256) : tensor<190x256xf32> -> tensor<190xf32>
      %1 = tensor.map %x[m, n], %0[m] over (m: 190, n: 256)
          : tensor<190x256xf32>, tensor<190xf32> -> tensor<190x256xf32> {
      ^bb0(%a: f32, %s: f32):
        %q = arith.divf %a, %s : f32
        tensor.yield %q : f32
      }
      return %1 : tensor<190x256xf32>
    }
    func.func @main(%x: tensor<190x256xf32>) -> tensor<190x256xf32> {
      %0 = func.call @kernel(%x) : (tensor<190x256xf32>) -> tensor<190x256xf32>
      return %0 : tensor<190x256xf32>
    }
    """
    expected = mlc.compile(text)(_X).tobytes()
    limited = mlc.compile(text.replace("vectorize(ni)", "vectorize(ni), threads(m, 3)"), threads=4)
    assert b"mlc_parallel_for" in limited.path.read_bytes()
    assert [limited(_X).tobytes() for _ in range(20)] == [expected] * 20


@pytest.mark.parametrize("target", ["x86-64-v2", "aarch64"])
def test_programs_have_no_threads_and_give_the_same_bits(target: str, tmp_path: Path) -> None:
    arch = resolve_target(target).arch
    emulator = find_emulator(arch)
    if arch != architecture() and emulator is None:
        pytest.skip(f"there is no emulator of {arch} on this machine")
    answers: list[bytes] = []
    for threads in (1, 2):
        ctx, path = new_context(target), tmp_path / f"model{threads}"
        module = parse_verified(_MODEL, "<text>", ctx, tmp_path)
        Compilation(module, ctx, CompileOptions(target, threads), PassManager(ctx)).build("exe", path)
        assert (b"mlc_parallel_for" in path.read_bytes()) == (threads == 2)
        command = [path] if arch == architecture() else [emulator or "", path]
        answers.append(
            subprocess.run(command, input=_X.tobytes() + _W.tobytes(), capture_output=True, check=True).stdout
        )
    assert len(answers[0]) == 4 * 190 * (192 + 256)
    assert answers[0] == answers[1]
