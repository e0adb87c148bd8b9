// RUN: mlc-opt %s --convert-graph-to-tensor | filecheck %s

// CHECK-LABEL: func.func private @conv2d(
// CHECK: tensor.pad %{{.*}} low[0, 1, 1, 0] high[0, 1, 1, 0]
// CHECK: tensor.contract %{{.*}}[b, y * 2 + ky, x * 2 + kx, k], %{{.*}}[ky, kx, k, n] over (b: 1, y: 4, x: 4, n: 5) reduce (ky: 3, kx: 3, k: 3)
func.func @nhwc(%x: tensor<1x8x8x3xf32>, %w: tensor<3x3x3x5xf32>) -> tensor<1x4x4x5xf32> {
  %0 = graph.conv2d %x, %w {strides = array<i64: 2, 2>, padding = array<i64: 1, 1, 1, 1>, layout = "NHWC"} : tensor<1x8x8x3xf32>, tensor<3x3x3x5xf32> -> tensor<1x4x4x5xf32>
  return %0 : tensor<1x4x4x5xf32>
}

// CHECK-LABEL: func.func private @conv2d_1(
// CHECK: tensor.contract %{{.*}}[b, k, y + ky * 2, x + kx * 2], %{{.*}}[n, k, ky, kx] over (b: 1, n: 5, y: 4, x: 4) reduce (ky: 3, kx: 3, k: 3)
func.func @nchw_dilated(%x: tensor<1x3x8x8xf32>, %w: tensor<5x3x3x3xf32>) -> tensor<1x5x4x4xf32> {
  %0 = graph.conv2d %x, %w {dilations = array<i64: 2, 2>} : tensor<1x3x8x8xf32>, tensor<5x3x3x3xf32> -> tensor<1x5x4x4xf32>
  return %0 : tensor<1x5x4x4xf32>
}

// Two groups: output channels 0 to 2 read input channels 0 and 1, 3 to 5 read 2 and 3.
// CHECK-LABEL: func.func private @conv2d_2(
// CHECK: tensor.contract %{{.*}}[b, y + ky, x + kx, (n floordiv 3) * 2 + k], %{{.*}}[ky, kx, k, n] over (b: 1, y: 8, x: 8, n: 6)
func.func @groups(%x: tensor<1x8x8x4xf32>, %w: tensor<1x1x2x6xf32>) -> tensor<1x8x8x6xf32> {
  %0 = graph.conv2d %x, %w {groups = 2 : i64, layout = "NHWC"} : tensor<1x8x8x4xf32>, tensor<1x1x2x6xf32> -> tensor<1x8x8x6xf32>
  return %0 : tensor<1x8x8x6xf32>
}

// CHECK-LABEL: func.func private @conv2d_3(
// CHECK: tensor.contract %{{.*}}[b, y + ky, x + kx, n + k]
func.func @depthwise(%x: tensor<1x8x8x4xf32>, %w: tensor<3x3x1x4xf32>) -> tensor<1x6x6x4xf32> {
  %0 = graph.conv2d %x, %w {groups = 4 : i64, layout = "NHWC"} : tensor<1x8x8x4xf32>, tensor<3x3x1x4xf32> -> tensor<1x6x6x4xf32>
  return %0 : tensor<1x6x6x4xf32>
}

// CHECK-LABEL: func.func private @conv3d(
// CHECK: tensor.pad %{{.*}} low[0, 1, 0, 0, 0] high[0, 0, 0, 1, 0]
// CHECK: tensor.contract %{{.*}}[b, z + kz, y * 2 + ky, x + kx * 2, k], %{{.*}}[kz, ky, kx, k, n] over (b: 1, z: 4, y: 3, x: 5, n: 5) reduce (kz: 2, ky: 3, kx: 3, k: 3)
func.func @volumes(%x: tensor<1x4x8x8x3xf32>, %w: tensor<2x3x3x3x5xf32>) -> tensor<1x4x3x5x5xf32> {
  %0 = graph.conv3d %x, %w {strides = array<i64: 1, 2, 1>, padding = array<i64: 1, 0, 0, 0, 0, 1>, dilations = array<i64: 1, 1, 2>, layout = "NDHWC"} : tensor<1x4x8x8x3xf32>, tensor<2x3x3x3x5xf32> -> tensor<1x4x3x5x5xf32>
  return %0 : tensor<1x4x3x5x5xf32>
}

// Where the largest element is: the least sum of row * width and column, which padding makes large.
// CHECK-LABEL: func.func private @arg_max_pool2d(
// CHECK-DAG: %[[ROWS:.*]] = arith.constant dense<[0, 3, 6, 1152921504606846976]> : tensor<4xi64>
// CHECK-DAG: %[[COLUMNS:.*]] = arith.constant dense<[0, 1, 2]> : tensor<3xi64>
// CHECK: tensor.reduce min %[[ROWS]][y * 2 + ky], %[[COLUMNS]][x + kx], %{{.*}}[b, n, y * 2 + ky, x + kx], %{{.*}}[b, n, y, x] over (b: 1, n: 2, y: 2, x: 2) reduce (ky: 2, kx: 2)
func.func @positions(%x: tensor<1x2x3x3xf32>) -> tensor<1x2x2x2xi64> {
  %0 = graph.arg_max_pool2d %x {kernel = array<i64: 2, 2>, strides = array<i64: 2, 1>, padding = array<i64: 0, 0, 1, 0>} : tensor<1x2x3x3xf32> -> tensor<1x2x2x2xi64>
  return %0 : tensor<1x2x2x2xi64>
}
