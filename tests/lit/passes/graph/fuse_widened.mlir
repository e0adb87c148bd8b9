// RUN: mlc-opt %s --split-input-file --fuse --check-each | filecheck %s
// RUN: mlc-opt %s --split-input-file --fuse --remarks 2>&1 >%t | filecheck %s --check-prefix=WHY

// A mean and a product read the dequantised image: what lies between the kernels is bytes.

// CHECK-LABEL: @excite
// CHECK:         %[[Q:.*]] = graph.fusion "relu_quantize"
// CHECK:           graph.yield %{{.*}} : tensor<1x4x4x8xui8>
// CHECK:         graph.fusion "dequantize_mean" ({{.*}} = %[[Q]]) : (tensor<1x4x4x8xui8>) -> tensor<1x1x1x8xf32>
// CHECK:         graph.fusion "dequantize_mul" ({{.*}}) : (tensor<1x4x4x8xui8>, tensor<1x1x1x8xf32>) -> tensor<1x4x4x8xf32>
// WHY: remark: graph.quantize -> graph.dequantize: not fused: graph.dequantize is computed where it is read
func.func @excite(%x: tensor<1x4x4x8xf32>) -> tensor<1x4x4x8xf32> {
  %s = graph.constant dense<0.05> : tensor<f32>
  %z = graph.constant dense<3> : tensor<ui8>
  %0 = graph.relu %x : tensor<1x4x4x8xf32>
  %1 = graph.quantize %0, %s, %z : tensor<1x4x4x8xf32>, tensor<f32>, tensor<ui8> -> tensor<1x4x4x8xui8>
  %2 = graph.dequantize %1, %s, %z : tensor<1x4x4x8xui8>, tensor<f32>, tensor<ui8> -> tensor<1x4x4x8xf32>
  %3 = graph.reduce mean %2 axes [1, 2] keepdims : tensor<1x4x4x8xf32> -> tensor<1x1x1x8xf32>
  %4 = graph.mul %2, %3 : tensor<1x4x4x8xf32>, tensor<1x1x1x8xf32> -> tensor<1x4x4x8xf32>
  return %4 : tensor<1x4x4x8xf32>
}

// -----

// One kernel reads it: it stays with what computes it.

// CHECK-LABEL: @together
// CHECK:         graph.fusion "relu_quantize_dequantize_neg_mul"
func.func @together(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %s = graph.constant dense<0.05> : tensor<f32>
  %z = graph.constant dense<3> : tensor<ui8>
  %0 = graph.relu %x : tensor<4x8xf32>
  %1 = graph.quantize %0, %s, %z : tensor<4x8xf32>, tensor<f32>, tensor<ui8> -> tensor<4x8xui8>
  %2 = graph.dequantize %1, %s, %z : tensor<4x8xui8>, tensor<f32>, tensor<ui8> -> tensor<4x8xf32>
  %3 = graph.neg %2 : tensor<4x8xf32>
  %4 = graph.mul %2, %3 : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  return %4 : tensor<4x8xf32>
}

// -----

// A product of matrices cannot widen what it reads, and a cast to a shorter type is better stored: nothing is computed
// twice.

// CHECK-LABEL: @apart
// CHECK-COUNT-1: graph.dequantize
// CHECK-NOT:     graph.dequantize
// CHECK-LABEL: @shorter
// CHECK-COUNT-1: graph.cast
// CHECK-NOT:     graph.cast
func.func @apart(%q: tensor<4x8xui8>, %w: tensor<8x8xf32>) -> (tensor<4x8xf32>, tensor<4xf32>) {
  %s = graph.constant dense<0.05> : tensor<f32>
  %z = graph.constant dense<3> : tensor<ui8>
  %0 = graph.dequantize %q, %s, %z : tensor<4x8xui8>, tensor<f32>, tensor<ui8> -> tensor<4x8xf32>
  %1 = graph.matmul %0, %w : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
  %2 = graph.reduce mean %0 axes [1] : tensor<4x8xf32> -> tensor<4xf32>
  return %1, %2 : tensor<4x8xf32>, tensor<4xf32>
}
func.func @shorter(%x: tensor<4x8xf64>) -> (tensor<4x8xf32>, tensor<4xf32>) {
  %0 = graph.cast %x : tensor<4x8xf64> -> tensor<4x8xf32>
  %1 = graph.neg %0 : tensor<4x8xf32>
  %2 = graph.reduce mean %0 axes [1] : tensor<4x8xf32> -> tensor<4xf32>
  return %1, %2 : tensor<4x8xf32>, tensor<4xf32>
}

// Attention widens keys and values where it reads them, unless somebody else reads them wide.
// CHECK-LABEL: func.func @short_caches(
// CHECK-NEXT:    %0 = graph.fusion "attention{{.*}}" ({{.*}} = %k, {{.*}} = %q, {{.*}} = %v) : (tensor<2x8x16xf16>, tensor<2x3x8xf32>, tensor<2x16x8xf16>)
// CHECK-LABEL: func.func @wide_values(
// CHECK:         graph.fusion "attention_cast" ({{.*}} = %k, {{.*}} = %q, {{.*}} = %0) : (tensor<2x8x16xf16>, tensor<2x3x8xf32>, tensor<2x16x8xf32>)
func.func @short_caches(%q: tensor<2x3x8xf32>, %k: tensor<2x8x16xf16>, %v: tensor<2x16x8xf16>) -> tensor<2x3x8xf32> {
  %0 = graph.cast %k : tensor<2x8x16xf16> -> tensor<2x8x16xf32>
  %1 = graph.matmul %q, %0 : tensor<2x3x8xf32>, tensor<2x8x16xf32> -> tensor<2x3x16xf32>
  %2 = graph.softmax %1 axis 2 : tensor<2x3x16xf32>
  %3 = graph.cast %v : tensor<2x16x8xf16> -> tensor<2x16x8xf32>
  %4 = graph.matmul %2, %3 : tensor<2x3x16xf32>, tensor<2x16x8xf32> -> tensor<2x3x8xf32>
  return %4 : tensor<2x3x8xf32>
}
func.func @wide_values(%q: tensor<2x3x8xf32>, %k: tensor<2x8x16xf16>, %v: tensor<2x16x8xf16>) -> (tensor<2x3x8xf32>, tensor<2x16x8xf32>) {
  %0 = graph.cast %k : tensor<2x8x16xf16> -> tensor<2x8x16xf32>
  %1 = graph.matmul %q, %0 : tensor<2x3x8xf32>, tensor<2x8x16xf32> -> tensor<2x3x16xf32>
  %2 = graph.softmax %1 axis 2 : tensor<2x3x16xf32>
  %3 = graph.cast %v : tensor<2x16x8xf16> -> tensor<2x16x8xf32>
  %4 = graph.matmul %2, %3 : tensor<2x3x16xf32>, tensor<2x16x8xf32> -> tensor<2x3x8xf32>
  return %4, %3 : tensor<2x3x8xf32>, tensor<2x16x8xf32>
}
