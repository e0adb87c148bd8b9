// RUN: mlc-opt %s --convert-onnx-to-graph | filecheck %s

// Graphs that an attention holds change its scores and probabilities in their places; each may be left out.

// CHECK-LABEL: func.func @both
// CHECK:      %[[SCORES:.*]] = graph.matmul
// CHECK-NEXT: %[[CAPPED:.*]] = graph.tanh %[[SCORES]] : tensor<1x2x4x4xf32>
// CHECK-NEXT: %[[SHARES:.*]] = graph.softmax %[[CAPPED]] axis 3 : tensor<1x2x4x4xf32>
// CHECK-NEXT: %[[KEPT:.*]] = graph.relu %[[SHARES]] : tensor<1x2x4x4xf32>
// CHECK-NEXT: %y = graph.matmul %[[KEPT]], %v : tensor<1x2x4x4xf32>, tensor<1x2x4x6xf32> -> tensor<1x2x4x6xf32>
func.func @both(%q: tensor<1x2x4x8xf32>, %k: tensor<1x2x4x8xf32>, %v: tensor<1x2x4x6xf32>) -> tensor<*xf32> {
  %y = onnx.ai.onnx.preview.FlexAttention %q, %k, %v prob_mod {
  ^bb0(%shares: tensor<*xf32>):
    %kept = onnx.Relu %shares : (tensor<*xf32>) -> tensor<*xf32>
    onnx.Yield %kept : tensor<*xf32>
  } score_mod {
  ^bb0(%scores: tensor<*xf32>):
    %capped = onnx.Tanh %scores : (tensor<*xf32>) -> tensor<*xf32>
    onnx.Yield %capped : tensor<*xf32>
  } : (tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x4x6xf32>) -> tensor<*xf32>
  return %y : tensor<*xf32>
}

// The second of the two alone; a head of keys and values serves three of queries.

// CHECK-LABEL: func.func @grouped
// CHECK:      graph.broadcast %{{.*}} : tensor<1x2x1x4x8xf32> -> tensor<1x2x3x4x8xf32>
// CHECK:      %[[SCORES:.*]] = graph.matmul
// CHECK-NEXT: %[[CAPPED:.*]] = graph.tanh %[[SCORES]] : tensor<1x6x4x4xf32>
// CHECK-NEXT: graph.softmax %[[CAPPED]] axis 3 : tensor<1x6x4x4xf32>
func.func @grouped(%q: tensor<1x6x4x8xf32>, %k: tensor<1x2x4x8xf32>) -> tensor<*xf32> {
  %y = onnx.ai.onnx.preview.FlexAttention %q, %k, %k score_mod {
  ^bb0(%scores: tensor<*xf32>):
    %capped = onnx.Tanh %scores : (tensor<*xf32>) -> tensor<*xf32>
    onnx.Yield %capped : tensor<*xf32>
  } : (tensor<1x6x4x8xf32>, tensor<1x2x4x8xf32>, tensor<1x2x4x8xf32>) -> tensor<*xf32>
  return %y : tensor<*xf32>
}
