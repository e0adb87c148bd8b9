// RUN: mlc-opt %s --quantize-rows=least_gain=0 --target=sapphirerapids | filecheck %s
// SLOW: a million columns

// What all weights are counted from is one number, also where so many take more memory than others are spelled out with:
// a broadcast of it would be a kernel, whose result the product would read.

// CHECK-LABEL: @wide
// CHECK:         %[[O:.*]] = graph.constant dense<8> : tensor<1x1100000xi8>
// CHECK:         graph.scaled_matmul {{.*}}, %[[O]], {{.*}} -> tensor<1x1100000xf32>
func.func @wide(%x: tensor<1x4xf32>, %s: tensor<1x1100000xf32>) -> tensor<1x1100000xf32> {
  %w = graph.constant dense<-8> : tensor<4x1100000xi8>
  %y = graph.scaled_matmul %x, %w, %s : tensor<1x4xf32>, tensor<4x1100000xi8>, tensor<1x1100000xf32> -> tensor<1x1100000xf32>
  return %y : tensor<1x1100000xf32>
}
