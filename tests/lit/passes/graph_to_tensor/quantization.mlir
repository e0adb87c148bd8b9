// RUN: mlc-opt %s --fuse --convert-graph-to-tensor | filecheck %s
// RUN: mlc-opt %s --fuse --convert-graph-to-tensor --check-each

// A number that is quantised and read again in one kernel is limited and rounded, and never an integer; limits and the zero
// point are known, and the scales of both ops count.
// CHECK-LABEL: func.func private @quantize_dequantize(%x: tensor<4x8xf32>) -> tensor<4x8xf32>
// CHECK-NEXT: tensor.map
// CHECK-NEXT: ^bb0(%[[X:.*]]: f32):
// CHECK-NEXT: %[[SCALE:.*]] = arith.constant 1.000000e-02 : f32
// CHECK: %[[NEW:.*]] = arith.constant 3.000000e-02 : f32
// CHECK-NEXT: %[[S:.*]] = arith.divf %[[X]], %[[SCALE]]
// CHECK-NEXT: %[[LOW:.*]] = arith.constant -1.210000e+02 : f32
// CHECK-NEXT: %[[HIGH:.*]] = arith.constant 1.340000e+02 : f32
// CHECK: arith.select %{{.*}}, %[[S]], %[[LOW]]
// CHECK: %[[L:.*]] = arith.select %{{.*}}, %{{.*}}, %[[HIGH]]
// CHECK-NEXT: %[[ROUND:.*]] = arith.constant 0x4B400000 : f32
// CHECK-NEXT: %[[SUM:.*]] = arith.addf %[[L]], %[[ROUND]]
// CHECK-NEXT: %[[STEPS:.*]] = arith.subf %[[SUM]], %[[ROUND]]
// CHECK-NEXT: %[[Y:.*]] = arith.mulf %[[STEPS]], %[[NEW]]
// CHECK-NEXT: tensor.yield %[[Y]]
// CHECK-NOT: tensor.map
// CHECK: return
func.func @read_again(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %scale = graph.constant dense<0.01> : tensor<f32>
  %new = graph.constant dense<0.03> : tensor<f32>
  %zero = graph.constant dense<-7> : tensor<i8>
  %q = graph.quantize %x, %scale, %zero : tensor<4x8xf32>, tensor<f32>, tensor<i8> -> tensor<4x8xi8>
  %y = graph.dequantize %q, %new, %zero : tensor<4x8xi8>, tensor<f32>, tensor<i8> -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// The low bits of the sum are the integer less the zero point: of a zero point of 0 nothing is added, or taken away, and a
// scale of 1 divides nothing.
// CHECK-LABEL: func.func private @quantize(%x: tensor<4x8xf32>
// CHECK-NOT: arith.divf
// CHECK: %[[SUM:.*]] = arith.addf
// CHECK-NEXT: %[[BITS:.*]] = arith.bitcast %[[SUM]] : f32 to i32
// CHECK-NEXT: arith.trunci %[[BITS]] : i32 to i8
// CHECK-LABEL: func.func private @dequantize_relu(
// CHECK: %[[Q:.*]] = arith.extui %{{.*}} : i8 to i32
// CHECK-NEXT: arith.sitofp %[[Q]] : i32 to f32
func.func @no_zero_point(%x: tensor<4x8xf32>, %p: tensor<4x8xui8>) -> (tensor<4x8xui8>, tensor<4x8xf32>) {
  %scale = graph.constant dense<1.0> : tensor<f32>
  %zero = graph.constant dense<0> : tensor<ui8>
  %q = graph.quantize %x, %scale, %zero : tensor<4x8xf32>, tensor<f32>, tensor<ui8> -> tensor<4x8xui8>
  %f = graph.dequantize %p, %scale, %zero : tensor<4x8xui8>, tensor<f32>, tensor<ui8> -> tensor<4x8xf32>
  %r = graph.relu %f : tensor<4x8xf32>
  return %q, %r : tensor<4x8xui8>, tensor<4x8xf32>
}

// Another zero point is a difference of integers.
// CHECK-LABEL: func.func private @quantize_dequantize_1(
// CHECK: arith.trunci %{{.*}} : i32 to i8
// CHECK: arith.extui %{{.*}} : i8 to i32
// CHECK: %[[NINE:.*]] = arith.constant 200 : i32
// CHECK-NEXT: arith.subi %{{.*}}, %[[NINE]] : i32
func.func @another_zero_point(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %scale = graph.constant dense<0.01> : tensor<f32>
  %zero = graph.constant dense<7> : tensor<ui8>
  %other = graph.constant dense<200> : tensor<ui8>
  %q = graph.quantize %x, %scale, %zero : tensor<4x8xf32>, tensor<f32>, tensor<ui8> -> tensor<4x8xui8>
  %y = graph.dequantize %q, %scale, %other : tensor<4x8xui8>, tensor<f32>, tensor<ui8> -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// Limits follow from a zero point that is known at run time.
// CHECK-LABEL: func.func private @quantize_dequantize_2(%x: tensor<4x8xf32>, %s: tensor<f32>, %z: tensor<i16>)
// CHECK: arith.sitofp %{{.*}} : i16 to f32
// CHECK-NOT: arith.trunci
// CHECK: arith.subf
// CHECK: return
func.func @unknown_zero_point(%x: tensor<4x8xf32>, %s: tensor<f32>, %z: tensor<i16>) -> tensor<4x8xf32> {
  %q = graph.quantize %x, %s, %z : tensor<4x8xf32>, tensor<f32>, tensor<i16> -> tensor<4x8xi16>
  %y = graph.dequantize %q, %s, %z : tensor<4x8xi16>, tensor<f32>, tensor<i16> -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// Integers of 32 bits are no sums of floats, and no more are numbers that are read in f64.
// CHECK-LABEL: func.func private @quantize_dequantize_3(
// CHECK: math.roundeven
// CHECK-LABEL: func.func private @quantize_dequantize_4(
// CHECK: arith.trunci %{{.*}} : i32 to i8
// CHECK: arith.sitofp %{{.*}} : i32 to f64
func.func @other_types(%x: tensor<4x8xf32>, %s: tensor<f32>, %d: tensor<f64>) -> (tensor<4x8xf32>, tensor<4x8xf64>) {
  %wide = graph.constant dense<3> : tensor<i32>
  %zero = graph.constant dense<3> : tensor<i8>
  %p = graph.quantize %x, %s, %wide : tensor<4x8xf32>, tensor<f32>, tensor<i32> -> tensor<4x8xi32>
  %w = graph.dequantize %p, %s, %wide : tensor<4x8xi32>, tensor<f32>, tensor<i32> -> tensor<4x8xf32>
  %q = graph.quantize %x, %s, %zero : tensor<4x8xf32>, tensor<f32>, tensor<i8> -> tensor<4x8xi8>
  %y = graph.dequantize %q, %d, %zero : tensor<4x8xi8>, tensor<f64>, tensor<i8> -> tensor<4x8xf64>
  return %w, %y : tensor<4x8xf32>, tensor<4x8xf64>
}
