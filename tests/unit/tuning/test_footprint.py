"""How much memory a model touches between two calls of a kernel."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from mlc.compiler.compilation import new_context, parse_verified
from mlc.tuning.footprint import bytes_of_others

_KB = 1024
_MODEL = """
func.func private @product(tensor<256xf32>, tensor<256x256xf32>) -> tensor<256xf32>
func.func private @softmax(tensor<256xf32>) -> tensor<256xf32>
func.func @main(%x: tensor<256xf32>) -> tensor<1x256xf32> {
  %flat = arith.constant dense_resource<w> : tensor<65536xf32>
  %w = tensor.expand_shape %flat [[0, 1]] output_shape [256, 256] : tensor<65536xf32> into tensor<256x256xf32>
  %0 = func.call @product(%x, %w) : (tensor<256xf32>, tensor<256x256xf32>) -> tensor<256xf32>
  %1 = func.call @softmax(%0) : (tensor<256xf32>) -> tensor<256xf32>
  %2 = func.call @product(%1, %w) : (tensor<256xf32>, tensor<256x256xf32>) -> tensor<256xf32>
  %3 = func.call @softmax(%2) : (tensor<256xf32>) -> tensor<256xf32>
  %4 = tensor.expand_shape %3 [[0, 1]] output_shape [1, 256] : tensor<256xf32> into tensor<1x256xf32>
  func.return %4 : tensor<1x256xf32>
}
"""


def test_what_others_touch() -> None:
    """A vector is a KB, the weight 256: of three vectors between kernels two are alive at a time."""
    ctx = new_context()
    ctx.resources.define("w", np.zeros(65536, np.float32))
    module = parse_verified(_MODEL, "model.mlir", ctx, Path())
    # The weight, input and output, and two vectors in between; a product uses the weight and two of the vectors.
    assert bytes_of_others(module, "softmax") == (256 + 2 + 2 - 2) * _KB
    assert bytes_of_others(module, "product") == (2 + 2 - 2) * _KB
    assert bytes_of_others(module, "unknown") == 0


def test_a_kernel_alone_has_no_others() -> None:
    text = """
    func.func private @softmax(tensor<256xf32>) -> tensor<256xf32>
    func.func @main(%x: tensor<256xf32>) -> tensor<256xf32> {
      %0 = func.call @softmax(%x) : (tensor<256xf32>) -> tensor<256xf32>
      func.return %0 : tensor<256xf32>
    }
    """
    assert bytes_of_others(parse_verified(text, "model.mlir", new_context(), Path()), "softmax") == 0
