// RUN: mlc-opt --fuse %s | filecheck %s

// Inside a body as outside; the loop itself joins nothing.
// CHECK-LABEL: @main
func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-NEXT: %0 = graph.fusion "exp_neg"
  // CHECK:      %1 = graph.scan 5 carry (%s = %0) : (tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-NEXT:   %2 = graph.fusion "tanh_abs" (%s_1 = %s)
  // CHECK:        graph.yield %2
  // CHECK:      graph.fusion "relu_sqrt" ({{.*}} = %1)
  %0 = graph.exp %a : tensor<4xf32>
  %1 = graph.neg %0 : tensor<4xf32>
  %2 = graph.scan 5 carry (%s = %1) : (tensor<4xf32>) -> tensor<4xf32> {
    %5 = graph.tanh %s : tensor<4xf32>
    %6 = graph.abs %5 : tensor<4xf32>
    graph.yield %6 : tensor<4xf32>
  }
  %3 = graph.relu %2 : tensor<4xf32>
  %4 = graph.sqrt %3 : tensor<4xf32>
  return %4 : tensor<4xf32>
}
