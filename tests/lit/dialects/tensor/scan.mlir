// RUN: mlc-opt %s | mlc-opt | filecheck %s

// CHECK-LABEL: @scan
func.func @scan(%a: tensor<4xf32>, %xs: tensor<3x4xf32>) -> (tensor<4xf32>, tensor<3x4xf32>) {
  // CHECK-NEXT: %0, %1 = tensor.scan 3 carry (%s = %a) over (%x = %xs backwards) : (tensor<4xf32>, tensor<3x4xf32>) -> (tensor<4xf32>, tensor<3x4xf32>) {
  // CHECK-NEXT:   tensor.yield %x, %s : tensor<4xf32>, tensor<4xf32>
  // CHECK-NEXT: }
  %0:2 = tensor.scan 3 carry (%s = %a) over (%x = %xs backwards) : (tensor<4xf32>, tensor<3x4xf32>) -> (tensor<4xf32>, tensor<3x4xf32>) {
    tensor.yield %x, %s : tensor<4xf32>, tensor<4xf32>
  }
  return %0#0, %0#1 : tensor<4xf32>, tensor<3x4xf32>
}
