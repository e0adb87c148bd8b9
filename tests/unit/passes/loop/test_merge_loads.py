"""`merge-loads` in the pipeline: what clang makes of dot products whose words come from lanes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from mlc.compiler.compilation import Compilation, new_context, parse_verified
from mlc.compiler.options import CompileOptions
from mlc.pass_manager.manager import PassManager
from mlc.support.dtypes import dtype_named

_PRODUCT = """func.func @main(%x: tensor<{3}x64x{0}>) -> tensor<{3}x40x{1}> {{
  %w = graph.constant dense<"0x{2}"> : tensor<64x40x{0}>
  %y = graph.matmul %x, %w : tensor<{3}x64x{0}>, tensor<64x40x{0}> -> tensor<{3}x40x{1}>
  return %y : tensor<{3}x40x{1}>
}}
"""


@pytest.mark.parametrize(
    ("element", "sums", "rows", "target", "instruction"),
    [
        ("i8", "i32", 20, "neoverse-n1", "sdot"),
        ("i8", "i32", 20, "cortex-a76", "sdot"),
        ("bf16", "f32", 1, "neoverse-v1", "bfdot"),
    ],
)
def test_words_come_from_lanes(
    element: str, sums: str, rows: int, target: str, instruction: str, tmp_path: Path
) -> None:
    """A load into all lanes, `ld1r`, takes a turn of the vector units."""
    dtype = dtype_named({"i8": "int8", "bf16": "bfloat16"}[element])
    weights = np.random.default_rng(0).integers(-9, 9, (64, 40)).astype(dtype)
    ctx = new_context(target)
    module = parse_verified(_PRODUCT.format(element, sums, weights.tobytes().hex(), rows), "product", ctx, tmp_path)
    output = tmp_path / "model.s"
    Compilation(module, ctx, CompileOptions(target), PassManager(ctx)).build("asm", output)
    text = output.read_text()
    taken = [line for line in text.splitlines() if line.strip().startswith(f"{instruction}\t") and line.endswith("[3]")]
    assert len(taken) >= 10 and "ld1r" not in text
