// RUN: mlc-opt %s --convert-onnx-to-graph | filecheck %s

// What is too large becomes the greatest number, unless a node asks for infinity or NaN.

// CHECK-LABEL: func.func @saturated
// CHECK-NEXT:    %[[LOW:.*]] = graph.constant dense<-4.480000e+02> : tensor<f32>
// CHECK-NEXT:    %[[HIGH:.*]] = graph.constant dense<4.480000e+02> : tensor<f32>
// CHECK-NEXT:    %[[MAX:.*]] = graph.max %x, %[[LOW]]
// CHECK-NEXT:    %[[MIN:.*]] = graph.min %[[MAX]], %[[HIGH]]
// CHECK-NEXT:    %y = graph.cast %[[MIN]] : tensor<4xf32> -> tensor<4xf8E4M3FN>
// CHECK-NEXT:    %z = graph.cast %x : tensor<4xf32> -> tensor<4xf8E5M2>
func.func @saturated(%x: tensor<4xf32>) -> (tensor<4xf8E4M3FN>, tensor<4xf8E5M2>) {
  %y = onnx.Cast %x {to = 17 : i64} : (tensor<4xf32>) -> tensor<4xf8E4M3FN>
  %z = onnx.Cast %x {to = 19 : i64, saturate = 0 : i64} : (tensor<4xf32>) -> tensor<4xf8E5M2>
  return %y, %z : tensor<4xf8E4M3FN>, tensor<4xf8E5M2>
}

// Of an integer that does not fit the low bits stay, and so they do of a float; what quantises takes the nearest.

// CHECK-LABEL: func.func @integers
// CHECK-NEXT:    %[[WHOLE:.*]] = graph.cast %x : tensor<4xf32> -> tensor<4xi32>
// CHECK-NEXT:    %y = graph.cast %[[WHOLE]] : tensor<4xi32> -> tensor<4xi4>
// CHECK-NEXT:    %q = graph.quantize %x, %scale, %zero : tensor<4xf32>, tensor<f32>, tensor<i4> -> tensor<4xi4>
func.func @integers(%x: tensor<4xf32>, %scale: tensor<f32>, %zero: tensor<i4>) -> (tensor<4xi4>, tensor<4xi4>) {
  %y = onnx.Cast %x {to = 22 : i64} : (tensor<4xf32>) -> tensor<4xi4>
  %q = onnx.QuantizeLinear %x, %scale, %zero : (tensor<4xf32>, tensor<f32>, tensor<i4>) -> tensor<4xi4>
  return %y, %q : tensor<4xi4>, tensor<4xi4>
}

// The power of two above a number, by default, is found in its exponent; the nearest one is the cast's.

// CHECK-LABEL: func.func @powers
// CHECK:         %[[BITS:.*]] = graph.bitcast %{{.*}} : tensor<4xf32> -> tensor<4xi32>
// CHECK:         graph.add %[[BITS]], %{{.*}}
// CHECK:         graph.constant dense<2139095040> : tensor<i32>
// CHECK:         graph.and
// CHECK:         %up = graph.cast %{{.*}} : tensor<4xf32> -> tensor<4xf8E8M0FNU>
// CHECK-NEXT:    %near = graph.cast %x : tensor<4xf32> -> tensor<4xf8E8M0FNU>
func.func @powers(%x: tensor<4xf32>) -> (tensor<4xf8E8M0FNU>, tensor<4xf8E8M0FNU>) {
  %up = onnx.Cast %x {to = 24 : i64} : (tensor<4xf32>) -> tensor<4xf8E8M0FNU>
  %near = onnx.Cast %x {to = 24 : i64, round_mode = "nearest", saturate = 0 : i64}
      : (tensor<4xf32>) -> tensor<4xf8E8M0FNU>
  return %up, %near : tensor<4xf8E8M0FNU>, tensor<4xf8E8M0FNU>
}

// Weights of four bits, as they are multiplied.

// CHECK-LABEL: func.func @weights
// CHECK-NEXT:    %[[ZERO:.*]] = graph.constant dense<0> : tensor<i4>
// CHECK-NEXT:    %y = graph.dequantize %x, %scale, %[[ZERO]] : tensor<4x2xi4>, tensor<f16>, tensor<i4> -> tensor<4x2xf16>
func.func @weights(%x: tensor<4x2xi4>, %scale: tensor<f16>) -> tensor<4x2xf16> {
  %y = onnx.DequantizeLinear %x, %scale : (tensor<4x2xi4>, tensor<f16>) -> tensor<4x2xf16>
  return %y : tensor<4x2xf16>
}
