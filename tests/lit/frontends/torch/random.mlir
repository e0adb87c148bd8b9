// REQUIRES: torch
// RUN: mlc-opt %s --convert-aten-to-graph | filecheck %s

// One seed is the key of all draws of a function; each has a number of its own.

// CHECK-LABEL: func.func @two
// CHECK: %[[KEY:.*]] = graph.bitcast %seed : tensor<i64> -> tensor<ui64>
// CHECK: graph.philox %{{.*}}, %[[KEY]], %{{.*}}
// CHECK: %[[SECOND:.*]] = graph.constant dense<1> : tensor<ui64>
// CHECK: graph.philox %{{.*}}, %{{.*}}, %{{.*}}, %[[SECOND]]
func.func @two(%x: tensor<8xf32>, %seed: tensor<i64> {aten.seed}) -> (tensor<8xf32>, tensor<8xf32>) {
  %a = aten.rand_like %x : (tensor<8xf32>) -> tensor<8xf32>
  %b = aten.rand_like %x : (tensor<8xf32>) -> tensor<8xf32>
  return %a, %b : tensor<8xf32>, tensor<8xf32>
}
