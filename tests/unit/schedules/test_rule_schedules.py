"""Schedules that mlc chose stay its own, whatever becomes of their kernels: a person is not warned of them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from xdsl.dialects import func

from mlc.compiler.compilation import new_context, parse_verified
from mlc.pass_manager.default_passes import default_passes

_MODEL = """
func.func @main(%x: tensor<4x32xf32>, %y: tensor<4x32xf32>, %w: tensor<32x64xf32>) -> tensor<4x128xf32> {
  %0 = graph.matmul %x, %w : tensor<4x32xf32>, tensor<32x64xf32> -> tensor<4x64xf32>
  %1 = graph.matmul %y, %w : tensor<4x32xf32>, tensor<32x64xf32> -> tensor<4x64xf32>
  %2 = graph.concat %0, %1 axis 1 : tensor<4x64xf32>, tensor<4x64xf32> -> tensor<4x128xf32>
  return %2 : tensor<4x128xf32>
}
"""


def test_a_variant_of_a_kernel_has_the_schedule_of_the_rules() -> None:
    ctx = new_context("x86-64-v3")
    module = parse_verified(_MODEL, "model.mlir", ctx, Path())
    for pass_ in default_passes(3):
        if pass_.name == "apply-schedule":
            break
        pass_.run(module, ctx)
    scheduled = {
        f.sym_name.data: f.attributes["schedule"]
        for f in module.ops
        if isinstance(f, func.FuncOp) and "schedule" in f.attributes
    }
    assert len([name for name in scheduled if name.startswith("matmul")]) == 2, "each part is written elsewhere"
    assert set(scheduled.items()) <= set(ctx.rule_schedules)


def _attention(rows: int) -> str:
    flat, split = f"tensor<{rows}x128xf32>", f"tensor<{rows}x4x32xf32>"
    heads, turned, scores = f"tensor<4x{rows}x32xf32>", f"tensor<4x32x{rows}xf32>", f"tensor<4x{rows}x{rows}xf32>"
    lines = [f"func.func @main(%q: {flat}, %k: {flat}, %v: {flat}) -> {heads} {{"]
    for name, order, kind in (("q", "[1, 0, 2]", heads), ("k", "[1, 2, 0]", turned), ("v", "[1, 0, 2]", heads)):
        lines.append(f"%{name}0 = graph.reshape %{name} : {flat} -> {split}")
        lines.append(f"%{name}1 = graph.transpose %{name}0 {order} : {split} -> {kind}")
    lines += [
        f"%s = graph.matmul %q1, %k1 : {heads}, {turned} -> {scores}",
        f"%p = graph.softmax %s axis 2 : {scores}",
        f"%o = graph.matmul %p, %v1 : {scores}, {heads} -> {heads}",
        f"return %o : {heads}",
        "}",
    ]
    return "\n".join(lines)


_GATED = """
func.func @main(%x: tensor<64x96xf32>, %w: tensor<96x80xf32>) -> tensor<64x80xf32> {
  %0 = graph.matmul %x, %w : tensor<64x96xf32>, tensor<96x80xf32> -> tensor<64x80xf32>
  %1 = graph.sigmoid %0 : tensor<64x80xf32>
  %2 = graph.mul %0, %1 : tensor<64x80xf32>, tensor<64x80xf32> -> tensor<64x80xf32>
  return %2 : tensor<64x80xf32>
}
"""


def _softmax(axis: int, columns: int) -> str:
    kind = f"tensor<12x100x{columns}xf32>"
    return f"""
func.func @main(%x: {kind}) -> {kind} {{
  %0 = graph.softmax %x axis {axis} : {kind}
  return %0 : {kind}
}}
"""


def _convolution(image: int, channels: int, kernel: int, **options: int) -> str:
    stride, dilation, groups = (options.get(name, 1) for name in ("stride", "dilation", "groups"))
    padding = dilation * (kernel // 2)
    size = (image + 2 * padding - dilation * (kernel - 1) - 1) // stride + 1
    x, w = f"tensor<1x{image}x{image}x{channels}xf32>", f"tensor<{kernel}x{kernel}x{channels // groups}x{channels}xf32>"
    y = f"tensor<1x{size}x{size}x{channels}xf32>"
    pairs = {"strides": (stride,) * 2, "padding": (padding,) * 4, "dilations": (dilation,) * 2}
    attributes = ", ".join(f"{name} = array<i64: {str(value)[1:-1]}>" for name, value in pairs.items())
    return f"""
