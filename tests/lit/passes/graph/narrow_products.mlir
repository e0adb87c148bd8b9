// RUN: mlc-opt %s --narrow-products=least_gain=0 --check-each | filecheck %s
// RUN: mlc-opt %s --narrow-products=precision=f32 | filecheck %s --check-prefix=SAME
// RUN: mlc-opt %s --narrow-products=precision=keep | filecheck %s --check-prefix=SAME
// RUN: not mlc-opt %s --narrow-products=precision=f8 2>&1 | filecheck %s --check-prefix=WRONG
// RUN: not mlc-opt %s --precision=bf16 --canonicalize 2>&1 | filecheck %s --check-prefix=LEVEL
// RUN: mlc-opt %s --narrow-products=least_gain=0 --remarks 2>&1 >%t | filecheck %s --check-prefix=REMARK
// WRONG: error: narrow-products: found precision 'f8'; required: f32, bf16 or keep
// LEVEL: error: --precision bf16 is for the default pipeline: add one of -O0 to -O3, or give it to a pass: --use-integer-products=precision=bf16 or --use-short-factors=precision=bf16 or --narrow-products=precision=bf16
// SAME-NOT: bf16

// Both products read the same number in 16 bits, and so does the addition; five columns become six.
// CHECK-LABEL: @products
// CHECK:      %[[X:.*]] = graph.cast %x : tensor<4x5xf32> -> tensor<4x5xbf16>
// CHECK-NEXT: %[[WIDE:.*]] = graph.cast %[[X]] : tensor<4x5xbf16> -> tensor<4x5xf32>
// CHECK:      %[[W:.*]] = graph.cast %w : tensor<5x3xf32> -> tensor<5x3xbf16>
// CHECK-NEXT: %[[X6:.*]] = graph.pad %[[X]] low [0, 0] high [0, 1] with 0.000000e+00 : bf16 : tensor<4x5xbf16> -> tensor<4x6xbf16>
// CHECK-NEXT: %[[W6:.*]] = graph.pad %[[W]] low [0, 0] high [1, 0] with 0.000000e+00 : bf16 : tensor<5x3xbf16> -> tensor<6x3xbf16>
// CHECK-NEXT: %{{.*}} = graph.matmul %[[X6]], %[[W6]] : tensor<4x6xbf16>, tensor<6x3xbf16> -> tensor<4x3xf32>
// CHECK:      graph.matmul {{.*}} : tensor<4x6xbf16>, tensor<6x5xbf16> -> tensor<4x5xf32>
// CHECK:      graph.add %{{.*}}, %[[WIDE]]
func.func @products(%x: tensor<4x5xf32>) -> (tensor<4x3xf32>, tensor<4x5xf32>) {
  %w = graph.constant dense<0.3> : tensor<5x3xf32>
  %v = graph.constant dense<0.7> : tensor<5x5xf32>
  %y = graph.matmul %x, %w : tensor<4x5xf32>, tensor<5x3xf32> -> tensor<4x3xf32>
  %z = graph.matmul %x, %v : tensor<4x5xf32>, tensor<5x5xf32> -> tensor<4x5xf32>
  %sum = graph.add %z, %x : tensor<4x5xf32>, tensor<4x5xf32> -> tensor<4x5xf32>
  return %y, %sum : tensor<4x3xf32>, tensor<4x5xf32>
}

// Channels of images, and weights that a transpose is computed from.
// CHECK-LABEL: @convolution
// CHECK: graph.pad %{{.*}} low [0, 0, 0, 0] high [0, 1, 0, 0] with 0.000000e+00 : bf16 : tensor<1x3x4x4xbf16> -> tensor<1x4x4x4xbf16>
// CHECK: graph.pad %{{.*}} low [0, 0, 0, 0] high [0, 1, 0, 0] with 0.000000e+00 : bf16 : tensor<2x3x3x3xbf16> -> tensor<2x4x3x3xbf16>
// CHECK: graph.conv2d {{.*}} {padding = array<i64: 1, 1, 1, 1>} : tensor<1x4x4x4xbf16>, tensor<2x4x3x3xbf16> -> tensor<1x2x4x4xf32>
func.func @convolution(%x: tensor<1x3x4x4xf32>) -> tensor<1x2x4x4xf32> {
  %c = graph.constant dense<0.3> : tensor<3x2x3x3xf32>
  %w = graph.transpose %c [1, 0, 2, 3] : tensor<3x2x3x3xf32> -> tensor<2x3x3x3xf32>
  %y = graph.conv2d %x, %w {padding = array<i64: 1, 1, 1, 1>}
      : tensor<1x3x4x4xf32>, tensor<2x3x3x3xf32> -> tensor<1x2x4x4xf32>
  return %y : tensor<1x2x4x4xf32>
}

// Products of two arguments stay, as do groups and other types.
// CHECK-LABEL: @stay
// CHECK-NOT: bf16
// REMARK: narrow_products.mlir:{{[0-9]+}}:8: remark: factors stay f32: the second one is not a constant
// REMARK: narrow_products.mlir:{{[0-9]+}}:8: remark: factors stay f32: a convolution with groups is computed in f32 only
func.func @stay(%x: tensor<4x5xf32>, %w: tensor<5x3xf32>, %i: tensor<1x2x4x4xf32>, %d: tensor<4x5xf64>)
    -> (tensor<4x3xf32>, tensor<1x2x4x4xf32>, tensor<4x3xf64>) {
  %y = graph.matmul %x, %w : tensor<4x5xf32>, tensor<5x3xf32> -> tensor<4x3xf32>
  %k = graph.constant dense<0.5> : tensor<2x1x1x1xf32>
  %z = graph.conv2d %i, %k {groups = 2 : i64} : tensor<1x2x4x4xf32>, tensor<2x1x1x1xf32> -> tensor<1x2x4x4xf32>
  %v = graph.constant dense<0.5> : tensor<5x3xf64>
  %u = graph.matmul %d, %v : tensor<4x5xf64>, tensor<5x3xf64> -> tensor<4x3xf64>
  return %y, %z, %u : tensor<4x3xf32>, tensor<1x2x4x4xf32>, tensor<4x3xf64>
}
