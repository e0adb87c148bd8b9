// RUN: mlc-opt %s | mlc-opt | filecheck %s

// CHECK-LABEL: @one_result
func.func @one_result(%x: tensor<4xf32>, %b: tensor<f32>) -> tensor<4xf32> {
  // CHECK-NEXT: %y = graph.fusion "add_relu" (%v = %x, %w = %b) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32> {
  // CHECK-NEXT:   %0 = graph.add %v, %w : tensor<4xf32>, tensor<f32> -> tensor<4xf32>
  // CHECK-NEXT:   %1 = graph.relu %0 : tensor<4xf32>
  // CHECK-NEXT:   graph.yield %1 : tensor<4xf32>
  // CHECK-NEXT: }
  %y = graph.fusion "add_relu" (%v = %x, %w = %b) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32> {
    %0 = graph.add %v, %w : tensor<4xf32>, tensor<f32> -> tensor<4xf32>
    %1 = graph.relu %0 : tensor<4xf32>
    graph.yield %1 : tensor<4xf32>
  }
  return %y : tensor<4xf32>
}

// CHECK-LABEL: @two_results_and_attributes
func.func @two_results_and_attributes(%x: tensor<4xf32>) {
  // CHECK: graph.fusion "pair" (%v = %x) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK: } attributes {hot}
  %y:2 = graph.fusion "pair" (%v = %x) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    %0 = graph.exp %v : tensor<4xf32>
    graph.yield %0, %v : tensor<4xf32>, tensor<4xf32>
  } attributes {hot}
  return
}
