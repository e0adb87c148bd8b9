// REQUIRES: torch
// RUN: mlc-opt %s | mlc-opt | filecheck %s

// Ops are overloads by name; arguments that are no tensors are attributes, left out where the schema says them anyway.

// CHECK-LABEL: func.func @calls
func.func @calls(%x: tensor<2x3xf32>, %w: tensor<3x4xf32>, %b: tensor<4xf32>) -> tensor<2x4xf32> {
  // CHECK: %y = aten.addmm %b, %x, %w {beta = 2 : i64} : (tensor<4xf32>, tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  %y = aten.addmm %b, %x, %w {beta = 2 : i64} : (tensor<4xf32>, tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  // CHECK: aten.add.Tensor %y, %y : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %z = aten.add.Tensor %y, %y : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  return %z : tensor<2x4xf32>
}

// A list of tensors, with one left out, and an argument that is none.

// CHECK-LABEL: func.func @lists
func.func @lists(%x: tensor<4x8xf32>, %i: tensor<3xi64>) -> (tensor<4x3xf32>, tensor<8x8xf32>) {
  // CHECK: %none = aten.none
  %none = aten.none
  // CHECK: aten.index.Tensor %x, %none, %i {aten.operands = array<i64: 1, 2>}
  %y = aten.index.Tensor %x, %none, %i {aten.operands = array<i64: 1, 2>} : (tensor<4x8xf32>, none, tensor<3xi64>) -> tensor<4x3xf32>
  // CHECK: aten.cat %x, %x {aten.operands = array<i64: 2>}
  %z = aten.cat %x, %x {aten.operands = array<i64: 2>} : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
  return %y, %z : tensor<4x3xf32>, tensor<8x8xf32>
}

// Results that nobody asked for are none; dtypes are types, infinities numbers of 64 bits.

// CHECK-LABEL: func.func @attributes
func.func @attributes(%g: tensor<1x2x3x3xf32>, %x: tensor<1x2x3x3xf32>, %w: tensor<2x2x1x1xf32>) -> tensor<2x2x1x1xf32> {
  // CHECK: -> (none, tensor<2x2x1x1xf32>, none)
  %dx, %dw, %db = aten.convolution_backward %g, %x, %w {bias_sizes, stride = array<i64: 1, 1>, padding = array<i64: 0, 0>, dilation = array<i64: 1, 1>, transposed = false, output_padding = array<i64: 0, 0>, groups = 1 : i64, output_mask = array<i1: false, true, false>} : (tensor<1x2x3x3xf32>, tensor<1x2x3x3xf32>, tensor<2x2x1x1xf32>) -> (none, tensor<2x2x1x1xf32>, none)
  // CHECK: aten._to_copy %x {dtype = f64}
  %y = aten._to_copy %x {dtype = f64} : (tensor<1x2x3x3xf32>) -> tensor<1x2x3x3xf64>
  // CHECK: value = 0xfff0000000000000 : f64}
  %z = aten.constant_pad_nd %y {pad = array<i64: 1, 1>, value = 0xFFF0000000000000 : f64} : (tensor<1x2x3x3xf64>) -> tensor<1x2x3x5xf64>
  return %dw : tensor<2x2x1x1xf32>
}
