"""Scales of short weights are stored as f16 where they are such numbers, and what reads rows of them follows."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp

from mlc.compiler.compilation import new_context
from mlc.dialects.graph import GatherOp, ScaledMatmulOp
from mlc.dialects.graph.types import element_of
from mlc.passes.graph.shorten_scales import ShortenScalesPass
from mlc.reference.interpreter import run_function
from mlc.support.context import CompilerContext
from mlc.syntax import parse_module

GROUPS, DEPTH = 4, 64
RNG = np.random.default_rng(0)


def _scale(last: float = 1.0, columns: int = 2000) -> NDArray[np.float32]:
    """Numbers of f16, among them both zeros, a subnormal one and the largest one, and a last one."""
    scale = RNG.standard_normal((GROUPS, columns)).astype(np.float16)
    scale.flat[:4] = [0.0, -0.0, 6e-8, 65504.0]
    wide = scale.astype(np.float32)
    wide[-1, -1] = last
    return wide


def _model(
    scale: NDArray[np.float32], target: str = "znver4", element: str = "i8", spelled: str = "dense_resource<s>"
) -> tuple[ModuleOp, CompilerContext]:
    """A product whose scales are also a table that rows are read of."""
    ctx, columns, of_weights = new_context(target=target), scale.shape[1], "i8" if element == "f32" else "ui8"
    weights = RNG.integers(0, 8, (DEPTH, columns), np.uint8).view(np.int8 if of_weights == "i8" else np.uint8)
    for name, array in (("w", weights), ("s", scale), ("r", np.ascontiguousarray(scale.T))):
        ctx.resources.define(name, array)
    x, t, y = f"tensor<2x{DEPTH}x{element}>", f"tensor<2x{GROUPS}xf32>", f"tensor<2x{columns}xf32>"
    w, s = f"tensor<{DEPTH}x{columns}x{of_weights}>", f"tensor<{GROUPS}x{columns}xf32>"
    r, g = f"tensor<{columns}x{GROUPS}xf32>", f"tensor<3x{GROUPS}xf32>"
    product = f"%x, %w, %s : {x}, {w}, {s}" if element == "f32" else f"%x, %w, %s, %t : {x}, {w}, {s}, {t}"
    text = f"""func.func @main(%x: {x}, %t: {t}, %i: tensor<3xi64>) -> ({y}, {g}) {{
      %w = graph.constant dense_resource<w> : {w}
      %s = graph.constant {spelled} : {s}
      %r = graph.constant dense_resource<r> : {r}
      %y = graph.scaled_matmul {product} -> {y}
      %g = graph.gather %r, %i axis 0 : {r}, tensor<3xi64> -> {g}
      return %y, %g : {y}, {g}
    }}"""
    return parse_module(text, "model.mlir", ctx), ctx


def _shortened(module: ModuleOp, ctx: CompilerContext) -> tuple[str, str]:
    """The types of the scales, and of the table, after the pass."""
    ShortenScalesPass().run(module, ctx)
    module.verify()
    (product,) = [op for op in module.walk() if isinstance(op, ScaledMatmulOp)]
    (rows,) = [op for op in module.walk() if isinstance(op, GatherOp)]
    return str(element_of(product.scale)), str(element_of(rows.data))


def test_results_have_the_same_bits() -> None:
    module, ctx = _model(_scale())
    x, t = RNG.integers(-127, 128, (2, DEPTH), np.int8), RNG.standard_normal((2, GROUPS)).astype(np.float32)
    inputs = [x, t, np.array([0, -1, 7])]
    wanted = run_function(module, "main", inputs, ctx.resources)
    assert _shortened(module, ctx) == ("f16", "f16")
    found = run_function(module, "main", inputs, ctx.resources)
    assert [each.tobytes() for each in found] == [each.tobytes() for each in wanted]


@pytest.mark.parametrize("number", [0.1, 65536.0, 1e-9, 1e-45], ids=str)
def test_one_number_that_f16_does_not_have(number: float) -> None:
    assert _shortened(*_model(_scale(number))) == ("f32", "f32")


def test_infinities_are_numbers_of_f16() -> None:
    assert _shortened(*_model(_scale(-np.inf))) == ("f16", "f16")


def test_a_target_without_an_instruction() -> None:
    assert _shortened(*_model(_scale(), target="x86-64-v2")) == ("f32", "f32")


def test_small_constants_stay() -> None:
    assert _shortened(*_model(_scale(columns=1024))) == ("f32", "f32")
    assert _shortened(*_model(_scale(columns=1025))) == ("f16", "f16")


def test_equal_numbers_stay_one_number() -> None:
    assert _shortened(*_model(_scale(), spelled="dense<0.5>"))[0] == "f32"


def test_products_of_floats_keep_their_scales() -> None:
    assert _shortened(*_model(_scale(), element="f32")) == ("f32", "f32")
