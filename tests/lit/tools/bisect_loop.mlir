// RUN: (not mlc bisect %s --load-pass %S/Inputs/broken_passes.py --pass-pipeline=lower-to-loops,square-for-product 2>&1) | filecheck %s

// The sums that a loop carries are computed of each other, and all of them are wrong: it is the product that is to blame.
// CHECK: after pass 'square-for-product'
// CHECK: op before {{.*}}bisect_loop.mlir:9:8: {{.*}}math.fma %1, %2
// CHECK-NEXT: op after  {{.*}}bisect_loop.mlir:9:8: {{.*}}math.fma %1, %1
// CHECK-NEXT: reproducer: {{.*}}
func.func @main(%x: tensor<4x8xf32>, %w: tensor<8x3xf32>) -> tensor<4x3xf32> {
  %0 = graph.matmul %x, %w : tensor<4x8xf32>, tensor<8x3xf32> -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}
