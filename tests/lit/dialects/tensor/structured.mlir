// RUN: mlc-opt %s | filecheck %s
// RUN: mlc-opt %s | mlc-opt | filecheck %s
// RUN: mlc-opt %s --print-op-generic | mlc-opt | filecheck %s
// RUN: mlc-opt %s --print-op-generic | filecheck %s --check-prefix=GENERIC

// CHECK-LABEL: @linear
// CHECK: tensor.contract %{{.*}}[m, k], %{{.*}}[k, n] over (m: 2, n: 3) reduce (k: 4) : tensor<2x4xf32>, tensor<4x3xf32> -> tensor<2x3xf32>
// CHECK: tensor.map %{{.*}}[m, n], %{{.*}}[n] over (m: 2, n: 3) : tensor<2x3xf32>, tensor<3xf32> -> tensor<2x3xf32> {
// CHECK-NEXT: ^bb0(%{{.*}}: f32, %{{.*}}: f32):
// GENERIC: "tensor.contract"(%{{.*}}, %{{.*}}) <{dims = ["m", "n", "k"], sizes = array<i64: 2, 3, 4>, maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>]}>
func.func private @linear(%x: tensor<2x4xf32>, %w: tensor<4x3xf32>, %b: tensor<3xf32>) -> tensor<2x3xf32> {
  %0 = tensor.contract %x[m, k], %w[k, n] over (m: 2, n: 3) reduce (k: 4) : tensor<2x4xf32>, tensor<4x3xf32> -> tensor<2x3xf32>
  %1 = tensor.map %0[m, n], %b[n] over (m: 2, n: 3) : tensor<2x3xf32>, tensor<3xf32> -> tensor<2x3xf32> {
  ^bb0(%acc: f32, %bias: f32):
    %s = arith.addf %acc, %bias : f32
    tensor.yield %s : f32
  }
  return %1 : tensor<2x3xf32>
}

// A body that only passes on its argument is not written.
// CHECK-LABEL: @reductions
// CHECK: tensor.reduce max %{{.*}}[r, k] over (r: 2) reduce (k: 4) : tensor<2x4xf32> -> tensor<2xf32>
// CHECK-NEXT: tensor.reduce add %{{.*}}[k0, k1 * 2 + 1] over () reduce (k0: 2, k1: 2) : tensor<2x4xf32> -> tensor<f32> {
// CHECK-NEXT: ^bb0(
func.func private @reductions(%x: tensor<2x4xf32>) -> (tensor<2xf32>, tensor<f32>) {
  %0 = tensor.reduce max %x[r, k] over (r: 2) reduce (k: 4) : tensor<2x4xf32> -> tensor<2xf32>
  %1 = tensor.reduce add %x[k0, k1 * 2 + 1] over () reduce (k0: 2, k1: 2) : tensor<2x4xf32> -> tensor<f32> {
  ^bb0(%a: f32):
    %s = arith.mulf %a, %a : f32
    tensor.yield %s : f32
  }
  return %0, %1 : tensor<2xf32>, tensor<f32>
}

// CHECK-LABEL: @subscripts
// CHECK: %{{.*}}[n, (c floordiv 2) * 2 + k, y * 2 + i, x + j * (-1) + 2]
func.func private @subscripts(%x: tensor<1x4x9x7xf32>) -> tensor<1x4x4x4xf32> {
  %0 = tensor.reduce add %x[n, (c floordiv 2) * 2 + k, y * 2 + i, x - j + 2] over (n: 1, c: 4, y: 4, x: 4) reduce (k: 2, i: 3, j: 3) : tensor<1x4x9x7xf32> -> tensor<1x4x4x4xf32>
  return %0 : tensor<1x4x4x4xf32>
}
