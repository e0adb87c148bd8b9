// RUN: mlc-opt %s --shrink-windows --check-each | filecheck %s

// Taps 24 apart on 14 x 14 pixels: but for the one in the middle, all meet padding only.
// CHECK-LABEL: @only_the_middle
// CHECK: %[[w:.*]] = graph.constant dense_resource<w> : tensor<2x1x1x1xf32>
// CHECK-NEXT: graph.conv2d %x, %[[w]] {dilations = array<i64: 24, 24>} : tensor<1x1x14x14xf32>, tensor<2x1x1x1xf32> -> tensor<1x2x14x14xf32>
func.func @only_the_middle(%x: tensor<1x1x14x14xf32>) -> tensor<1x2x14x14xf32> {
  %w = graph.constant dense<[[[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]]], [[[10.0, 11.0, 12.0], [13.0, 14.0, 15.0], [16.0, 17.0, 18.0]]]]> : tensor<2x1x3x3xf32>
  %y = graph.conv2d %x, %w {padding = array<i64: 24, 24, 24, 24>, dilations = array<i64: 24, 24>} : tensor<1x1x14x14xf32>, tensor<2x1x3x3xf32> -> tensor<1x2x14x14xf32>
  return %y : tensor<1x2x14x14xf32>
}

// Channels last, and windows of five taps, of which the outermost meet nothing.
// CHECK-LABEL: @five_taps
// CHECK: graph.constant dense_resource<w.1> : tensor<3x1x2x3xf32>
// CHECK-NEXT: graph.conv2d {{.*}} {padding = array<i64: 4, 0, 4, 0>, dilations = array<i64: 4, 1>, layout = "NHWC"}
func.func @five_taps(%x: tensor<1x7x3x2xf32>) -> tensor<1x7x3x3xf32> {
  %w = graph.constant dense<[[[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]], [[[7.0, 8.0, 9.0], [10.0, 11.0, 12.0]]], [[[13.0, 14.0, 15.0], [16.0, 17.0, 18.0]]], [[[19.0, 20.0, 21.0], [22.0, 23.0, 24.0]]], [[[25.0, 26.0, 27.0], [28.0, 29.0, 30.0]]]]> : tensor<5x1x2x3xf32>
  %y = graph.conv2d %x, %w {padding = array<i64: 8, 0, 8, 0>, dilations = array<i64: 4, 1>, layout = "NHWC"} : tensor<1x7x3x2xf32>, tensor<5x1x2x3xf32> -> tensor<1x7x3x3xf32>
  return %y : tensor<1x7x3x3xf32>
}

// Positions 2 apart: the first tap is in front of the image at all of them, the last one is inside at the first.
// CHECK-LABEL: @strides_and_groups
// CHECK: graph.constant dense_resource<w.2> : tensor<4x1x1x2xf32>
// CHECK-NEXT: graph.conv2d {{.*}} {strides = array<i64: 1, 2>, padding = array<i64: 0, 0, 0, 2>, dilations = array<i64: 1, 4>, groups = 2 : i64}
func.func @strides_and_groups(%x: tensor<1x2x1x5xf32>) -> tensor<1x4x1x2xf32> {
  %w = graph.constant dense<[[[[1.0, 2.0, 3.0]]], [[[4.0, 5.0, 6.0]]], [[[7.0, 8.0, 9.0]]], [[[10.0, 11.0, 12.0]]]]> : tensor<4x1x1x3xf32>
  %y = graph.conv2d %x, %w {strides = array<i64: 1, 2>, padding = array<i64: 0, 4, 0, 2>, dilations = array<i64: 1, 4>, groups = 2 : i64} : tensor<1x2x1x5xf32>, tensor<4x1x1x3xf32> -> tensor<1x4x1x2xf32>
  return %y : tensor<1x4x1x2xf32>
}

// CHECK-LABEL: @three_dimensions
// CHECK: graph.constant dense_resource<w.3> : tensor<1x1x1x3x1xf32>
// CHECK-NEXT: graph.conv3d {{.*}} {padding = array<i64: 0, 1, 0, 0, 1, 0>, dilations = array<i64: 2, 1, 1>}
func.func @three_dimensions(%x: tensor<1x1x2x4x2xf32>) -> tensor<1x1x2x4x2xf32> {
  %w = graph.constant dense<[[[[[1.0], [2.0], [3.0]], [[4.0], [5.0], [6.0]], [[7.0], [8.0], [9.0]]]]]> : tensor<1x1x3x3x1xf32>
  %y = graph.conv3d %x, %w {padding = array<i64: 2, 1, 0, 2, 1, 0>, dilations = array<i64: 2, 1, 1>} : tensor<1x1x2x4x2xf32>, tensor<1x1x3x3x1xf32> -> tensor<1x1x2x4x2xf32>
  return %y : tensor<1x1x2x4x2xf32>
}

