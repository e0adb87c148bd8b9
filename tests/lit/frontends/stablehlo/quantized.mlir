// RUN: mlc-opt %s --convert-stablehlo-to-graph | filecheck %s

// What computes with numbers dequantises them, and quantises what it gives.

// CHECK-LABEL: func.func @add(%x: tensor<4xi8>, %y: tensor<4xui8>) -> tensor<4xi8>
// CHECK: %2 = graph.dequantize %x, %{{.*}}, %{{.*}} : tensor<4xi8>, tensor<f32>, tensor<i8> -> tensor<4xf32>
// CHECK: %5 = graph.dequantize %y, %{{.*}}, %{{.*}} : tensor<4xui8>, tensor<f32>, tensor<ui8> -> tensor<4xf32>
// CHECK-NEXT: %6 = graph.add %2, %5
// CHECK: graph.quantize %6
func.func @add(%x: tensor<4x!quant.uniform<i8:f32, 0.5:3>>, %y: tensor<4x!quant.uniform<u8:f32, 0.25>>) -> tensor<4x!quant.uniform<i8:f32, 1.0>> {
  %0 = stablehlo.add %x, %y : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>, tensor<4x!quant.uniform<u8:f32, 0.25>>) -> tensor<4x!quant.uniform<i8:f32, 1.0>>
  return %0 : tensor<4x!quant.uniform<i8:f32, 1.0>>
}

// A scale for each element of an axis; integers of a narrower range are limited. Those of four bits take a byte each.

// CHECK-LABEL: func.func @axes(%x: tensor<2x3xf32>) -> (tensor<2x3xi8>, tensor<2x3xi8>)
// CHECK: graph.constant dense<{{\[\[}}5.000000e-01], [2.500000e-01]]> : tensor<2x1xf32>
// CHECK: graph.constant dense<{{\[\[}}1], [0]]> : tensor<2x1xi8>
// CHECK: graph.quantize %x, %{{.*}}, %{{.*}} : tensor<2x3xf32>, tensor<2x1xf32>, tensor<2x1xi8> -> tensor<2x3xi8>
// CHECK: graph.constant dense<-127>
// CHECK-NEXT: graph.max
// CHECK: graph.quantize
// CHECK: graph.constant dense<-8>
// CHECK-NEXT: graph.max
// CHECK: graph.constant dense<7>
// CHECK-NEXT: graph.min
func.func @axes(%x: tensor<2x3xf32>) -> (tensor<2x3x!quant.uniform<i8<-127:127>:f32:0, {0.5:1, 0.25}>>, tensor<2x3x!quant.uniform<i4:f32, 0.5>>) {
  %0 = stablehlo.uniform_quantize %x : (tensor<2x3xf32>) -> tensor<2x3x!quant.uniform<i8<-127:127>:f32:0, {0.5:1, 0.25}>>
  %1 = stablehlo.uniform_quantize %x : (tensor<2x3xf32>) -> tensor<2x3x!quant.uniform<i4:f32, 0.5>>
  return %0, %1 : tensor<2x3x!quant.uniform<i8<-127:127>:f32:0, {0.5:1, 0.25}>>, tensor<2x3x!quant.uniform<i4:f32, 0.5>>
}

// What moves integers is no arithmetic, though an axis with scales may become another one.

// CHECK-LABEL: func.func @moved
// CHECK-NEXT: %0 = graph.transpose %x [1, 0] : tensor<2x3xi8> -> tensor<3x2xi8>
// CHECK-NEXT: %1 = graph.reshape %y
// CHECK-NEXT: func.return %0, %1
func.func @moved(%x: tensor<2x3x!quant.uniform<i8:f32:0, {0.5, 0.25}>>, %y: tensor<2x3x!quant.uniform<i8:f32, 0.5>>) -> (tensor<3x2x!quant.uniform<i8:f32:1, {0.5, 0.25}>>, tensor<6x!quant.uniform<i8:f32, 0.5>>) {
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x3x!quant.uniform<i8:f32:0, {0.5, 0.25}>>) -> tensor<3x2x!quant.uniform<i8:f32:1, {0.5, 0.25}>>
  %1 = stablehlo.reshape %y : (tensor<2x3x!quant.uniform<i8:f32, 0.5>>) -> tensor<6x!quant.uniform<i8:f32, 0.5>>
  return %0, %1 : tensor<3x2x!quant.uniform<i8:f32:1, {0.5, 0.25}>>, tensor<6x!quant.uniform<i8:f32, 0.5>>
}

// A constant holds the integers.

// CHECK-LABEL: func.func @constant
// CHECK-NEXT: %0 = graph.constant dense<[1, 200]> : tensor<2xui8>
// CHECK: %{{.*}} = graph.constant dense<[-8, 7]> : tensor<2xi8>
func.func @constant() -> (tensor<2x!quant.uniform<u8:f32, 0.5>>, tensor<2x!quant.uniform<i4:f32, 0.5>>) {
  %0 = stablehlo.constant() <{value = dense<[1, 200]> : tensor<2xui8>}> : () -> tensor<2x!quant.uniform<u8:f32, 0.5>>
  %1 = stablehlo.constant() <{value = dense<[-8, 7]> : tensor<2xi4>}> : () -> tensor<2x!quant.uniform<i4:f32, 0.5>>
  return %0, %1 : tensor<2x!quant.uniform<u8:f32, 0.5>>, tensor<2x!quant.uniform<i4:f32, 0.5>>
}
