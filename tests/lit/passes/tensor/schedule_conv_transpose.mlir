// RUN: mlc-opt %s --schedule="target=x86-64-v4" | filecheck %s

// Each phase has weights of its own: rows are neighbours within a phase, and phases stand outside of them.
// CHECK-LABEL: @phases_as_dims
// CHECK-SAME: schedule = #loop.schedule<[interchange(n, py, px, b, y, x), tile(n, {{.*}}), tile(x, {{.*}}
func.func private @phases_as_dims(%x: tensor<1x32x32x64xf32>, %w: tensor<2x2x64x64xf32>) -> tensor<1x32x2x32x2x64xf32> {
  %0 = tensor.contract %x[b, y, x, k], %w[py, px, k, n] over (b: 1, y: 32, py: 2, x: 32, px: 2, n: 64) reduce (k: 64) : tensor<1x32x32x64xf32>, tensor<2x2x64x64xf32> -> tensor<1x32x2x32x2x64xf32>
  return %0 : tensor<1x32x2x32x2x64xf32>
}

// Contractions side by side are all shaped, and share the steps of the dim that they share.
// CHECK-LABEL: @phases_side_by_side
// CHECK-SAME: interchange(n, b, x), interchange(n, b1, x1), tile(n, [[N:.*]]), tile(x, [[X:.*]]), tile(x1, [[X]]), unroll(xi), unroll(x1i), vectorize(ni, [[N]])]>
func.func private @phases_side_by_side(%x: tensor<8x33x64xf32>, %w: tensor<3x64x64xf32>) -> tensor<8x64x64xf32> {
  %0 = tensor.contract %x[b, x, k], %w[1, k, n] over (b: 8, x: 32, n: 64) reduce (k: 64) : tensor<8x33x64xf32>, tensor<3x64x64xf32> -> tensor<8x32x64xf32>
  %1 = tensor.contract %x[b1, x1 + kx * (-1) + 1, k], %w[kx * 2, k, n] over (b1: 8, x1: 32, n: 64) reduce (kx: 2, k: 64) : tensor<8x33x64xf32>, tensor<3x64x64xf32> -> tensor<8x32x64xf32>
  %2 = tensor.concat dim(1) %0, %1 : (tensor<8x32x64xf32>, tensor<8x32x64xf32>) -> tensor<8x64x64xf32>
  return %2 : tensor<8x64x64xf32>
}
