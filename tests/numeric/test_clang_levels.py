"""Results have the same bits with whatever level clang compiles a kernel, and however often LLVM unrolls its loops."""

from __future__ import annotations

import numpy as np

import mlc

_KERNEL = """
func.func private @kernel(%x: tensor<19x50xf32>, %w: tensor<50x40xf32>) -> tensor<19x40xf32>
    attributes {schedule = #loop.schedule<[tile(n, 32), tile(ni, 16), vectorize(nii), unroll(ni), SAID]>} {
  %0 = tensor.contract %x[m, k], %w[k, n] over (m: 19, n: 40) reduce (k: 50)
      : tensor<19x50xf32>, tensor<50x40xf32> -> tensor<19x40xf32>
  %1 = tensor.map %0[m, n] over (m: 19, n: 40) : tensor<19x40xf32> -> tensor<19x40xf32> {
  ^bb0(%a: f32):
    %q = math.exp %a : f32
    tensor.yield %q : f32
  }
  return %1 : tensor<19x40xf32>
}
func.func @main(%x: tensor<19x50xf32>, %w: tensor<50x40xf32>) -> tensor<19x40xf32> {
  %0 = func.call @kernel(%x, %w) : (tensor<19x50xf32>, tensor<50x40xf32>) -> tensor<19x40xf32>
  return %0 : tensor<19x40xf32>
}
"""


def test_neither_changes_a_bit() -> None:
    random = np.random.default_rng(0)
    x, w = random.standard_normal((19, 50), np.float32), random.standard_normal((50, 40), np.float32) / 4
    said = ["clang(3)", "clang(2)", "clang(1)", "clang(0)", "llvm_unroll(k, 1)", "llvm_unroll(k, 7), llvm_unroll(m, 2)"]
    results = {each: mlc.compile(_KERNEL.replace("SAID", each))(x, w).tobytes() for each in said}
    assert len(set(results.values())) == 1
    np.testing.assert_allclose(np.frombuffer(results["clang(0)"], np.float32).reshape(19, 40), np.exp(x @ w), rtol=1e-4)
