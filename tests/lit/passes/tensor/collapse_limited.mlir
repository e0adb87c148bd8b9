// RUN: mlc-opt %s --collapse-dims | filecheck %s
// RUN: mlc-opt %s --collapse-dims --unify-dims --limit-dims="target=znver4" | filecheck %s --check-prefix=LIMIT

// The rows of each of 4 matrices end at %n, so that they are not joined with the matrices around them: a loop over both
// could not end there. Columns are joined to rows, of which as many end: `times 8`.
// CHECK-LABEL: func.func private @double(
// CHECK-SAME: -> tensor<4x48xf32>
// CHECK: over (m: 4, n: 48)
// LIMIT: func.func private @double(
// LIMIT-SAME: limits = #loop.limits<n: argument 1 by 16 times 8>
func.func private @double(%x: tensor<4x6x8xf32>) -> tensor<4x6x8xf32> {
  %y = tensor.map %x[b, y, x] over (b: 4, y: 6, x: 8) : tensor<4x6x8xf32> -> tensor<4x6x8xf32> {
  ^bb0(%e: f32):
    %s = arith.addf %e, %e : f32
    tensor.yield %s : f32
  }
  return %y : tensor<4x6x8xf32>
}

// All is data here.
// CHECK-LABEL: func.func private @whole(
// CHECK-SAME: -> tensor<192xf32>
// LIMIT: func.func private @whole(
// LIMIT-NOT: limits
// LIMIT: func.func @main
func.func private @whole(%x: tensor<4x6x8xf32>) -> tensor<4x6x8xf32> {
  %y = tensor.map %x[b, y, x] over (b: 4, y: 6, x: 8) : tensor<4x6x8xf32> -> tensor<4x6x8xf32> {
  ^bb0(%e: f32):
    %s = arith.mulf %e, %e : f32
    tensor.yield %s : f32
  }
  return %y : tensor<4x6x8xf32>
}

func.func @main(%x: tensor<4x6x8xf32>, %n: tensor<i64>)
    -> (tensor<4x6x8xf32> {mlc.extents = array<i64: -1, 2, -1>}, tensor<4x6x8xf32>, tensor<i64>) {
  %y = call @double(%x) : (tensor<4x6x8xf32>) -> tensor<4x6x8xf32>
  %z = call @whole(%x) : (tensor<4x6x8xf32>) -> tensor<4x6x8xf32>
  return %y, %z, %n : tensor<4x6x8xf32>, tensor<4x6x8xf32>, tensor<i64>
}
