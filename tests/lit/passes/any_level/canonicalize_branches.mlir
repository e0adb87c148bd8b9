// RUN: mlc-opt --canonicalize %s | filecheck %s

// CHECK-LABEL: @known
func.func @known(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK-NEXT: %0 = graph.exp %x
  // CHECK-NEXT: return %0, %x
  %yes = graph.constant dense<true> : tensor<i1>
  %no = graph.constant dense<false> : tensor<i1>
  %0 = graph.if %yes using (%x) : (tensor<4xf32>) -> (tensor<4xf32>) {
  ^bb0(%a: tensor<4xf32>):
    %2 = graph.exp %a : tensor<4xf32>
    graph.yield %2 : tensor<4xf32>
  } else {
  ^bb0(%a: tensor<4xf32>):
    graph.yield %a : tensor<4xf32>
  }
  %1 = graph.if %no using (%x) : (tensor<4xf32>) -> (tensor<4xf32>) {
  ^bb0(%a: tensor<4xf32>):
    %2 = graph.exp %a : tensor<4xf32>
    graph.yield %2 : tensor<4xf32>
  } else {
  ^bb0(%a: tensor<4xf32>):
    graph.yield %a : tensor<4xf32>
  }
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// Constants stand in the bodies; of values that are used twice, or not at all, one or none is left.
// CHECK-LABEL: @captured
func.func @captured(%c: tensor<i1>, %x: tensor<4xf32>, %w: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-NEXT: graph.if %c using (%x) : (tensor<4xf32>) -> (tensor<4xf32>) {
  // CHECK-NEXT: ^bb0(%a: tensor<4xf32>):
  // CHECK-NEXT:   %two = graph.constant dense<2.000000e+00>
  // CHECK-NEXT:   %1 = graph.mul %a, %two
  // CHECK-NEXT:   %2 = graph.div %1, %a
  %two = graph.constant dense<2.0> : tensor<f32>
  %0 = graph.if %c using (%x, %two, %x, %w) : (tensor<4xf32>, tensor<f32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>) {
  ^bb0(%a: tensor<4xf32>, %b: tensor<f32>, %a1: tensor<4xf32>, %unused: tensor<4xf32>):
    %1 = graph.mul %a, %b : tensor<4xf32>, tensor<f32> -> tensor<4xf32>
    %2 = graph.div %1, %a1 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
    graph.yield %2 : tensor<4xf32>
  } else {
  ^bb0(%a: tensor<4xf32>, %b: tensor<f32>, %a1: tensor<4xf32>, %unused: tensor<4xf32>):
    graph.yield %a1 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: @never
func.func @never(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-NEXT: return %x
  %0 = graph.while carry (%x) using () : (tensor<4xf32>), () -> (tensor<4xf32>) {
  ^bb0(%a: tensor<4xf32>):
    %1 = graph.constant dense<false> : tensor<i1>
    graph.yield %1 : tensor<i1>
  } do {
  ^bb0(%a: tensor<4xf32>):
    %2 = graph.exp %a : tensor<4xf32>
    graph.yield %2 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// What it carries stays behind the first value that it uses.
// CHECK-LABEL: @loop
func.func @loop(%x: tensor<i64> {mlc.range = array<i64: -9, 12>}, %w: tensor<i64>) -> tensor<i64> {
  // CHECK-NEXT: graph.while carry (%x) using (%w) : (tensor<i64>), (tensor<i64>) -> (tensor<i64>) {
  // CHECK-NEXT: ^bb0(%a: tensor<i64>, %c: tensor<i64>):
  // CHECK-NEXT:   %ten = graph.constant dense<10>
  // CHECK-NEXT:   %1 = graph.compare lt, %a, %ten
  // CHECK:      ^bb0(%[[A:.*]]: tensor<i64>, %[[C:.*]]: tensor<i64>):
  // CHECK:        graph.max %{{.*}}, %[[C]]
  %ten = graph.constant dense<10> : tensor<i64>
  %0 = graph.while carry (%x) using (%ten, %w, %w) : (tensor<i64>), (tensor<i64>, tensor<i64>, tensor<i64>) -> (tensor<i64>) {
  ^bb0(%a: tensor<i64>, %b: tensor<i64>, %c: tensor<i64>, %d: tensor<i64>):
    %1 = graph.compare lt, %a, %b : tensor<i64>, tensor<i64> -> tensor<i1>
    graph.yield %1 : tensor<i1>
  } do {
  ^bb0(%a: tensor<i64>, %b: tensor<i64>, %c: tensor<i64>, %d: tensor<i64>):
    %one = graph.constant dense<1> : tensor<i64>
    %2 = graph.max %c, %one : tensor<i64>, tensor<i64> -> tensor<i64>
    %3 = graph.max %2, %d : tensor<i64>, tensor<i64> -> tensor<i64>
    %4 = graph.add %a, %3 : tensor<i64>, tensor<i64> -> tensor<i64>
    graph.yield %4 : tensor<i64>
  }
  return %0 : tensor<i64>
}
