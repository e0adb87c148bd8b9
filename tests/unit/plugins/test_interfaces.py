"""Ops of a plugin take part in everything by what they say of themselves: passes ask interfaces, not classes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import mlc
from mlc.support.additions import plugin_scope

_NEAR = Path(__file__).parents[2] / "lit" / "plugins" / "Inputs" / "near.py"


@pytest.fixture(autouse=True)
def near() -> Iterator[None]:
    with plugin_scope():
        mlc.load_dialect(_NEAR)
        yield


@pytest.mark.parametrize("opt_level", [0, 3])
@pytest.mark.parametrize("shape", [(64, 32, 40), (5, 7, 3), (1, 19, 16)])
def test_a_model_computes_what_numpy_does(shape: tuple[int, int, int], opt_level: int) -> None:
    m, n, k = shape
    x, w, y = f"tensor<{m}x{k}xf32>", f"tensor<{n}x{k}xf32>", f"tensor<{m}x{n}xf32>"
    model = mlc.compile(
        f"""func.func @main(%x: {x}, %w: {w}, %b: tensor<{n}xf32>) -> ({y}, {y}) {{
  %0 = near.upside_down %x : {x} -> {x}
  %1 = near.dot %0, %w : {x}, {w} -> {y}
  %2 = graph.add %1, %b : {y}, tensor<{n}xf32> -> {y}
  %3 = graph.relu %2 : {y}
  %4 = near.squared %x, %w : {x}, {w} -> {y}
  %5 = graph.neg %4 : {y}
  return %3, %5 : {y}, {y}
}}""",
        opt_level=opt_level,
    )
    rng = np.random.default_rng(0)
    a, c, b = (rng.standard_normal(s).astype(np.float32) for s in ((m, k), (n, k), (n,)))
    dot, distances = model(a, c, b)
    np.testing.assert_allclose(dot, np.maximum(a[::-1] @ c.T + b, 0), rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(distances, -((a[:, None] - c) ** 2).sum(-1), rtol=1e-5)


def test_text_and_back() -> None:
    text = """builtin.module {
  func.func @f(%x: tensor<4x8xf32>, %w: tensor<6x8xf32>) -> tensor<4x6xf32> {
    %0 = near.distances %x[m, k], %w[n, k] over (m: 4, n: 6) reduce (k: 8) {my.note = 1 : i32} : TYPES
    func.return %0 : tensor<4x6xf32>
  }
}""".replace("TYPES", "tensor<4x8xf32>, tensor<6x8xf32> -> tensor<4x6xf32>")
    assert str(mlc.parse(text)) == text
