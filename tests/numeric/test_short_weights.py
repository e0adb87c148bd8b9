"""Products of floats with weights of 4 and 8 bits: against sums in f64, ONNX Runtime, and the size of their file.

The oracle dequantises in f64 and multiplies there; no code of mlc computes it. Where the other factor is rounded to
eight bits, too, it rounds in f32 as the model says it, and multiplies what that gives.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import mlc

Array = NDArray[Any]
Run = Callable[..., list[Array]]
MACHINES = ("native", "x86-64-v2", "haswell", "x86-64-v4", "neoverse-n1", "cortex-a72")
SHAPES = ((1, 256, 128), (1, 500, 67), (3, 321, 70), (9, 130, 129), (20, 512, 48), (1, 129, 1000), (37, 320, 210))


ROUNDED = (
    *((2, 16, False), (2, 64, True), (4, 16, True), (4, 32, True), (4, 32, False), (4, 128, False)),
    *((8, 32, True), (8, 64, False)),
)
"""Bits, groups and whether zero points are one, where the other factor is rounded."""


@dataclass(frozen=True)
class Weights:
    """A matrix `[k, n]` in groups of rows, the last of which may be shorter: `(integers - zero) * scale`."""

    bits: int
    integers: Array
    scale: Array
    zero: Array
    group: int

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        k, n = self.integers.shape
        return k, n

    def floats(self) -> Array:
        """The matrix, in f64."""
        scale, zero = (np.repeat(a.astype(np.float64), self.group, 0)[: len(self.integers)] for a in self._parameters)
        with np.errstate(invalid="ignore"):
            return (self.integers.astype(np.float64) - zero) * scale

    @property
    def _parameters(self) -> tuple[Array, Array]:
        return self.scale, self.zero

    def text(self, m: int, rounds: bool = False, by_row: bool = False) -> str:
        """A module that multiplies its argument with the matrix: dequantised group by group, reshaped and sliced.

        The argument may be rounded to eight bits first, or be integers of these, with a scale and a zero point for each
        row, which are arguments, too.
        """
        (k, n), groups = self.shape, len(self.scale)
        whole = groups * self.group
        padded = np.zeros((whole, n), np.uint8)
        padded[:k] = self.integers
        wide, matrix = f"tensor<{groups}x{self.group}x{n}xf32>", f"tensor<{k}x{n}xf32>"
        shapes = f"{groups}x{self.group}x{n}xui8", f"{groups}x1x{n}xf32", f"{groups}x1x{n}xui8"
        parts = [f"tensor<{shape}>" for shape in shapes]
        data = padded, self.scale.astype(np.float32), self.zero.astype(np.uint8)
        constants = "\n  ".join(
            f'%c{i} = graph.constant dense<"0x{a.tobytes().hex()}"> : {kind}'
            for i, (a, kind) in enumerate(zip(data, parts, strict=True))
        )
        rounding, x = (_rounding(m, k, self.group), "%rounded") if rounds else ("", "%x")
        arguments = f"%x: tensor<{m}x{k}xf32>"
        if by_row:
            kinds = f"tensor<{m}x{k}xi8>", f"tensor<{m}x1xf32>", f"tensor<{m}x1xi8>"
            arguments = ", ".join(f"%a{i}: {kind}" for i, kind in enumerate(kinds))
            rounding, x = f"\n  %f = graph.dequantize %a0, %a1, %a2 : {', '.join(kinds)} -> tensor<{m}x{k}xf32>", "%f"
        return f"""func.func @main({arguments}) -> tensor<{m}x{n}xf32> {{
  {constants}{rounding}
  %d = graph.dequantize %c0, %c1, %c2 : {", ".join(parts)} -> {wide}
  %r = graph.reshape %d : {wide} -> tensor<{whole}x{n}xf32>
  %w = graph.slice %r starts [0, 0] ends [{k}, {n}] strides [1, 1] : tensor<{whole}x{n}xf32> -> {matrix}
  %y = graph.matmul {x}, %w : tensor<{m}x{k}xf32>, {matrix} -> tensor<{m}x{n}xf32>
  return %y : tensor<{m}x{n}xf32>
}}
"""


def _rounding(m: int, k: int, group: int) -> str:
    """Lines that round `%x` to integers from -127 to 127 times a scale for each row and group."""
    groups = -(-k // group)
    whole, apart = f"tensor<{m}x{groups * group}xf32>", f"tensor<{m}x{groups}x{group}xf32>"
    scale, integers = f"tensor<{m}x{groups}x1xf32>", f"tensor<{m}x{groups}x{group}xi8>"
    return f"""
  %padded = graph.pad %x low [0, 0] high [0, {groups * group - k}] with 0.0 : f32 : tensor<{m}x{k}xf32> -> {whole}
  %apart = graph.reshape %padded : {whole} -> {apart}
  %sizes = graph.abs %apart : {apart}
  %largest = graph.reduce max %sizes axes [2] keepdims : {apart} -> {scale}
  %most = graph.constant dense<127.0> : tensor<f32>
  %least = graph.constant dense<1.17549435e-38> : tensor<f32>
  %zero = graph.constant dense<0> : tensor<i8>
  %steps = graph.div %largest, %most : {scale}, tensor<f32> -> {scale}
  %scale = graph.max %steps, %least : {scale}, tensor<f32> -> {scale}
  %integers = graph.quantize %apart, %scale, %zero : {apart}, {scale}, tensor<i8> -> {integers}
  %floats = graph.dequantize %integers, %scale, %zero : {integers}, {scale}, tensor<i8> -> {apart}
  %joined = graph.reshape %floats : {apart} -> {whole}
  %rounded = graph.slice %joined starts [0, 0] ends [{m}, {k}] strides [1, 1] : {whole} -> tensor<{m}x{k}xf32>"""


def rounded(x: Array, group: int) -> Array:
    """What these lines compute, in f64: steps are a 127th of the largest number of a group, in f32."""
    m, k = x.shape
    apart = np.pad(x, [(0, 0), (0, -k % group)]).reshape(m, -1, group)
    scale = np.maximum(np.abs(apart).max(2, keepdims=True) / np.float32(127), np.finfo(np.float32).smallest_normal)
    assert scale.dtype == np.float32
    return (np.rint(apart / scale).astype(np.float64) * scale).reshape(m, -1)[:, :k]


def weights_of(bits: int, k: int, n: int, group: int | None, symmetric: bool, seed: int = 0) -> Weights:
    """Random weights of ui8; groups of None rows are whole columns."""
    rng, most = np.random.default_rng(seed), (1 << bits) - 1
    size = group or k
    groups = -(-k // size)
    zero = np.full((groups, n), 1 << bits - 1) if symmetric else rng.integers(0, most + 1, (groups, n))
    if not symmetric:
        zero[:, 0], zero[:, -1] = 0, most
    scale = rng.uniform(0.001, 0.02, (groups, n)) * rng.choice([-1, 1], (groups, n))
    return Weights(bits, rng.integers(0, most + 1, (k, n)), scale.astype(np.float32), zero, size)


def check(found: Array, x: Array, weights: Weights) -> None:
    """Off by a few roundings of f32 for each term, of the sum of the sizes of what is added."""
    wide, matrix = x.astype(np.float64), weights.floats()
    # A zero point is subtracted from sums of products with the integers, or from the integers.
    scale = np.repeat(np.abs(weights.scale.astype(np.float64)), weights.group, 0)[: len(matrix)]
    size = np.abs(wide) @ (np.abs(matrix) + (1 << weights.bits) * scale)
    assert found.dtype == np.float32
    assert (np.abs(found - wide @ matrix) <= 2.0**-24 * (8 + len(matrix) / 8) * size).all()


@pytest.mark.sampled(10)
@pytest.mark.parametrize("target", MACHINES)
@pytest.mark.parametrize("bits, group, symmetric", [*product((4, 8), (32, 64, 128, None), (True, False))])
def test_every_format(bits: int, group: int | None, symmetric: bool, target: str, run_compiled: Run) -> None:
    for number, (m, k, n) in enumerate(SHAPES):
        weights = weights_of(bits, k, n, group, symmetric, number)
        x = np.random.default_rng(number).standard_normal((m, k)).astype(np.float32)
        module = mlc.parse(weights.text(m))
        (found,) = run_compiled(module, [x], target)
        check(found, x, weights)


@pytest.mark.sampled(9)
@pytest.mark.parametrize("target", (*MACHINES, "znver4", "sapphirerapids"))
@pytest.mark.parametrize("bits, group, symmetric", ROUNDED)
def test_both_factors_are_integers(bits: int, group: int, symmetric: bool, target: str, run_compiled: Run) -> None:
    for number, (m, k, n) in enumerate(((1, 500, 67), (33, 256, 65), (3, 321, 70))):
        weights = weights_of(bits, k, n, group, symmetric, number)
        x = np.random.default_rng(number).standard_normal((m, k)).astype(np.float32)
        x *= np.float32(10.0) ** np.arange(m, dtype=np.float32)[:, None]
        (found,) = run_compiled(mlc.parse(weights.text(m, rounds=True)), [x], target)
        check(found, rounded(x, group), weights)


@pytest.mark.sampled(10)
@pytest.mark.parametrize("target", (*MACHINES, "znver4", "sapphirerapids"))
@pytest.mark.parametrize("bits, group, symmetric", [*ROUNDED, (4, None, False), (8, None, True)])
def test_rows_with_zero_points(bits: int, group: int | None, symmetric: bool, target: str, run_compiled: Run) -> None:
    """Integers with a scale and a zero point for each row, as activations that are quantised by token."""
    for number, (m, k, n) in enumerate(((1, 500, 67), (33, 256, 65), (3, 321, 70))):
        weights = weights_of(bits, k, n, group, symmetric, number)
        rng = np.random.default_rng(number)
        integers, zero = rng.integers(-128, 128, (m, k), np.int8), rng.integers(-128, 128, (m, 1), np.int8)
        scale = (np.float32(10.0) ** rng.uniform(-3, 2, (m, 1))).astype(np.float32)
        (found,) = run_compiled(mlc.parse(weights.text(m, by_row=True)), [integers, scale, zero], target)
        x, most = (integers.astype(np.float64) - zero) * scale, 2.0**-24 * (16 + k / 8)
        sizes = (np.abs(integers.astype(np.float64)) + np.abs(zero.astype(np.float64))) * scale
        bound = sizes @ (np.abs(weights.floats()) + (1 << bits) * np.abs(weights.scale).max())
        assert (np.abs(found - x @ weights.floats()) <= most * bound).all()


@pytest.mark.parametrize("bits", [2, 4, 8])
@pytest.mark.parametrize("factor", [0.0, 1e-45, 1e-38, 1e-30, 1e35])
def test_rounded_rows_at_the_ends(factor: float, bits: int, run_compiled: Run) -> None:
    """A group of zeros, and groups of very small and very large numbers."""
    weights = weights_of(bits, 256, 80, 32, False)
    x = np.random.default_rng(5).standard_normal((2, 256)).astype(np.float32)
    x[0] *= np.float32(factor)
    x[1, 32:64] *= np.float32(factor)
    (found,) = run_compiled(mlc.parse(weights.text(2, rounds=True)), [x])
    exact, least = rounded(x, 32), np.finfo(np.float32).smallest_normal.item()
    wide = np.abs(exact) @ np.abs(weights.floats()) + 256 * least  # what is subnormal may be off by as much as it is
    assert (np.abs(found - exact @ weights.floats()) <= 2.0**-17 * (1 << bits) * wide).all()


@pytest.mark.parametrize("bits", [4, 8])
@pytest.mark.parametrize("value", [np.inf, -np.inf, np.nan])
def test_rounded_rows_that_are_not_finite(value: float, bits: int, run_compiled: Run) -> None:
    """Rows that have such a number give no finite result; others are what they are without it."""
    weights = weights_of(bits, 256, 80, 32, False)
    x = np.random.default_rng(6).standard_normal((3, 256)).astype(np.float32)
    x[1, 100] = value
    (found,) = run_compiled(mlc.parse(weights.text(3, rounds=True)), [x])
    assert not np.isfinite(found[1]).any()
    check(found[::2], rounded(x[::2], 32), weights)


@pytest.mark.parametrize("bits", [4, 8])
@pytest.mark.parametrize("opt_level", range(4))
def test_levels_agree(opt_level: int, bits: int, run_compiled: Run) -> None:
    weights = weights_of(bits, 200, 130, 32, False)
    x = np.random.default_rng(1).standard_normal((2, 200)).astype(np.float32)
    (found,) = run_compiled(mlc.parse(weights.text(2)), [x], opt_level=opt_level)
    check(found, x, weights)


@pytest.mark.parametrize("bits, zero", [*product((4, 8), (0, 1))])
def test_zero_points_at_both_ends(bits: int, zero: int, run_compiled: Run) -> None:
    """All weights have the least integer, or the greatest, and the zero point is the other one."""
    k, n, most = 256, 80, (1 << bits) - 1
    for integer in (0, most):
        shape = (k // 32, n)
        scale, zeros = np.full(shape, 0.5, np.float32), np.full(shape, zero * most)
        weights = Weights(bits, np.full((k, n), integer), scale, zeros, 32)
        x = np.random.default_rng(2).standard_normal((1, k)).astype(np.float32)
        check(run_compiled(mlc.parse(weights.text(1)), [x])[0], x, weights)


@pytest.mark.parametrize("bits", [4, 8])
@pytest.mark.parametrize("scale", [0.0, 1e-45, 1e-40, 1e30, 3e38, np.inf, -np.inf, np.nan])
def test_scales_at_the_ends(scale: float, bits: int, run_compiled: Run) -> None:
    """A group of each column has that scale; where weights are not finite, results are those of floats."""
    weights = weights_of(bits, 256, 80, 32, False)
    weights.scale[3, ::2] = scale
    x = np.random.default_rng(3).standard_normal((1, 256)).astype(np.float32) * np.float32(0.01)
    (found,) = run_compiled(mlc.parse(weights.text(1)), [x])
    with np.errstate(all="ignore"):
        matrix = weights.floats().astype(np.float32).astype(np.float64)
        want = (x.astype(np.float64) @ matrix).astype(np.float32)
        if np.isfinite(matrix).all():
            check(found, x, weights)
        else:
            np.testing.assert_array_equal(np.isfinite(found), np.isfinite(want))
            np.testing.assert_array_equal(np.isnan(found), np.isnan(want))


def _artifact(text: str, path: Path) -> int:
    """The size of what a module becomes."""
    mlc.compile(mlc.parse(text)).save(path)
    return path.stat().st_size


@pytest.mark.parametrize("symmetric", [True, False])
@pytest.mark.parametrize("bits, group", [*product((4, 8), (32, 128, None))])
def test_weights_stay_short_in_the_artifact(bits: int, group: int | None, symmetric: bool, tmp_path: Path) -> None:
    """1.05 times what numbers, scales and zero points take, and 200 kB; as floats they would take 4 or 8 times that."""
    k, n = 2048, 1024
    weights = weights_of(bits, k, n, group, symmetric)
    groups = len(weights.scale)
    least = k * n * bits // 8 + 4 * groups * n + (0 if symmetric else groups * n * bits // 8)
    size = _artifact(weights.text(1), tmp_path / "model.so")
    assert least <= size <= 1.05 * least + 200_000


@pytest.mark.parametrize("bits, zeros, m", [*product((4, 8), (False, True), (1, 5))])
def test_beside_onnx_runtime(bits: int, zeros: bool, m: int, tmp_path: Path) -> None:
    """Odd extents, groups that do not divide, and the file's size."""
    onnx: Any = pytest.importorskip("onnx")
    runtime: Any = pytest.importorskip("onnxruntime")
    helper, rng = onnx.helper, np.random.default_rng(m)
    for (k, n), block in product(((257, 131), (1000, 333)), (16, 32, 64, 128)):
        blocks = -(-k // block)
        held = {
            "w": rng.integers(0, 256, (n, blocks, block * bits // 8), dtype=np.uint8),
            "s": rng.uniform(0.001, 0.02, n * blocks).astype(np.float32),
        }
        if zeros:
            held["z"] = rng.integers(0, 256, n * -(-blocks * bits // 8), dtype=np.uint8)
        node = helper.make_node(
            "MatMulNBits", ["x", *held], ["y"], domain="com.microsoft", K=k, N=n, bits=bits, block_size=block
        )
        values = [
            helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, shape)
            for name, shape in (("x", (m, k)), ("y", (m, n)))
        ]
        initializers = [onnx.numpy_helper.from_array(a, name) for name, a in held.items()]
        graph = helper.make_graph([node], "g", values[:1], values[1:], initializers)
        opsets = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
        path = tmp_path / f"{k}_{block}.onnx"
        onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=8), path)
        x = rng.standard_normal((m, k)).astype(np.float32)
        options = runtime.SessionOptions()
        options.log_severity_level = 4
        (want,) = runtime.InferenceSession(str(path), options).run(None, {"x": x})
        model = mlc.compile(path)
        np.testing.assert_allclose(model(x), want, atol=2e-6 * np.abs(want).max() * k**0.5)
        model.save(tmp_path / "model.so")
        assert (tmp_path / "model.so").stat().st_size <= 1.05 * path.stat().st_size + 200_000


@pytest.mark.parametrize("threads", [1, 2])
def test_threads_share_columns(threads: int) -> None:
    weights = weights_of(4, 1024, 1500, 64, True)
    x = np.random.default_rng(4).standard_normal((1, 1024)).astype(np.float32)
    found: Any = mlc.compile(mlc.parse(weights.text(1)), threads=threads)(x)
    check(found, x, weights)
