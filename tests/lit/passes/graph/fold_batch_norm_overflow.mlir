// RUN: mlc-opt --fold-batch-norm --check-each %s | filecheck %s

// The quotient by the deviation overflows for the largest numbers, which the product with the factor does not: within
// what the pass says of itself.

// CHECK-LABEL: @scaled_down
func.func @scaled_down(%x: tensor<1x1x1x2xf32>) -> tensor<1x1x1x2xf32> {
  %scale = graph.constant dense<0.41> : tensor<1xf32>
  %bias = graph.constant dense<-0.69> : tensor<1xf32>
  %mean = graph.constant dense<-1.37> : tensor<1xf32>
  %variance = graph.constant dense<0.52> : tensor<1xf32>
  // CHECK: graph.mul %x
  // CHECK-NOT: graph.batch_norm
  %0 = graph.batch_norm %x, %scale, %bias, %mean, %variance axis 0 epsilon 1.0e-05 : tensor<1x1x1x2xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32> -> tensor<1x1x1x2xf32>
  return %0 : tensor<1x1x1x2xf32>
}
