"""Folded constants do not depend on the machine: on its BLAS, or on how NumPy adds up."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import mlc
from mlc.compiler.compilation import new_context
from mlc.dialects.graph import ConstantOp, GraphOp
from mlc.passes.graph._constants import constant_array
from mlc.passes.graph.fold_constants import FoldConstantsPass
from mlc.reference.fixed_order import cos, exp, fixed_order, log, matmul, mean, power, product, sin, tanh, total

Array = NDArray[Any]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(
    ("a", "b"), [((3, 40), (40, 5)), ((2, 1, 3, 7), (4, 7, 2)), ((1, 1), (1, 1)), ((70000, 3), (3, 2))]
)
def test_matmul(a: tuple[int, ...], b: tuple[int, ...], dtype: Any) -> None:
    rng = np.random.default_rng(0)
    x, y = (rng.standard_normal(shape).astype(dtype) for shape in (a, b))
    with fixed_order():
        found = matmul(x, y)
    exact = np.matmul(x.astype(np.float64), y.astype(np.float64))
    assert (found.dtype, found.shape) == (dtype, exact.shape)
    np.testing.assert_allclose(found, exact, rtol=1e-6 if dtype == np.float32 else 1e-12, atol=1e-12)


def test_sums() -> None:
    x = np.random.default_rng(0).standard_normal((5, 1001, 3)).astype(np.float32)
    with fixed_order():
        found, average = total(x, (1,)), mean(x, (0, -1), keepdims=True)
    assert found.dtype == np.float32
    for i in range(5):
        for j in range(3):
            assert found[i, j] == np.float32(math.fsum(x[i, :, j].tolist()))
    assert average.shape == (1, 1001, 1)
    assert average[0, 17, 0] == np.float32(math.fsum(x[:, 17, :].ravel().tolist()) / 15)


def _rounded_once(function: Callable[[float], float], x: Array) -> list[float]:
    """The function in double precision by the C library, of f32, rounded to f32."""
    return [float(np.float32(function(float(v)))) for v in x]


@pytest.mark.parametrize(
    ("function", "oracle"), [(exp, math.exp), (tanh, math.tanh), (log, math.log), (sin, math.sin), (cos, math.cos)]
)
def test_functions(function: Callable[[Array], Array], oracle: Callable[[float], float]) -> None:
    x = np.random.default_rng(0).uniform(1e-3, 80, 2000).astype(np.float32)
    with fixed_order():
        found, wide = function(x), function(x.astype(np.float64))
    assert (found.dtype, wide.dtype) == (np.float32, np.float64)
    assert found.tolist() == _rounded_once(oracle, x)
    np.testing.assert_allclose(wide, [oracle(float(v)) for v in x], rtol=4e-16)


def test_powers_and_special_values() -> None:
    special = np.array([np.inf, -np.inf, np.nan, -0.0, 1e-45, 3e38, -3e38, 88.72284, -104.0], np.float32)
    with np.errstate(all="ignore"), fixed_order():
        np.testing.assert_array_equal(exp(special), np.exp(special.astype(np.float64)).astype(np.float32))
        np.testing.assert_array_equal(log(special), np.log(special.astype(np.float64)).astype(np.float32))
        assert np.signbit(tanh(special))[3]
        assert power(np.array([[2.0], [-8.0]], np.float32), np.array([3.0, -1.0], np.float32)).tolist() == [
            [8.0, 0.5],
            [-512.0, -0.125],
        ]
        assert power(np.array([3], np.int32), np.array([4], np.int32)).tolist() == [81]


def test_products_and_integers() -> None:
    with fixed_order():
        assert product(np.array([[2.0, 3.0, 5.0]], np.float32), (1,)).tolist() == [30.0]
        assert total(np.array([2**31 - 1, 1], np.int32), (0,)) == -(2**31)
        assert matmul(np.array([[3]], np.int64), np.array([[4]], np.int64)).tolist() == [[12]]
        assert total(np.zeros((0, 2), np.float32), (1,)).shape == (0,)


def _constant(name: str, shape: tuple[int, ...], seed: int) -> str:
    numbers = np.random.default_rng(seed).standard_normal(shape).astype(np.float32)
    kind = "x".join(map(str, shape)) + "xf32"
    return f"%{name} = graph.constant dense<{json.dumps(numbers.tolist())}> : tensor<{kind}>"


MODEL = f"""
func.func @main() -> (tensor<4x4xf32>, tensor<1x2x3x3xf32>, tensor<f32>, tensor<4xf32>) {{
  {_constant("a", (4, 64), 0)}
  {_constant("b", (64, 4), 1)}
  {_constant("i", (1, 3, 3, 3), 2)}
  {_constant("w", (2, 3, 3, 3), 3)}
  %0 = graph.matmul %a, %b : tensor<4x64xf32>, tensor<64x4xf32> -> tensor<4x4xf32>
  %1 = graph.conv2d %i, %w {{padding = array<i64: 1, 1, 1, 1>}}
    : tensor<1x3x3x3xf32>, tensor<2x3x3x3xf32> -> tensor<1x2x3x3xf32>
  %2 = graph.reduce mean %a axes [0, 1] : tensor<4x64xf32> -> tensor<f32>
  %3 = graph.reduce sum %a axes [1] : tensor<4x64xf32> -> tensor<4xf32>
  return %0, %1, %2, %3 : tensor<4x4xf32>, tensor<1x2x3x3xf32>, tensor<f32>, tensor<4xf32>
}}
"""


def _folded() -> list[bytes]:
    """What `main` returns after folding, which leaves constants only."""
    ctx = new_context()
    module = mlc.parse(MODEL)
    FoldConstantsPass().run(module, ctx)
    assert not any(isinstance(op, GraphOp) for op in module.walk())
    found = [constant_array(op, ctx.resources) for op in module.walk() if isinstance(op, ConstantOp)]
    return [a.tobytes() for a in found if a is not None]


def test_folding_asks_no_library_for_sums(monkeypatch: pytest.MonkeyPatch) -> None:
    before = _folded()
    assert len(before) == 4
    real = np.matmul

    def another(a: Array, b: Array) -> Array:
        return real(a, b) * np.float32(1 + 2**-20)

    monkeypatch.setattr(np, "matmul", another)
    assert _folded() == before
