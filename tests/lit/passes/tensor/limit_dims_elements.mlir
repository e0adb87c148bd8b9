// RUN: mlc-opt %s --limit-dims="target=znver4" --split-input-file | filecheck %s

// Who reads the first element of a row needs nothing after the data, as there is one at least.
// CHECK-LABEL: func.func private @exp(
// CHECK-SAME: limits = #loop.limits<n: argument 1 by 16>
// CHECK-LABEL: func.func private @first(
// CHECK-NOT: limits
// CHECK-LABEL: func.func @main
func.func private @exp(%x: tensor<4x32xf32>) -> tensor<4x32xf32> {
  %y = tensor.map %x[m, n] over (m: 4, n: 32) : tensor<4x32xf32> -> tensor<4x32xf32> {
  ^bb0(%e: f32):
    %s = math.exp %e : f32
    tensor.yield %s : f32
  }
  return %y : tensor<4x32xf32>
}
func.func private @first(%x: tensor<4x32xf32>) -> tensor<4xf32> {
  %y = tensor.map %x[m, 0] over (m: 4) : tensor<4x32xf32> -> tensor<4xf32> {
  ^bb0(%e: f32):
    tensor.yield %e : f32
  }
  return %y : tensor<4xf32>
}
func.func @main(%x: tensor<4x32xf32>, %n: tensor<i64> {mlc.range = array<i64: 1, 32>})
    -> (tensor<4x32xf32> {mlc.extents = array<i64: -1, 2>}, tensor<4xf32>, tensor<i64>) {
  %y = call @exp(%x) : (tensor<4x32xf32>) -> tensor<4x32xf32>
  %z = call @first(%y) : (tensor<4x32xf32>) -> tensor<4xf32>
  return %y, %z, %n : tensor<4x32xf32>, tensor<4xf32>, tensor<i64>
}

// -----

// There may be none: all is computed.
// CHECK-LABEL: func.func private @exp(
// CHECK-NOT: limits
// CHECK-LABEL: func.func private @first(
// CHECK-LABEL: func.func @main
func.func private @exp(%x: tensor<4x32xf32>) -> tensor<4x32xf32> {
  %y = tensor.map %x[m, n] over (m: 4, n: 32) : tensor<4x32xf32> -> tensor<4x32xf32> {
  ^bb0(%e: f32):
    %s = math.exp %e : f32
    tensor.yield %s : f32
  }
  return %y : tensor<4x32xf32>
}
func.func private @first(%x: tensor<4x32xf32>) -> tensor<4xf32> {
  %y = tensor.map %x[m, 0] over (m: 4) : tensor<4x32xf32> -> tensor<4xf32> {
  ^bb0(%e: f32):
    tensor.yield %e : f32
  }
  return %y : tensor<4xf32>
}
func.func @main(%x: tensor<4x32xf32>, %n: tensor<i64> {mlc.range = array<i64: 0, 32>})
    -> (tensor<4x32xf32> {mlc.extents = array<i64: -1, 2>}, tensor<4xf32>, tensor<i64>) {
  %y = call @exp(%x) : (tensor<4x32xf32>) -> tensor<4x32xf32>
  %z = call @first(%y) : (tensor<4x32xf32>) -> tensor<4xf32>
  return %y, %z, %n : tensor<4x32xf32>, tensor<4xf32>, tensor<i64>
}

// -----

