"""Quantised types of StableHLO, beside the formulas of the specification in f64, which NumPy computes.

`dequantize(q) = (q - zero point) * scale`, `quantize(x) = clamp(round_half_even(x / scale) + zero point)`; an op
dequantises its operands, computes, and quantises its results.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import mlc
from mlc.tools import mlc_opt

Array = NDArray[Any]


@dataclass(frozen=True)
class Kind:
    """A quantised type, and the arrays that have it."""

    storage: str = "i8"
    scales: tuple[float, ...] = (0.1,)
    zeros: tuple[int, ...] = (3,)
    axis: int | None = None
    limits: tuple[int, int] | None = None
    """The least and the largest integer, if they are not those of the storage."""

    def text(self) -> str:
        """As it is written."""
        limits = "" if self.limits is None else f"<{self.limits[0]}:{self.limits[1]}>"
        pairs = [f"{scale}:{zero}" for scale, zero in zip(self.scales, self.zeros, strict=True)]
        numbers = pairs[0] if self.axis is None else f"{{{', '.join(pairs)}}}"
        return f"!quant.uniform<{self.storage}{limits}:f32{'' if self.axis is None else f':{self.axis}'}, {numbers}>"

    def of(self, *shape: int) -> str:
        """A tensor type."""
        return f"tensor<{''.join(f'{extent}x' for extent in shape)}{self.text()}>"

    @property
    def dtype(self) -> Any:
        """Of an array."""
        bits = max(8, int(self.storage[1:]))
        return np.dtype(f"{'u' if self.storage[0] == 'u' else ''}int{bits}")

    @property
    def bounds(self) -> tuple[int, int]:
        """The least and the largest integer."""
        bits = int(self.storage[1:])
        plain = (0, 2**bits - 1) if self.storage[0] == "u" else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
        return self.limits or plain

    def draw(self, rng: np.random.Generator, *shape: int) -> Array:
        """Integers of all sizes."""
        return rng.integers(self.bounds[0], self.bounds[1] + 1, shape).astype(self.dtype)

    def _parameters(self, rank: int) -> tuple[Array, Array]:
        shape = [-1 if i == self.axis else 1 for i in range(0 if self.axis is None else rank)]
        return np.asarray(self.scales, np.float32).astype(np.float64).reshape(shape), np.asarray(self.zeros).reshape(
            shape
        )

    def dequantize(self, q: Array) -> Array:
        """Of the specification, in f64."""
        scale, zero = self._parameters(q.ndim)
        return (q.astype(np.float64) - zero) * scale

    def quantize(self, x: Array) -> Array:
        """Of the specification, in f64."""
        scale, zero = self._parameters(x.ndim)
        return np.clip(np.rint(x / scale) + zero, *self.bounds).astype(self.dtype)


A, B = Kind(), Kind("u8", (0.07,), (131,))
NARROW, FOUR = Kind("i8", (0.05,), (0,), None, (-127, 127)), Kind("i4", (0.9,), (-2,))
WIDE = Kind("i32", (0.0035,), (0,))
CHANNELS = Kind("i8", (0.03, 0.01, 0.05, 0.02), (0, 0, 0, 0), 1, (-127, 127))
ROWS = Kind("i8", (0.3, 0.1, 0.5), (1, -20, 127), 0)


def _run(text: str, tmp_path: Path, *inputs: Array, checked: bool = True) -> list[Array]:
    path = tmp_path / "model.mlir"
    path.write_text(text)
    if checked:
        assert (
            mlc_opt.main([str(path), "-O3", "--emit=mlir:tensor", "--check-each", "-o", str(tmp_path / "o.mlir")]) == 0
        )
    found: Any = mlc.compile(path)(*inputs)
    return [found] if isinstance(found, np.ndarray) else list(found)


def _close(found: Array, wanted: Array, most_off: float = 0.002) -> None:
    """The same integers, but for a few next to the middle between two steps."""
    assert found.dtype == wanted.dtype
    off = np.abs(found.astype(np.int64) - wanted.astype(np.int64))
    assert off.max() <= 1 and np.count_nonzero(off) <= most_off * off.size + 1


_BINARY: dict[str, Callable[[Array, Array], Array]] = {
    "add": np.add, "subtract": np.subtract, "multiply": np.multiply, "maximum": np.maximum, "minimum": np.minimum,
    "divide": lambda x, y: x / np.where(y == 0, 1, y),
}  # fmt: skip
_KINDS = [(A, A, A), (A, B, NARROW), (B, NARROW, FOUR), (FOUR, A, B), (ROWS, A, ROWS), (A, A, WIDE)]


@pytest.mark.sampled(9)
@pytest.mark.parametrize("name", _BINARY)
@pytest.mark.parametrize("kinds", _KINDS, ids=range(len(_KINDS)))
def test_two_operands(name: str, kinds: tuple[Kind, Kind, Kind], tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    a, b, c = kinds
    x, y = a.draw(rng, 3, 67), b.draw(rng, 3, 67)
    if name == "divide":
        y[b.dequantize(y) == 0] = b.bounds[1]
    types = [kind.of(3, 67) for kind in kinds]
    text = f"""func.func @main(%x: {types[0]}, %y: {types[1]}) -> {types[2]} {{
      %0 = stablehlo.{name} %x, %y : ({types[0]}, {types[1]}) -> {types[2]}
      return %0 : {types[2]}
    }}"""
    wanted = c.quantize(_BINARY[name](a.dequantize(x), b.dequantize(y)))
    _close(_run(text, tmp_path, x, y)[0], wanted, 0.01)


_UNARY: dict[str, Callable[[Array], Array]] = {
    "tanh": np.tanh, "logistic": lambda x: 1 / (1 + np.exp(-x)), "negate": np.negative, "abs": np.abs,
    "exponential": np.exp, "floor": np.floor, "sign": np.sign,
}  # fmt: skip


@pytest.mark.parametrize("name", _UNARY)
def test_one_operand(name: str, tmp_path: Path) -> None:
    x = np.arange(-128, 128, dtype=np.int8)
    text = f"""func.func @main(%x: {A.of(256)}) -> {B.of(256)} {{
      %0 = stablehlo.{name} %x : ({A.of(256)}) -> {B.of(256)}
      return %0 : {B.of(256)}
    }}"""
    numbers = A.dequantize(x).astype(np.float32).astype(np.float64)  # `floor` would tell them from those of f64
    _close(_run(text, tmp_path, x)[0], B.quantize(_UNARY[name](numbers)))


@pytest.mark.parametrize("kind", [A, B, NARROW, FOUR, WIDE, ROWS, Kind("u16", (1e-4,), (65535,))], ids=Kind.text)
def test_there_and_back(kind: Kind, tmp_path: Path) -> None:
    """And from one quantised type to another."""
    x = np.random.default_rng(2).normal(0, 6, (3, 80)).astype(np.float32)
    x[0, :4] = 1e9, -1e9, 0, kind.scales[0] * 2.5
    text = f"""func.func @main(%x: tensor<3x80xf32>) -> ({kind.of(3, 80)}, tensor<3x80xf32>, {B.of(3, 80)}) {{
      %0 = stablehlo.uniform_quantize %x : (tensor<3x80xf32>) -> {kind.of(3, 80)}
      %1 = stablehlo.uniform_dequantize %0 : ({kind.of(3, 80)}) -> tensor<3x80xf32>
      %2 = stablehlo.uniform_quantize %0 : ({kind.of(3, 80)}) -> {B.of(3, 80)}
      return %0, %1, %2 : {kind.of(3, 80)}, tensor<3x80xf32>, {B.of(3, 80)}
    }}"""
    q, y, r = _run(text, tmp_path, x)
    _close(q, kind.quantize(x.astype(np.float64)), 0.01)
    np.testing.assert_allclose(y, kind.dequantize(q), rtol=3e-7)
    _close(r, B.quantize(kind.dequantize(q)), 0.01)


def _product(weights: Array, x: Kind, w: Kind, result: Kind) -> str:
    data = str(weights.tolist())
    k, n = weights.shape
    return f"""func.func @main(%x: {x.of(9, k)}) -> {result.of(9, n)} {{
      %w = stablehlo.constant() <{{value = dense<{data}> : tensor<{k}x{n}xi8>}}> : () -> {w.of(k, n)}
      %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
        : ({x.of(9, k)}, {w.of(k, n)}) -> {result.of(9, n)}
      return %0 : {result.of(9, n)}
    }}"""


@pytest.mark.parametrize("result", [A, Kind("i32", (0.002,), (0,))], ids=Kind.text)
@pytest.mark.parametrize("w", [NARROW, CHANNELS], ids=Kind.text)
@pytest.mark.parametrize("x", [A, B], ids=Kind.text)
def test_products(x: Kind, w: Kind, result: Kind, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rng = np.random.default_rng(4)
    values, weights = x.draw(rng, 9, 64), w.draw(rng, 64, 4)
    text = _product(weights, x, w, result)
    wanted = result.quantize(x.dequantize(values) @ w.dequantize(weights))
    is_wide = result.storage == "i32"  # steps are smaller than what sums of f32 are off
    found = _run(text, tmp_path, values, checked=not is_wide)[0]
    if is_wide:
        np.testing.assert_allclose(found, wanted, rtol=3e-7, atol=1)
    else:
        _close(found, wanted)
    capsys.readouterr()
    mlc_opt.main([str(tmp_path / "model.mlir"), "-O3", "--emit=mlir:graph", "--target=sapphirerapids"])
    assert "tensor<9x64xui8>, tensor<64x4xi8> -> tensor<9x4xi32>" in capsys.readouterr().out


def test_convolutions(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Padding is the number 0, which the zero point stands for."""
    rng = np.random.default_rng(4)
    kind = Kind("i8", (0.03, 0.01, 0.05, 0.02), (0, 0, 0, 0), 3, (-127, 127))
    image, weights = B.draw(rng, 1, 6, 7, 8), kind.draw(rng, 3, 3, 8, 4)
    data = f"dense<{weights.tolist()}> : tensor<3x3x8x4xi8>"
    text = f"""func.func @main(%x: {B.of(1, 6, 7, 8)}) -> {A.of(1, 6, 7, 4)} {{
      %w = stablehlo.constant() <{{value = {data}}}> : () -> {kind.of(3, 3, 8, 4)}
      %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
        window = {{pad = [[1, 1], [1, 1]]}} {{batch_group_count = 1 : i64, feature_group_count = 1 : i64}}
        : ({B.of(1, 6, 7, 8)}, {kind.of(3, 3, 8, 4)}) -> {A.of(1, 6, 7, 4)}
      return %0 : {A.of(1, 6, 7, 4)}
    }}"""
    padded = np.pad(B.dequantize(image), ((0, 0), (1, 1), (1, 1), (0, 0)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), (1, 2))
    wanted = A.quantize(np.einsum("bhwcij,ijco->bhwo", windows, kind.dequantize(weights)))
    _close(_run(text, tmp_path, image)[0], wanted, 0.01)
    capsys.readouterr()
    mlc_opt.main([str(tmp_path / "model.mlir"), "-O3", "--emit=mlir:graph", "--target=sapphirerapids"])
    assert "-> tensor<1x6x7x4xi32>" in capsys.readouterr().out


