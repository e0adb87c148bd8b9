// RUN: mlc-opt %s --schedule="target=x86-64-v4" | filecheck %s
// RUN: mlc-opt %s --schedule="target=x86-64-v4" --lower-to-loops --apply-schedule --check-each | filecheck %s --check-prefix=LOOPS

// Names of values do not keep endings such as _1: queries, keys and values are all called "view", as exporters call them.
// The keys are packed, not the queries, and their loops have names of their own.
// CHECK-LABEL: @attention
// CHECK-SAME: pack(arg1, n), tile(arg1_1, 16), tile(arg1_lane, 16), interchange(arg1_lane, arg1_1i, arg1_lanei),
// LOOPS-LABEL: @attention
// LOOPS-SAME: (%view: memref<2x16x32xf32>, %view_1: memref<2x48x32xf32>,
// LOOPS: %arg1_panels = memref.alloc() {{.*}} memref<2x2x32x32xf32>
// LOOPS: loop.load %view_1[
func.func private @attention(%view: tensor<2x16x32xf32>, %view_1: tensor<2x48x32xf32>, %view_2: tensor<2x48x32xf32>) -> tensor<2x16x32xf32> {
  %scores = tensor.contract %view[b, m, k], %view_1[b, n, k] over (b: 2, m: 16, n: 48) reduce (k: 32) : tensor<2x16x32xf32>, tensor<2x48x32xf32> -> tensor<2x16x48xf32>
  %top = tensor.reduce max %scores[b, m, k1] over (b: 2, m: 16) reduce (k1: 48) : tensor<2x16x48xf32> -> tensor<2x16xf32>
  %p = tensor.map %scores[b, m, n], %top[b, m] over (b: 2, m: 16, n: 48) : tensor<2x16x48xf32>, tensor<2x16xf32> -> tensor<2x16x48xf32> {
  ^bb0(%s: f32, %t: f32):
    %d = arith.subf %s, %t : f32
    %e = math.exp %d : f32
    tensor.yield %e : f32
  }
  %out = tensor.contract %p[b, m, k2], %view_2[b, k2, n1] over (b: 2, m: 16, n1: 32) reduce (k2: 48) : tensor<2x16x48xf32>, tensor<2x48x32xf32> -> tensor<2x16x32xf32>
  return %out : tensor<2x16x32xf32>
}
