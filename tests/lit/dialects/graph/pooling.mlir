// RUN: mlc-opt %s | mlc-opt | filecheck %s

// CHECK-LABEL: @pools
func.func @pools(%x: tensor<1x16x8x8xf32>, %y: tensor<1x8x8x16xf32>) {
  // CHECK: graph.max_pool2d %x {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>} : tensor<1x16x8x8xf32> -> tensor<1x16x4x4xf32>
  %0 = graph.max_pool2d %x {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>} : tensor<1x16x8x8xf32> -> tensor<1x16x4x4xf32>
  // CHECK: graph.max_pool2d %y {kernel = array<i64: 2, 2>, dilations = array<i64: 2, 2>, layout = "NHWC"} : tensor<1x8x8x16xf32> -> tensor<1x6x6x16xf32>
  %1 = graph.max_pool2d %y {kernel = array<i64: 2, 2>, dilations = array<i64: 2, 2>, layout = "NHWC"} : tensor<1x8x8x16xf32> -> tensor<1x6x6x16xf32>
  // CHECK: graph.avg_pool2d %x {kernel = array<i64: 3, 3>, padding = array<i64: 1, 1, 1, 1>, count_include_pad = true} : tensor<1x16x8x8xf32> -> tensor<1x16x8x8xf32>
  %2 = graph.avg_pool2d %x {kernel = array<i64: 3, 3>, padding = array<i64: 1, 1, 1, 1>, count_include_pad = true} : tensor<1x16x8x8xf32> -> tensor<1x16x8x8xf32>
  // CHECK: graph.avg_pool2d %x {kernel = array<i64: 3, 3>, dilations = array<i64: 2, 1>} : tensor<1x16x8x8xf32> -> tensor<1x16x4x6xf32>
  %3 = graph.avg_pool2d %x {kernel = array<i64: 3, 3>, dilations = array<i64: 2, 1>} : tensor<1x16x8x8xf32> -> tensor<1x16x4x6xf32>
  // CHECK: graph.arg_max_pool2d %x {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>} : tensor<1x16x8x8xf32> -> tensor<1x16x4x4xi64>
  %4 = graph.arg_max_pool2d %x {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>} : tensor<1x16x8x8xf32> -> tensor<1x16x4x4xi64>
  return
}

// CHECK-LABEL: @volumes
func.func @volumes(%x: tensor<1x16x4x8x8xf32>, %y: tensor<1x4x8x8x16xf32>) {
  // CHECK: graph.max_pool3d %x {kernel = array<i64: 2, 2, 2>} : tensor<1x16x4x8x8xf32> -> tensor<1x16x3x7x7xf32>
  %0 = graph.max_pool3d %x {kernel = array<i64: 2, 2, 2>, dilations = array<i64: 1, 1, 1>} : tensor<1x16x4x8x8xf32> -> tensor<1x16x3x7x7xf32>
  // CHECK: graph.arg_max_pool3d %y {kernel = array<i64: 2, 2, 2>, layout = "NDHWC"} : tensor<1x4x8x8x16xf32> -> tensor<1x3x7x7x16xi64>
  %1 = graph.arg_max_pool3d %y {kernel = array<i64: 2, 2, 2>, layout = "NDHWC"} : tensor<1x4x8x8x16xf32> -> tensor<1x3x7x7x16xi64>
  // CHECK: graph.avg_pool3d %x {kernel = array<i64: 3, 3, 3>, padding = array<i64: 1, 1, 1, 1, 1, 1>} : tensor<1x16x4x8x8xf32> -> tensor<1x16x4x8x8xf32>
  %2 = graph.avg_pool3d %x {kernel = array<i64: 3, 3, 3>, padding = array<i64: 1, 1, 1, 1, 1, 1>} : tensor<1x16x4x8x8xf32> -> tensor<1x16x4x8x8xf32>
  return
}
