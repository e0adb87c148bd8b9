// RUN: mlc-opt %s | mlc-opt | filecheck %s

// CHECK-LABEL: @conv_transpose2d
func.func @conv_transpose2d(%x: tensor<1x4x8x8xf32>, %w: tensor<4x16x3x3xf32>, %y: tensor<1x8x8x4xi32>, %v: tensor<2x3x4x2xi32>) {
  // CHECK: graph.conv_transpose2d %x, %w : tensor<1x4x8x8xf32>, tensor<4x16x3x3xf32> -> tensor<1x16x10x10xf32>
  %0 = graph.conv_transpose2d %x, %w {layout = "NCHW", strides = array<i64: 1, 1>} : tensor<1x4x8x8xf32>, tensor<4x16x3x3xf32> -> tensor<1x16x10x10xf32>
  // CHECK: graph.conv_transpose2d %x, %w {strides = array<i64: 2, 2>, padding = array<i64: 1, 1, 1, 1>, output_padding = array<i64: 1, 1>} :
  %1 = graph.conv_transpose2d %x, %w {strides = array<i64: 2, 2>, padding = array<i64: 1, 1, 1, 1>, output_padding = array<i64: 1, 1>} : tensor<1x4x8x8xf32>, tensor<4x16x3x3xf32> -> tensor<1x16x16x16xf32>
  // CHECK: graph.conv_transpose2d %y, %v {groups = 2 : i64, layout = "NHWC", dilations = array<i64: 3, 1>} :
  %2 = graph.conv_transpose2d %y, %v {groups = 2 : i64, layout = "NHWC", dilations = array<i64: 3, 1>} : tensor<1x8x8x4xi32>, tensor<2x3x4x2xi32> -> tensor<1x11x10x4xi32>
  return
}

// CHECK-LABEL: @volumes
func.func @volumes(%x: tensor<1x4x2x3x3xf32>, %w: tensor<4x5x2x2x2xf32>) {
  // CHECK: graph.conv_transpose3d %x, %w : tensor<1x4x2x3x3xf32>, tensor<4x5x2x2x2xf32> -> tensor<1x5x3x4x4xf32>
  %0 = graph.conv_transpose3d %x, %w {output_padding = array<i64: 0, 0, 0>} : tensor<1x4x2x3x3xf32>, tensor<4x5x2x2x2xf32> -> tensor<1x5x3x4x4xf32>
  // CHECK: graph.conv_transpose3d %x, %w {strides = array<i64: 2, 2, 2>, output_padding = array<i64: 1, 0, 1>} : tensor<1x4x2x3x3xf32>, tensor<4x5x2x2x2xf32> -> tensor<1x5x5x6x7xf32>
  %1 = graph.conv_transpose3d %x, %w {strides = array<i64: 2, 2, 2>, output_padding = array<i64: 1, 0, 1>} : tensor<1x4x2x3x3xf32>, tensor<4x5x2x2x2xf32> -> tensor<1x5x5x6x7xf32>
  return
}
