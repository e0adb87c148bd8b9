// RUN: mlc-opt %s --convert-onnx-to-graph 2>&1 | filecheck %s

// Maps of classes to scores are no tensors: the scores are handed on, which is told.

// CHECK: maps.mlir:{{.*}}: warning: ZipMap: its maps become a tensor with a column for each class (cat, dog); exported with zipmap=False the model says so itself
// CHECK: func.func @main(%x: tensor<5x2xf32>) -> tensor<5x2xf32> {
// CHECK-NEXT: %z = graph.relu %x : tensor<5x2xf32>
// CHECK-NEXT: return %z : tensor<5x2xf32>
func.func @main(%x: tensor<5x2xf32>) -> !onnx.value<"seq(map(string, tensor(float)))"> {
  %y = onnx.Relu %x : (tensor<5x2xf32>) -> tensor<5x2xf32>
  %z = onnx.ai.onnx.ml.ZipMap %y {classlabels_strings = ["cat", "dog"]} : (tensor<5x2xf32>) -> !onnx.value<"seq(map(string, tensor(float)))">
  return %z : !onnx.value<"seq(map(string, tensor(float)))">
}
