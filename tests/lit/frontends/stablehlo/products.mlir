// RUN: mlc-opt %s --convert-stablehlo-to-graph | filecheck %s

// CHECK-LABEL: func.func @matmul
// CHECK-NEXT: %0 = graph.matmul %x, %w : tensor<2x3xf32>, tensor<3x4xf32> -> tensor<2x4xf32>
// CHECK-NEXT: func.return %0
func.func @matmul(%x: tensor<2x3xf32>, %w: tensor<3x4xf32>) -> tensor<2x4xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// A batch in front; what is free of an operand is one dim.

// CHECK-LABEL: func.func @batched
// CHECK-NEXT: %0 = graph.transpose %y [0, 2, 1] : tensor<8x6x5xf32> -> tensor<8x5x6xf32>
// CHECK-NEXT: %1 = graph.matmul %x, %0 : tensor<8x4x5xf32>, tensor<8x5x6xf32> -> tensor<8x4x6xf32>
func.func @batched(%x: tensor<8x4x5xf32>, %y: tensor<8x6x5xf32>) -> tensor<8x4x6xf32> {
  %0 = stablehlo.dot_general %x, %y, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<8x4x5xf32>, tensor<8x6x5xf32>) -> tensor<8x4x6xf32>
  return %0 : tensor<8x4x6xf32>
}

// Channels stay where they are if they are last everywhere.

// CHECK-LABEL: func.func @channels_last
// CHECK-NEXT: graph.conv2d %x, %w {strides = array<i64: 2, 2>, padding = array<i64: 0, 0, 1, 1>, layout = "NHWC"}
func.func @channels_last(%x: tensor<1x8x8x3xf32>, %w: tensor<3x3x3x4xf32>) -> tensor<1x4x4x4xf32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2], pad = [[0, 1], [0, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x3xf32>, tensor<3x3x3x4xf32>) -> tensor<1x4x4x4xf32>
  return %0 : tensor<1x4x4x4xf32>
}

// CHECK-LABEL: func.func @line
// CHECK: graph.conv2d %{{.*}}, %{{.*}} : tensor<2x3x1x8xf32>, tensor<4x3x1x3xf32> -> tensor<2x4x1x6xf32>
func.func @line(%x: tensor<2x3x8xf32>, %w: tensor<4x3x3xf32>) -> tensor<2x4x6xf32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, f, 0]x[o, i, 0]->[b, f, 0], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x3x8xf32>, tensor<4x3x3xf32>) -> tensor<2x4x6xf32>
  return %0 : tensor<2x4x6xf32>
}