def test_what_moves_integers(tmp_path: Path) -> None:
    """Integers that numbers of a subnormal scale would not survive."""
    k = Kind("i8", (1e-41,), (5,))
    t = k.of
    text = f"""func.func @main(%x: {t(4, 6)}, %y: {t(4, 6)}) -> ({t(6, 4)}, {t(24)}, {t(4, 12)}, {t(2, 3)}, {t(8, 6)},
        {t(2, 4, 6)}, {t(4, 6)}, {t(4, 6)}, {t(4)}) {{
      %low = stablehlo.constant() <{{value = dense<-7> : tensor<i8>}}> : () -> {t()}
      %high = stablehlo.constant() <{{value = dense<90> : tensor<i8>}}> : () -> {t()}
      %least = stablehlo.constant() <{{value = dense<-128> : tensor<i8>}}> : () -> {t()}
      %0 = stablehlo.transpose %x, dims = [1, 0] : ({t(4, 6)}) -> {t(6, 4)}
      %1 = stablehlo.reshape %x : ({t(4, 6)}) -> {t(24)}
      %2 = stablehlo.concatenate %x, %y, dim = 1 : ({t(4, 6)}, {t(4, 6)}) -> {t(4, 12)}
      %3 = stablehlo.slice %x [1:3, 0:6:2] : ({t(4, 6)}) -> {t(2, 3)}
      %4 = stablehlo.pad %x, %low, low = [1, 0], high = [3, 0], interior = [0, 0] : ({t(4, 6)}, {t()}) -> {t(8, 6)}
      %5 = stablehlo.broadcast_in_dim %x, dims = [1, 2] : ({t(4, 6)}) -> {t(2, 4, 6)}
      %6 = stablehlo.clamp %low, %x, %high : ({t()}, {t(4, 6)}, {t()}) -> {t(4, 6)}
      %p = stablehlo.compare GT, %x, %y : ({t(4, 6)}, {t(4, 6)}) -> tensor<4x6xi1>
      %7 = stablehlo.select %p, %x, %y : tensor<4x6xi1>, {t(4, 6)}
      %8 = stablehlo.reduce(%x init: %least) applies stablehlo.maximum across dimensions = [1]
        : ({t(4, 6)}, {t()}) -> {t(4)}
      return %0, %1, %2, %3, %4, %5, %6, %7, %8 : {t(6, 4)}, {t(24)}, {t(4, 12)}, {t(2, 3)}, {t(8, 6)},
        {t(2, 4, 6)}, {t(4, 6)}, {t(4, 6)}, {t(4)}
    }}"""
    rng = np.random.default_rng(4)
    x, y = k.draw(rng, 4, 6), k.draw(rng, 4, 6)
    wanted = [
        x.T, x.reshape(24), np.concatenate([x, y], 1), x[1:3, ::2], np.pad(x, ((1, 3), (0, 0)), constant_values=-7),
        np.broadcast_to(x, (2, 4, 6)), np.clip(x, -7, 90), np.maximum(x, y), x.max(1),
    ]  # fmt: skip
    for a, b in zip(_run(text, tmp_path, x, y), wanted, strict=True):
        np.testing.assert_array_equal(a, b)


