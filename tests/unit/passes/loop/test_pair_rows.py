"""`pair-rows` in the pipeline: what clang makes of products of two rows with two columns."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from mlc.compiler.compilation import Compilation, new_context, parse_verified
from mlc.compiler.options import CompileOptions
from mlc.pass_manager.manager import PassManager
from mlc.support.dtypes import dtype_named
from mlc.targets.machine import resolve_target
from mlc.tools.inner_loops import hottest_loop

_PRODUCT = """func.func @main(%x: tensor<32x{2}x{0}>) -> tensor<32x48x{3}> {{
  %w = graph.constant dense<"0x{4}"> : tensor<{2}x48x{1}>
  %y = graph.matmul %x, %w : tensor<32x{2}x{0}>, tensor<{2}x48x{1}> -> tensor<32x48x{3}>
  return %y : tensor<32x48x{3}>
}}
"""
_WINDOW = """func.func @main(%x: tensor<1x8x8x{2}x{0}>) -> tensor<1x8x8x24x{3}> {{
  %w = graph.constant dense<"0x{4}"> : tensor<3x3x{2}x24x{1}>
  %y = graph.conv2d %x, %w {{layout = "NHWC", padding = array<i64: 1, 1, 1, 1>}}
      : tensor<1x8x8x{2}x{0}>, tensor<3x3x{2}x24x{1}> -> tensor<1x8x8x24x{3}>
  return %y : tensor<1x8x8x24x{3}>
}}
"""


def _assembly(text: str, kinds: tuple[str, str], depth: int, target: str, folder: Path) -> str:
    """A product with constant weights, compiled."""
    dtype = dtype_named({"i8": "int8", "ui8": "uint8", "bf16": "bfloat16"}[kinds[1]])
    count = depth * 48 if text is _PRODUCT else 9 * depth * 24
    weights = np.random.default_rng(0).integers(0, 9, count).astype(dtype)
    sums = "f32" if kinds[1] == "bf16" else "i32"
    ctx = new_context(target)
    module = parse_verified(text.format(*kinds, depth, sums, weights.tobytes().hex()), "product", ctx, folder)
    output = folder / "model.s"
    Compilation(module, ctx, CompileOptions(target), PassManager(ctx)).build("asm", output)
    return output.read_text()


@pytest.mark.parametrize("text", [_PRODUCT, _WINDOW], ids=["product", "window"])
@pytest.mark.parametrize(
    ("kinds", "instruction"),
    [
        (("i8", "i8"), "smmla"),
        (("ui8", "ui8"), "ummla"),
        (("ui8", "i8"), "usmmla"),
        (("i8", "ui8"), "usmmla"),
        (("bf16", "bf16"), "bfmmla"),
    ],
)
def test_inner_loops_put_only_rows_together(
    text: str, kinds: tuple[str, str], instruction: str, tmp_path: Path
) -> None:
    """Weights lie in the order of registers, and sums are taken apart behind the loop: a shuffle for each two words."""
    loop = hottest_loop(_assembly(text, kinds, 64, "neoverse-v1", tmp_path), resolve_target("neoverse-v1"))
    assert loop is not None
    assert loop.outer_dots == loop.fmas == loop.text.count(f"\t{instruction}\t") >= 32
    assert loop.work.shuffles <= loop.fmas / 8
    assert (loop.spills, loop.moves, loop.work.others) == (0, 0, 0)


@pytest.mark.parametrize(("target", "depth"), [("neoverse-n1", 64), ("apple-m1", 64), ("neoverse-v1", 60)])
def test_others_multiply_by_lanes(target: str, depth: int, tmp_path: Path) -> None:
    """CPUs without such instructions, and reductions that long words do not divide."""
    text = _assembly(_PRODUCT, ("i8", "i8"), depth, target, tmp_path)
    assert "mmla" not in text and "\tsdot\t" in text
