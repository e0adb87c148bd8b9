// REQUIRES: torch
// RUN: mlc-opt %s --convert-aten-to-graph | filecheck %s

// Queries whose keys are repeated for them stand one below the other, and keys are read once. Rows that see nothing are
// known from the mask alone.

// CHECK-LABEL: func.func @shared
// CHECK: %[[Q:.*]] = graph.reshape %q : tensor<1x4x3x8xf32> -> tensor<1x2x6x8xf32>
// CHECK: %[[KT:.*]] = graph.transpose %k [0, 1, 3, 2]
// CHECK-NEXT: graph.matmul %[[Q]], %[[KT]] : tensor<1x2x6x8xf32>, tensor<1x2x8x16xf32>
// CHECK: graph.where %{{.*}} : tensor<1x1x6x16xi1>, tensor<1x2x6x16xf32>
// CHECK: %[[W:.*]] = graph.softmax
// CHECK-NEXT: graph.matmul %[[W]], %v
// CHECK: graph.reduce max %{{.*}} [3] {{.*}}tensor<1x1x6x16xf32>
func.func @shared(%q: tensor<1x4x3x8xf32>, %k: tensor<1x2x16x8xf32>, %v: tensor<1x2x16x8xf32>, %mask: tensor<1x1x3x16xi1>) -> tensor<1x4x3x8xf32> {
  %k0 = aten.unsqueeze %k {dim = 2 : i64} : (tensor<1x2x16x8xf32>) -> tensor<1x2x1x16x8xf32>
  %k1 = aten.expand %k0 {size = array<i64: 1, 2, 2, 16, 8>} : (tensor<1x2x1x16x8xf32>) -> tensor<1x2x2x16x8xf32>
  %k2 = aten._unsafe_view %k1 {size = array<i64: 1, 4, 16, 8>} : (tensor<1x2x2x16x8xf32>) -> tensor<1x4x16x8xf32>
  %v0 = aten.unsqueeze %v {dim = 2 : i64} : (tensor<1x2x16x8xf32>) -> tensor<1x2x1x16x8xf32>
  %v1 = aten.expand %v0 {size = array<i64: 1, 2, 2, 16, 8>} : (tensor<1x2x1x16x8xf32>) -> tensor<1x2x2x16x8xf32>
  %v2 = aten._unsafe_view %v1 {size = array<i64: 1, 4, 16, 8>} : (tensor<1x2x2x16x8xf32>) -> tensor<1x4x16x8xf32>
  %y = aten.scaled_dot_product_attention %q, %k2, %v2, %mask {aten.operands = array<i64: 1, 1, 1, 1>} : (tensor<1x4x3x8xf32>, tensor<1x4x16x8xf32>, tensor<1x4x16x8xf32>, tensor<1x1x3x16xi1>) -> tensor<1x4x3x8xf32>
  return %y : tensor<1x4x3x8xf32>
}

// Heads that are repeated in another order than queries are grouped stay as they are.

// CHECK-LABEL: func.func @tiled
// CHECK-NOT: tensor<1x2x6x8xf32>
// CHECK: graph.matmul %q, %{{.*}} : tensor<1x4x3x8xf32>, tensor<1x4x8x16xf32>
func.func @tiled(%q: tensor<1x4x3x8xf32>, %k: tensor<1x2x16x8xf32>, %v: tensor<1x4x16x8xf32>) -> tensor<1x4x3x8xf32> {
  %k0 = aten.unsqueeze %k {dim = 1 : i64} : (tensor<1x2x16x8xf32>) -> tensor<1x1x2x16x8xf32>
  %k1 = aten.expand %k0 {size = array<i64: 1, 2, 2, 16, 8>} : (tensor<1x1x2x16x8xf32>) -> tensor<1x2x2x16x8xf32>
  %k2 = aten._unsafe_view %k1 {size = array<i64: 1, 4, 16, 8>} : (tensor<1x2x2x16x8xf32>) -> tensor<1x4x16x8xf32>
  %y = aten.scaled_dot_product_attention %q, %k2, %v {aten.operands = array<i64: 1, 1, 1, 0>} : (tensor<1x4x3x8xf32>, tensor<1x4x16x8xf32>, tensor<1x4x16x8xf32>) -> tensor<1x4x3x8xf32>
  return %y : tensor<1x4x3x8xf32>
}

