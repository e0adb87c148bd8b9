// REQUIRES: mlir-opt
// RUN: mlc-opt %s | mlir-opt | mlc-opt | filecheck %s

// CHECK: tensor.gather %arg0[%arg1] gather_dims([0, 2]) unique
func.func @gather(%x: tensor<4x8x6xf32>, %i: tensor<2x2xindex>) -> tensor<2x8xf32> {
  %0 = tensor.gather %x[%i] gather_dims([0, 2]) unique : (tensor<4x8x6xf32>, tensor<2x2xindex>) -> tensor<2x8xf32>
  return %0 : tensor<2x8xf32>
}
