// RUN: mlc-opt %s --convert-stablehlo-to-graph | filecheck %s

// Complex numbers are pairs; as inputs and outputs they have a dim of 2 behind the others.

// CHECK-LABEL: func.func @product(%x: tensor<4x2xf32> {mlc.complex}) -> (tensor<4x2xf32> {mlc.complex}) {
// CHECK-COUNT-4: graph.mul
// CHECK: graph.concat %{{.*}}, %{{.*}} axis 1 : tensor<4x1xf32>, tensor<4x1xf32> -> tensor<4x2xf32>
func.func @product(%x: tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>> {
  %0 = stablehlo.multiply %x, %x : tensor<4xcomplex<f32>>
  return %0 : tensor<4xcomplex<f32>>
}

// CHECK-LABEL: func.func @parts
// CHECK-NEXT: %0 = graph.reverse %x axes [0] : tensor<4xf32>
// CHECK-NEXT: %1 = graph.reverse %y axes [0] : tensor<4xf32>
// CHECK-NEXT: func.return %0, %1
func.func @parts(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = stablehlo.complex %x, %y : tensor<4xcomplex<f32>>
  %1 = stablehlo.reverse %0, dims = [0] : tensor<4xcomplex<f32>>
  %2 = stablehlo.real %1 : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
  %3 = stablehlo.imag %1 : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
  return %2, %3 : tensor<4xf32>, tensor<4xf32>
}
