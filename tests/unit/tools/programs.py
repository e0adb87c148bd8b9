"""A kernel and a model for the tests of what tools say about kernels."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from safetensors.numpy import save_file  # pyright: ignore[reportUnknownVariableType]
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from mlc.compiler.compilation import new_context, parse_verified
from mlc.targets.machine import resolve_target

ELSEWHERE = "--target=neoverse-n1" if resolve_target("native").arch != "aarch64" else "--target=x86-64-v3"
"""A machine of more than one core that is not this one."""
KERNEL = """
func.func private @kernel(%x: tensor<6x50xf32>, %w: tensor<50x200xf32>) -> tensor<6x200xf32> {
  %0 = tensor.contract %x[m, k], %w[k, n] over (m: 6, n: 200) reduce (k: 50)
      : tensor<6x50xf32>, tensor<50x200xf32> -> tensor<6x200xf32>
  %1 = tensor.map %0[m, n] over (m: 6, n: 200) : tensor<6x200xf32> -> tensor<6x200xf32> {
  ^bb0(%a: f32):
    %two = arith.constant 2.0 : f32
    %b = arith.mulf %a, %two : f32
    %c = math.exp %b : f32
    tensor.yield %c : f32
  }
  return %1 : tensor<6x200xf32>
}
func.func @main(%x: tensor<6x50xf32>) -> (tensor<6x200xf32>, tensor<6x200xf32>) {
  %w = arith.constant dense<1.0> : tensor<10000xf32>
  %v = tensor.expand_shape %w [[0, 1]] output_shape [50, 200] : tensor<10000xf32> into tensor<50x200xf32>
  %0 = func.call @kernel(%x, %v) : (tensor<6x50xf32>, tensor<50x200xf32>) -> tensor<6x200xf32>
  %1 = func.call @kernel(%x, %v) : (tensor<6x50xf32>, tensor<50x200xf32>) -> tensor<6x200xf32>
  return %0, %1 : tensor<6x200xf32>, tensor<6x200xf32>
}
"""
MODEL = """
func.func @main(%x: tensor<6x50xf32>, %z: tensor<6x200xf32>) -> tensor<6x200xf32> {
  %w = graph.constant dense_resource<w> : tensor<50x200xf32>
  %0 = graph.matmul %x, %w : tensor<6x50xf32>, tensor<50x200xf32> -> tensor<6x200xf32>
  %1 = graph.relu %0 : tensor<6x200xf32>
  %2 = graph.softmax %1 axis 1 : tensor<6x200xf32>
  %3 = graph.add %2, %z : tensor<6x200xf32>, tensor<6x200xf32> -> tensor<6x200xf32>
  return %3 : tensor<6x200xf32>
}

{-# external_resources: { mlc: { weights: "w.safetensors" } } #-}
"""


def parse_kernel(text: str) -> tuple[ModuleOp, FuncOp]:
    """The module of a text, and its first function."""
    module = parse_verified(text, "test.mlir", new_context(), Path())
    kernel = module.body.block.first_op
    assert isinstance(kernel, FuncOp)
    return module, kernel


def save_model() -> str:
    """Write `MODEL` and its weights, ones, into this folder; the name of the text."""
    Path("model.mlir").write_text(MODEL)
    save_file({"w": np.ones((50, 200), np.float32)}, "w.safetensors")
    return "model.mlir"