def test_max_pools_stay_integers(tmp_path: Path) -> None:
    t = A.of
    text = f"""func.func @main(%x: {t(1, 6, 8, 3)}) -> {t(1, 3, 4, 3)} {{
      %least = stablehlo.constant() <{{value = dense<-128> : tensor<i8>}}> : () -> {t()}
      %0 = "stablehlo.reduce_window"(%x, %least) ({{
      ^bb0(%a: {t()}, %b: {t()}):
        %m = stablehlo.maximum %a, %b : {t()}
        stablehlo.return %m : {t()}
      }}) {{window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 2, 2, 1>}}
        : ({t(1, 6, 8, 3)}, {t()}) -> {t(1, 3, 4, 3)}
      return %0 : {t(1, 3, 4, 3)}
    }}"""
    x = A.draw(np.random.default_rng(1), 1, 6, 8, 3)
    np.testing.assert_array_equal(_run(text, tmp_path, x)[0], x.reshape(1, 3, 2, 4, 2, 3).max((2, 4)))


def test_loops_carry_them(tmp_path: Path) -> None:
    t = A.of(5)
    text = f"""func.func @main(%x: {t}) -> {t} {{
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %one = stablehlo.constant dense<1> : tensor<i32>
      %count = stablehlo.constant dense<3> : tensor<i32>
      %0:2 = stablehlo.while(%i = %zero, %v = %x) : tensor<i32>, {t}
      cond {{
        %p = stablehlo.compare LT, %i, %count : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %p : tensor<i1>
      }} do {{
        %n = stablehlo.add %i, %one : tensor<i32>
        %w = stablehlo.add %v, %v : {t}
        stablehlo.return %n, %w : tensor<i32>, {t}
      }}
      return %0#1 : {t}
    }}"""
    x = np.asarray([3, 4, 2, 40, -128], np.int8)
    wanted = x
    for _ in range(3):
        wanted = A.quantize(2 * A.dequantize(wanted))
    np.testing.assert_array_equal(_run(text, tmp_path, x, checked=False)[0], wanted)
