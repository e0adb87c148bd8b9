// RUN: mlc-opt %s | mlc-opt | filecheck %s

// CHECK-LABEL: @broadcasts
func.func @broadcasts(%x: tensor<4x1x8xf32>, %y: tensor<3x1xf32>, %s: tensor<f32>) {
  // CHECK: graph.add %x, %y : tensor<4x1x8xf32>, tensor<3x1xf32> -> tensor<4x3x8xf32>
  %0 = graph.add %x, %y : tensor<4x1x8xf32>, tensor<3x1xf32> -> tensor<4x3x8xf32>
  // CHECK: graph.sub %s, %x : tensor<f32>, tensor<4x1x8xf32> -> tensor<4x1x8xf32>
  %1 = graph.sub %s, %x : tensor<f32>, tensor<4x1x8xf32> -> tensor<4x1x8xf32>
  return
}

// CHECK-LABEL: @kinds
func.func @kinds(%x: tensor<8xf32>, %i: tensor<8xi32>, %b: tensor<8xi1>) {
  // CHECK: graph.mul %x, %x
  %0 = graph.mul %x, %x : tensor<8xf32>, tensor<8xf32> -> tensor<8xf32>
  // CHECK: graph.div %i, %i
  %1 = graph.div %i, %i : tensor<8xi32>, tensor<8xi32> -> tensor<8xi32>
  // CHECK: graph.max %x, %x
  %2 = graph.max %x, %x : tensor<8xf32>, tensor<8xf32> -> tensor<8xf32>
  // CHECK: graph.min %x, %x
  %3 = graph.min %x, %x : tensor<8xf32>, tensor<8xf32> -> tensor<8xf32>
  // CHECK: graph.pow %x, %x
  %4 = graph.pow %x, %x : tensor<8xf32>, tensor<8xf32> -> tensor<8xf32>
  // CHECK: graph.and %b, %b
  %5 = graph.and %b, %b : tensor<8xi1>, tensor<8xi1> -> tensor<8xi1>
  // CHECK: graph.or %i, %i
  %6 = graph.or %i, %i : tensor<8xi32>, tensor<8xi32> -> tensor<8xi32>
  // CHECK: graph.xor %b, %b
  %7 = graph.xor %b, %b : tensor<8xi1>, tensor<8xi1> -> tensor<8xi1>
  // CHECK: graph.rem %x, %x
  %8 = graph.rem %x, %x : tensor<8xf32>, tensor<8xf32> -> tensor<8xf32>
  // CHECK: graph.mod %i, %i
  %9 = graph.mod %i, %i : tensor<8xi32>, tensor<8xi32> -> tensor<8xi32>
  // CHECK: graph.pow %i, %i
  %10 = graph.pow %i, %i : tensor<8xi32>, tensor<8xi32> -> tensor<8xi32>
  // CHECK: graph.shl %i, %i
  %11 = graph.shl %i, %i : tensor<8xi32>, tensor<8xi32> -> tensor<8xi32>
  // CHECK: graph.shr %i, %i
  %12 = graph.shr %i, %i : tensor<8xi32>, tensor<8xi32> -> tensor<8xi32>
  return
}

// CHECK-LABEL: @unknown_extents_wait
func.func @unknown_extents_wait(%x: tensor<?x8xf32>, %y: tensor<8xf32>) {
  // CHECK: graph.add %x, %y : tensor<?x8xf32>, tensor<8xf32> -> tensor<?x8xf32>
  %0 = graph.add %x, %y : tensor<?x8xf32>, tensor<8xf32> -> tensor<?x8xf32>
  return
}
