// RUN: mlc-opt %s --limit-dims="target=znver4" --split-input-file | filecheck %s

// Points of rows that nobody needs are left out. How many points there are along `k` has nothing to do with the extent of
// dim 1 of the data.
// CHECK-LABEL: func.func private @scatter(
// CHECK-SAME: limits = #loop.limits<m: argument 3>
// CHECK-LABEL: func.func @main
func.func private @scatter(%data: tensor<8x32xf32>, %at: tensor<8x16xi64>, %new: tensor<8x16xf32>) -> tensor<8x32xf32> {
  %y = tensor.put add %new into %data[m, i] at (i = %at[m, k]) over (m: 8, k: 16)
      : tensor<8x16xf32>, tensor<8x32xf32>, tensor<8x16xi64> -> tensor<8x32xf32>
  return %y : tensor<8x32xf32>
}
func.func @main(%data: tensor<8x32xf32>, %at: tensor<8x16xi64>, %new: tensor<8x16xf32>,
                %m: tensor<i64> {mlc.range = array<i64: 1, 8>}, %n: tensor<i64> {mlc.range = array<i64: 1, 32>})
    -> (tensor<8x32xf32> {mlc.extents = array<i64: 1, 2>}, tensor<i64>, tensor<i64>) {
  %y = call @scatter(%data, %at, %new) : (tensor<8x32xf32>, tensor<8x16xi64>, tensor<8x16xf32>) -> tensor<8x32xf32>
  return %y, %m, %n : tensor<8x32xf32>, tensor<i64>, tensor<i64>
}

// -----

// All of the updates are needed, though others read only as much of them as an extent says.
// CHECK-LABEL: func.func private @scatter(
// CHECK-NOT: limits
// CHECK-LABEL: func.func @main
func.func private @scatter(%data: tensor<32xf32>, %at: tensor<16xi64>, %x: tensor<16xf32>) -> (tensor<32xf32>, tensor<16xf32>) {
  %new = tensor.map %x[n] over (n: 16) : tensor<16xf32> -> tensor<16xf32> {
  ^bb0(%e: f32):
    %s = math.exp %e : f32
    tensor.yield %s : f32
  }
  %y = tensor.put set %new into %data[i] at (i = %at[k]) over (k: 16)
      : tensor<16xf32>, tensor<32xf32>, tensor<16xi64> -> tensor<32xf32>
  return %y, %new : tensor<32xf32>, tensor<16xf32>
}
func.func @main(%data: tensor<32xf32>, %at: tensor<16xi64>, %x: tensor<16xf32>, %m: tensor<i64> {mlc.range = array<i64: 1, 16>})
    -> (tensor<32xf32>, tensor<16xf32> {mlc.extents = array<i64: 2>}, tensor<i64>) {
  %y, %new = call @scatter(%data, %at, %x) : (tensor<32xf32>, tensor<16xi64>, tensor<16xf32>) -> (tensor<32xf32>, tensor<16xf32>)
  return %y, %new, %m : tensor<32xf32>, tensor<16xf32>, tensor<i64>
}
