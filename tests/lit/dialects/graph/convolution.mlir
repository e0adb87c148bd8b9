// RUN: mlc-opt %s | mlc-opt | filecheck %s

// CHECK-LABEL: @conv2d
func.func @conv2d(%x: tensor<1x4x8x8xf32>, %w: tensor<16x4x3x3xf32>, %y: tensor<1x8x8x4xf32>, %v: tensor<3x3x1x4xf32>) {
  // CHECK: graph.conv2d %x, %w : tensor<1x4x8x8xf32>, tensor<16x4x3x3xf32> -> tensor<1x16x6x6xf32>
  %0 = graph.conv2d %x, %w {layout = "NCHW", strides = array<i64: 1, 1>} : tensor<1x4x8x8xf32>, tensor<16x4x3x3xf32> -> tensor<1x16x6x6xf32>
  // CHECK: graph.conv2d %y, %v {{{.*}}groups = 4 : i64{{.*}}} : tensor<1x8x8x4xf32>, tensor<3x3x1x4xf32> -> tensor<1x4x4x4xf32>
  %1 = graph.conv2d %y, %v {layout = "NHWC", groups = 4 : i64, strides = array<i64: 2, 2>, padding = array<i64: 1, 1, 1, 1>} : tensor<1x8x8x4xf32>, tensor<3x3x1x4xf32> -> tensor<1x4x4x4xf32>
  // CHECK: graph.conv2d %x, %w {dilations = array<i64: 2, 2>} : tensor<1x4x8x8xf32>, tensor<16x4x3x3xf32> -> tensor<1x16x4x4xf32>
  %2 = graph.conv2d %x, %w {dilations = array<i64: 2, 2>} : tensor<1x4x8x8xf32>, tensor<16x4x3x3xf32> -> tensor<1x16x4x4xf32>
  return
}

// CHECK-LABEL: @conv3d
func.func @conv3d(%x: tensor<1x4x5x8x8xf32>, %w: tensor<16x4x3x3x3xf32>, %y: tensor<1x5x8x8x4xf32>, %v: tensor<1x3x3x1x4xf32>) {
  // CHECK: graph.conv3d %x, %w : tensor<1x4x5x8x8xf32>, tensor<16x4x3x3x3xf32> -> tensor<1x16x3x6x6xf32>
  %0 = graph.conv3d %x, %w {layout = "NCDHW", strides = array<i64: 1, 1, 1>} : tensor<1x4x5x8x8xf32>, tensor<16x4x3x3x3xf32> -> tensor<1x16x3x6x6xf32>
  // CHECK: graph.conv3d %y, %v {{{.*}}layout = "NDHWC"{{.*}}} : tensor<1x5x8x8x4xf32>, tensor<1x3x3x1x4xf32> -> tensor<1x5x4x4x4xf32>
  %1 = graph.conv3d %y, %v {layout = "NDHWC", groups = 4 : i64, strides = array<i64: 1, 2, 2>, padding = array<i64: 0, 1, 1, 0, 1, 1>} : tensor<1x5x8x8x4xf32>, tensor<1x3x3x1x4xf32> -> tensor<1x5x4x4x4xf32>
  return
}

// Products of short numbers are added in a wider type.

// CHECK-LABEL: @wider
func.func @wider(%q: tensor<1x3x8x8xui8>, %v: tensor<4x3x1x1xi8>, %h: tensor<1x3x8x8xf16>, %w: tensor<4x3x1x1xf16>) {
  // CHECK: graph.conv2d %q, %v : tensor<1x3x8x8xui8>, tensor<4x3x1x1xi8> -> tensor<1x4x8x8xi32>
  %0 = graph.conv2d %q, %v : tensor<1x3x8x8xui8>, tensor<4x3x1x1xi8> -> tensor<1x4x8x8xi32>
  // CHECK: graph.conv2d %h, %w : tensor<1x3x8x8xf16>, tensor<4x3x1x1xf16> -> tensor<1x4x8x8xf32>
  %1 = graph.conv2d %h, %w : tensor<1x3x8x8xf16>, tensor<4x3x1x1xf16> -> tensor<1x4x8x8xf32>
  return
}
