// REQUIRES: torch
// RUN: mlc-opt %s --convert-aten-to-graph | filecheck %s

// The gradient of the image is a transposed convolution, as far as the image reaches; that of the weights a convolution in
// which batch and channels change places, and strides and dilations.

// CHECK-LABEL: func.func @backward
// CHECK-NEXT: %dx = graph.conv_transpose2d %g, %w {strides = array<i64: 2, 2>, padding = array<i64: 1, 1, 1, 1>, output_padding = array<i64: 1, 1>}
// CHECK-NEXT: %[[X:.*]] = graph.reshape %x : tensor<2x4x10x10xf32> -> tensor<2x1x4x10x10xf32>
// CHECK-NEXT: %[[XT:.*]] = graph.transpose %[[X]] [2, 1, 0, 3, 4]
// CHECK-NEXT: %[[ROWS:.*]] = graph.reshape %[[XT]] : tensor<4x1x2x10x10xf32> -> tensor<4x2x10x10xf32>
// CHECK-NEXT: %[[GT:.*]] = graph.transpose %g [1, 0, 2, 3]
// CHECK-NEXT: %[[TAPS:.*]] = graph.conv2d %[[ROWS]], %[[GT]] {padding = array<i64: 1, 1, 0, 0>, dilations = array<i64: 2, 2>}
// CHECK-NEXT: %dw = graph.transpose %[[TAPS]] [1, 0, 2, 3]
// CHECK-NEXT: %db = graph.reduce sum %g axes [0, 2, 3]
func.func @backward(%g: tensor<2x8x5x5xf32>, %x: tensor<2x4x10x10xf32>, %w: tensor<8x4x3x3xf32>) -> (tensor<2x4x10x10xf32>, tensor<8x4x3x3xf32>, tensor<8xf32>) {
  %dx, %dw, %db = aten.convolution_backward %g, %x, %w {bias_sizes = array<i64: 8>, stride = array<i64: 2, 2>, padding = array<i64: 1, 1>, dilation = array<i64: 1, 1>, transposed = false, output_padding = array<i64: 0, 0>, groups = 1 : i64, output_mask = array<i1: true, true, true>} : (tensor<2x8x5x5xf32>, tensor<2x4x10x10xf32>, tensor<8x4x3x3xf32>) -> (tensor<2x4x10x10xf32>, tensor<8x4x3x3xf32>, tensor<8xf32>)
  return %dx, %dw, %db : tensor<2x4x10x10xf32>, tensor<8x4x3x3xf32>, tensor<8xf32>
}

// What is not asked for is not computed. A transposed convolution has a plain one as the gradient of its image.

// CHECK-LABEL: func.func @transposed
// CHECK-NEXT: %dx = graph.conv2d %g, %w {strides = array<i64: 2, 2>}
// CHECK-NEXT: return %dx
func.func @transposed(%g: tensor<1x2x9x9xf32>, %x: tensor<1x3x4x4xf32>, %w: tensor<3x2x3x3xf32>) -> tensor<1x3x4x4xf32> {
  %dx, %dw, %db = aten.convolution_backward %g, %x, %w {bias_sizes, stride = array<i64: 2, 2>, padding = array<i64: 0, 0>, dilation = array<i64: 1, 1>, transposed = true, output_padding = array<i64: 0, 0>, groups = 1 : i64, output_mask = array<i1: true, false, false>} : (tensor<1x2x9x9xf32>, tensor<1x3x4x4xf32>, tensor<3x2x3x3xf32>) -> (tensor<1x3x4x4xf32>, none, none)
  return %dx : tensor<1x3x4x4xf32>
}

// A line is an image of one row.

// CHECK-LABEL: func.func @line
// CHECK: graph.conv2d %{{.*}}, %{{.*}} {padding = array<i64: 0, 1, 0, 1>}
func.func @line(%x: tensor<1x3x8xf32>, %w: tensor<4x3x3xf32>, %b: tensor<4xf32>) -> tensor<1x4x8xf32> {
  %y = aten.convolution %x, %w, %b {stride = array<i64: 1>, padding = array<i64: 1>, dilation = array<i64: 1>, transposed = false, output_padding = array<i64: 0>, groups = 1 : i64} : (tensor<1x3x8xf32>, tensor<4x3x3xf32>, tensor<4xf32>) -> tensor<1x4x8xf32>
  return %y : tensor<1x4x8xf32>
}
