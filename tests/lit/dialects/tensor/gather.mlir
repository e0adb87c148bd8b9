// RUN: mlc-opt %s | mlc-opt | filecheck %s

// CHECK-LABEL: @gather
func.func @gather(%data: tensor<2x10x4xf32>, %rows: tensor<3xi32>) -> tensor<2x3x4xf32> {
  // CHECK-NEXT: tensor.gather %data, %rows : tensor<2x10x4xf32>, tensor<3xi32> -> tensor<2x3x4xf32>
  %0 = tensor.gather %data, %rows : tensor<2x10x4xf32>, tensor<3xi32> -> tensor<2x3x4xf32>
  return %0 : tensor<2x3x4xf32>
}