// Keys that are repeated for queries stay as they are where values are not.

// CHECK-LABEL: func.func @keys_alone
// CHECK: graph.matmul %q, %{{.*}} : tensor<1x4x3x8xf32>, tensor<1x4x8x16xf32>
// CHECK: graph.matmul %{{.*}}, %v : tensor<1x4x3x16xf32>, tensor<1x4x16x8xf32>
func.func @keys_alone(%q: tensor<1x4x3x8xf32>, %k: tensor<1x2x16x8xf32>, %v: tensor<1x4x16x8xf32>) -> tensor<1x4x3x8xf32> {
  %k0 = aten.unsqueeze %k {dim = 2 : i64} : (tensor<1x2x16x8xf32>) -> tensor<1x2x1x16x8xf32>
  %k1 = aten.expand %k0 {size = array<i64: 1, 2, 2, 16, 8>} : (tensor<1x2x1x16x8xf32>) -> tensor<1x2x2x16x8xf32>
  %k2 = aten._unsafe_view %k1 {size = array<i64: 1, 4, 16, 8>} : (tensor<1x2x2x16x8xf32>) -> tensor<1x4x16x8xf32>
  %y = aten.scaled_dot_product_attention %q, %k2, %v {aten.operands = array<i64: 1, 1, 1, 0>} : (tensor<1x4x3x8xf32>, tensor<1x4x16x8xf32>, tensor<1x4x16x8xf32>) -> tensor<1x4x3x8xf32>
  return %y : tensor<1x4x3x8xf32>
}

// Scores of halves are floats: they may be larger than a half.

// CHECK-LABEL: func.func @halves
// CHECK: %[[QH:.*]] = graph.cast %q : tensor<2x3x8xf16> -> tensor<2x3x8xf32>
// CHECK: graph.matmul %[[QH]], %{{.*}} : tensor<2x3x8xf32>, tensor<2x8x5xf32> -> tensor<2x3x5xf32>
// CHECK: %[[WIDE:.*]] = graph.matmul {{.*}} -> tensor<2x3x8xf32>
// CHECK: graph.cast %[[WIDE]] : tensor<2x3x8xf32> -> tensor<2x3x8xf16>
func.func @halves(%q: tensor<2x3x8xf16>, %k: tensor<2x5x8xf16>, %v: tensor<2x5x8xf16>) -> tensor<2x3x8xf16> {
  %y = aten.scaled_dot_product_attention %q, %k, %v {aten.operands = array<i64: 1, 1, 1, 0>} : (tensor<2x3x8xf16>, tensor<2x5x8xf16>, tensor<2x5x8xf16>) -> tensor<2x3x8xf16>
  return %y : tensor<2x3x8xf16>
}

// A bias is added where keys do not come later, and -inf where they do.

// CHECK-LABEL: func.func @causal_with_bias
// CHECK: %[[SEEN:.*]] = graph.constant {{.*}} : tensor<3x5xi1>
// CHECK: %[[BOTH:.*]] = graph.where %[[SEEN]], %bias, %{{.*}} : tensor<3x5xi1>, tensor<3x5xf32>, tensor<f32>
// CHECK: %[[MASKED:.*]] = graph.add %{{.*}}, %[[BOTH]]
// CHECK: graph.softmax %[[MASKED]]
func.func @causal_with_bias(%q: tensor<1x4x3x8xf32>, %k: tensor<1x4x5x8xf32>, %v: tensor<1x4x5x8xf32>, %bias: tensor<3x5xf32>) -> tensor<1x4x3x8xf32> {
  %y = aten.scaled_dot_product_attention %q, %k, %v, %bias {aten.operands = array<i64: 1, 1, 1, 1>, is_causal = true} : (tensor<1x4x3x8xf32>, tensor<1x4x5x8xf32>, tensor<1x4x5x8xf32>, tensor<3x5xf32>) -> tensor<1x4x3x8xf32>
  return %y : tensor<1x4x3x8xf32>
}
