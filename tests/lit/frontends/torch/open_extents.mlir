// REQUIRES: torch
// RUN: mlc-opt %s --split-input-file --convert-aten-to-graph | filecheck %s

// An extent that each call gives is an argument with a range. Types have the most that it can be.

// CHECK-LABEL: func.func @mean
// CHECK: graph.compare lt, {{.*}}, %n
// CHECK: graph.where
// CHECK: [[SUM:%.*]] = graph.reduce sum {{.*}} axes [1]
// CHECK: [[COUNT:%.*]] = graph.cast {{.*}} : tensor<i64> -> tensor<f32>
// CHECK: %y = graph.div [[SUM]], [[COUNT]]
// CHECK-NEXT: func.return %y : tensor<2xf32>
func.func @mean(%x: tensor<2x8xf32> {mlc.extents = array<i64: -1, 1>}, %n: tensor<i64> {mlc.range = array<i64: 2, 8>})
    -> tensor<2xf32> {
  %y = aten.mean.dim %x {dim = array<i64: 1>} : (tensor<2x8xf32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}

// -----

// Shapes and integers are affine maps of such extents. The extent of a result is a result, too.

// CHECK-LABEL: func.func @half
// CHECK-SAME: -> (tensor<2x4xf32> {mlc.extents = array<i64: -1, 1>
// CHECK: graph.slice %{{.*}} starts [0, 0] ends [2, 4]
// CHECK: [[HALF:%.*]] = graph.div %n
// CHECK: return {{%.*}}, [[HALF]]
func.func @half(%x: tensor<2x8xf32> {mlc.extents = array<i64: -1, 1>}, %n: tensor<i64> {mlc.range = array<i64: 2, 8>})
    -> tensor<2x4xf32> {
  %y = aten.slice.Tensor %x {dim = 1 : i64, end = affine_map<()[s0] -> (s0 floordiv 2)>,
      aten.sizes = [affine_map<()[s0] -> (2, s0 floordiv 2)>]} : (tensor<2x8xf32>) -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// -----

// The last element is where the data ends; a place from the front is where it is.

// CHECK-LABEL: func.func @places
// CHECK: [[LAST:%.*]] = graph.add %n, {{%.*}} : tensor<i64>, tensor<i64>
// CHECK: graph.gather %x, {{.*}} axis 1
// CHECK: graph.slice %x starts [0, 1] ends [2, 2]
func.func @places(%x: tensor<2x8xf32> {mlc.extents = array<i64: -1, 1>}, %n: tensor<i64> {mlc.range = array<i64: 2, 8>})
    -> (tensor<2xf32>, tensor<2xf32>) {
  %y = aten.select.int %x {dim = 1 : i64, index = -1 : i64} : (tensor<2x8xf32>) -> tensor<2xf32>
  %z = aten.select.int %x {dim = 1 : i64, index = 1 : i64} : (tensor<2x8xf32>) -> tensor<2xf32>
  return %y, %z : tensor<2xf32>, tensor<2xf32>
}

// -----

// Where a known extent is asked for, nothing changes.

// CHECK-LABEL: func.func @known
// CHECK-NEXT: [[ROW:%.*]] = graph.slice %x starts [0, 7] ends [2, 8]
// CHECK-NEXT: %y = graph.reshape [[ROW]]
// CHECK-NEXT: func.return %y
func.func @known(%x: tensor<2x8xf32>) -> tensor<2xf32> {
  %y = aten.select.int %x {dim = 1 : i64, index = -1 : i64} : (tensor<2x8xf32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}

// -----

// Rows that are joined for a product are multiplied where they are, and get their shape back: nothing moves.

// CHECK-LABEL: func.func @rows
// CHECK: [[PRODUCT:%.*]] = graph.matmul %x, %w : tensor<2x8x4xf32>, tensor<4x3xf32> -> tensor<2x8x3xf32>
// CHECK-NEXT: [[SUM:%.*]] = graph.add [[PRODUCT]], %b
// CHECK: func.return [[SUM]], %n
func.func @rows(%x: tensor<2x8x4xf32> {mlc.extents = array<i64: -1, 1, -1>}, %n: tensor<i64> {mlc.range = array<i64: 2, 8>},
    %w: tensor<4x3xf32>, %b: tensor<3xf32>) -> tensor<2x8x3xf32> {
  %r = aten.view %x {size = affine_map<()[s0] -> (s0 * 2, 4)>, aten.sizes = [affine_map<()[s0] -> (s0 * 2, 4)>]}
      : (tensor<2x8x4xf32>) -> tensor<16x4xf32>
  %p = aten.addmm %b, %r, %w {aten.sizes = [affine_map<()[s0] -> (s0 * 2, 3)>]}
      : (tensor<3xf32>, tensor<16x4xf32>, tensor<4x3xf32>) -> tensor<16x3xf32>
  %y = aten.view %p {size = affine_map<()[s0] -> (2, s0, 3)>, aten.sizes = [affine_map<()[s0] -> (2, s0, 3)>]}
      : (tensor<16x3xf32>) -> tensor<2x8x3xf32>
  return %y : tensor<2x8x3xf32>
}

// -----

// Joined rows that are read as they are do move, by places that follow from the extent.

// CHECK-LABEL: func.func @joined
// CHECK: [[ROWS:%.*]] = graph.gather
// CHECK: graph.reduce {{.*}} axes [0]
func.func @joined(%x: tensor<2x8x4xf32> {mlc.extents = array<i64: -1, 1, -1>}, %n: tensor<i64> {mlc.range = array<i64: 2, 8>},
    %w: tensor<4x3xf32>) -> tensor<3xf32> {
  %r = aten.view %x {size = affine_map<()[s0] -> (s0 * 2, 4)>, aten.sizes = [affine_map<()[s0] -> (s0 * 2, 4)>]}
      : (tensor<2x8x4xf32>) -> tensor<16x4xf32>
  %p = aten.mm %r, %w {aten.sizes = [affine_map<()[s0] -> (s0 * 2, 3)>]} : (tensor<16x4xf32>, tensor<4x3xf32>) -> tensor<16x3xf32>
  %y = aten.amax %p {dim = array<i64: 0>} : (tensor<16x3xf32>) -> tensor<3xf32>
  return %y : tensor<3xf32>
}
