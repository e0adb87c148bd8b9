// RUN: mlc-opt %s | mlc-opt | filecheck %s

// CHECK-LABEL: @gather
func.func @gather(%x: tensor<4x?x6xf32>, %i: tensor<3x1xindex>, %j: tensor<2x2xi32>) {
  // CHECK-NEXT: tensor.gather %x[%i] gather_dims([1]) : (tensor<4x?x6xf32>, tensor<3x1xindex>) -> tensor<3x4x1x6xf32>
  %0 = tensor.gather %x[%i] gather_dims([1]) : (tensor<4x?x6xf32>, tensor<3x1xindex>) -> tensor<3x4x1x6xf32>
  // CHECK-NEXT: tensor.gather %x[%j] gather_dims([0, 2]) unique : (tensor<4x?x6xf32>, tensor<2x2xi32>) -> tensor<2x?xf32>
  %1 = tensor.gather %x[%j] gather_dims([0, 2]) unique : (tensor<4x?x6xf32>, tensor<2x2xi32>) -> tensor<2x?xf32>
  return
}
