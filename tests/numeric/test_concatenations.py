"""Concatenations whose parts are computed in place, compiled: a fire module and a dense block."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from mlc.compiler.compilation import new_context
from mlc.pass_manager.default_passes import default_passes
from mlc.pass_manager.manager import PassManager
from mlc.reference.interpreter import run_function
from mlc.support.resources import Resources
from mlc.syntax import parse_module

Array = NDArray[Any]
Run = Callable[..., list[Array]]


def _image(channels: int, size: int = 9) -> str:
    return f"tensor<1x{channels}x{size}x{size}xf32>"


def _conv(result: str, image: str, channels: int, filters: int, kernel: int) -> str:
    """A convolution of an NCHW image with its bias and ReLU; weights are `%w<result>`, `%b<result>`."""
    weights, pad = f"tensor<{filters}x{channels}x{kernel}x{kernel}xf32>", kernel // 2
    out, x = _image(filters), _image(channels)
    return f"""
        %{result}0 = graph.conv2d %{image}, %w{result} {{padding = array<i64: {pad}, {pad}, {pad}, {pad}>}}
            : {x}, {weights} -> {out}
        %{result}1 = graph.add %{result}0, %b{result} : {out}, tensor<{filters}x1x1xf32> -> {out}
        %{result} = graph.relu %{result}1 : {out}"""


def _concat(result: str, first: str, second: str, channels: tuple[int, int]) -> str:
    types = ", ".join(_image(c) for c in channels)
    return f"\n        %{result} = graph.concat %{first}, %{second} axis 1 : {types} -> {_image(sum(channels))}"


FIRE = (
    _conv("s", "x", 12, 4, 1) + _conv("p", "s", 4, 24, 1) + _conv("q", "s", 4, 21, 3) + _concat("y", "p", "q", (24, 21))
)
"""A fire module of SqueezeNet (Iandola et al., 2016): squeeze, and expand with two sizes of kernels."""
DENSE = (
    _conv("p", "x", 12, 8, 3)
    + _concat("c", "x", "p", (12, 8))
    + _conv("q", "c", 20, 8, 3)
    + _concat("d", "c", "q", (20, 8))
    + _conv("r", "d", 28, 17, 1)
    + _concat("y", "d", "r", (28, 17))
)
"""A dense block of DenseNet (Huang et al., 2017): every layer sees all results before it."""
WEIGHTS = {
    "fire": {"s": (4, 12, 1, 1), "p": (24, 4, 1, 1), "q": (21, 4, 3, 3)},
    "dense": {"p": (8, 12, 3, 3), "q": (8, 20, 3, 3), "r": (17, 28, 1, 1)},
}


@pytest.mark.parametrize(("name", "body"), [("fire", FIRE), ("dense", DENSE)])
def test_parts_in_place(name: str, body: str, run_compiled: Run) -> None:
    rng = np.random.default_rng(0)
    arrays = {"x": rng.standard_normal((1, 12, 9, 9)).astype(np.float32)}
    for conv, shape in WEIGHTS[name].items():
        arrays[f"w{conv}"] = rng.standard_normal(shape).astype(np.float32)
        arrays[f"b{conv}"] = rng.standard_normal((shape[0], 1, 1)).astype(np.float32)
    arguments = ", ".join(f"%{n}: tensor<{'x'.join(map(str, a.shape))}xf32>" for n, a in arrays.items())
    text = f"func.func @main({arguments}) -> {_image(45)} {{{body}\n  return %y : {_image(45)}\n}}"
    ctx = new_context()
    module = parse_module(text, name, ctx)
    (expected,) = run_function(module, "main", list(arrays.values()), Resources())
    lowered = module.clone()
    PassManager(ctx).run(lowered, default_passes(3, upto="loop"))
    assert any("where 'concat" in remark.message for remark in ctx.remarks)
    (found,) = run_compiled(module, list(arrays.values()))
    np.testing.assert_allclose(found, expected, 1e-4, 1e-4)


def test_many_parts(run_compiled: Run) -> None:
    """Seventy columns of three widths: three groups, and the third is smaller."""
    rng = np.random.default_rng(0)
    arrays = {f"x{i}": rng.standard_normal((5, 1 + i % 3)).astype(np.float32) for i in range(70)}
    types = [f"tensor<5x{a.shape[1]}xf32>" for a in arrays.values()]
    arguments = ", ".join(f"%{name}: {type}" for name, type in zip(arrays, types, strict=True))
    expected = np.concatenate([*arrays.values()], 1)
    result = f"tensor<5x{expected.shape[1]}xf32>"
    operands = ", ".join(f"%{name}" for name in arrays)
    text = f"""func.func @main({arguments}) -> {result} {{
      %y = graph.concat {operands} axis 1 : {", ".join(types)} -> {result}
      return %y : {result}
    }}"""
    module = parse_module(text, "concat", new_context())
    (found,) = run_compiled(module, list(arrays.values()))
    np.testing.assert_array_equal(found, expected)
