// RUN: mlc-opt %s | mlc-opt | filecheck %s

// CHECK-LABEL: @keys
func.func @keys(%keys: tensor<4x10xi32>) {
  // CHECK-NEXT: tensor.argsort %keys first 10 : tensor<4x10xi32> -> tensor<4x10xi64>
  %0 = tensor.argsort %keys first 10 : tensor<4x10xi32> -> tensor<4x10xi64>
  // CHECK-NEXT: tensor.top_k %keys first 3 : tensor<4x10xi32> -> tensor<4x3xi64>
  %1 = tensor.top_k %keys first 3 : tensor<4x10xi32> -> tensor<4x3xi64>
  return
}
