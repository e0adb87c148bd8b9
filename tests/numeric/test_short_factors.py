"""Products of floats of 16 bits through the whole pipeline: sums of f32 that are rounded once, in words and in f32."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import ml_dtypes
import numpy as np
import onnx
import pytest
from numpy.typing import NDArray
from onnx import helper

import mlc
from mlc.support.dtypes import limits_of

Array = NDArray[Any]

_TARGETS = ("native", "x86-64-v2", "haswell", "sapphirerapids", "znver4", "neoverse-v1", "cortex-a72")
_TYPES = {"bf16": ml_dtypes.bfloat16, "f16": np.float16}
_EPSILON = 2.0**-24


def _agree(found: Array, exact: Array, magnitudes: Array, count: int) -> bool:
    """Whether numbers are sums of f32 of `count` terms, rounded to what they have."""
    epsilon = float(limits_of(found.dtype).eps)
    sums = 2 * (count + 2) * _EPSILON * magnitudes
    allowed = sums + (0.5 * epsilon + 1e-6) * (np.abs(exact) + sums) + 1e-30
    return bool((np.abs(found.astype(np.float64) - exact) <= allowed).all())


@pytest.mark.parametrize("element", _TYPES)
@pytest.mark.parametrize("target", _TARGETS)
@pytest.mark.parametrize(("m", "k", "n"), [(1, 33, 17), (7, 64, 48), (33, 130, 31), (64, 256, 128)])
def test_matrix_products_round_once(
    target: str, element: str, m: int, k: int, n: int, run_compiled: Callable[..., list[Array]]
) -> None:
    rng = np.random.default_rng([m, k, n])
    x, w = (rng.standard_normal(shape).astype(_TYPES[element]) for shape in ((m, k), (k, n)))
    text = f"""
    func.func @main(%x: tensor<{m}x{k}x{element}>) -> tensor<{m}x{n}x{element}> {{
      %w = graph.constant dense<"0x{w.tobytes().hex()}"> : tensor<{k}x{n}x{element}>
      %y = graph.matmul %x, %w : tensor<{m}x{k}x{element}>, tensor<{k}x{n}x{element}> -> tensor<{m}x{n}x{element}>
      return %y : tensor<{m}x{n}x{element}>
    }}"""
    (found,) = run_compiled(mlc.parse(text), [x], target)
    a, b = x.astype(np.float64), w.astype(np.float64)
    assert found.dtype == x.dtype
    assert _agree(found, a @ b, np.abs(a) @ np.abs(b), k)


def _convolution(folder: Path, bias: Array, weights: Array) -> Path:
    """A file with a convolution of bf16 that has a bias, and what limits it."""
    short = onnx.TensorProto.BFLOAT16
    given = [helper.make_tensor_value_info("x", short, [1, weights.shape[1], 9, 9])]
    made = [helper.make_tensor_value_info("y", short, [1, weights.shape[0], 9, 9])]
    tensors = {"w": weights, "b": bias, "low": np.array(0), "high": np.array(6)}
    constants = [
        helper.make_tensor(name, short, array.shape, array.astype(ml_dtypes.bfloat16).tobytes(), raw=True)
        for name, array in tensors.items()
    ]
    nodes = [
        helper.make_node("Conv", ["x", "w", "b"], ["c"], pads=[1, 1, 1, 1]),
        helper.make_node("Clip", ["c", "low", "high"], ["y"]),
    ]
    graph = helper.make_graph(nodes, "g", given, made, constants)
    path = folder / "conv.onnx"
    cast(Any, onnx).save(
        helper.make_model(graph, opset_imports=[helper.make_opsetid("", 22)], ir_version=10), str(path)
    )
    return path


@pytest.mark.parametrize("target", ["native", "x86-64-v2", "haswell", "sapphirerapids"])
@pytest.mark.parametrize("channels", [3, 16])
def test_a_convolution_with_its_bias_rounds_once(target: str, channels: int, tmp_path: Path) -> None:
    rng = np.random.default_rng(channels)
    shapes = ((1, channels, 9, 9), (24, channels, 3, 3), (24,))
    x, w, b = (rng.standard_normal(shape).astype(ml_dtypes.bfloat16) for shape in shapes)
    try:
        found = np.asarray(mlc.compile(_convolution(tmp_path, b, w), target=target)(x))
    except mlc.ArtifactError as e:
        pytest.skip(str(e))
    padded = np.pad(x.astype(np.float64), ((0, 0), (0, 0), (1, 1), (1, 1)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), (2, 3))
    weights, bias = w.astype(np.float64), b.astype(np.float64)[:, None, None]
    exact = np.einsum("bcyxij,ocij->boyx", windows, weights) + bias
    magnitudes = np.einsum("bcyxij,ocij->boyx", np.abs(windows), np.abs(weights)) + np.abs(bias)
    is_inside = (exact > 0.01) & (exact < 5.9)
    assert is_inside.sum() > 300
    assert _agree(found[is_inside], exact[is_inside], magnitudes[is_inside], 9 * channels + 1)
    assert (found[exact > 6.1] == 6).all() and (found[exact < -0.1] == 0).all()


def test_words_are_multiplied_where_the_machine_can(tmp_path: Path) -> None:
    """What the pipeline makes of a file: dots, or matrices, where instructions multiply bf16, and f32 elsewhere."""
    rng = np.random.default_rng(0)
    file = _convolution(tmp_path, rng.standard_normal(64), rng.standard_normal((64, 64, 3, 3)))

    def assembly(target: str) -> str:
        path = tmp_path / f"{target}.s"
        command = [sys.executable, "-m", "mlc", "compile", str(file), "--target", target, "-o", str(path)]
        subprocess.run(command, check=True)
        return path.read_text()

    assert "vdpbf16ps" in assembly("znver4")
    assert "tdpbf16ps" in assembly("sapphirerapids-amx")
    for target in ("haswell", "sapphirerapids"):  # the latter starts one vdpbf16ps every second cycle
        assert "vfmadd" in (text := assembly(target)) and "vdpbf16ps" not in text
