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
