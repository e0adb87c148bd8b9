// REQUIRES: torch
// RUN: mlc-opt %s --split-input-file --convert-aten-to-graph | filecheck %s
// NO-CHECK-EACH: random indices are out of range

// Bodies are converted as a function is; what nobody reads in one is gone.

// CHECK-LABEL: func.func @branches
// CHECK: graph.if %c using (%x)
// CHECK: %0 = graph.relu %a
// CHECK-NEXT: graph.yield %0
// CHECK: %1 = graph.neg %a
// CHECK-NEXT: graph.yield %1
// CHECK-NOT: aten
func.func @branches(%c: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %y = graph.if %c using (%x) : (tensor<4xf32>) -> (tensor<4xf32>) {
  ^bb0(%a: tensor<4xf32>):
    %unused = aten.exp %a : (tensor<4xf32>) -> tensor<4xf32>
    %0 = aten.relu %a : (tensor<4xf32>) -> tensor<4xf32>
    graph.yield %0 : tensor<4xf32>
  } else {
  ^bb0(%a: tensor<4xf32>):
    %0 = aten.neg %a : (tensor<4xf32>) -> tensor<4xf32>
    graph.yield %0 : tensor<4xf32>
  }
  return %y : tensor<4xf32>
}

// -----

// A function whose only operators of PyTorch are in bodies is one, too. Without a question nothing is counted.

// CHECK-LABEL: func.func @loop
// CHECK: graph.while carry (%n, %x) using ()
// CHECK: graph.compare lt, %i
// CHECK: graph.gather %s
// CHECK-NOT: graph.reduce
func.func @loop(%n: tensor<i64>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %m, %y = graph.while carry (%n, %x) using () : (tensor<i64>, tensor<4xf32>), () -> (tensor<i64>, tensor<4xf32>) {
  ^bb0(%i: tensor<i64>, %s: tensor<4xf32>):
    %0 = aten.lt.Scalar %i {other = 5 : i64} : (tensor<i64>) -> tensor<i1>
    graph.yield %0 : tensor<i1>
  } do {
  ^bb0(%i: tensor<i64>, %s: tensor<4xf32>):
    %0 = aten.add.Scalar %i {other = 1 : i64} : (tensor<i64>) -> tensor<i64>
    %1 = aten.index_select %s, %i {dim = 0 : i64} : (tensor<4xf32>, tensor<i64>) -> tensor<1xf32>
    %2 = aten.add.Tensor %s, %1 : (tensor<4xf32>, tensor<1xf32>) -> tensor<4xf32>
    graph.yield %0, %2 : tensor<i64>, tensor<4xf32>
  }
  return %y : tensor<4xf32>
}

// -----

// Indices of the branch that is taken are counted.

// CHECK-LABEL: func.func @counted_branch
// CHECK: %y, [[COUNT:%.*]] = graph.if
// CHECK: [[SUM:%.*]] = graph.reduce sum
// CHECK: [[ALL:%.*]] = graph.add {{.*}}, [[SUM]]
// CHECK: graph.yield {{%.*}}, [[ALL]] : tensor<2xf32>, tensor<i64>
// CHECK: [[NONE:%.*]] = graph.constant dense<0>
// CHECK-NEXT: graph.yield {{%.*}}, [[NONE]] : tensor<2xf32>, tensor<i64>
// CHECK: return %y, [[COUNT]]
func.func @counted_branch(%c: tensor<i1>, %x: tensor<4xf32>, %i: tensor<2xi64>) -> tensor<2xf32> attributes {aten.checked} {
  %y = graph.if %c using (%x, %i) : (tensor<4xf32>, tensor<2xi64>) -> (tensor<2xf32>) {
  ^bb0(%a: tensor<4xf32>, %b: tensor<2xi64>):
    %0 = aten.index_select %a, %b {dim = 0 : i64} : (tensor<4xf32>, tensor<2xi64>) -> tensor<2xf32>
    graph.yield %0 : tensor<2xf32>
  } else {
  ^bb0(%a: tensor<4xf32>, %b: tensor<2xi64>):
    %0 = aten.slice.Tensor %a {end = 2 : i64} : (tensor<4xf32>) -> tensor<2xf32>
    graph.yield %0 : tensor<2xf32>
  }
  return %y : tensor<2xf32>
}

// -----

// Those of all steps add up.

// CHECK-LABEL: func.func @counted_loop
// CHECK: %m, %y, [[COUNT:%.*]] = graph.while carry (%n, %x, {{%.*}}) using ()
// CHECK: graph.yield {{%.*}} : tensor<i1>
// CHECK: ^bb0(%i_1: tensor<i64>, %s_1: tensor<4xf32>, [[BEFORE:%.*]]: tensor<i64>):
// CHECK: graph.add {{%.*}}, [[BEFORE]]
// CHECK: return %y, [[COUNT]]
func.func @counted_loop(%n: tensor<i64>, %x: tensor<4xf32>) -> tensor<4xf32> attributes {aten.checked} {
  %m, %y = graph.while carry (%n, %x) using () : (tensor<i64>, tensor<4xf32>), () -> (tensor<i64>, tensor<4xf32>) {
  ^bb0(%i: tensor<i64>, %s: tensor<4xf32>):
    %0 = aten.lt.Scalar %i {other = 5 : i64} : (tensor<i64>) -> tensor<i1>
    graph.yield %0 : tensor<i1>
  } do {
  ^bb0(%i: tensor<i64>, %s: tensor<4xf32>):
    %0 = aten.add.Scalar %i {other = 1 : i64} : (tensor<i64>) -> tensor<i64>
    %1 = aten.index_select %s, %i {dim = 0 : i64} : (tensor<4xf32>, tensor<i64>) -> tensor<1xf32>
    %2 = aten.add.Tensor %s, %1 : (tensor<4xf32>, tensor<1xf32>) -> tensor<4xf32>
    graph.yield %0, %2 : tensor<i64>, tensor<4xf32>
  }
  return %y : tensor<4xf32>
}
