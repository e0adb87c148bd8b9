"""Tables of 256 bytes on several machines: every code in every lane, and functions of quantised numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import mlc

Array = NDArray[Any]
Run = Callable[..., list[Array]]

MACHINES = ("native", "x86-64-v2", "haswell", "x86-64-v4", "icelake-server", "neoverse-n1", "cortex-a72")


@pytest.mark.parametrize("target", MACHINES)
@pytest.mark.parametrize("lanes", [1, 4, 8, 16, 32, 64, 128])
def test_every_code_in_every_lane(target: str, lanes: int, run_compiled: Run) -> None:
    rng = np.random.default_rng(lanes)
    table = rng.integers(-128, 128, 256).astype(np.int8)
    codes = (np.arange(256)[:, None] + 3 * np.arange(lanes)).astype(np.uint8).view(np.int8)
    schedule = f"vectorize(n, {lanes})" if lanes > 1 else ""
    kind = f"tensor<256x{lanes}xi8>"
    text = f"""func.func private @k(%x: {kind}) -> {kind} attributes {{schedule = #loop.schedule<[{schedule}]>}} {{
  %0 = tensor.map %x[m, n] over (m: 256, n: {lanes}) : {kind} -> {kind} {{
  ^bb0(%v: i8):
    %r = loop.lookup %v in dense<"0x{table.tobytes().hex()}"> : tensor<256xi8> : i8
    tensor.yield %r : i8
  }}
  func.return %0 : {kind}
}}
func.func @main(%x: {kind}) -> {kind} {{
  %0 = func.call @k(%x) : ({kind}) -> {kind}
  func.return %0 : {kind}
}}
"""
    (found,) = run_compiled(mlc.parse(text), [codes], target, 3)
    np.testing.assert_array_equal(found, table[codes.view(np.uint8)])


@pytest.mark.parametrize("target", ["native", "haswell", "neoverse-n1"])
@pytest.mark.parametrize(("kind", "zero"), [("ui8", 0), ("ui8", 131), ("i8", -128), ("i8", 127)])
@pytest.mark.parametrize("level", [1, 3])
def test_functions_of_quantised_numbers(target: str, kind: str, zero: int, level: int, run_compiled: Run) -> None:
    """Each of the 256 numbers, behind a product: at most one step from the function in f64, and rarely so."""
    dtype = np.dtype(np.uint8 if kind == "ui8" else np.int8)
    codes = np.resize(np.arange(256).astype(np.uint8), (37, 40)).view(dtype)
    limits = np.iinfo(dtype)
    text = f"""func.func @main(%q: tensor<37x40x{kind}>) -> tensor<37x40x{kind}> {{
  %s = graph.constant dense<0.0625> : tensor<f32>
  %t = graph.constant dense<0.03> : tensor<f32>
  %z = graph.constant dense<{zero}> : tensor<{kind}>
  %x = graph.dequantize %q, %s, %z : tensor<37x40x{kind}>, tensor<f32>, tensor<{kind}> -> tensor<37x40xf32>
  %0 = graph.sigmoid %x : tensor<37x40xf32>
  %1 = graph.mul %x, %0 : tensor<37x40xf32>, tensor<37x40xf32> -> tensor<37x40xf32>
  %y = graph.quantize %1, %t, %z : tensor<37x40xf32>, tensor<f32>, tensor<{kind}> -> tensor<37x40x{kind}>
  return %y : tensor<37x40x{kind}>
}}
"""
    (found,) = run_compiled(mlc.parse(text), [codes], target, level)
    x = (codes.astype(np.float64) - zero) * 0.0625
    exact = np.rint(x / (1 + np.exp(-x)) / float(np.float32(0.03))) + zero
    apart = np.abs(found.astype(np.float64) - np.clip(exact, limits.min, limits.max))
    assert apart.max() <= 1
    assert (apart > 0).mean() < 0.01
