"""Sums of many numbers are as good as docs/numbers.md says: the error is that of a few hundred additions.

The oracle is NumPy's sum in f64. All numbers are alike, so that errors add up instead of cancelling.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import mlc
from mlc.tests.conftest import CommandLine

Array = NDArray[Any]
Run = Callable[..., list[Array]]

UNIT = 2.0**-24
"""Half of the distance from 1 to the next f32."""
SUM, PRODUCT = 1100, 3200
"""How many additions follow each other, at most, in sums of up to 2^24 numbers, and in products of matrices."""


def _reduce(shape: tuple[int, ...], axes: list[int], kind: str = "mean") -> str:
    given = "x".join(map(str, shape)) + "xf32"
    made = "".join(f"{n}x" for axis, n in enumerate(shape) if axis not in axes) + "f32"
    return (
        f"func.func @main(%x: tensor<{given}>) -> tensor<{made}> {{\n"
        f"  %0 = graph.reduce {kind} %x axes {axes} : tensor<{given}> -> tensor<{made}>\n"
        f"  return %0 : tensor<{made}>\n}}\n"
    )


def _error(found: Array, expected: Any) -> float:
    return float(np.max(np.abs(found.astype(np.float64) - expected) / np.abs(expected)))


@pytest.mark.parametrize("opt_level", [0, 1, 3])
def test_a_mean(opt_level: int, run_compiled: Run) -> None:
    """Of 2^24 times 0.1: one after the other, it is off by a percent and more."""
    x = np.full(1 << 24, 0.1, np.float32)
    (found,) = run_compiled(mlc.parse(_reduce(x.shape, [0])), [x], "native", opt_level)
    assert _error(found, x.astype(np.float64).mean()) < 3e-6


def test_smaller_blocks(tmp_path: Path, mlc_opt: CommandLine) -> None:
    """As the page says: loops first, then blocks of 16. On the model itself the option does nothing, and says so."""
    x = np.full(1 << 24, 0.1, np.float32)
    (tmp_path / "model.mlir").write_text(_reduce(x.shape, [0]), encoding="utf-8")
    at_once = mlc_opt(str(tmp_path / "model.mlir"), "--blocked-summation=terms=16")
    assert "--blocked-summation changed nothing: it works at the loop level" in at_once.err
    loops, accurate = str(tmp_path / "loops.mlir"), str(tmp_path / "accurate.mlir")
    assert not mlc_opt(str(tmp_path / "model.mlir"), "-O3", "--emit=mlir:loop", "-o", loops).status
    assert not mlc_opt(loops, "--blocked-summation=terms=16", "-o", accurate).status
    (found,) = mlc.compile(accurate).run({"x": x}).values()
    assert _error(found, x.astype(np.float64).mean()) < 4e-7


@pytest.mark.parametrize("opt_level", [0, 3])
@pytest.mark.parametrize(
    ("shape", "axes"),
    [((3, 1000003), [1]), ((2, 700, 1111), [1, 2]), ((200003, 5), [0]), ((70001, 40), [0]), ((2, 100000, 3), [1])],
)
def test_means_along_axes(shape: tuple[int, ...], axes: list[int], opt_level: int, run_compiled: Run) -> None:
    x = np.full(shape, 0.1, np.float32)
    (found,) = run_compiled(mlc.parse(_reduce(shape, axes)), [x], "native", opt_level)
    assert _error(found, x.mean(tuple(axes), np.float64)) < SUM * UNIT


@pytest.mark.parametrize("opt_level", [0, 3])
def test_softmax(opt_level: int, run_compiled: Run) -> None:
    """The denominators are sums: of equal numbers, 1 / n is what comes out."""
    kind = "tensor<2x300000xf32>"
    text = (
        f"func.func @main(%x: {kind}) -> {kind} {{\n  %0 = graph.softmax %x axis 1 : {kind}\n  return %0 : {kind}\n}}\n"
    )
    x = np.full((2, 300000), 0.3, np.float32)
    (found,) = run_compiled(mlc.parse(text), [x], "native", opt_level)
    assert _error(found, 1 / 300000) < SUM * UNIT


@pytest.mark.parametrize("opt_level", [0, 3])
@pytest.mark.parametrize("rows", [1, 7])
def test_products(rows: int, opt_level: int, run_compiled: Run) -> None:
    depth = 100_000
    left, right, made = f"tensor<{rows}x{depth}xf32>", f"tensor<{depth}x9xf32>", f"tensor<{rows}x9xf32>"
    text = (
        f"func.func @main(%x: {left}, %w: {right}) -> {made} {{\n"
        f"  %0 = graph.matmul %x, %w : {left}, {right} -> {made}\n  return %0 : {made}\n}}\n"
    )
    x, w = np.full((rows, depth), 0.1, np.float32), np.full((depth, 9), 0.7, np.float32)
    (found,) = run_compiled(mlc.parse(text), [x, w], "native", opt_level)
    assert _error(found, x.astype(np.float64) @ w.astype(np.float64)) < PRODUCT * UNIT / 10
