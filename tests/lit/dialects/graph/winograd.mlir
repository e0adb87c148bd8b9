// RUN: mlc-opt %s | mlc-opt | filecheck %s

// CHECK-LABEL: @transforms
func.func @transforms(%x: tensor<2x10x6x3xf32>, %m: tensor<16x1x2x3x5xf64>) {
  // CHECK-NEXT: graph.winograd_input %x tile 4 : tensor<2x10x6x3xf32> -> tensor<36x2x2x1x3xf32>
  %0 = graph.winograd_input %x tile 4 : tensor<2x10x6x3xf32> -> tensor<36x2x2x1x3xf32>
  // CHECK-NEXT: graph.winograd_output %m tile 2 size [3, 6] : tensor<16x1x2x3x5xf64> -> tensor<1x3x6x5xf64>
  %1 = graph.winograd_output %m tile 2 size [3, 6] : tensor<16x1x2x3x5xf64> -> tensor<1x3x6x5xf64>
  return
}
