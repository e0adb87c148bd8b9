// RUN: mlc-opt %s | mlc-opt | filecheck %s

// CHECK-LABEL: @shapes
func.func @shapes(%x: tensor<1x3x8x8xf32>) {
  // CHECK: graph.reshape %x : tensor<1x3x8x8xf32> -> tensor<192xf32>
  %0 = graph.reshape %x : tensor<1x3x8x8xf32> -> tensor<192xf32>
  // CHECK: graph.transpose %x [0, 2, 3, 1] : tensor<1x3x8x8xf32> -> tensor<1x8x8x3xf32>
  %1 = graph.transpose %x [0, 2, 3, 1] : tensor<1x3x8x8xf32> -> tensor<1x8x8x3xf32>
  return
}
