// RUN: mlc-opt %s | filecheck %s
// RUN: mlc-opt %s | mlc-opt | filecheck %s
// RUN: mlc-opt --print-op-generic %s | mlc-opt | filecheck %s

// Operators of the standard domain, of other domains, and of domains that nobody listed; operands that are left out;
// graphs behind their names, which see the values around them.

// CHECK-LABEL: func.func @main(%x: tensor<1x3x8x8xf32> {mlc.name = "image:0", onnx.dims = ["n", "", "", ""]}, %w: tensor<4x3x3x3xf32>, %c: tensor<i1>) -> !onnx.value<"">
func.func @main(%x: tensor<1x3x8x8xf32> {mlc.name = "image:0", onnx.dims = ["n", "", "", ""]},
                %w: tensor<4x3x3x3xf32>, %c: tensor<i1>) -> !onnx.value<""> {
  // CHECK-NEXT: %none = onnx.NoValue
  %none = onnx.NoValue
  // CHECK-NEXT: %y = onnx.Conv %x, %w, %none {pads = array<i64: 1, 1, 1, 1>} : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>, none) -> tensor<*xf32>
  %y = onnx.Conv %x, %w, %none {pads = array<i64: 1, 1, 1, 1>}
      : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>, none) -> tensor<*xf32>
  // CHECK-NEXT: %s = onnx.Softmax %y {axis = 2 : i64, onnx.since = 11 : i64} : (tensor<*xf32>) -> tensor<*xf32>
  %s = onnx.Softmax %y {axis = 2 : i64, onnx.since = 11 : i64} : (tensor<*xf32>) -> tensor<*xf32>
  // CHECK-NEXT: %a, %b = onnx.com.example.Halves %s {names = ["left", "right"]} : (tensor<*xf32>) -> (!onnx.value<"">, !onnx.value<"seq(tensor(float))">)
  %a, %b = onnx.com.example.Halves %s {names = ["left", "right"]}
      : (tensor<*xf32>) -> (!onnx.value<"">, !onnx.value<"seq(tensor(float))">)
  // CHECK-NEXT: %z = onnx.ai.onnx.ml.Scaler %s {scale = array<f32: 2.000000e+00>} : (tensor<*xf32>) -> tensor<*xf32>
  %z = onnx.ai.onnx.ml.Scaler %s {scale = array<f32: 2.000000e+00>} : (tensor<*xf32>) -> tensor<*xf32>
  // CHECK-NEXT: %i = onnx.If %c else_branch {
  // CHECK-NEXT:   onnx.Yield %z : tensor<*xf32>
  // CHECK-NEXT: } then_branch {
  // CHECK-NEXT:   %neg = onnx.Neg %z : (tensor<*xf32>) -> tensor<*xf32>
  // CHECK-NEXT:   onnx.Yield %neg : tensor<*xf32>
  // CHECK-NEXT: } : (tensor<i1>) -> !onnx.value<"">
  %i = onnx.If %c else_branch {
    onnx.Yield %z : tensor<*xf32>
  } then_branch {
    %neg = onnx.Neg %z : (tensor<*xf32>) -> tensor<*xf32>
    onnx.Yield %neg : tensor<*xf32>
  } : (tensor<i1>) -> !onnx.value<"">
  return %i : !onnx.value<"">
}
