// REQUIRES: torch, aten._grouped_mm
// RUN: mlc-opt %s --convert-aten-to-graph --verify-diagnostics

func.func @biased(%x: tensor<8x4xf32>, %w: tensor<2x4x6xf32>, %ends: tensor<2xi32>, %bias: tensor<2x6xf32>) -> tensor<8x6xf32> {
  // expected-error@+1 {{aten._grouped_mm: it adds a bias, of which torch has no meaning yet}}
  %y = aten._grouped_mm %x, %w, %ends, %bias : (tensor<8x4xf32>, tensor<2x4x6xf32>, tensor<2xi32>, tensor<2x6xf32>) -> tensor<8x6xf32>
  return %y : tensor<8x6xf32>
}
