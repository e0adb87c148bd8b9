// RUN: mlc-opt %s | mlc-opt | filecheck %s

// CHECK-LABEL: @normalize
func.func @normalize(%x: tensor<2x8x4xf32>, %v: tensor<4xf32>, %c: tensor<8xf32>) {
  // CHECK: graph.softmax %x axis 2 : tensor<2x8x4xf32>
  %0 = graph.softmax %x axis 2 : tensor<2x8x4xf32>
  // CHECK: graph.layer_norm %x, %v, %v axis 2 epsilon 1.000000e-05 : tensor<2x8x4xf32>, tensor<4xf32>, tensor<4xf32> -> tensor<2x8x4xf32>
  %1 = graph.layer_norm %x, %v, %v axis 2 epsilon 1.0e-05 : tensor<2x8x4xf32>, tensor<4xf32>, tensor<4xf32> -> tensor<2x8x4xf32>
  // CHECK: graph.batch_norm %x, %c, %c, %c, %c axis 1 epsilon 1.000000e-03 :
  %2 = graph.batch_norm %x, %c, %c, %c, %c axis 1 epsilon 0.001 : tensor<2x8x4xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32> -> tensor<2x8x4xf32>
  // CHECK: graph.rms_norm %x, %v axis 2 epsilon 1.000000e-05 : tensor<2x8x4xf32>, tensor<4xf32> -> tensor<2x8x4xf32>
  %3 = graph.rms_norm %x, %v axis 2 epsilon 1.0e-05 : tensor<2x8x4xf32>, tensor<4xf32> -> tensor<2x8x4xf32>
  // CHECK: graph.group_norm %x, %c, %c axis 1 groups 2 epsilon 1.000000e-05 : tensor<2x8x4xf32>, tensor<8xf32>, tensor<8xf32> -> tensor<2x8x4xf32>
  %4 = graph.group_norm %x, %c, %c axis 1 groups 2 epsilon 1.0e-05 : tensor<2x8x4xf32>, tensor<8xf32>, tensor<8xf32> -> tensor<2x8x4xf32>
  return
}
