// RUN: mlc-opt %s --lower-to-tensor --schedule="target=x86-64-v4" | filecheck %s

// Pages of eight rows side by side, front to back; the sums of a page of columns wait in the first cache.
// CHECK-LABEL: func.func private @columns
// CHECK-SAME: schedule = #loop.schedule<[tile(n, 1024), tile(k, 8), cache_write(k, ni), tile(ni, 64), tile(nii, 16), vectorize(niii, 16), unroll(nii), unroll(ki)]>
// A page is half as many numbers that are twice as long, and vectors are half as wide.
// CHECK-LABEL: func.func private @mean_of_squares
// CHECK-SAME: schedule = #loop.schedule<[tile(n, 512), tile(k, 8), cache_write(k, ni), tile(ni, 32), tile(nii, 8), vectorize(niii, 8), unroll(nii), unroll(ki)]>
// What the second cache holds is reduced in registers.
// CHECK-LABEL: func.func private @small
// CHECK-SAME: schedule = #loop.schedule<[tile(n, 256), tile(ni, 16), vectorize(nii, 16), unroll(ni){{.*}}]>
// So are few rows, however long.
// CHECK-LABEL: func.func private @few
// CHECK-SAME: schedule = #loop.schedule<[tile(n, 256), tile(ni, 16), vectorize(nii, 16), unroll(ni){{.*}}]>
func.func @main(%x: tensor<3x1001x1500xf32>, %y: tensor<2048x1000xf64>, %s: tensor<100x1000xf32>, %l: tensor<8x200000xf32>)
    -> (tensor<3x1500xf32>, tensor<1000xf64>, tensor<1000xf32>, tensor<200000xf32>) {
  %0 = graph.fusion "columns" (%a = %x) : (tensor<3x1001x1500xf32>) -> tensor<3x1500xf32> {
    %r = graph.reduce max %a axes [1] : tensor<3x1001x1500xf32> -> tensor<3x1500xf32>
    graph.yield %r : tensor<3x1500xf32>
  }
  %1 = graph.fusion "mean_of_squares" (%a = %y) : (tensor<2048x1000xf64>) -> tensor<1000xf64> {
    %q = graph.mul %a, %a : tensor<2048x1000xf64>, tensor<2048x1000xf64> -> tensor<2048x1000xf64>
    %r = graph.reduce mean %q axes [0] : tensor<2048x1000xf64> -> tensor<1000xf64>
    graph.yield %r : tensor<1000xf64>
  }
  %2 = graph.fusion "small" (%a = %s) : (tensor<100x1000xf32>) -> tensor<1000xf32> {
    %r = graph.reduce sum %a axes [0] : tensor<100x1000xf32> -> tensor<1000xf32>
    graph.yield %r : tensor<1000xf32>
  }
  %3 = graph.fusion "few" (%a = %l) : (tensor<8x200000xf32>) -> tensor<200000xf32> {
    %r = graph.reduce sum %a axes [0] : tensor<8x200000xf32> -> tensor<200000xf32>
    graph.yield %r : tensor<200000xf32>
  }
  return %0, %1, %2, %3 : tensor<3x1500xf32>, tensor<1000xf64>, tensor<1000xf32>, tensor<200000xf32>
}
