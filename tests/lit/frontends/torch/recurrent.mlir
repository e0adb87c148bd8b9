// REQUIRES: torch
// RUN: mlc-opt %s --convert-aten-to-graph | filecheck %s

// Ten steps are one loop, which has the products of its input in it.

// CHECK-LABEL: func.func @gru
// CHECK: graph.scan 10 carry
// CHECK-COUNT-2: graph.matmul
// CHECK-COUNT-2: graph.sigmoid
// CHECK: graph.tanh
// CHECK-NOT: graph.scan
// CHECK: return
func.func @gru(%x: tensor<10x2x3xf32>, %h: tensor<1x2x4xf32>, %w: tensor<12x3xf32>, %r: tensor<12x4xf32>, %b: tensor<12xf32>, %c: tensor<12xf32>) -> (tensor<10x2x4xf32>, tensor<1x2x4xf32>) {
  %y, %n = aten.gru.input %x, %h, %w, %r, %b, %c {aten.operands = array<i64: 1, 1, 4>, has_biases = true, num_layers = 1 : i64, dropout = 0.0 : f64, train = false, bidirectional = false, batch_first = false} : (tensor<10x2x3xf32>, tensor<1x2x4xf32>, tensor<12x3xf32>, tensor<12x4xf32>, tensor<12xf32>, tensor<12xf32>) -> (tensor<10x2x4xf32>, tensor<1x2x4xf32>)
  return %y, %n : tensor<10x2x4xf32>, tensor<1x2x4xf32>
}

// Two directions are two loops, one of which goes from the end.

// CHECK-LABEL: func.func @both_ways
// CHECK: graph.scan 10 carry
// CHECK: graph.scan 10 carry
// CHECK-SAME: backwards
// CHECK: graph.concat
func.func @both_ways(%x: tensor<10x2x3xf32>, %h: tensor<2x2x4xf32>, %w: tensor<4x3xf32>, %r: tensor<4x4xf32>, %u: tensor<4x3xf32>, %s: tensor<4x4xf32>) -> tensor<10x2x8xf32> {
  %y, %n = aten.rnn_relu.input %x, %h, %w, %r, %u, %s {aten.operands = array<i64: 1, 1, 4>, has_biases = false, num_layers = 1 : i64, dropout = 0.0 : f64, train = false, bidirectional = true, batch_first = false} : (tensor<10x2x3xf32>, tensor<2x2x4xf32>, tensor<4x3xf32>, tensor<4x4xf32>, tensor<4x3xf32>, tensor<4x4xf32>) -> (tensor<10x2x8xf32>, tensor<2x2x4xf32>)
  return %y : tensor<10x2x8xf32>
}
