// RUN: mlc-opt %s --use-short-factors --target=sapphirerapids-amx --check-each --remarks 2>%t | filecheck %s --check-prefixes=CHECK,SHORT
// RUN: filecheck %s --input-file=%t --check-prefix=REMARK
// RUN: mlc-opt %s --use-short-factors --target=haswell --check-each | filecheck %s --check-prefixes=CHECK,WIDE
// RUN: mlc-opt %s --use-short-factors=precision=keep --target=haswell | filecheck %s --check-prefixes=CHECK,SHORT
// RUN: not mlc-opt %s --use-short-factors=precision=f8 2>&1 | filecheck %s --check-prefix=WRONG
// WRONG: error: use-short-factors: found precision 'f8'; required: f32, bf16 or keep

// The sum is rounded once, whatever the factors are.
// CHECK-LABEL: @product
// SHORT-NEXT: graph.constant
// SHORT-NEXT: %[[SUM:.*]] = graph.matmul %x, %w : tensor<64x256xbf16>, tensor<256x128xbf16> -> tensor<64x128xf32>
// WIDE:       %[[X:.*]] = graph.cast %x : tensor<64x256xbf16> -> tensor<64x256xf32>
// WIDE-NEXT:  %[[W:.*]] = graph.cast %w : tensor<256x128xbf16> -> tensor<256x128xf32>
// WIDE-NEXT:  %[[SUM:.*]] = graph.matmul %[[X]], %[[W]] : tensor<64x256xf32>, tensor<256x128xf32> -> tensor<64x128xf32>
// CHECK-NEXT: %{{.*}} = graph.cast %[[SUM]] : tensor<64x128xf32> -> tensor<64x128xbf16>
// REMARK: use_short_factors.mlir:{{[0-9]+}}:8: remark: factors are bf16: estimated {{.*}} cycles in f32, {{.*}} cycles in bf16
func.func @product(%x: tensor<64x256xbf16>) -> tensor<64x128xbf16> {
  %w = graph.constant dense<0.3> : tensor<256x128xbf16>
  %y = graph.matmul %x, %w : tensor<64x256xbf16>, tensor<256x128xbf16> -> tensor<64x128xbf16>
  return %y : tensor<64x128xbf16>
}

// bf16 has all numbers of f8E4M3FN; of f8E8M0FNU one is subnormal there.
// CHECK-LABEL: @eight_bits
// SHORT-NEXT: %[[K:.*]] = graph.constant
// SHORT-NEXT: %[[X8:.*]] = graph.cast %x : tensor<64x256xf8E4M3FN> -> tensor<64x256xbf16>
// SHORT-NEXT: %[[K8:.*]] = graph.cast %[[K]] : tensor<256x128xf8E4M3FN> -> tensor<256x128xbf16>
// SHORT-NEXT: %[[S8:.*]] = graph.matmul %[[X8]], %[[K8]] : tensor<64x256xbf16>, tensor<256x128xbf16> -> tensor<64x128xf32>
// WIDE:       %[[S8:.*]] = graph.matmul %{{.*}}, %{{.*}} : tensor<64x256xf32>, tensor<256x128xf32> -> tensor<64x128xf32>
// CHECK-NEXT: %{{.*}} = graph.cast %[[S8]] : tensor<64x128xf32> -> tensor<64x128xf8E4M3FN>
// CHECK:      graph.matmul %{{.*}}, %{{.*}} : tensor<64x256xf8E8M0FNU>, tensor<256x128xf8E8M0FNU> -> tensor<64x128xf8E8M0FNU>
func.func @eight_bits(%x: tensor<64x256xf8E4M3FN>, %z: tensor<64x256xf8E8M0FNU>)
    -> (tensor<64x128xf8E4M3FN>, tensor<64x128xf8E8M0FNU>) {
  %k = graph.constant dense<0.375> : tensor<256x128xf8E4M3FN>
  %y = graph.matmul %x, %k : tensor<64x256xf8E4M3FN>, tensor<256x128xf8E4M3FN> -> tensor<64x128xf8E4M3FN>
  %p = graph.constant dense<0.5> : tensor<256x128xf8E8M0FNU>
  %q = graph.matmul %z, %p : tensor<64x256xf8E8M0FNU>, tensor<256x128xf8E8M0FNU> -> tensor<64x128xf8E8M0FNU>
  return %y, %q : tensor<64x128xf8E4M3FN>, tensor<64x128xf8E8M0FNU>
}

