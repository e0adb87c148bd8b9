// RUN: mlc-opt %s | mlc-opt | filecheck %s

// CHECK-LABEL: @take
func.func @take(%data: tensor<2x10x4xf32>, %rows: tensor<3xi32>) -> tensor<2x3x4xf32> {
  // CHECK-NEXT: tensor.take %data, %rows : tensor<2x10x4xf32>, tensor<3xi32> -> tensor<2x3x4xf32>
  %0 = tensor.take %data, %rows : tensor<2x10x4xf32>, tensor<3xi32> -> tensor<2x3x4xf32>
  return %0 : tensor<2x3x4xf32>
}
