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
