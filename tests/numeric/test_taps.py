"""Depthwise convolutions of short integers on several machines, and their requantisation, against NumPy.

The oracles are written for these tests: sums of windows in i64, and roundings in f64.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import mlc

Array = NDArray[Any]
Run = Callable[..., list[Array]]

MACHINES = ("native", "x86-64-v2", "haswell", "x86-64-v4", "icelake-server", "neoverse-n1", "neoverse-v1", "cortex-a72")


@dataclass(frozen=True)
class Case:
    """A convolution of an image of `size` pixels, each of whose channels has a window of its own."""

    channels: int
    size: tuple[int, int]
    kernel: tuple[int, int] = (3, 3)
    stride: int = 1
    dilation: int = 1
    padding: int = 0
    zero: int = 0
    """What the padding is, as a number of the image."""
    image: str = "ui8"

    def text(self, weights: Array) -> str:
        """A module that computes it, with the padding in front."""
        (h, w), p, n = self.size, self.padding, self.channels
        kh, kw = self.kernel
        oh, ow = self.extents
        pixels, padded = f"tensor<1x{h}x{w}x{n}x{self.image}>", f"tensor<1x{h + 2 * p}x{w + 2 * p}x{n}x{self.image}>"
        kind, result = f"tensor<{kh}x{kw}x1x{n}xi8>", f"tensor<1x{oh}x{ow}x{n}xi32>"
        steps = (f"array<i64: {step}, {step}>" for step in (self.stride, self.dilation))
        numbers = ", ".join(f"{name} = {step}" for name, step in zip(("strides", "dilations"), steps, strict=True))
        return f"""func.func @main(%x: {pixels}) -> {result} {{
  %w = graph.constant dense<"0x{weights.tobytes().hex()}"> : {kind}
  %p = graph.pad %x low [0, {p}, {p}, 0] high [0, {p}, {p}, 0] with {self.zero} : {self.image} : {pixels} -> {padded}
  %y = graph.conv2d %p, %w {{groups = {n} : i64, {numbers}, layout = "NHWC"}} : {padded}, {kind} -> {result}
  return %y : {result}
}}
"""

    @property
    def extents(self) -> tuple[int, int]:
        """The size of the result."""
        (h, w), (kh, kw), p, d = self.size, self.kernel, self.padding, self.dilation
        return (h + 2 * p - d * (kh - 1) - 1) // self.stride + 1, (w + 2 * p - d * (kw - 1) - 1) // self.stride + 1

    def expected(self, image: Array, weights: Array) -> Array:
        """The sums of all windows."""
        p, (oh, ow) = self.padding, self.extents
        padded = np.pad(image.astype(np.int64), ((0, 0), (p, p), (p, p), (0, 0)), constant_values=self.zero)
        total = np.zeros((1, oh, ow, self.channels), np.int64)
        for ky in range(self.kernel[0]):
            for kx in range(self.kernel[1]):
                top, left = ky * self.dilation, kx * self.dilation
                window = padded[:, top :: self.stride, left :: self.stride][:, :oh, :ow]
                total += window * weights[ky, kx, 0].astype(np.int64)
        return total.astype(np.int32)


CASES = (
    *(Case(n, (5, 6)) for n in (1, 2, 3, 5, 7, 8, 15, 16, 17, 31, 32, 33, 65, 80, 130)),
    *(Case(n, (7, 7), padding=1, zero=zero, image=image) for n in (24, 33) for zero, image in ((0, "ui8"), (-5, "i8"))),
    *(Case(20, (9, 8), stride=s, padding=1, zero=200) for s in (1, 2, 3)),
    *(Case(40, (9, 12), dilation=d, padding=d, zero=3, image="i8") for d in (2, 3)),
    *(
        Case(48, (11, 10), kernel, stride, padding=2)
        for kernel in ((5, 5), (7, 7), (1, 4), (5, 2))
        for stride in (1, 2)
    ),
    *(Case(64, (h, w), padding=1, zero=9) for h, w in ((1, 1), (2, 9), (14, 14))),
)


def _operands(case: Case, rng: np.random.Generator) -> tuple[Array, Array]:
    dtype = np.uint8 if case.image == "ui8" else np.int8
    limits = np.iinfo(dtype)
    image = rng.integers(limits.min, limits.max + 1, (1, *case.size, case.channels)).astype(dtype)
    weights = rng.integers(-128, 128, (*case.kernel, 1, case.channels)).astype(np.int8)
    image[0, 0, 0], weights[0, 0] = limits.max, -128
    return image, weights


@pytest.mark.parametrize("target", MACHINES)
def test_windows_of_bytes(target: str, run_compiled: Run) -> None:
    rng = np.random.default_rng(11)
    for case in CASES[:: 1 if target == "native" else 4]:
        image, weights = _operands(case, rng)
        (found,) = run_compiled(mlc.parse(case.text(weights)), [image], target, 3)
        np.testing.assert_array_equal(found, case.expected(image, weights), str(case))


@pytest.mark.sampled(8)
@pytest.mark.parametrize("target", MACHINES)
@pytest.mark.parametrize(("kind", "zero"), [("ui8", 0), ("ui8", 131), ("i8", 0), ("i8", -128), ("i8", 77)])
def test_bytes_of_floats(target: str, kind: str, zero: int, run_compiled: Run) -> None:
    """What windows give is made bytes again: halves, the ends, and what is far beyond them."""
    case, rng = Case(96, (6, 6)), np.random.default_rng(3)
    image, weights = _operands(case, rng)
    text = case.text(weights).replace("return %y : tensor<1x4x4x96xi32>", f"return %q : tensor<1x4x4x96x{kind}>")
    text = text.replace("-> tensor<1x4x4x96xi32> {", f"-> tensor<1x4x4x96x{kind}> {{", 1)
    scale = np.float32(2.0) ** rng.integers(-9, 26, 96).astype(np.float32)
    made = f"""  %s = graph.constant dense<"0x{scale.tobytes().hex()}"> : tensor<96xf32>
  %one = graph.constant dense<1.0> : tensor<f32>
  %z = graph.constant dense<{zero}> : tensor<{kind}>
  %f = graph.cast %y : tensor<1x4x4x96xi32> -> tensor<1x4x4x96xf32>
  %m = graph.mul %f, %s : tensor<1x4x4x96xf32>, tensor<96xf32> -> tensor<1x4x4x96xf32>
  %q = graph.quantize %m, %one, %z : tensor<1x4x4x96xf32>, tensor<f32>, tensor<{kind}> -> tensor<1x4x4x96x{kind}>
  return %q"""
    (found,) = run_compiled(mlc.parse(text.replace("  return %q", made)), [image], target, 3)
    limits = np.iinfo(np.uint8 if kind == "ui8" else np.int8)
    exact = case.expected(image, weights).astype(np.float64) * scale
    np.testing.assert_array_equal(found, np.clip(np.rint(exact) + zero, limits.min, limits.max).astype(limits.dtype))


def test_bytes_of_any_floats(run_compiled: Run) -> None:
    """Packs are right for infinities and NaN, too, and beside each integer and each half."""
    near = (np.arange(-300, 600, dtype=np.float32) / 2).repeat(3)
    near[0::3], near[2::3] = np.nextafter(near[0::3], np.float32(-np.inf)), np.nextafter(near[2::3], np.float32(np.inf))
    far = np.array([np.inf, -np.inf, np.nan, -np.nan, 2**31, -(2.0**31), 2**32, 1e38, -1e38, 2**22, -0.0], np.float32)
    x = np.resize(np.concatenate([far, near]), 64 * 43).reshape(43, 64)
    text = """func.func private @k(%x: tensor<43x64xf32>) -> tensor<43x64xi8>
    attributes {schedule = #loop.schedule<[vectorize(n, 64)]>} {
  %0 = tensor.map %x[m, n] over (m: 43, n: 64) : tensor<43x64xf32> -> tensor<43x64xi8> {
  ^bb0(%v: f32):
    %low = arith.constant -7.0 : f32
    %high = arith.constant 248.0 : f32
    %unit = arith.constant 0x4B400000 : f32
    %zero = arith.constant -1262485497 : i32
    %more = arith.cmpf ogt, %v, %low : f32
    %a = arith.select %more, %v, %low : f32
    %less = arith.cmpf olt, %a, %high : f32
    %b = arith.select %less, %a, %high : f32
    %c = arith.addf %b, %unit : f32
    %d = arith.bitcast %c : f32 to i32
    %e = arith.addi %d, %zero : i32
    %f = arith.trunci %e : i32 to i8
    tensor.yield %f : i8
  }
  func.return %0 : tensor<43x64xi8>
}
func.func @main(%x: tensor<43x64xf32>) -> tensor<43x64xi8> {
  %0 = func.call @k(%x) : (tensor<43x64xf32>) -> tensor<43x64xi8>
  func.return %0 : tensor<43x64xi8>
}
"""
    with np.errstate(invalid="ignore"):
        limited = np.where(np.isnan(x), -7, np.clip(np.rint(x.astype(np.float64)), -7, 248))
    for target in ("native", "x86-64-v2", "haswell", "icelake-server"):
        (found,) = run_compiled(mlc.parse(text), [x], target, 3)
        np.testing.assert_array_equal(found, (limited + 7).astype(np.uint8).view(np.int8), target)
