// RUN: mlc-opt %s --convert-onnx-to-graph | filecheck %s

// The version of an op says what it means: before 13, softmax took all dims from the axis on as one.

// CHECK-LABEL: func.func @softmax
// CHECK-NEXT:    %[[FLAT:.*]] = graph.reshape %x : tensor<2x3x4xf32> -> tensor<2x12xf32>
// CHECK-NEXT:    %[[SOFT:.*]] = graph.softmax %[[FLAT]] axis 1 : tensor<2x12xf32>
// CHECK-NEXT:    %old = graph.reshape %[[SOFT]] : tensor<2x12xf32> -> tensor<2x3x4xf32>
// CHECK-NEXT:    %new = graph.softmax %x axis 1 : tensor<2x3x4xf32>
func.func @softmax(%x: tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>, tensor<2x3x4xf32>) {
  %old = onnx.Softmax %x {axis = 1 : i64, onnx.since = 11 : i64} : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  %new = onnx.Softmax %x {axis = 1 : i64} : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  return %old, %new : tensor<2x3x4xf32>, tensor<2x3x4xf32>
}

// Before 7, an operand was aligned at an axis.

// CHECK-LABEL: func.func @add
// CHECK-NEXT:    %[[B:.*]] = graph.reshape %b : tensor<3xf32> -> tensor<3x1xf32>
// CHECK-NEXT:    %y = graph.add %x, %[[B]] : tensor<2x3x4xf32>, tensor<3x1xf32> -> tensor<2x3x4xf32>
func.func @add(%x: tensor<2x3x4xf32>, %b: tensor<3xf32>) -> tensor<2x3x4xf32> {
  %y = onnx.Add %x, %b {axis = 1 : i64, broadcast = 1 : i64, onnx.since = 6 : i64}
      : (tensor<2x3x4xf32>, tensor<3xf32>) -> tensor<2x3x4xf32>
  return %y : tensor<2x3x4xf32>
}

// Before 7, a slope was that of a channel.

// CHECK-LABEL: func.func @prelu
// CHECK-NEXT:    %[[SLOPE:.*]] = graph.reshape %slope : tensor<3xf32> -> tensor<3x1xf32>
func.func @prelu(%x: tensor<2x3x4xf32>, %slope: tensor<3xf32>) -> tensor<2x3x4xf32> {
  %y = onnx.PRelu %x, %slope {onnx.since = 6 : i64} : (tensor<2x3x4xf32>, tensor<3xf32>) -> tensor<2x3x4xf32>
  return %y : tensor<2x3x4xf32>
}