// All windows on a single pixel are one tap.
// CHECK-LABEL: @single_pixel
// CHECK: graph.constant dense<5.000000e+00> : tensor<1x1x1x1xf32>
// CHECK-NEXT: graph.conv2d %x, %{{[0-9]+}} : tensor<1x1x1x1xf32>
func.func @single_pixel(%x: tensor<1x1x1x1xf32>) -> tensor<1x1x1x1xf32> {
  %w = graph.constant dense<[[[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]]]]> : tensor<1x1x3x3xf32>
  %y = graph.conv2d %x, %w {padding = array<i64: 1, 1, 1, 1>} : tensor<1x1x1x1xf32>, tensor<1x1x3x3xf32> -> tensor<1x1x1x1xf32>
  return %y : tensor<1x1x1x1xf32>
}

// Each tap meets a pixel somewhere: the first one at the last position, the last one at the first.
// CHECK-LABEL: @all_taps_meet_pixels
// CHECK-NOT: dense_resource
// CHECK: graph.conv2d %x, %w {padding = array<i64: 13, 13, 13, 13>, dilations = array<i64: 13, 13>}
func.func @all_taps_meet_pixels(%x: tensor<1x1x14x14xf32>) -> tensor<1x1x14x14xf32> {
  %w = graph.constant dense<[[[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]]]]> : tensor<1x1x3x3xf32>
  %y = graph.conv2d %x, %w {padding = array<i64: 13, 13, 13, 13>, dilations = array<i64: 13, 13>} : tensor<1x1x14x14xf32>, tensor<1x1x3x3xf32> -> tensor<1x1x14x14xf32>
  return %y : tensor<1x1x14x14xf32>
}

// Without its first tap, the window would begin inside the image; padding cannot say that.
// CHECK-LABEL: @narrow_padding
// CHECK-NOT: dense_resource
// CHECK: graph.conv2d %x, %w {padding = array<i64: 0, 3, 0, 0>, dilations = array<i64: 1, 5>}
func.func @narrow_padding(%x: tensor<1x1x1x5xf32>) -> tensor<1x1x1x3xf32> {
  %w = graph.constant dense<[[[[1.0, 2.0]]]]> : tensor<1x1x1x2xf32>
  %y = graph.conv2d %x, %w {padding = array<i64: 0, 3, 0, 0>, dilations = array<i64: 1, 5>} : tensor<1x1x1x5xf32>, tensor<1x1x1x2xf32> -> tensor<1x1x1x3xf32>
  return %y : tensor<1x1x1x3xf32>
}

// An infinite weight makes NaN of the padding that it meets.
// CHECK-LABEL: @infinite_weight
// CHECK-NOT: dense_resource
// CHECK: return
func.func @infinite_weight(%x: tensor<1x1x1x2xf32>) -> tensor<1x1x1x2xf32> {
  %w = graph.constant dense<[[[[0x7F800000, 1.0, 2.0]]]]> : tensor<1x1x1x3xf32>
  %y = graph.conv2d %x, %w {padding = array<i64: 0, 2, 0, 2>, dilations = array<i64: 1, 2>} : tensor<1x1x1x2xf32>, tensor<1x1x1x3xf32> -> tensor<1x1x1x2xf32>
  return %y : tensor<1x1x1x2xf32>
}

// So may one that is not known.
// CHECK-LABEL: @unknown_weights
// CHECK-NOT: dense_resource
// CHECK: return
func.func @unknown_weights(%x: tensor<1x1x1x2xf32>, %w: tensor<1x1x1x3xf32>) -> tensor<1x1x1x2xf32> {
  %y = graph.conv2d %x, %w {padding = array<i64: 0, 2, 0, 2>, dilations = array<i64: 1, 2>} : tensor<1x1x1x2xf32>, tensor<1x1x1x3xf32> -> tensor<1x1x1x2xf32>
  return %y : tensor<1x1x1x2xf32>
}

// The taps of the first three: 5 and 14, from 7 to 24, and all but each third.
// CHECK: w: "0x040000000000A04000006041",
// CHECK-NEXT: w.1: "0x040000000000E0400000004100001041
// CHECK-NEXT: w.2: "0x0400000000000040000040400000A0400000C04000000041000010410000304100004041",