// Factors that were widened, and moved, are taken as they were; constants are shorter if no number changes. Three
// channels get a fourth one.
// CHECK-LABEL: @widened
// SHORT:      %[[T:.*]] = graph.transpose %x [0, 3, 1, 2] : tensor<1x32x32x3xbf16> -> tensor<1x3x32x32xbf16>
// SHORT-NEXT: %[[K:.*]] = graph.cast %k : tensor<64x3x3x3xf32> -> tensor<64x3x3x3xbf16>
// SHORT-NEXT: %[[T4:.*]] = graph.pad %[[T]] {{.*}} : tensor<1x3x32x32xbf16> -> tensor<1x4x32x32xbf16>
// SHORT-NEXT: %[[K4:.*]] = graph.pad %[[K]] {{.*}} : tensor<64x3x3x3xbf16> -> tensor<64x4x3x3xbf16>
// SHORT-NEXT: graph.conv2d %[[T4]], %[[K4]] {padding = array<i64: 1, 1, 1, 1>} : tensor<1x4x32x32xbf16>, tensor<64x4x3x3xbf16> -> tensor<1x64x32x32xf32>
// WIDE:       graph.conv2d %{{.*}}, %k {{.*}} : tensor<1x3x32x32xf32>, tensor<64x3x3x3xf32> -> tensor<1x64x32x32xf32>
func.func @widened(%x: tensor<1x32x32x3xbf16>) -> tensor<1x64x32x32xf32> {
  %k = graph.constant dense<0.375> : tensor<64x3x3x3xf32>
  %wide = graph.cast %x : tensor<1x32x32x3xbf16> -> tensor<1x32x32x3xf32>
  %t = graph.transpose %wide [0, 3, 1, 2] : tensor<1x32x32x3xf32> -> tensor<1x3x32x32xf32>
  %y = graph.conv2d %t, %k {padding = array<i64: 1, 1, 1, 1>}
      : tensor<1x3x32x32xf32>, tensor<64x3x3x3xf32> -> tensor<1x64x32x32xf32>
  return %y : tensor<1x64x32x32xf32>
}

// What is not a product of short numbers stays: 0.3 of f32 is none, and the other factor was never short.
// CHECK-LABEL: @stay
// CHECK-COUNT-2: graph.matmul %{{.*}}, %{{.*}} : tensor<64x256xf32>, tensor<256x128xf32> -> tensor<64x128xf32>
// CHECK-NOT: graph.matmul
func.func @stay(%x: tensor<64x256xbf16>, %z: tensor<64x256xf32>) -> (tensor<64x128xf32>, tensor<64x128xf32>) {
  %w = graph.constant dense<0.3> : tensor<256x128xf32>
  %v = graph.constant dense<0.375> : tensor<256x128xf32>
  %wide = graph.cast %x : tensor<64x256xbf16> -> tensor<64x256xf32>
  %a = graph.matmul %wide, %w : tensor<64x256xf32>, tensor<256x128xf32> -> tensor<64x128xf32>
  %b = graph.matmul %z, %v : tensor<64x256xf32>, tensor<256x128xf32> -> tensor<64x128xf32>
  return %a, %b : tensor<64x128xf32>, tensor<64x128xf32>
}

// Words are made of constants. Of another matrix, numbers are widened where a few rows meet them; before many rows do,
// and before they are moved, so that what computes them stores them wider.
// CHECK-LABEL: @arguments
// CHECK:      graph.matmul %x, %w : tensor<4x255xf16>, tensor<255x128xf16> -> tensor<4x128xf32>
// SHORT:      graph.matmul %{{.*}}, %{{.*}} : tensor<2048x256xf{{.*}}>, tensor<256x128xf{{.*}}> -> tensor<2048x128xf32>
// WIDE:       %[[V:.*]] = graph.cast %v : tensor<128x256xf16> -> tensor<128x256xf32>
// WIDE-NEXT:  %[[T:.*]] = graph.transpose %[[V]] [1, 0] : tensor<128x256xf32> -> tensor<256x128xf32>
// WIDE-NEXT:  graph.matmul %{{.*}}, %[[T]] : tensor<2048x256xf32>, tensor<256x128xf32> -> tensor<2048x128xf32>
func.func @arguments(%x: tensor<4x255xf16>, %w: tensor<255x128xf16>, %z: tensor<2048x256xf16>, %v: tensor<128x256xf16>)
    -> (tensor<4x128xf16>, tensor<2048x128xf16>) {
  %y = graph.matmul %x, %w : tensor<4x255xf16>, tensor<255x128xf16> -> tensor<4x128xf16>
  %t = graph.transpose %v [1, 0] : tensor<128x256xf16> -> tensor<256x128xf16>
  %u = graph.matmul %z, %t : tensor<2048x256xf16>, tensor<256x128xf16> -> tensor<2048x128xf16>
  return %y, %u : tensor<4x128xf16>, tensor<2048x128xf16>
}

// Groups and transposed convolutions have no words.
// CHECK-LABEL: @wide
// CHECK: graph.conv2d %{{.*}}, %{{.*}} {groups = 2 : i64} : tensor<1x2x4x4xf32>, tensor<2x1x1x1xf32> -> tensor<1x2x4x4xf32>
// CHECK: graph.conv_transpose2d %{{.*}}, %{{.*}} : tensor<1x2x4x4xf32>, tensor<2x1x1x1xf32> -> tensor<1x1x4x4xf32>
// REMARK: remark: factors are f32: a convolution with groups is computed in f32 only
// REMARK: remark: factors are f32: graph.conv_transpose2d is computed in f32 only
func.func @wide(%i: tensor<1x2x4x4xbf16>) -> (tensor<1x2x4x4xbf16>, tensor<1x1x4x4xbf16>) {
  %k = graph.constant dense<0.5> : tensor<2x1x1x1xbf16>
  %z = graph.conv2d %i, %k {groups = 2 : i64} : tensor<1x2x4x4xbf16>, tensor<2x1x1x1xbf16> -> tensor<1x2x4x4xbf16>
  %u = graph.conv_transpose2d %i, %k : tensor<1x2x4x4xbf16>, tensor<2x1x1x1xbf16> -> tensor<1x1x4x4xbf16>
  return %z, %u : tensor<1x2x4x4xbf16>, tensor<1x1x4x4xbf16>
}
