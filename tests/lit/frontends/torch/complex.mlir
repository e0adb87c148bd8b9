// REQUIRES: torch
// RUN: mlc-opt %s --convert-aten-to-graph --dce | filecheck %s

// Complex numbers are pairs; as inputs and outputs they have a dim of 2 behind the others.

// CHECK-LABEL: func.func @product(%x: tensor<4x2xf32> {mlc.complex}) -> (tensor<4x2xf32> {mlc.complex}) {
// CHECK-COUNT-4: graph.mul
// CHECK: graph.concat %{{.*}}, %{{.*}} axis 1 : tensor<4x1xf32>, tensor<4x1xf32> -> tensor<4x2xf32>
func.func @product(%x: tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>> {
  %0 = aten.mul.Tensor %x, %x : (tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  return %0 : tensor<4xcomplex<f32>>
}

// A move runs for each part, and a sum of parts is a sum.

// CHECK-LABEL: func.func @parts
// CHECK-NEXT: %0 = graph.reverse %x axes [0] : tensor<4xf64>
// CHECK-NEXT: %1 = graph.reverse %y axes [0] : tensor<4xf64>
// CHECK-NEXT: %2 = graph.reduce sum %0 axes [0]
// CHECK-NEXT: %3 = graph.reduce sum %1 axes [0]
// CHECK-NEXT: func.return %2, %3
func.func @parts(%x: tensor<4xf64>, %y: tensor<4xf64>) -> (tensor<f64>, tensor<f64>) {
  %0 = aten.complex %x, %y : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xcomplex<f64>>
  %1 = aten.flip %0 {dims = array<i64: 0>} : (tensor<4xcomplex<f64>>) -> tensor<4xcomplex<f64>>
  %2 = aten.sum %1 : (tensor<4xcomplex<f64>>) -> tensor<complex<f64>>
  %3 = aten.real %2 : (tensor<complex<f64>>) -> tensor<f64>
  %4 = aten.imag %2 : (tensor<complex<f64>>) -> tensor<f64>
  return %3, %4 : tensor<f64>, tensor<f64>
}

// A number of Python has two parts, of which padding takes one each.

// CHECK-LABEL: func.func @padded
// CHECK: graph.pad %{{.*}} low [1] high [0] with 2.500000e+00 : f32 : tensor<4xf32> -> tensor<5xf32>
// CHECK: graph.pad %{{.*}} low [1] high [0] with -1.000000e+00 : f32 : tensor<4xf32> -> tensor<5xf32>
func.func @padded(%x: tensor<4xcomplex<f32>>) -> tensor<5xcomplex<f32>> {
  %0 = aten.constant_pad_nd %x {pad = array<i64: 1, 0>, value = [2.5 : f64, -1.0 : f64]} : (tensor<4xcomplex<f32>>) -> tensor<5xcomplex<f32>>
  return %0 : tensor<5xcomplex<f32>>
}

// A matrix of real numbers takes part in two products, not in four.

// CHECK-LABEL: func.func @real_by_complex
// CHECK-COUNT-2: graph.matmul
// CHECK-NOT: graph.matmul
func.func @real_by_complex(%x: tensor<2x3xf32>, %y: tensor<3x4xcomplex<f32>>) -> tensor<2x4xcomplex<f32>> {
  %0 = aten.matmul %x, %y : (tensor<2x3xf32>, tensor<3x4xcomplex<f32>>) -> tensor<2x4xcomplex<f32>>
  return %0 : tensor<2x4xcomplex<f32>>
}

// The functions of real numbers stay what they are.

// CHECK-LABEL: func.func @of_real_numbers
// CHECK-NEXT: %0 = graph.exp %x : tensor<4xf32>
// CHECK-NEXT: %1 = graph.mul %0, %x : tensor<4xf32>
// CHECK-NEXT: func.return %1
func.func @of_real_numbers(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = aten.exp %x : (tensor<4xf32>) -> tensor<4xf32>
  %1 = aten.mul.Tensor %0, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// What has no pattern is taken apart by torch: the gradient of tanh is y -> g conj(1 - y^2).

// CHECK-LABEL: func.func @taken_apart
// CHECK: graph.neg
// CHECK-NOT: aten
func.func @taken_apart(%g: tensor<4xcomplex<f32>>, %y: tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>> {
  %0 = aten.tanh_backward %g, %y : (tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>>
  return %0 : tensor<4xcomplex<f32>>
}

// A vector of no elements fits anything.

// CHECK-LABEL: func.func @with_nothing
// CHECK-COUNT-2: graph.concat %{{.*}}, %{{.*}} axis 0 : tensor<2x2xf32>, tensor<2x2xf32> -> tensor<4x2xf32>
func.func @with_nothing(%x: tensor<2x2xcomplex<f32>>, %y: tensor<0xcomplex<f32>>) -> tensor<4x2xcomplex<f32>> {
  %0 = aten.cat %x, %y, %x {dim = 0 : i64, aten.operands = array<i64: 3>} : (tensor<2x2xcomplex<f32>>, tensor<0xcomplex<f32>>, tensor<2x2xcomplex<f32>>) -> tensor<4x2xcomplex<f32>>
  return %0 : tensor<4x2xcomplex<f32>>
}
