"""Winograd's filtering beside the convolution in f64, written out with NumPy: odd sizes, all paddings, what follows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import mlc
from mlc.compiler.compilation import new_context
from mlc.pass_manager.checking import EquivalenceChecker
from mlc.pass_manager.default_passes import default_passes
from mlc.pass_manager.manager import PassManager
from mlc.passes.graph.fold_constants import FoldConstantsPass
from mlc.passes.graph.use_winograd import UseWinogradPass
from mlc.reference.interpreter import run_function
from mlc.syntax import parse_module

Array = NDArray[Any]
Run = Callable[..., list[Array]]


def _text(x: Array, w: Array, padding: tuple[int, ...], shape: tuple[int, ...]) -> str:
    element = {"float32": "f32", "float64": "f64"}[x.dtype.name]

    def type(shape: tuple[int, ...]) -> str:
        return f"tensor<{'x'.join(map(str, shape))}x{element}>"

    numbers = ", ".join(map(repr, w.astype(np.float64).ravel().tolist()))
    image, bias, out = type(x.shape), type((shape[-1],)), type(shape)
    return f"""
      func.func @main(%x: {image}, %b: {bias}, %r: {out}) -> {out} {{
        %w = graph.constant dense<[{numbers}]> : tensor<{w.size}x{element}>
        %k = graph.reshape %w : tensor<{w.size}x{element}> -> {type(w.shape)}
        %c = graph.conv2d %x, %k {{padding = array<i64: {", ".join(map(str, padding))}>, layout = "NHWC"}}
            : {image}, {type(w.shape)} -> {out}
        %d = graph.add %c, %b : {out}, {bias} -> {out}
        %e = graph.add %d, %r : {out}, {out} -> {out}
        %y = graph.relu %e : {out}
        return %y : {out}
      }}"""


def _direct(x: Array, w: Array, padding: tuple[int, ...]) -> Array:
    top, left, bottom, right = padding
    padded = np.pad(x.astype(np.float64), ((0, 0), (top, bottom), (left, right), (0, 0)))
    rows, columns = padded.shape[1] - 2, padded.shape[2] - 2
    taps = (padded[:, i : i + rows, j : j + columns] @ w[i, j].astype(np.float64) for i in range(3) for j in range(3))
    return np.asarray(sum(taps))


CASES = [
    ((1, 9, 7, 5), 6, (1, 1, 1, 1)),
    ((2, 8, 8, 16), 20, (0, 0, 0, 0)),
    ((1, 4, 11, 3), 33, (2, 0, 1, 2)),
    ((1, 3, 3, 17), 16, (0, 0, 0, 0)),
    ((3, 1, 6, 4), 7, (1, 1, 1, 1)),
]


@pytest.mark.sampled(7)
@pytest.mark.parametrize("tile", [2, 4])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("image", "out", "padding"), CASES)
def test_beside_direct(
    image: tuple[int, ...],
    out: int,
    padding: tuple[int, ...],
    dtype: type[np.floating[Any]],
    tile: int,
    run_compiled: Run,
) -> None:
    rng = np.random.default_rng(tile)
    x: Array = rng.standard_normal(image).astype(dtype)
    w: Array = rng.standard_normal((3, 3, image[-1], out)).astype(dtype)
    x[rng.random(image) < 0.2] = 0.0
    x[rng.random(image) < 0.1] = -0.0
    exact = _direct(x, w, padding)
    bias: Array = rng.standard_normal(out).astype(dtype)
    residual: Array = rng.standard_normal(exact.shape).astype(dtype)
    module = parse_module(_text(x, w, padding, exact.shape), "test", ctx := new_context())
    folded = _folded(module, ctx, tile)
    inputs = [x, bias, residual]
    expected = np.maximum(exact + bias + residual, 0)
    most = (1e-4 if dtype == np.float32 else 1e-12) * float(np.abs(exact).max())
    (interpreted,) = run_function(folded, "main", inputs, ctx.resources)
    np.testing.assert_allclose(interpreted, expected, rtol=0, atol=most)
    for target in ("native", "x86-64-v3", "aarch64"):
        (compiled,) = run_compiled(folded, inputs, target)
        np.testing.assert_allclose(compiled, expected, rtol=0, atol=most)


def _folded(module: Any, ctx: Any, tile: int) -> Any:
    """The module with the convolution rewritten; its weights are numbers in the text again."""
    PassManager(ctx, []).run(module, [FoldConstantsPass(), UseWinogradPass(tile=tile)])
    found = [op.name for op in module.walk()]
    assert "graph.conv2d" not in found and "graph.winograd_input" in found
    return _spelled_out(module, ctx)


def _spelled_out(module: Any, ctx: Any) -> Any:
    from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, DenseResourceAttr

    for op in module.walk():
        if op.name == "graph.constant" and isinstance(op.value, DenseResourceAttr):
            data = ctx.resources.array(op.value.resource_handle.data)
            op.properties["value"] = DenseIntOrFPElementsAttr.from_list(op.result.type, data.ravel().tolist())
    return module


def test_passes_agree_with_each_other() -> None:
    rng = np.random.default_rng(0)
    x, w = np.zeros((1, 5, 6, 4), np.float32), rng.standard_normal((3, 3, 4, 4)).astype(np.float32)
    for tile in (2, 4):
        ctx = new_context()
        module = parse_module(_text(x, w, (1, 1, 1, 1), (1, 5, 6, 4)), "test", ctx)
        checker = EquivalenceChecker(ctx)
        checker.start(module)
        for pass_ in [FoldConstantsPass(), UseWinogradPass(tile=tile), *default_passes(3, threads=2, upto="loop")]:
            pass_.run(module, ctx)
            checker.check(pass_.name, module, pass_.rounding)


def test_fast_is_told(recwarn: pytest.WarningsRecorder) -> None:
    rng = np.random.default_rng(1)
    text = """
      func.func @main(%x: tensor<1x16x16x32xf32>) -> tensor<1x16x16x32xf32> {
        %w = graph.constant dense_resource<w> : tensor<3x3x32x32xf32>
        %y = graph.conv2d %x, %w {padding = array<i64: 1, 1, 1, 1>, layout = "NHWC"}
            : tensor<1x16x16x32xf32>, tensor<3x3x32x32xf32> -> tensor<1x16x16x32xf32>
        return %y : tensor<1x16x16x32xf32>
      }"""
    w = rng.standard_normal((3, 3, 32, 32)).astype(np.float32)
    x = rng.standard_normal((1, 16, 16, 32)).astype(np.float32)
    exact = _direct(x, w, (1, 1, 1, 1))
    direct = mlc.compile(text, weights={"w": w})(x)
    assert not recwarn.list
    with pytest.warns(UserWarning, match=r"F\(\d x \d, 3 x 3\): the largest error on random images is \d\.\de-0\d of"):
        model = mlc.compile(text, weights={"w": w}, accuracy="fast")
    for result in (direct, model(x)):
        np.testing.assert_allclose(result, exact, rtol=0, atol=1e-4 * float(np.abs(exact).max()))
    assert not np.array_equal(direct, model(x))
