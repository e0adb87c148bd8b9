// RUN: mlc-opt %s | mlc-opt | filecheck %s

// CHECK-LABEL: @reduce
func.func @reduce(%x: tensor<1x8x4x4xf32>, %i: tensor<3x2xi32>) {
  // CHECK: graph.reduce sum %x axes [1] : tensor<1x8x4x4xf32> -> tensor<1x4x4xf32>
  %0 = graph.reduce sum %x axes [1] : tensor<1x8x4x4xf32> -> tensor<1x4x4xf32>
  // CHECK: graph.reduce mean %x axes [2, 3] keepdims : tensor<1x8x4x4xf32> -> tensor<1x8x1x1xf32>
  %1 = graph.reduce mean %x axes [2, 3] keepdims : tensor<1x8x4x4xf32> -> tensor<1x8x1x1xf32>
  // CHECK: graph.reduce max %i axes [0, 1] : tensor<3x2xi32> -> tensor<i32>
  %2 = graph.reduce max %i axes [0, 1] : tensor<3x2xi32> -> tensor<i32>
  // CHECK: graph.reduce min %i axes [] : tensor<3x2xi32> -> tensor<3x2xi32>
  %3 = graph.reduce min %i axes [] : tensor<3x2xi32> -> tensor<3x2xi32>
  // CHECK: graph.reduce prod %i axes [1] : tensor<3x2xi32> -> tensor<3xi32>
  %4 = graph.reduce prod %i axes [1] : tensor<3x2xi32> -> tensor<3xi32>
  return
}

// CHECK-LABEL: @arg_reduce
func.func @arg_reduce(%x: tensor<1x8x4x4xf32>, %i: tensor<3xi32>) {
  // CHECK: graph.argmax %x axis 1 : tensor<1x8x4x4xf32> -> tensor<1x4x4xi64>
  %0 = graph.argmax %x axis 1 : tensor<1x8x4x4xf32> -> tensor<1x4x4xi64>
  // CHECK: graph.argmin %x axis 3 keepdims : tensor<1x8x4x4xf32> -> tensor<1x8x4x1xi64>
  %1 = graph.argmin %x axis 3 keepdims : tensor<1x8x4x4xf32> -> tensor<1x8x4x1xi64>
  // CHECK: graph.argmax %i axis 0 : tensor<3xi32> -> tensor<i64>
  %2 = graph.argmax %i axis 0 : tensor<3xi32> -> tensor<i64>
  return
}