// Nothing says that there is one.
// CHECK-LABEL: func.func private @exp(
// CHECK-NOT: limits
// CHECK-LABEL: func.func private @first(
// CHECK-LABEL: func.func @main
func.func private @exp(%x: tensor<4x32xf32>) -> tensor<4x32xf32> {
  %y = tensor.map %x[m, n] over (m: 4, n: 32) : tensor<4x32xf32> -> tensor<4x32xf32> {
  ^bb0(%e: f32):
    %s = math.exp %e : f32
    tensor.yield %s : f32
  }
  return %y : tensor<4x32xf32>
}
func.func private @first(%x: tensor<4x32xf32>) -> tensor<4xf32> {
  %y = tensor.map %x[m, 0] over (m: 4) : tensor<4x32xf32> -> tensor<4xf32> {
  ^bb0(%e: f32):
    tensor.yield %e : f32
  }
  return %y : tensor<4xf32>
}
func.func @main(%x: tensor<4x32xf32>, %n: tensor<i64>)
    -> (tensor<4x32xf32> {mlc.extents = array<i64: -1, 2>}, tensor<4xf32>, tensor<i64>) {
  %y = call @exp(%x) : (tensor<4x32xf32>) -> tensor<4x32xf32>
  %z = call @first(%y) : (tensor<4x32xf32>) -> tensor<4xf32>
  return %y, %z, %n : tensor<4x32xf32>, tensor<4xf32>, tensor<i64>
}

// -----

// It may be the third of two.
// CHECK-LABEL: func.func private @exp(
// CHECK-NOT: limits
// CHECK-LABEL: func.func @main
func.func private @exp(%x: tensor<4x32xf32>) -> tensor<4x32xf32> {
  %y = tensor.map %x[m, n] over (m: 4, n: 32) : tensor<4x32xf32> -> tensor<4x32xf32> {
  ^bb0(%e: f32):
    %s = math.exp %e : f32
    tensor.yield %s : f32
  }
  return %y : tensor<4x32xf32>
}
func.func private @first_and_third(%x: tensor<4x32xf32>) -> tensor<4xf32> {
  %y = tensor.map %x[m, 2], %x[m, 0] over (m: 4) : tensor<4x32xf32>, tensor<4x32xf32> -> tensor<4xf32> {
  ^bb0(%e: f32, %f: f32):
    %s = arith.addf %e, %f : f32
    tensor.yield %s : f32
  }
  return %y : tensor<4xf32>
}
func.func @main(%x: tensor<4x32xf32>, %n: tensor<i64> {mlc.range = array<i64: 2, 32>})
    -> (tensor<4x32xf32> {mlc.extents = array<i64: -1, 2>}, tensor<4xf32>, tensor<i64>) {
  %y = call @exp(%x) : (tensor<4x32xf32>) -> tensor<4x32xf32>
  %z = call @first_and_third(%y) : (tensor<4x32xf32>) -> tensor<4xf32>
  return %y, %z, %n : tensor<4x32xf32>, tensor<4xf32>, tensor<i64>
}

// -----

// A kernel that gives its result another shape: rows of all texts end where the last text does.
// CHECK-LABEL: func.func private @embed(
// CHECK-SAME: limits = #loop.limits<m: argument 2 times 8>
// CHECK-LABEL: func.func @main
func.func private @embed(%table: tensor<10x4xf32>, %ids: tensor<6x8xi64>) -> tensor<6x8x4xf32> {
  %flat = tensor.collapse_shape %ids [[0 : i64, 1 : i64]] : tensor<6x8xi64> into tensor<48xi64>
  %rows = tensor.take %table[i, n] at (i = %flat[m]) over (m: 48, n: 4) : tensor<10x4xf32>, tensor<48xi64> -> tensor<48x4xf32>
  %y = tensor.expand_shape %rows [[0 : i64, 1 : i64], [2 : i64]] output_shape [6, 8, 4] : tensor<48x4xf32> into tensor<6x8x4xf32>
  return %y : tensor<6x8x4xf32>
}
func.func @main(%table: tensor<10x4xf32>, %ids: tensor<6x8xi64>, %n: tensor<i64> {mlc.range = array<i64: 1, 6>})
    -> (tensor<6x8x4xf32> {mlc.extents = array<i64: 1, -1, -1>}, tensor<i64>) {
  %y = call @embed(%table, %ids) : (tensor<10x4xf32>, tensor<6x8xi64>) -> tensor<6x8x4xf32>
  return %y, %n : tensor<6x8x4xf32>, tensor<i64>
}
