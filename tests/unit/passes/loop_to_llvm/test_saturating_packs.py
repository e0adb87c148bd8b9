"""What `graph.quantize` becomes is what the rule for packs looks for."""

from __future__ import annotations

import numpy as np
import pytest

from mlc.compiler.compilation import new_context
from mlc.dialects.llvm.call_intrinsic import CallIntrinsicOp
from mlc.pass_manager.default_passes import default_passes
from mlc.syntax.parse import parse_module

_WEIGHTS = np.random.default_rng(0).integers(-128, 128, 576).astype(np.int8).tobytes().hex()
_TEXT = """
func.func @main(%x: tensor<1x16x16x64xui8>, %s: tensor<64xf32>) -> tensor<1x14x14x64x{kind}> {{
  %w = graph.constant dense<"0x{weights}"> : tensor<3x3x1x64xi8>
  %one = graph.constant dense<1.0> : tensor<f32>
  %z = graph.constant dense<{zero}> : tensor<{kind}>
  %y = graph.conv2d %x, %w {{groups = 64 : i64, layout = "NHWC"}}
      : tensor<1x16x16x64xui8>, tensor<3x3x1x64xi8> -> tensor<1x14x14x64xi32>
  %f = graph.cast %y : tensor<1x14x14x64xi32> -> tensor<1x14x14x64xf32>
  %m = graph.mul %f, %s : tensor<1x14x14x64xf32>, tensor<64xf32> -> tensor<1x14x14x64xf32>
  %q = graph.quantize %m, %one, %z
      : tensor<1x14x14x64xf32>, tensor<f32>, tensor<{kind}> -> tensor<1x14x14x64x{kind}>
  return %q : tensor<1x14x14x64x{kind}>
}}
"""


@pytest.mark.parametrize(
    ("kind", "zero", "name"), [("ui8", 7, "packuswb"), ("ui8", 0, "packuswb"), ("i8", -5, "packsswb")]
)
def test_windows_of_bytes_end_in_packs(kind: str, zero: int, name: str) -> None:
    ctx = new_context("icelake-server")
    module = parse_module(_TEXT.format(kind=kind, zero=zero, weights=_WEIGHTS), "windows.mlir", ctx)
    for each in default_passes(3):
        each.run(module, ctx)
    called = {op.intrin.data for op in module.walk() if isinstance(op, CallIntrinsicOp)}
    assert f"llvm.x86.avx512.{name}.512" in called
