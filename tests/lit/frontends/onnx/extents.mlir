// RUN: mlc-opt %s --convert-onnx-to-graph | filecheck %s

// Positions of what is not 0 come first; how many there are is a result of its own, which the other one points to.
// CHECK-LABEL: func.func @nonzero
// CHECK-SAME: -> (tensor<2x6xi64> {mlc.extents = array<i64: -1, 1>}, tensor<i64> {mlc.name = "y.extent1"})
// CHECK: %[[SET:.*]] = graph.compare ne
// CHECK: graph.argsort %{{.*}} axis 0 descending first 6 : tensor<6xi8> -> tensor<6xi64>
// CHECK: %[[COUNT:.*]] = graph.reduce sum
// CHECK: %y = graph.concat
// CHECK-NEXT: return %y, %[[COUNT]]
func.func @nonzero(%x: tensor<2x3xf32>) -> tensor<2x?xi64> {
  %y = onnx.NonZero %x : (tensor<2x3xf32>) -> tensor<2x?xi64>
  return %y : tensor<2x?xi64>
}

// Both have one extent, so that they can be added; a sum has zeros behind it, and no extent of its own.
// CHECK-LABEL: func.func @sum
// CHECK-SAME: -> (tensor<1xi64>, tensor<1x6xi64> {mlc.extents = array<i64: -1, 2>}, tensor<i64> {mlc.name = "{{.*}}.extent1"})
// CHECK: %[[TWO:.*]] = graph.add
// CHECK: %[[INSIDE:.*]] = graph.compare lt, %{{.*}}, %[[COUNT:.*]] : tensor<1x6xi64>, tensor<i64> -> tensor<1x6xi1>
// CHECK: %[[DATA:.*]] = graph.where %[[INSIDE]], %[[TWO]]
// CHECK: graph.reduce sum %[[DATA]] axes [1]
func.func @sum(%x: tensor<6xf32>) -> (tensor<?xi64>, tensor<1x?xi64>) {
  %axes = onnx.Constant {value_ints = [1 : i64]} : () -> tensor<1xi64>
  %a = onnx.NonZero %x : (tensor<6xf32>) -> tensor<1x?xi64>
  %b = onnx.NonZero %x : (tensor<6xf32>) -> tensor<1x?xi64>
  %two = onnx.Add %a, %b : (tensor<1x?xi64>, tensor<1x?xi64>) -> tensor<1x?xi64>
  %y = onnx.ReduceSum %two, %axes {keepdims = 0 : i64} : (tensor<1x?xi64>, tensor<1xi64>) -> tensor<?xi64>
  return %y, %two : tensor<?xi64>, tensor<1x?xi64>
}

// Elements at positions, the first two of these at most, and the shape of that.
// CHECK-LABEL: func.func @first
// CHECK-SAME: -> (tensor<2x4xf32> {mlc.extents = array<i64: 2, -1>}, tensor<2xi64>, tensor<i64> {mlc.name = "y.extent0"})
// CHECK: graph.where
// CHECK: %{{.*}} = graph.gather %x, %{{.*}} axis 0 : tensor<6x4xf32>, tensor<6xi64> -> tensor<6x4xf32>
// CHECK: %[[EXTENT:.*]] = graph.min
// CHECK: %y = graph.slice
// CHECK: %[[ROWS:.*]] = graph.reshape %[[EXTENT]] : tensor<i64> -> tensor<1xi64>
// CHECK: %shape = graph.concat %[[ROWS]]
// CHECK: return %y, %shape, %[[EXTENT]]
func.func @first(%x: tensor<6x4xf32>, %kept: tensor<6xi1>) -> (tensor<?x4xf32>, tensor<2xi64>) {
  %zero = onnx.Constant {value_ints = [0 : i64]} : () -> tensor<1xi64>
  %two = onnx.Constant {value_ints = [2 : i64]} : () -> tensor<1xi64>
  %at = onnx.NonZero %kept : (tensor<6xi1>) -> tensor<1x?xi64>
  %i = onnx.Squeeze %at, %zero : (tensor<1x?xi64>, tensor<1xi64>) -> tensor<?xi64>
  %all = onnx.Gather %x, %i : (tensor<6x4xf32>, tensor<?xi64>) -> tensor<?x4xf32>
  %y = onnx.Slice %all, %zero, %two, %zero : (tensor<?x4xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?x4xf32>
  %shape = onnx.Shape %y : (tensor<?x4xf32>) -> tensor<2xi64>
  return %y, %shape : tensor<?x4xf32>, tensor<2xi64>
}

// What is known to be empty has that shape.
// CHECK-LABEL: func.func @nothing
// CHECK-SAME: -> tensor<0x3xi64>
// CHECK-NOT: mlc.extents
// CHECK: return
func.func @nothing(%boxes: tensor<1x5x4xf32>, %scores: tensor<1x1x5xf32>) -> tensor<?x3xi64> {
  %y = onnx.NonMaxSuppression %boxes, %scores : (tensor<1x5x4xf32>, tensor<1x1x5xf32>) -> tensor<?x3xi64>
  return %y : tensor<?x3xi64>
}

// Few of many boxes are chosen in the order of their scores, and each is compared with those that were chosen before.
// CHECK-LABEL: func.func @few_of_many
// CHECK: %[[ORDER:.*]] = graph.argsort %{{.*}} axis 2 descending first 40
// CHECK: graph.while
// CHECK: graph.gather %{{.*}} axis 2 : tensor<1x2x40xi64>, tensor<1xi64> -> tensor<1x2x1xi64>
// CHECK: graph.scatter_nd set %{{.*}} axes [3] own [0, 1] : tensor<1x2x5x16xf32>
func.func @few_of_many(%boxes: tensor<1x40x4xf32>, %scores: tensor<1x2x40xf32>) -> tensor<?x3xi64> {
  %five = onnx.Constant {value_ints = [5 : i64]} : () -> tensor<1xi64>
  %y = onnx.NonMaxSuppression %boxes, %scores, %five : (tensor<1x40x4xf32>, tensor<1x2x40xf32>, tensor<1xi64>) -> tensor<?x3xi64>
  return %y : tensor<?x3xi64>
}

// Where all may be chosen, nothing is sorted.
// CHECK-LABEL: func.func @any_of_all
// CHECK-NOT: descending
// CHECK: graph.while
// CHECK: graph.argmax
func.func @any_of_all(%boxes: tensor<1x40x4xf32>, %scores: tensor<1x2x40xf32>, %most: tensor<1xi64>) -> tensor<?x3xi64> {
  %y = onnx.NonMaxSuppression %boxes, %scores, %most : (tensor<1x40x4xf32>, tensor<1x2x40xf32>, tensor<1xi64>) -> tensor<?x3xi64>
  return %y : tensor<?x3xi64>
}
