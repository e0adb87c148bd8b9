// RUN: mlc-opt %s --convert-graph-to-tensor | filecheck %s

// Two taps reach each row: all four phases are one contraction, and what follows is computed before the reshape.
// CHECK-LABEL: func.func private @conv_transpose2d_bias_add(
// CHECK: %[[IMAGE:.*]] = tensor.pad %a low[0, 1, 1, 0] high[0, 1, 1, 0]
// CHECK: %[[SUM:.*]] = tensor.contract %[[IMAGE]][b, y + ky * (-1) + py + 1, x + kx * (-1) + px + 1, k], %b[ky * 2 + py * (-1) + 1, kx * 2 + px * (-1) + 1, k, n] over (b: 1, y: 8, py: 2, x: 8, px: 2, n: 32) reduce (ky: 2, kx: 2, k: 16)
// CHECK-NEXT: %[[BIASED:.*]] = tensor.map %[[SUM]][b, y, py, x, px, n], %c[n] over (b: 1, y: 8, py: 2, x: 8, px: 2, n: 32)
// CHECK: tensor.map %d[0, y * 2 + py, x * 2 + px, n], %[[BIASED]][b, y, py, x, px, n]
// CHECK: tensor.collapse_shape
// CHECK-NEXT: tensor.expand_shape
// CHECK-NEXT: return
func.func @interleaved(%x: tensor<1x8x8x16xf32>, %w: tensor<4x4x16x32xf32>, %bias: tensor<32xf32>, %skip: tensor<1x16x16x32xf32>) -> tensor<1x16x16x32xf32> {
  %0 = graph.fusion "conv_transpose2d_bias_add" (%a = %x, %b = %w, %c = %bias, %d = %skip) : (tensor<1x8x8x16xf32>, tensor<4x4x16x32xf32>, tensor<32xf32>, tensor<1x16x16x32xf32>) -> tensor<1x16x16x32xf32> {
    %1 = graph.conv_transpose2d %a, %b {strides = array<i64: 2, 2>, padding = array<i64: 1, 1, 1, 1>, layout = "NHWC"} : tensor<1x8x8x16xf32>, tensor<4x4x16x32xf32> -> tensor<1x16x16x32xf32>
    %2 = graph.add %1, %c : tensor<1x16x16x32xf32>, tensor<32xf32> -> tensor<1x16x16x32xf32>
    %3 = graph.add %d, %2 : tensor<1x16x16x32xf32>, tensor<1x16x16x32xf32> -> tensor<1x16x16x32xf32>
    graph.yield %3 : tensor<1x16x16x32xf32>
  }
  return %0 : tensor<1x16x16x32xf32>
}

// One tap reaches even rows, two reach odd ones; the eighth row is one too many.
// CHECK-LABEL: func.func private @conv_transpose2d(
// CHECK: %[[EVEN:.*]] = tensor.contract %{{.*}}[b, y + ky * (-1), x + kx * (-1), k], %{{.*}}[ky * 2 + 1, kx, k, n] over (b: 1, y: 4, py: 1, x: 4, n: 5) reduce (ky: 1, kx: 1, k: 2)
// CHECK: %[[ODD:.*]] = tensor.contract %{{.*}}[b, y + ky * (-1) + 1, x + kx * (-1), k], %{{.*}}[ky * 2, kx, k, n] over (b: 1, y: 4, py: 1, x: 4, n: 5) reduce (ky: 2, kx: 1, k: 2)
// CHECK: tensor.concat dim(2) %[[EVEN]], %[[ODD]]
// CHECK: tensor.map %{{.*}}[b, y, x, n] over (b: 1, y: 7, x: 4, n: 5) : tensor<1x8x4x5xf32> -> tensor<1x7x4x5xf32>
func.func @uneven(%x: tensor<1x4x4x2xf32>, %w: tensor<3x1x2x5xf32>) -> tensor<1x7x4x5xf32> {
  %0 = graph.conv_transpose2d %x, %w {strides = array<i64: 2, 1>, padding = array<i64: 1, 0, 1, 0>, layout = "NHWC"} : tensor<1x4x4x2xf32>, tensor<3x1x2x5xf32> -> tensor<1x7x4x5xf32>
  return %0 : tensor<1x7x4x5xf32>
}

