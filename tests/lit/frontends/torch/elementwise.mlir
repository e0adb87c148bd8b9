// REQUIRES: torch
// RUN: mlc-opt %s --convert-aten-to-graph | filecheck %s

// Operands have the type of the result; a factor of 1 is none.

// CHECK-LABEL: func.func @add
// CHECK-NEXT: %[[Y:.*]] = graph.cast %y : tensor<3xi64> -> tensor<3xf32>
// CHECK-NEXT: %[[TWO:.*]] = graph.constant dense<2.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[TWICE:.*]] = graph.mul %[[Y]], %[[TWO]]
// CHECK-NEXT: %z = graph.add %x, %[[TWICE]] : tensor<2x3xf32>, tensor<3xf32> -> tensor<2x3xf32>
// CHECK-NEXT: %s = graph.sub %z, %x
func.func @add(%x: tensor<2x3xf32>, %y: tensor<3xi64>) -> tensor<2x3xf32> {
  %z = aten.add.Tensor %x, %y {alpha = 2 : i64} : (tensor<2x3xf32>, tensor<3xi64>) -> tensor<2x3xf32>
  %s = aten.sub.Tensor %z, %x : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %s : tensor<2x3xf32>
}

// Truth values are added by "or". Integers compare with a float as floats.

// CHECK-LABEL: func.func @kinds
// CHECK-NEXT: graph.or %a, %a : tensor<2xi1>
// CHECK-NEXT: %[[I:.*]] = graph.cast %i : tensor<2xi64> -> tensor<2xf32>
// CHECK-NEXT: %[[HALF:.*]] = graph.constant dense<5.000000e-01> : tensor<f32>
// CHECK-NEXT: graph.compare gt, %[[I]], %[[HALF]]
func.func @kinds(%a: tensor<2xi1>, %i: tensor<2xi64>) -> (tensor<2xi1>, tensor<2xi1>) {
  %b = aten.add.Tensor %a, %a : (tensor<2xi1>, tensor<2xi1>) -> tensor<2xi1>
  %c = aten.gt.Scalar %i {other = 0.5 : f64} : (tensor<2xi64>) -> tensor<2xi1>
  return %b, %c : tensor<2xi1>, tensor<2xi1>
}

// The sign of a number is 0 for NaN, in torch.

// CHECK-LABEL: func.func @sign
// CHECK: %[[S:.*]] = graph.sign %x
// CHECK: graph.compare gt,
// CHECK: graph.where %{{.*}}, %[[S]], %{{.*}}
func.func @sign(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = aten.sign %x : (tensor<2xf32>) -> tensor<2xf32>
  return %y : tensor<2xf32>
}

// Powers that are products, roots or quotients.

// CHECK-LABEL: func.func @powers
// CHECK-NEXT: %a = graph.mul %x, %x
// CHECK-NEXT: %b = graph.sqrt %a
// CHECK-NEXT: %c = graph.rsqrt %b
func.func @powers(%x: tensor<2xf32>) -> tensor<2xf32> {
  %a = aten.pow.Tensor_Scalar %x {exponent = 2 : i64} : (tensor<2xf32>) -> tensor<2xf32>
  %b = aten.pow.Tensor_Scalar %a {exponent = 0.5 : f64} : (tensor<2xf32>) -> tensor<2xf32>
  %c = aten.pow.Tensor_Scalar %b {exponent = -0.5 : f64} : (tensor<2xf32>) -> tensor<2xf32>
  return %c : tensor<2xf32>
}

// What has no pattern is what torch says that it is made of.

// CHECK-LABEL: func.func @made_of_others
// CHECK-NEXT: %[[D:.*]] = graph.sub %x, %y
// CHECK-NEXT: %[[S:.*]] = graph.mul %[[D]], %[[D]]
// CHECK-NEXT: %z = graph.reduce mean %[[S]] axes [0]
func.func @made_of_others(%x: tensor<2xf32>, %y: tensor<2xf32>) -> tensor<f32> {
  %z = aten.mse_loss %x, %y : (tensor<2xf32>, tensor<2xf32>) -> tensor<f32>
  return %z : tensor<f32>
}
