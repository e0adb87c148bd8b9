// RUN: mlc-opt %s | mlc-opt | filecheck %s

// CHECK-LABEL: @choice
func.func @choice(%c: tensor<i1>, %x: tensor<4xf32>, %w: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-NEXT: %y = graph.if %c using (%x, %w) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>) {
  // CHECK-NEXT: ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
  // CHECK-NEXT:   graph.yield %a : tensor<4xf32>
  // CHECK-NEXT: } else {
  // CHECK-NEXT: ^bb0(%{{.*}}: tensor<4xf32>, %[[B:.*]]: tensor<4xf32>):
  // CHECK-NEXT:   graph.yield %[[B]] : tensor<4xf32>
  // CHECK-NEXT: } {my.note}
  %y = graph.if %c using (%x, %w) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>) {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
    graph.yield %a : tensor<4xf32>
  } else {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
    graph.yield %b : tensor<4xf32>
  } {my.note}
  return %y : tensor<4xf32>
}

// CHECK-LABEL: @loop
func.func @loop(%go: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-NEXT: %c, %y = graph.while carry (%go, %x) using (%x) : (tensor<i1>, tensor<4xf32>), (tensor<4xf32>) -> (tensor<i1>, tensor<4xf32>) {
  // CHECK:        graph.yield %more : tensor<i1>
  // CHECK-NEXT: } do {
  // CHECK:        graph.yield %stop, %{{.*}} : tensor<i1>, tensor<4xf32>
  // CHECK-NEXT: }
  %c, %y = graph.while carry (%go, %x) using (%x) : (tensor<i1>, tensor<4xf32>), (tensor<4xf32>) -> (tensor<i1>, tensor<4xf32>) {
  ^bb0(%more: tensor<i1>, %s: tensor<4xf32>, %v: tensor<4xf32>):
    graph.yield %more : tensor<i1>
  } do {
  ^bb0(%more: tensor<i1>, %s: tensor<4xf32>, %v: tensor<4xf32>):
    %stop = graph.constant dense<false> : tensor<i1>
    graph.yield %stop, %v : tensor<i1>, tensor<4xf32>
  }
  return %y : tensor<4xf32>
}
