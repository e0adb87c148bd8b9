// REQUIRES: torch
// RUN: mlc-opt %s --convert-aten-to-graph | filecheck %s

// Points come first where the dims with indices do not stand side by side.

// CHECK-LABEL: func.func @index
// CHECK: %[[AT:.*]] = graph.concat
// CHECK-NEXT: %a = graph.gather_nd %x, %[[AT]] axes [0, 2]
func.func @index(%x: tensor<4x6x8xf32>, %i: tensor<3xi64>, %j: tensor<2x1xi64>) -> tensor<2x3x6xf32> {
  %none = aten.none
  %a = aten.index.Tensor %x, %i, %none, %j {aten.operands = array<i64: 1, 3>} : (tensor<4x6x8xf32>, tensor<3xi64>, none, tensor<2x1xi64>) -> tensor<2x3x6xf32>
  return %a : tensor<2x3x6xf32>
}

// One number where a mask holds is a choice, of no shape that depends on data.

// CHECK-LABEL: func.func @masked
// CHECK-NEXT: %a = graph.where %m, %v, %x
func.func @masked(%x: tensor<4x6xf32>, %m: tensor<4x6xi1>, %v: tensor<f32>) -> tensor<4x6xf32> {
  %a = aten.index_put %x, %m, %v {aten.operands = array<i64: 1, 1, 1>} : (tensor<4x6xf32>, tensor<4x6xi1>, tensor<f32>) -> tensor<4x6xf32>
  return %a : tensor<4x6xf32>
}

// What was there does not count: it is replaced by what leaves updates as they are.

// CHECK-LABEL: func.func @mean
// CHECK: %[[START:.*]] = graph.constant dense<0xff800000> : tensor<3xf32>
// CHECK: %[[BARE:.*]] = graph.scatter_nd set %x, %{{.*}}, %[[START]] axes [0]
// CHECK: %a = graph.scatter_nd max %[[BARE]], %{{.*}}, %v axes [0]
func.func @mean(%x: tensor<4xf32>, %i: tensor<3xi64>, %v: tensor<3xf32>) -> tensor<4xf32> {
  %a = aten.scatter_reduce.two %x, %i, %v {dim = 0 : i64, reduce = "amax", include_self = false} : (tensor<4xf32>, tensor<3xi64>, tensor<3xf32>) -> tensor<4xf32>
  return %a : tensor<4xf32>
}

// Gradients of rows are added up; those of the padding row are dropped.

// CHECK-LABEL: func.func @table
// CHECK: %[[IS:.*]] = graph.compare eq,
// CHECK: %[[ROWS:.*]] = graph.where %[[IS]], %{{.*}}, %g
// CHECK: %a = graph.scatter_nd add %{{.*}}, %{{.*}}, %[[ROWS]] axes [0]
func.func @table(%g: tensor<3x4xf32>, %i: tensor<3xi64>) -> tensor<9x4xf32> {
  %a = aten.embedding_dense_backward %g, %i {num_weights = 9 : i64, padding_idx = 0 : i64, scale_grad_by_freq = false} : (tensor<3x4xf32>, tensor<3xi64>) -> tensor<9x4xf32>
  return %a : tensor<9x4xf32>
}

// What is replaced is moved, not what it is put into.

// CHECK-LABEL: func.func @cache
// CHECK: %[[AT:.*]] = graph.reshape %at : tensor<3xi64> -> tensor<3x1xi64>
// CHECK-NEXT: %[[NEW:.*]] = graph.transpose %new [2, 0, 1, 3]
// CHECK-NEXT: %a = graph.scatter_nd set %cache, %[[AT]], %[[NEW]] axes [2]
// CHECK-NEXT: return %a
func.func @cache(%cache: tensor<1x2x64x8xf32>, %at: tensor<3xi64>, %new: tensor<1x2x3x8xf32>) -> tensor<1x2x64x8xf32> {
  %a = aten.index_copy %cache, %at, %new {dim = 2 : i64} : (tensor<1x2x64x8xf32>, tensor<3xi64>, tensor<1x2x3x8xf32>) -> tensor<1x2x64x8xf32>
  return %a : tensor<1x2x64x8xf32>
}
