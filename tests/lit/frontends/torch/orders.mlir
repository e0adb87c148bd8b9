// REQUIRES: torch
// RUN: mlc-opt %s --convert-aten-to-graph | filecheck %s

// The place of the second least one, and the element there.

// CHECK-LABEL: func.func @median
// CHECK-NEXT: %[[ORDER:.*]] = graph.argsort %x axis 1 first 5
// CHECK-NEXT: %[[AT:.*]] = graph.slice %[[ORDER]] starts [0, 1] ends [4, 2]
// CHECK: graph.gather_nd %x, %{{.*}} axes [1] own [0]
// CHECK: %b = graph.reshape %[[AT]]
func.func @median(%x: tensor<4x5xf32>) -> (tensor<4xf32>, tensor<4xi64>) {
  %a, %b = aten.kthvalue %x {k = 2 : i64} : (tensor<4x5xf32>) -> (tensor<4xf32>, tensor<4xi64>)
  return %a, %b : tensor<4xf32>, tensor<4xi64>
}

// A running sum is a loop that carries it.

// CHECK-LABEL: func.func @cumsum
// CHECK: graph.scan 5 carry
// CHECK-NEXT: graph.add
// CHECK: %a = graph.transpose
func.func @cumsum(%x: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %a = aten.cumsum %x {dim = -1 : i64} : (tensor<4x5xf32>) -> tensor<4x5xf32>
  return %a : tensor<4x5xf32>
}

// Three boundaries are halved twice.

// CHECK-LABEL: func.func @search
// CHECK-COUNT-2: graph.gather %x
// CHECK-NOT: graph.gather
func.func @search(%x: tensor<3xf32>, %y: tensor<4xf32>) -> tensor<4xi64> {
  %a = aten.searchsorted.Tensor %x, %y {aten.operands = array<i64: 1, 1, 0>, right = true} : (tensor<3xf32>, tensor<4xf32>) -> tensor<4xi64>
  return %a : tensor<4xi64>
}

// Halves are summed as f32.

// CHECK-LABEL: func.func @half
// CHECK-NEXT: %[[WIDE:.*]] = graph.cast %x : tensor<4x5xbf16> -> tensor<4x5xf32>
// CHECK-NEXT: %[[SUM:.*]] = graph.reduce sum %[[WIDE]] axes [1]
// CHECK-NEXT: %a = graph.cast %[[SUM]]
func.func @half(%x: tensor<4x5xbf16>) -> tensor<4xbf16> {
  %a = aten.sum.dim_IntList %x {dim = array<i64: -1>} : (tensor<4x5xbf16>) -> tensor<4xbf16>
  return %a : tensor<4xbf16>
}
