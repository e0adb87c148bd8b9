// REQUIRES: torch
// RUN: mlc-opt %s --convert-aten-to-graph | filecheck %s

// A range counts from either end; a strided one is put back by reading both tensors at known places.

// CHECK-LABEL: func.func @slices
// CHECK-NEXT: %a = graph.slice %x starts [0, 1] ends [4, 6] strides [1, 2]
// CHECK-NEXT: %b = graph.add
// CHECK-NEXT: %[[BOTH:.*]] = graph.concat %x, %b axis 1
// CHECK-NEXT: %[[AT:.*]] = graph.constant dense<[0, 6, 2, 7, 4, 8]>
// CHECK-NEXT: %c = graph.gather %[[BOTH]], %[[AT]] axis 1
func.func @slices(%x: tensor<4x6xf32>, %y: tensor<4x3xf32>) -> tensor<4x6xf32> {
  %a = aten.slice.Tensor %x {dim = -1 : i64, start = -5 : i64, end = 9223372036854775807 : i64, step = 2 : i64} : (tensor<4x6xf32>) -> tensor<4x3xf32>
  %b = aten.add.Tensor %a, %y : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  %c = aten.slice_scatter %x, %b {dim = 1 : i64, start = 1 : i64, step = 2 : i64} : (tensor<4x6xf32>, tensor<4x3xf32>) -> tensor<4x6xf32>
  return %c : tensor<4x6xf32>
}

// Padding that is negative cuts off.

// CHECK-LABEL: func.func @pad
// CHECK-NEXT: %[[CUT:.*]] = graph.slice %x starts [0, 1] ends [4, 6]
// CHECK-NEXT: %a = graph.pad %[[CUT]] low [0, 0] high [0, 1] with 7.000000e+00
func.func @pad(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %a = aten.constant_pad_nd %x {pad = array<i64: -1, 1>, value = 7.0 : f64} : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return %a : tensor<4x6xf32>
}

// Windows that overlap are read at known places.

// CHECK-LABEL: func.func @windows
// CHECK-NEXT: %[[AT:.*]] = graph.constant dense<{{\[\[}}0, 1, 2, 3], [1, 2, 3, 4], [2, 3, 4, 5{{\]\]}}>
// CHECK-NEXT: %a = graph.gather %x, %[[AT]] axis 1
func.func @windows(%x: tensor<4x6xf32>) -> tensor<4x3x4xf32> {
  %a = aten.unfold %x {dimension = 1 : i64, size = 4 : i64, step = 1 : i64} : (tensor<4x6xf32>) -> tensor<4x3x4xf32>
  return %a : tensor<4x3x4xf32>
}
