// REQUIRES: torch
// RUN: mlc-opt %s --convert-aten-to-graph --split-input-file | filecheck %s

// Elements that torch does not take are counted in one more result, of all operators together.

// CHECK-LABEL: func.func @rows
// CHECK-SAME: -> (tensor<2x3xf32>, tensor<i64> {mlc.name = "wrong_elements"})
// CHECK: %[[LOW:.*]] = graph.constant dense<0> : tensor<i64>
// CHECK-NEXT: %[[BELOW:.*]] = graph.compare lt, %i, %[[LOW]]
// CHECK-NEXT: %[[EXTENT:.*]] = graph.constant dense<9> : tensor<i64>
// CHECK-NEXT: %[[ABOVE:.*]] = graph.compare ge, %i, %[[EXTENT]]
// CHECK-NEXT: %[[WRONG:.*]] = graph.or %[[BELOW]], %[[ABOVE]]
// CHECK-NEXT: %[[ONES:.*]] = graph.cast %[[WRONG]]
// CHECK-NEXT: %[[FIRST:.*]] = graph.reduce sum %[[ONES]] axes [0]
// CHECK: graph.constant dense<-9> : tensor<i64>
// CHECK: %[[SECOND:.*]] = graph.reduce sum
// CHECK: %[[BOTH:.*]] = graph.add %[[FIRST]], %[[SECOND]]
// CHECK: return %z, %[[BOTH]]
func.func @rows(%w: tensor<9x3xf32>, %i: tensor<2xi64>) -> tensor<2x3xf32> attributes {aten.checked} {
  %x = aten.embedding %w, %i : (tensor<9x3xf32>, tensor<2xi64>) -> tensor<2x3xf32>
  %y = aten.index.Tensor %w, %i {aten.operands = array<i64: 1, 1>} : (tensor<9x3xf32>, tensor<2xi64>) -> tensor<2x3xf32>
  %z = aten.add.Tensor %x, %y : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %z : tensor<2x3xf32>
}

// -----

// What is known to be right is not counted, and what torch makes sure of itself is not either.

// CHECK-LABEL: func.func @known
// CHECK-SAME: -> tensor<2x3xf32> {
// CHECK-NOT: graph.reduce
func.func @known(%w: tensor<9x3xf32>, %j: tensor<2xi64>) -> tensor<2x3xf32> attributes {aten.checked} {
  %i = graph.constant dense<[3, 0]> : tensor<2xi64>
  %x = aten.embedding %w, %i : (tensor<9x3xf32>, tensor<2xi64>) -> tensor<2x3xf32>
  %z = aten._unsafe_index.Tensor %w, %j {aten.operands = array<i64: 1, 1>} : (tensor<9x3xf32>, tensor<2xi64>) -> tensor<2x3xf32>
  %y = aten.add.Tensor %x, %z : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// -----

// Nobody asks.

// CHECK-LABEL: func.func @unchecked
// CHECK-NEXT: %x = graph.gather %w, %i axis 0
// CHECK-NEXT: return %x
func.func @unchecked(%w: tensor<9x3xf32>, %i: tensor<2xi64>) -> tensor<2x3xf32> {
  %x = aten.embedding %w, %i : (tensor<9x3xf32>, tensor<2xi64>) -> tensor<2x3xf32>
  return %x : tensor<2x3xf32>
}