// No tap reaches every second row: zeros.
// CHECK-LABEL: func.func private @conv_transpose2d_1(
// CHECK: %[[ROWS:.*]] = tensor.contract %{{.*}}[b, k, y + ky * (-1), x + kx * (-1)], %{{.*}}[k, n, ky * 2, kx] over (b: 1, n: 4, y: 3, py: 1, x: 3) reduce (ky: 1, kx: 1, k: 2)
// CHECK: %[[ZEROS:.*]] = tensor.map over (b: 1, n: 4, y: 3, py: 1, x: 3) : tensor<1x4x3x1x3xf32>
// CHECK: tensor.concat dim(3) %[[ROWS]], %[[ZEROS]]
func.func @gaps(%x: tensor<1x2x3x3xf32>, %w: tensor<2x4x1x1xf32>) -> tensor<1x4x5x3xf32> {
  %0 = graph.conv_transpose2d %x, %w {strides = array<i64: 2, 1>} : tensor<1x2x3x3xf32>, tensor<2x4x1x1xf32> -> tensor<1x4x5x3xf32>
  return %0 : tensor<1x4x5x3xf32>
}

// At stride 1 there are no phases, only a kernel that is read backwards.
// CHECK-LABEL: func.func private @conv_transpose2d_2(
// CHECK: tensor.contract %{{.*}}[b, y + ky * (-2) + 2, x + kx * (-1) + 1, k], %{{.*}}[ky, kx, k, n] over (b: 1, y: 6, x: 5, n: 3) reduce (ky: 2, kx: 2, k: 8)
// CHECK-NEXT: return
func.func @stride_1(%x: tensor<1x4x4x8xf32>, %w: tensor<2x2x8x3xf32>) -> tensor<1x6x5x3xf32> {
  %0 = graph.conv_transpose2d %x, %w {dilations = array<i64: 2, 1>, layout = "NHWC"} : tensor<1x4x4x8xf32>, tensor<2x2x8x3xf32> -> tensor<1x6x5x3xf32>
  return %0 : tensor<1x6x5x3xf32>
}

// CHECK-LABEL: func.func private @conv_transpose2d_3(
// CHECK: tensor.contract %{{.*}}[b, y + ky * (-1) + 1, x + kx * (-1) + 1, g * 4 + k], %{{.*}}[ky, kx, g * 4 + k, n] over (b: 1, y: 5, x: 5, g: 2, n: 3) reduce (ky: 2, kx: 2, k: 4)
func.func @groups(%x: tensor<1x4x4x8xf32>, %w: tensor<2x2x8x3xf32>) -> tensor<1x5x5x6xf32> {
  %0 = graph.conv_transpose2d %x, %w {groups = 2 : i64, layout = "NHWC"} : tensor<1x4x4x8xf32>, tensor<2x2x8x3xf32> -> tensor<1x5x5x6xf32>
  return %0 : tensor<1x5x5x6xf32>
}

// Channels stay contiguous in the image, the weights and the result.
// CHECK-LABEL: func.func private @conv_transpose2d_4(
// CHECK: tensor.contract %{{.*}}[b, y + ky * (-1), x + kx * (-1), n], %{{.*}}[ky * 2 + py, kx * 2 + px, n] over (b: 1, y: 4, py: 2, x: 4, px: 2, n: 8) reduce (ky: 1, kx: 1, k: 1)
func.func @depthwise(%x: tensor<1x4x4x8xf32>, %w: tensor<2x2x8x1xf32>) -> tensor<1x8x8x8xf32> {
  %0 = graph.conv_transpose2d %x, %w {strides = array<i64: 2, 2>, groups = 8 : i64, layout = "NHWC"} : tensor<1x4x4x8xf32>, tensor<2x2x8x1xf32> -> tensor<1x8x8x8xf32>
  return %0 : tensor<1x8x8x8xf32>
}
