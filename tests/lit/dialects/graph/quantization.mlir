// RUN: mlc-opt %s | mlc-opt | filecheck %s
// RUN: mlc-opt %s --canonicalize --check-each | filecheck %s --check-prefix=FOLDED
// RUN: mlc-opt %s --lower-to-tensor --check-each | filecheck %s --check-prefix=TENSOR

// CHECK-LABEL: @per_tensor
// CHECK-NEXT:    %q = graph.quantize %x, %s, %z : tensor<4x8xf32>, tensor<f32>, tensor<ui8> -> tensor<4x8xui8>
// CHECK-NEXT:    %y = graph.dequantize %q, %s, %z : tensor<4x8xui8>, tensor<f32>, tensor<ui8> -> tensor<4x8xf32>
// FOLDED-LABEL: @per_tensor
// FOLDED-NEXT:   graph.quantize
// FOLDED-NEXT:   graph.dequantize
func.func @per_tensor(%x: tensor<4x8xf32>, %s: tensor<f32>, %z: tensor<ui8>) -> tensor<4x8xf32> {
  %q = graph.quantize %x, %s, %z : tensor<4x8xf32>, tensor<f32>, tensor<ui8> -> tensor<4x8xui8>
  %y = graph.dequantize %q, %s, %z : tensor<4x8xui8>, tensor<f32>, tensor<ui8> -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// CHECK-LABEL: @per_channel_of_halves
// CHECK-NEXT:    graph.quantize %x, %s, %z : tensor<4x8xbf16>, tensor<4x1xbf16>, tensor<4x1xi16> -> tensor<4x8xi16>
// CHECK-NEXT:    graph.dequantize %{{.*}}, %s, %z : tensor<4x8xi16>, tensor<4x1xbf16>, tensor<4x1xi16> -> tensor<4x8xbf16>
func.func @per_channel_of_halves(%x: tensor<4x8xbf16>, %s: tensor<4x1xbf16>, %z: tensor<4x1xi16>) -> tensor<4x8xbf16> {
  %q = graph.quantize %x, %s, %z : tensor<4x8xbf16>, tensor<4x1xbf16>, tensor<4x1xi16> -> tensor<4x8xi16>
  %y = graph.dequantize %q, %s, %z : tensor<4x8xi16>, tensor<4x1xbf16>, tensor<4x1xi16> -> tensor<4x8xbf16>
  return %y : tensor<4x8xbf16>
}

// A number is limited, and rounded by a sum with 1.5 * 2^23, whose lowest bits are the integer. NaN is not
// more than the least number. Limits are constants where the zero point is one. Integers of 4 bits are codes.

// TENSOR-LABEL: func.func private @quantize{{.*}}tensor<8xf32>{{.*}}tensor<8xi8>
// TENSOR:          %[[SCALED:.*]] = arith.divf
// TENSOR-NEXT:     %[[ZERO:.*]] = arith.sitofp
// TENSOR-NEXT:     %[[LEAST:.*]] = arith.constant -1.280000e+02 : f32
// TENSOR-NEXT:     %[[LOW:.*]] = arith.subf %[[LEAST]], %[[ZERO]]
// TENSOR-NEXT:     %[[MOST:.*]] = arith.constant 1.270000e+02 : f32
// TENSOR-NEXT:     %[[HIGH:.*]] = arith.subf %[[MOST]], %[[ZERO]]
// TENSOR-NEXT:     %[[ABOVE:.*]] = arith.cmpf ogt, %[[SCALED]], %[[LOW]]
// TENSOR-NEXT:     %[[RAISED:.*]] = arith.select %[[ABOVE]], %[[SCALED]], %[[LOW]]
// TENSOR-NEXT:     %[[BELOW:.*]] = arith.cmpf olt, %[[RAISED]], %[[HIGH]]
// TENSOR-NEXT:     %[[LIMITED:.*]] = arith.select %[[BELOW]], %[[RAISED]], %[[HIGH]]
// TENSOR-NEXT:     %[[ROUNDING:.*]] = arith.constant 0x4B400000 : f32
// TENSOR-NEXT:     %[[SUM:.*]] = arith.addf %[[LIMITED]], %[[ROUNDING]]
// TENSOR-NEXT:     %[[INTEGER:.*]] = arith.bitcast %[[SUM]] : f32 to i32
// TENSOR-NEXT:     %[[Z:.*]] = arith.extsi
// TENSOR-NEXT:     %[[MOVED:.*]] = arith.addi %[[INTEGER]], %[[Z]]
// TENSOR-NEXT:     arith.trunci %[[MOVED]] : i32 to i8
// TENSOR-NEXT:     tensor.yield

// TENSOR-LABEL: func.func private @dequantize{{.*}}tensor<8xi8>{{.*}}tensor<8xf32>
// TENSOR:          %[[Q:.*]] = arith.extsi
// TENSOR-NEXT:     %[[Z:.*]] = arith.extsi
// TENSOR-NEXT:     %[[DIFFERENCE:.*]] = arith.subi %[[Q]], %[[Z]] : i32
// TENSOR-NEXT:     %[[NUMBER:.*]] = arith.sitofp %[[DIFFERENCE]]
// TENSOR-NEXT:     arith.mulf %[[NUMBER]]
// TENSOR-NEXT:     tensor.yield
func.func @lowered(%x: tensor<8xf32>, %s: tensor<f32>, %z: tensor<i8>) -> tensor<8xf32> {
  %q = graph.quantize %x, %s, %z : tensor<8xf32>, tensor<f32>, tensor<i8> -> tensor<8xi8>
  %y = graph.dequantize %q, %s, %z : tensor<8xi8>, tensor<f32>, tensor<i8> -> tensor<8xf32>
  return %y : tensor<8xf32>
}

// CHECK-LABEL: @codes
// CHECK-NEXT:    graph.quantize %x, %s, %z : tensor<8xf64>, tensor<f64>, tensor<ui4> -> tensor<8xui4>
func.func @codes(%x: tensor<8xf64>, %s: tensor<f64>, %z: tensor<ui4>) -> tensor<8xf64> {
  %q = graph.quantize %x, %s, %z : tensor<8xf64>, tensor<f64>, tensor<ui4> -> tensor<8xui4>
  %y = graph.dequantize %q, %s, %z : tensor<8xui4>, tensor<f64>, tensor<ui4> -> tensor<8xf64>
  return %y : tensor<8xf64>
}

// Scales that are known and normal give back what was dequantised, also one per channel and below 0.

// FOLDED-LABEL: @fold
// FOLDED:        return %q, %q : tensor<2x4xui8>, tensor<2x4xui8>
func.func @fold(%q: tensor<2x4xui8>, %z: tensor<ui8>) -> (tensor<2x4xui8>, tensor<2x4xui8>) {
  %s = graph.constant dense<0.1> : tensor<f32>
  %0 = graph.dequantize %q, %s, %z : tensor<2x4xui8>, tensor<f32>, tensor<ui8> -> tensor<2x4xf32>
  %s1 = graph.constant dense<0.1> : tensor<f32>
  %1 = graph.quantize %0, %s1, %z : tensor<2x4xf32>, tensor<f32>, tensor<ui8> -> tensor<2x4xui8>
  %c = graph.constant dense<[[0.1], [-3.7]]> : tensor<2x1xf16>
  %2 = graph.dequantize %q, %c, %z : tensor<2x4xui8>, tensor<2x1xf16>, tensor<ui8> -> tensor<2x4xf16>
  %3 = graph.quantize %2, %c, %z : tensor<2x4xf16>, tensor<2x1xf16>, tensor<ui8> -> tensor<2x4xui8>
  return %1, %3 : tensor<2x4xui8>, tensor<2x4xui8>
}

// It stays where the scale is not normal, where a product may overflow, where bf16 has too few bits for the numbers,
// where a difference of i32 may wrap, and where another zero point comes back or a scale broadcasts.

// FOLDED-LABEL: @stay
// FOLDED-COUNT-6: graph.quantize
func.func @stay(%q: tensor<4xi8>, %z: tensor<i8>, %other: tensor<i8>, %i: tensor<4xi32>, %zi: tensor<i32>)
    -> (tensor<4xi8>, tensor<4xi8>, tensor<4xi8>, tensor<4xi32>, tensor<4xi8>, tensor<2x4xi8>) {
  %small = graph.constant dense<1.0e-39> : tensor<f32>
  %0 = graph.dequantize %q, %small, %z : tensor<4xi8>, tensor<f32>, tensor<i8> -> tensor<4xf32>
  %1 = graph.quantize %0, %small, %z : tensor<4xf32>, tensor<f32>, tensor<i8> -> tensor<4xi8>
  %large = graph.constant dense<3.0e36> : tensor<f32>
  %2 = graph.dequantize %q, %large, %z : tensor<4xi8>, tensor<f32>, tensor<i8> -> tensor<4xf32>
  %3 = graph.quantize %2, %large, %z : tensor<4xf32>, tensor<f32>, tensor<i8> -> tensor<4xi8>
  %short = graph.constant dense<0.1> : tensor<bf16>
  %4 = graph.dequantize %q, %short, %z : tensor<4xi8>, tensor<bf16>, tensor<i8> -> tensor<4xbf16>
  %5 = graph.quantize %4, %short, %z : tensor<4xbf16>, tensor<bf16>, tensor<i8> -> tensor<4xi8>
  %long = graph.constant dense<0.5> : tensor<f64>
  %6 = graph.dequantize %i, %long, %zi : tensor<4xi32>, tensor<f64>, tensor<i32> -> tensor<4xf64>
  %7 = graph.quantize %6, %long, %zi : tensor<4xf64>, tensor<f64>, tensor<i32> -> tensor<4xi32>
  %s = graph.constant dense<0.5> : tensor<f32>
  %8 = graph.dequantize %q, %s, %z : tensor<4xi8>, tensor<f32>, tensor<i8> -> tensor<4xf32>
  %9 = graph.quantize %8, %s, %other : tensor<4xf32>, tensor<f32>, tensor<i8> -> tensor<4xi8>
  %c = graph.constant dense<[[0.5], [0.25]]> : tensor<2x1xf32>
  %10 = graph.dequantize %q, %c, %z : tensor<4xi8>, tensor<2x1xf32>, tensor<i8> -> tensor<2x4xf32>
  %11 = graph.quantize %10, %c, %z : tensor<2x4xf32>, tensor<2x1xf32>, tensor<i8> -> tensor<2x4xi8>
  return %1, %3, %5, %7, %9, %11 : tensor<4xi8>, tensor<4xi8>, tensor<4xi8>, tensor<4xi32>, tensor<4xi8>, tensor<2x4xi8>
}
