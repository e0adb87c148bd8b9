// REQUIRES: torch, aten._grouped_mm
// RUN: mlc-opt %s --convert-aten-to-graph --verify-diagnostics

func.func @grouped(%x: tensor<4x8xf32>, %w: tensor<8x6xf32>, %ends: tensor<2xi32>) -> tensor<2x4x6xf32> {
  // expected-error@+1 {{aten._grouped_mm: it multiplies tensor<4x8xf32> by tensor<8x6xf32> in groups; mlc has groups of rows times a matrix each}}
  %y = aten._grouped_mm %x, %w, %ends {aten.operands = array<i64: 1, 1, 1, 0>}
      : (tensor<4x8xf32>, tensor<8x6xf32>, tensor<2xi32>) -> tensor<2x4x6xf32>
  return %y : tensor<2x4x6xf32>
}
