// RUN: mlc-opt %s | mlc-opt | filecheck %s

// CHECK-LABEL: @gather
func.func @gather(%table: tensor<10x4xf32>, %ids: tensor<2x3xi64>, %one: tensor<i32>, %mask: tensor<2x10x5xi1>) {
  // CHECK: graph.gather %table, %ids axis 0 : tensor<10x4xf32>, tensor<2x3xi64> -> tensor<2x3x4xf32>
  %0 = graph.gather %table, %ids axis 0 : tensor<10x4xf32>, tensor<2x3xi64> -> tensor<2x3x4xf32>
  // CHECK: graph.gather %table, %one axis 1 : tensor<10x4xf32>, tensor<i32> -> tensor<10xf32>
  %1 = graph.gather %table, %one axis 1 : tensor<10x4xf32>, tensor<i32> -> tensor<10xf32>
  // CHECK: graph.gather %mask, %ids axis 1 : tensor<2x10x5xi1>, tensor<2x3xi64> -> tensor<2x2x3x5xi1>
  %2 = graph.gather %mask, %ids axis 1 : tensor<2x10x5xi1>, tensor<2x3xi64> -> tensor<2x2x3x5xi1>
  return
}

// CHECK-LABEL: @gather_nd
func.func @gather_nd(%x: tensor<8x32x32x3xf32>, %yx: tensor<8x100x2xi64>, %scores: tensor<64x1000xf32>, %i: tensor<64x5x1xi32>) {
  // CHECK: graph.gather_nd %x, %yx axes [1, 2] own [0] : tensor<8x32x32x3xf32>, tensor<8x100x2xi64> -> tensor<8x100x3xf32>
  %0 = graph.gather_nd %x, %yx axes [1, 2] own [0] : tensor<8x32x32x3xf32>, tensor<8x100x2xi64> -> tensor<8x100x3xf32>
  // CHECK: graph.gather_nd %x, %yx axes [3, 0] : tensor<8x32x32x3xf32>, tensor<8x100x2xi64> -> tensor<8x100x32x32xf32>
  %1 = graph.gather_nd %x, %yx axes [3, 0] : tensor<8x32x32x3xf32>, tensor<8x100x2xi64> -> tensor<8x100x32x32xf32>
  // CHECK: graph.gather_nd %scores, %i axes [1] own [0] : tensor<64x1000xf32>, tensor<64x5x1xi32> -> tensor<64x5xf32>
  %2 = graph.gather_nd %scores, %i axes [1] own [0] : tensor<64x1000xf32>, tensor<64x5x1xi32> -> tensor<64x5xf32>
  return
}