func.func @main(%x: {x}, %w: {w}) -> {y} {{
  %0 = graph.conv2d %x, %w {{{attributes}, groups = {groups} : i64, layout = "NHWC"}} : {x}, {w} -> {y}
  %1 = graph.relu %0 : {y}
  return %1 : {y}
}}
"""


_ROWS = [_softmax(2, 128), _softmax(2, 130), _softmax(1, 128)]
_CONVOLUTIONS = [
    _convolution(14, 64, 1),
    _convolution(14, 64, 3),
    _convolution(15, 64, 3, stride=2),
    _convolution(28, 64, 3, dilation=2),
    _convolution(13, 53, 3),
    _convolution(14, 64, 3, groups=4),
    _convolution(9, 68, 3, groups=2),
    _convolution(14, 96, 5, groups=96),
    _convolution(14, 96, 3, groups=96, stride=2),
]
_RAGGED_PANELS = "not interchanged: k0_lane, k0_1i, k0_lanei are not loops of one perfect nest"
"""What the loops that pack the last columns of keys, fewer than a panel has, are left with."""


@pytest.mark.slow
@pytest.mark.parametrize("target", ["x86-64-v3", "x86-64-v4", "aarch64"])
@pytest.mark.parametrize(
    "model", [_MODEL, _GATED, _attention(64), _attention(96), _attention(197), *_ROWS, *_CONVOLUTIONS]
)
def test_what_the_rules_want_is_done(model: str, target: str) -> None:
    """A step that is refused is a remark, which nobody reads: a kernel is slow, and all results are right."""
    ctx = new_context(target)
    module = parse_verified(model, "model.mlir", ctx, Path())
    for pass_ in default_passes(3, upto="loop"):
        before = len(ctx.remarks)
        pass_.run(module, ctx)
        if pass_.name == "apply-schedule":
            refused = {remark.message for remark in ctx.remarks[before:]}
            assert refused <= ({_RAGGED_PANELS} if "197" in model else set()), refused
            return
    raise AssertionError("no schedule was applied")


_WEIGHTS = """
func.func @main(%x: tensor<64x48xf32>) -> tensor<64x40xf32> {
  %w = graph.constant dense_resource<w> : tensor<48x56xf32>
  %v = graph.constant dense_resource<v> : tensor<56x40xf32>
  %0 = graph.matmul %x, %w : tensor<64x48xf32>, tensor<48x56xf32> -> tensor<64x56xf32>
  %1 = graph.softmax %0 axis 1 : tensor<64x56xf32>
  %2 = graph.matmul %1, %v : tensor<64x56xf32>, tensor<56x40xf32> -> tensor<64x40xf32>
  return %2 : tensor<64x40xf32>
}
"""


@pytest.mark.parametrize("target", ["x86-64-v3", "x86-64-v4", "aarch64"])
def test_attention_to_weights(target: str) -> None:
    """They are packed when the program is compiled, so that there are no loops which pack them: nor steps for these."""
    ctx = new_context(target)
    ctx.resources.define("w", np.ones((48, 56), np.float32))
    ctx.resources.define("v", np.ones((56, 40), np.float32))
    module = parse_verified(_WEIGHTS, "model.mlir", ctx, Path())
    for pass_ in default_passes(3, upto="loop"):
        pass_.run(module, ctx)
        if pass_.name == "schedule":
            (steps,) = (f.attributes["schedule"] for f in module.ops if "schedule" in f.attributes)
            assert str(steps).count("pack(") == 2 and "_lane" not in str(steps)
