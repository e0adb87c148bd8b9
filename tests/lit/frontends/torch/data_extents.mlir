// REQUIRES: torch
// RUN: mlc-opt %s --split-input-file --convert-aten-to-graph | filecheck %s

// A result that is as long as data says has the type of the most that there can be; how many there are is a result, too.

// CHECK-LABEL: func.func @rows
// CHECK-SAME: -> (tensor<5x4xf32> {mlc.extents = array<i64: 1, -1>
// CHECK-SAME: tensor<i64> {mlc.name = "{{.*}}.extent0"})
// CHECK: [[ORDER:%.*]] = graph.argsort
// CHECK: [[COUNT:%.*]] = graph.reduce sum
// CHECK: %y = graph.gather_nd
// CHECK: %z = graph.relu %y
// CHECK: return %z, [[COUNT]]
func.func @rows(%x: tensor<5x4xf32>, %m: tensor<5xi1>) -> (tensor<5x4xf32>) {
  %y = aten.index.Tensor %x, %m {aten.extents = [array<i64: 0>]} : (tensor<5x4xf32>, tensor<5xi1>) -> tensor<5x4xf32>
  %z = aten.relu %y {aten.extents = [array<i64: 0>]} : (tensor<5x4xf32>) -> tensor<5x4xf32>
  return %z : tensor<5x4xf32>
}

// -----

// A mean is a sum, without what is no data, over how many there are.

// CHECK-LABEL: func.func @mean
// CHECK: graph.where
// CHECK: graph.reduce sum {{.*}} axes [0]
// CHECK: graph.cast {{.*}} tensor<i64> -> tensor<f32>
// CHECK: %z = graph.div
// CHECK-NEXT: return %z
func.func @mean(%x: tensor<5x4xf32>, %m: tensor<5xi1>) -> (tensor<4xf32>) {
  %y = aten.index.Tensor %x, %m {aten.extents = [array<i64: 0>]} : (tensor<5x4xf32>, tensor<5xi1>) -> tensor<5x4xf32>
  %z = aten.mean.dim %y {dim = array<i64: 0>} : (tensor<5x4xf32>) -> tensor<4xf32>
  return %z : tensor<4xf32>
}
