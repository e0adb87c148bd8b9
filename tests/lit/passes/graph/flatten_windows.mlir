// RUN: mlc-opt %s --flatten-windows --target=sapphirerapids-amx --check-each | filecheck %s
// RUN: mlc-opt %s --flatten-windows --target=sapphirerapids | filecheck %s --check-prefix=SAME
// RUN: mlc-opt %s --flatten-windows --target=sapphirerapids-amx --remarks 2>&1 >%t | filecheck %s --check-prefix=REMARK

// SAME-NOT: reshape
// REMARK-COUNT-3: remark: rows of its window are one dim, for they have few channels
// REMARK-NOT: remark

// CHECK-LABEL: @first
// CHECK: %[[X:.*]] = graph.reshape %x : tensor<1x23x19x4xui8> -> tensor<1x23x76x1xui8>
// CHECK: %[[W:.*]] = graph.reshape %w : tensor<7x5x4x64xi8> -> tensor<7x20x1x64xi8>
// CHECK: graph.conv2d %[[X]], %[[W]] {strides = array<i64: 2, 8>, padding = array<i64: 3, 8, 3, 4>, layout = "NHWC"} : tensor<1x23x76x1xui8>, tensor<7x20x1x64xi8> -> tensor<1x12x9x64xi32>
func.func @first(%x: tensor<1x23x19x4xui8>, %w: tensor<7x5x4x64xi8>) -> tensor<1x12x9x64xi32> {
  %y = graph.conv2d %x, %w {layout = "NHWC", strides = array<i64: 2, 2>, padding = array<i64: 3, 2, 3, 1>} : tensor<1x23x19x4xui8>, tensor<7x5x4x64xi8> -> tensor<1x12x9x64xi32>
  return %y : tensor<1x12x9x64xi32>
}

// Dilation along other dims stays.
// CHECK-LABEL: @halves
// CHECK: graph.conv2d {{.*}}dilations = array<i64: 2, 1>{{.*}}tensor<1x9x20x1xbf16>, tensor<3x6x1x8xbf16> -> tensor<1x5x8x8xf32>
func.func @halves(%x: tensor<1x9x10x2xbf16>, %w: tensor<3x3x2x8xbf16>) -> tensor<1x5x8x8xf32> {
  %y = graph.conv2d %x, %w {layout = "NHWC", dilations = array<i64: 2, 1>} : tensor<1x9x10x2xbf16>, tensor<3x3x2x8xbf16> -> tensor<1x5x8x8xf32>
  return %y : tensor<1x5x8x8xf32>
}

// CHECK-LABEL: @volume
// CHECK: graph.conv3d {{.*}} : tensor<1x3x4x40x1xi8>, tensor<2x2x12x1x8xi8> -> tensor<1x2x3x8x8xi32>
func.func @volume(%x: tensor<1x3x4x10x4xi8>, %w: tensor<2x2x3x4x8xi8>) -> tensor<1x2x3x8x8xi32> {
  %y = graph.conv3d %x, %w {layout = "NDHWC"} : tensor<1x3x4x10x4xi8>, tensor<2x2x3x4x8xi8> -> tensor<1x2x3x8x8xi32>
  return %y : tensor<1x2x3x8x8xi32>
}

// Left alone: channels that fill a register, or no words; windows of one column, with gaps, or in groups; other layouts
// and types.
// CHECK-LABEL: @others
// CHECK-NOT: reshape
func.func @others(%a: tensor<1x9x9x64xui8>, %b: tensor<1x9x9x3xui8>, %c: tensor<1x9x9x4xui8>, %d: tensor<1x4x9x9xui8>, %e: tensor<1x9x9x4xf32>,
                  %u: tensor<3x3x64x8xi8>, %v: tensor<3x3x3x8xi8>, %w: tensor<3x1x4x8xi8>, %t: tensor<3x3x4x8xi8>, %s: tensor<8x4x3x3xi8>, %r: tensor<3x3x4x8xf32>, %q: tensor<3x3x1x8xi8>) {
  %0 = graph.conv2d %a, %u {layout = "NHWC"} : tensor<1x9x9x64xui8>, tensor<3x3x64x8xi8> -> tensor<1x7x7x8xi32>
  %1 = graph.conv2d %b, %v {layout = "NHWC"} : tensor<1x9x9x3xui8>, tensor<3x3x3x8xi8> -> tensor<1x7x7x8xi32>
  %2 = graph.conv2d %c, %w {layout = "NHWC"} : tensor<1x9x9x4xui8>, tensor<3x1x4x8xi8> -> tensor<1x7x9x8xi32>
  %3 = graph.conv2d %c, %t {layout = "NHWC", dilations = array<i64: 1, 2>} : tensor<1x9x9x4xui8>, tensor<3x3x4x8xi8> -> tensor<1x7x5x8xi32>
  %4 = graph.conv2d %c, %q {layout = "NHWC", groups = 4 : i64} : tensor<1x9x9x4xui8>, tensor<3x3x1x8xi8> -> tensor<1x7x7x8xi32>
  %5 = graph.conv2d %d, %s : tensor<1x4x9x9xui8>, tensor<8x4x3x3xi8> -> tensor<1x8x7x7xi32>
  %6 = graph.conv2d %e, %r {layout = "NHWC"} : tensor<1x9x9x4xf32>, tensor<3x3x4x8xf32> -> tensor<1x7x7x8xf32>
  return
}
