// REQUIRES: torch, aten._grouped_mm
// RUN: mlc-opt %s --convert-aten-to-graph | filecheck %s

// Groups of rows: a step of the scan multiplies rows of one group by its matrix.

// CHECK-LABEL: func.func @grouped
// CHECK: graph.scan
// CHECK: graph.gather
// CHECK: graph.gather
// CHECK: graph.matmul {{.*}} tensor<32x4xf32>, tensor<4x6xf32>
// CHECK: %y = graph.where
func.func @grouped(%x: tensor<8x4xf32>, %w: tensor<2x4x6xf32>, %ends: tensor<2xi32>) -> tensor<8x6xf32> {
  %y = aten._grouped_mm %x, %w, %ends {aten.operands = array<i64: 1, 1, 1, 0>}
      : (tensor<8x4xf32>, tensor<2x4x6xf32>, tensor<2xi32>) -> tensor<8x6xf32>
  return %y : tensor<8x6xf32>
}

// Groups of columns are groups of rows of the transposed product.

// CHECK-LABEL: func.func @columns
// CHECK: graph.scan
// CHECK: graph.matmul {{.*}} tensor<32x4xf32>, tensor<4x6xf32>
// CHECK: %y = graph.transpose
func.func @columns(%x: tensor<2x6x4xf32>, %w: tensor<4x8xf32>, %ends: tensor<2xi32>) -> tensor<6x8xf32> {
  %y = aten._grouped_mm %x, %w, %ends {aten.operands = array<i64: 1, 1, 1, 0>}
      : (tensor<2x6x4xf32>, tensor<4x8xf32>, tensor<2xi32>) -> tensor<6x8xf32>
  return %y : tensor<6x8xf32>
}

// Groups along what is summed up: the product of a tile is added to the matrix of its group.

// CHECK-LABEL: func.func @sums
// CHECK: graph.scan
// CHECK: graph.matmul {{.*}} tensor<4x32xf32>, tensor<32x6xf32>
// CHECK: graph.scatter_nd add
func.func @sums(%x: tensor<4x8xf32>, %w: tensor<8x6xf32>, %ends: tensor<2xi32>) -> tensor<2x4x6xf32> {
  %y = aten._grouped_mm %x, %w, %ends {aten.operands = array<i64: 1, 1, 1, 0>}
      : (tensor<4x8xf32>, tensor<8x6xf32>, tensor<2xi32>) -> tensor<2x4x6xf32>
  return %y : tensor<2x4x6xf32>
}
