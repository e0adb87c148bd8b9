"""`--precision bf16`: what is computed is what it says, on targets with and without instructions for bf16."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from ml_dtypes import bfloat16
from numpy.typing import NDArray

import mlc
from mlc.compiler.compilation import new_context
from mlc.pass_manager.manager import PassManager
from mlc.passes.graph.narrow_products import NarrowProductsPass

Array = NDArray[Any]

_TARGETS = ("native", "x86-64-v2", "haswell", "x86-64-v4", "znver4", "neoverse-v1", "cortex-a72")
_EPSILON = 2.0**-24


def _rounded(array: Array) -> Array:
    """To the nearest bf16, in f64."""
    return array.astype(bfloat16).astype(np.float64)


@pytest.mark.parametrize("target", _TARGETS)
@pytest.mark.parametrize(("m", "k", "n"), [(1, 33, 17), (7, 64, 48), (33, 130, 31), (3, 1, 5)])
def test_factors_are_rounded_once_and_sums_are_f32(
    run_compiled: Callable[..., list[Array]], target: str, m: int, k: int, n: int
) -> None:
    rng = np.random.default_rng([m, k, n])
    x, w = (rng.standard_normal(shape).astype(np.float32) for shape in ((m, k), (k, n)))
    numbers = ", ".join(f"[{', '.join(map(repr, map(float, row)))}]" for row in w)
    module = mlc.parse(f"""
    func.func @main(%x: tensor<{m}x{k}xf32>) -> tensor<{m}x{n}xf32> {{
      %w = graph.constant dense<[{numbers}]> : tensor<{k}x{n}xf32>
      %y = graph.matmul %x, %w : tensor<{m}x{k}xf32>, tensor<{k}x{n}xf32> -> tensor<{m}x{n}xf32>
      return %y : tensor<{m}x{n}xf32>
    }}""")
    PassManager(ctx := new_context(target)).run(module, [NarrowProductsPass(least_gain=0)])
    assert not ctx.warnings
    (found,) = run_compiled(module, [x], target)
    a, b = _rounded(x), _rounded(w)
    allowed = 2 * (k + 2) * _EPSILON * (np.abs(a) @ np.abs(b)) + 1e-30
    assert (np.abs(found - a @ b) <= allowed).all()


def test_the_option_compiles_what_the_pass_gives_and_weights_take_half(tmp_path: Any) -> None:
    rng = np.random.default_rng(0)
    w = rng.standard_normal((1024, 4096)).astype(np.float32)  # one row waits for its weights on every machine
    text = """
    func.func @main(%x: tensor<1x1024xf32>) -> tensor<1x4096xf32> {
      %w = graph.constant dense_resource<w> : tensor<1024x4096xf32>
      %y = graph.matmul %x, %w : tensor<1x1024xf32>, tensor<1024x4096xf32> -> tensor<1x4096xf32>
      return %y : tensor<1x4096xf32>
    }"""
    x = rng.standard_normal((1, 1024)).astype(np.float32)
    models = {p: mlc.compile(text, weights={"w": w}, precision=p) for p in ("f32", "bf16")}
    exact, short = (np.asarray(model(x)).reshape(1, 4096) for model in models.values())
    assert not np.array_equal(exact, short)
    np.testing.assert_allclose(short, _rounded(x) @ _rounded(w), atol=1e-3)
    with pytest.raises(mlc.UserError, match="found precision 'f8'; required: f32, bf16 or keep"):
        mlc.compile(text, weights={"w": w}, precision="f8")


@pytest.mark.parametrize("target", ["znver4", "sapphirerapids", "haswell", "neoverse-v1"])
@pytest.mark.parametrize("precision", ["f32", "bf16", "keep"])
def test_only_subnormal_numbers_may_become_zero_where_bf16_is_asked_for(
    run_compiled: Callable[..., list[Array]], target: str, precision: str
) -> None:
    """Bits of all kinds; infinities, NaN, and the ends of the numbers that are not subnormal."""
    bits = np.random.default_rng(9).integers(0, 1 << 32, 4101, dtype=np.uint32)
    ends = [0x00000000, 0x00000001, 0x007FFFFF, 0x00800000, 0x00807FFF, 0x00808000, 0x7F7F7FFF, 0x7F7F8000, 0x7F800000]
    bits[: 2 * len(ends)] = [sign | end for end in ends for sign in (0, 1 << 31)]
    bits[100:200] &= 0x807FFFFF  # subnormal
    x = bits.view(np.float32)
    module = mlc.parse("""
    func.func @main(%x: tensor<4101xf32>) -> tensor<4101xbf16> {
      %y = graph.cast %x : tensor<4101xf32> -> tensor<4101xbf16>
      return %y : tensor<4101xbf16>
    }""")
    (found,) = run_compiled(module, [x], target, 3, precision)
    is_nan, is_subnormal = np.isnan(x), np.abs(x) < 2.0**-126
    with np.errstate(invalid="ignore"):
        wanted = x.astype(bfloat16).view(np.uint16)
    got = np.asarray(found).view(np.uint16)
    assert np.isnan(np.asarray(found)[is_nan].astype(np.float32)).all()
    equal, zero = got == wanted, got == wanted & 0x8000
    flushes = precision == "bf16" and target in ("znver4", "sapphirerapids")
    assert equal[~is_nan & ~is_subnormal].all() and (equal | (zero & flushes))[is_subnormal].all()
    assert (zero & ~equal & is_subnormal).any() == flushes


@pytest.mark.parametrize("target", ["znver4", "sapphirerapids", "haswell"])
@pytest.mark.parametrize("result", ["s", "y"])
def test_functions_of_kernels_are_right_in_all_bits_of_bf16(
    run_compiled: Callable[..., list[Array]], result: str, target: str
) -> None:
    """All numbers of bf16; x sigmoid(x) is rounded once, so it is as near as a bf16 is; subnormal ones are 0."""
    x = np.arange(1 << 16, dtype=np.uint16).view(bfloat16)
    module = mlc.parse(f"""
    func.func @main(%x: tensor<65536xbf16>) -> tensor<65536xbf16> {{
      %s = graph.sigmoid %x : tensor<65536xbf16>
      %y = graph.mul %x, %s : tensor<65536xbf16>, tensor<65536xbf16> -> tensor<65536xbf16>
      return %{result} : tensor<65536xbf16>
    }}""")
    (found,) = run_compiled(module, [x], target, 3, "bf16")
    got = np.asarray(found).astype(np.float64)
    with np.errstate(all="ignore"):
        wide = x.astype(np.float64)
        sigmoid = np.where(wide >= 0, 1 / (1 + np.exp(-wide)), np.exp(wide) / (1 + np.exp(wide)))
        wanted = sigmoid if result == "s" else wide * sigmoid
    np.testing.assert_array_equal(np.isnan(got), np.isnan(wanted))
    np.testing.assert_array_equal(got[np.isinf(wanted)], wanted[np.isinf(wanted)])
    shown = np.isfinite(wanted) & (wide > -80)
    exponent = np.frexp(wanted[shown])[1]
    allowed = 0.53 * 2.0 ** (exponent - 8) + 2.0**-126
    assert (np.abs(got[shown] - wanted[shown]) <= allowed).all()


@pytest.mark.parametrize("target", ["native", "haswell", "neoverse-v1"])
@pytest.mark.parametrize(("size", "channels", "kernel", "stride"), [(9, 33, 3, 1), (14, 16, 5, 2), (5, 1, 3, 1)])
def test_depthwise_convolutions_of_bf16_round_once(
    run_compiled: Callable[..., list[Array]], target: str, size: int, channels: int, kernel: int, stride: int
) -> None:
    rng = np.random.default_rng([size, channels])
    shape, out, border = (1, channels, size, size), (size - 1) // stride + 1, kernel // 2
    x, w = (rng.standard_normal(s).astype(bfloat16) for s in (shape, (channels, 1, kernel, kernel)))
    kinds = [f"tensor<{'x'.join(map(str, s))}xbf16>" for s in (x.shape, w.shape, (1, channels, out, out))]
    module = mlc.parse(f"""
    func.func @main(%x: {kinds[0]}, %w: {kinds[1]}) -> {kinds[2]} {{
      %y = graph.conv2d %x, %w {{padding = array<i64: {border}, {border}, {border}, {border}>,
        strides = array<i64: {stride}, {stride}>, groups = {channels} : i64}} : {kinds[0]}, {kinds[1]} -> {kinds[2]}
      return %y : {kinds[2]}
    }}""")
    (found,) = run_compiled(module, [x, w], target, 3, "keep")
    padded = np.pad(x.astype(np.float64)[0], ((0, 0), (border, border), (border, border)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, (kernel, kernel), (1, 2))[:, ::stride, ::stride]
    exact = np.einsum("cyxij,cij->cyx", windows, w.astype(np.float64)[:, 0])
    terms = np.einsum("cyxij,cij->cyx", np.abs(windows), np.abs(w.astype(np.float64))[:, 0])
    allowed = 2.0**-8 * np.abs(exact) + 2 * kernel**2 * _EPSILON * terms
    assert (np.abs(np.asarray(found).astype(np.float64)[0] - exact) <= allowed).all()
