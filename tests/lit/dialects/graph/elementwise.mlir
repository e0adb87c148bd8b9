// RUN: mlc-opt %s | mlc-opt | filecheck %s

// CHECK-LABEL: @compare_where_cast
func.func @compare_where_cast(%x: tensor<4x8xf32>, %y: tensor<8xf32>, %s: tensor<f32>) {
  // CHECK: graph.compare lt, %x, %y : tensor<4x8xf32>, tensor<8xf32> -> tensor<4x8xi1>
  %0 = graph.compare lt, %x, %y : tensor<4x8xf32>, tensor<8xf32> -> tensor<4x8xi1>
  // CHECK: graph.where %{{.*}}, %x, %s : tensor<4x8xi1>, tensor<4x8xf32>, tensor<f32> -> tensor<4x8xf32>
  %1 = graph.where %0, %x, %s : tensor<4x8xi1>, tensor<4x8xf32>, tensor<f32> -> tensor<4x8xf32>
  // CHECK: graph.cast %{{.*}} : tensor<4x8xi1> -> tensor<4x8xi64>
  %2 = graph.cast %0 : tensor<4x8xi1> -> tensor<4x8xi64>
  // CHECK: graph.bitcast %x : tensor<4x8xf32> -> tensor<4x8xi32>
  %3 = graph.bitcast %x : tensor<4x8xf32> -> tensor<4x8xi32>
  return
}
