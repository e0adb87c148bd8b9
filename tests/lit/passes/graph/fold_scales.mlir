// RUN: mlc-opt %s --fold-scales --check-each | filecheck %s

// CHECK-LABEL: @requantised
// CHECK:         %[[A:.*]] = graph.constant dense_resource<a.scaled> : tensor<3xf32>
// CHECK-NEXT:    graph.mul %{{.*}}, %[[A]]
// CHECK-NEXT:    %[[B:.*]] = graph.constant dense_resource<b.scaled> : tensor<3xf32>
// CHECK-NEXT:    graph.add %{{.*}}, %[[B]]
// CHECK:         graph.relu
// CHECK:         %[[ONE:.*]] = graph.constant dense<1.000000e+00> : tensor<f32>
// CHECK:         graph.quantize %{{.*}}, %[[ONE]], %z
func.func @requantised(%x: tensor<4x3xi32>, %z: tensor<ui8>) -> tensor<4x3xui8> {
  %a = graph.constant dense<[0.25, 0.5, 0.75]> : tensor<3xf32>
  %b = graph.constant dense<[-0.5, 0.0, 4.0]> : tensor<3xf32>
  %s = graph.constant dense<0.5> : tensor<f32>
  %0 = graph.cast %x : tensor<4x3xi32> -> tensor<4x3xf32>
  %1 = graph.mul %0, %a : tensor<4x3xf32>, tensor<3xf32> -> tensor<4x3xf32>
  %2 = graph.add %1, %b : tensor<4x3xf32>, tensor<3xf32> -> tensor<4x3xf32>
  %3 = graph.relu %2 : tensor<4x3xf32>
  %q = graph.quantize %3, %s, %z : tensor<4x3xf32>, tensor<f32>, tensor<ui8> -> tensor<4x3xui8>
  return %q : tensor<4x3xui8>
}

// Limits, and the sum with what another branch dequantises; the scale stays for whom else it is for.

// CHECK-LABEL: @residual
// CHECK:         graph.mul %{{.*}}, %{{.*}}
// CHECK:         %[[T:.*]] = graph.constant dense<2.000000e+00> : tensor<f32>
// CHECK:         graph.dequantize %r, %[[T]], %z
// CHECK:         %[[SIX:.*]] = graph.constant dense<1.200000e+01> : tensor<f32>
// CHECK:         graph.min %{{.*}}, %[[SIX]]
// CHECK:         graph.quantize %{{.*}} : tensor<4xf32>, tensor<f32>, tensor<i8>
// CHECK-NEXT:    return %{{.*}}, %s
func.func @residual(%x: tensor<4xi32>, %r: tensor<4xi8>, %z: tensor<i8>) -> (tensor<4xi8>, tensor<f32>) {
  %a = graph.constant dense<0.25> : tensor<f32>
  %t = graph.constant dense<1.0> : tensor<f32>
  %six = graph.constant dense<6.0> : tensor<f32>
  %s = graph.constant dense<0.5> : tensor<f32>
  %0 = graph.cast %x : tensor<4xi32> -> tensor<4xf32>
  %1 = graph.mul %a, %0 : tensor<f32>, tensor<4xf32> -> tensor<4xf32>
  %2 = graph.dequantize %r, %t, %z : tensor<4xi8>, tensor<f32>, tensor<i8> -> tensor<4xf32>
  %3 = graph.add %1, %2 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %4 = graph.min %3, %six : tensor<4xf32>, tensor<f32> -> tensor<4xf32>
  %q = graph.quantize %4, %s, %z : tensor<4xf32>, tensor<f32>, tensor<i8> -> tensor<4xi8>
  return %q, %s : tensor<4xi8>, tensor<f32>
}

// It stays where somebody else reads what is in between, where there is no product, where a factor is not known, where a
// number would overflow or be subnormal, and where the scale is 0, negative or one of several.

// CHECK-LABEL: @stays
// CHECK-COUNT-8: graph.quantize {{.*}}, %{{s|zero|negative|tiny|huge|c}}, %z
func.func @stays(%x: tensor<2x2xi32>, %f: tensor<f32>, %z: tensor<i8>) -> (tensor<2x2xi8>, tensor<2x2xf32>, tensor<2x2xi8>,
    tensor<2x2xi8>, tensor<2x2xi8>, tensor<2x2xi8>, tensor<2x2xi8>, tensor<2x2xi8>, tensor<2x2xi8>) {
  %a = graph.constant dense<0.25> : tensor<f32>
  %s = graph.constant dense<0.5> : tensor<f32>
  %real = graph.cast %x : tensor<2x2xi32> -> tensor<2x2xf32>
  %1 = graph.mul %real, %a : tensor<2x2xf32>, tensor<f32> -> tensor<2x2xf32>
  %q1 = graph.quantize %1, %s, %z : tensor<2x2xf32>, tensor<f32>, tensor<i8> -> tensor<2x2xi8>
  %2 = graph.add %real, %a : tensor<2x2xf32>, tensor<f32> -> tensor<2x2xf32>
  %q2 = graph.quantize %2, %s, %z : tensor<2x2xf32>, tensor<f32>, tensor<i8> -> tensor<2x2xi8>
  %3 = graph.mul %real, %f : tensor<2x2xf32>, tensor<f32> -> tensor<2x2xf32>
  %q3 = graph.quantize %3, %s, %z : tensor<2x2xf32>, tensor<f32>, tensor<i8> -> tensor<2x2xi8>
  %tiny = graph.constant dense<1.0e-38> : tensor<f32>
  %big = graph.constant dense<1.0e+10> : tensor<f32>
  %4 = graph.mul %real, %big : tensor<2x2xf32>, tensor<f32> -> tensor<2x2xf32>
  %q4 = graph.quantize %4, %tiny, %z : tensor<2x2xf32>, tensor<f32>, tensor<i8> -> tensor<2x2xi8>
  %huge = graph.constant dense<1.0e+30> : tensor<f32>
  %small = graph.constant dense<1.0e-10> : tensor<f32>
  %5 = graph.mul %real, %small : tensor<2x2xf32>, tensor<f32> -> tensor<2x2xf32>
  %q5 = graph.quantize %5, %huge, %z : tensor<2x2xf32>, tensor<f32>, tensor<i8> -> tensor<2x2xi8>
  %zero = graph.constant dense<0.0> : tensor<f32>
  %6 = graph.mul %real, %a : tensor<2x2xf32>, tensor<f32> -> tensor<2x2xf32>
  %q6 = graph.quantize %6, %zero, %z : tensor<2x2xf32>, tensor<f32>, tensor<i8> -> tensor<2x2xi8>
  %negative = graph.constant dense<-0.5> : tensor<f32>
  %7 = graph.mul %real, %a : tensor<2x2xf32>, tensor<f32> -> tensor<2x2xf32>
  %q7 = graph.quantize %7, %negative, %z : tensor<2x2xf32>, tensor<f32>, tensor<i8> -> tensor<2x2xi8>
  %c = graph.constant dense<[0.5, 0.25]> : tensor<2xf32>
  %8 = graph.mul %real, %a : tensor<2x2xf32>, tensor<f32> -> tensor<2x2xf32>
  %q8 = graph.quantize %8, %c, %z : tensor<2x2xf32>, tensor<2xf32>, tensor<i8> -> tensor<2x2xi8>
  return %q1, %1, %q2, %q3, %q4, %q5, %q6, %q7, %q8 : tensor<2x2xi8>, tensor<2x2xf32>, tensor<2x2xi8>, tensor<2x2xi8>,
    tensor<2x2xi8>, tensor<2x2xi8>, tensor<2x2xi8>, tensor<2x2xi8>, tensor<2x2xi8>
}

// CHECK-LABEL: @sum_of_two
// CHECK:         graph.quantize %{{.*}}, %s, %z
func.func @sum_of_two(%q: tensor<4xi8>, %r: tensor<4xi8>, %z: tensor<i8>) -> tensor<4xi8> {
  %s = graph.constant dense<0.5> : tensor<f32>
  %t = graph.constant dense<0.25> : tensor<f32>
  %0 = graph.dequantize %q, %s, %z : tensor<4xi8>, tensor<f32>, tensor<i8> -> tensor<4xf32>
  %1 = graph.dequantize %r, %t, %z : tensor<4xi8>, tensor<f32>, tensor<i8> -> tensor<4xf32>
  %2 = graph.add %0, %1 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %3 = graph.quantize %2, %s, %z : tensor<4xf32>, tensor<f32>, tensor<i8> -> tensor<4xi8>
  return %3 : tensor<4xi8>
}

// Weights of f32 are divided as well, if nobody else reads them; those of other types stay.

// CHECK-LABEL: @weights
// CHECK:         %[[W:.*]] = graph.constant dense_resource<w.scaled> : tensor<2x2xf32>
// CHECK-NEXT:    graph.matmul %x, %[[W]]
// CHECK:         %[[ONE:.*]] = graph.constant dense<1.000000e+00> : tensor<f32>
// CHECK:         graph.quantize %{{.*}}, %[[ONE]], %z
// CHECK-COUNT-2: graph.quantize %{{.*}}, %s, %z
func.func @weights(%x: tensor<4x2xf32>, %h: tensor<4x2xbf16>, %z: tensor<i8>)
    -> (tensor<4x2xi8>, tensor<4x2xi8>, tensor<4x2xf32>, tensor<4x2xi8>) {
  %w = graph.constant dense<[[0.25, 0.5], [0.75, 1.0]]> : tensor<2x2xf32>
  %v = graph.constant dense<[[0.25, 0.5], [0.75, 2.0]]> : tensor<2x2xf32>
  %u = graph.constant dense<[[0.25, 0.5], [0.75, 4.0]]> : tensor<2x2xbf16>
  %s = graph.constant dense<0.5> : tensor<f32>
  %1 = graph.matmul %x, %w : tensor<4x2xf32>, tensor<2x2xf32> -> tensor<4x2xf32>
  %2 = graph.relu %1 : tensor<4x2xf32>
  %q1 = graph.quantize %2, %s, %z : tensor<4x2xf32>, tensor<f32>, tensor<i8> -> tensor<4x2xi8>
  %3 = graph.matmul %x, %v : tensor<4x2xf32>, tensor<2x2xf32> -> tensor<4x2xf32>
  %q2 = graph.quantize %3, %s, %z : tensor<4x2xf32>, tensor<f32>, tensor<i8> -> tensor<4x2xi8>
  %4 = graph.matmul %x, %v : tensor<4x2xf32>, tensor<2x2xf32> -> tensor<4x2xf32>
  %5 = graph.matmul %h, %u : tensor<4x2xbf16>, tensor<2x2xbf16> -> tensor<4x2xf32>
  %q3 = graph.quantize %5, %s, %z : tensor<4x2xf32>, tensor<f32>, tensor<i8> -> tensor<4x2xi8>
  return %q1, %q2, %4, %q3 : tensor<4x2xi8>, tensor<4x2xi8>, tensor<4x2xf32>, tensor<4x2xi8>
}

// A product with a dequantised number: its scale is divided, once for each channel, not each product.

// CHECK-LABEL: @gate
// CHECK:         %[[S:.*]] = graph.constant dense<1.250000e-01> : tensor<f32>
// CHECK:         %[[G:.*]] = graph.dequantize %g, %[[S]], %z : tensor<1x1x8xui8>, tensor<f32>, tensor<ui8> -> tensor<1x1x8xf32>
// CHECK:         %[[P:.*]] = graph.mul %x, %[[G]]
// CHECK:         graph.quantize %[[P]], %{{[a-z_0-9]*}}, %z
func.func @gate(%x: tensor<4x4x8xf32>, %g: tensor<1x1x8xui8>) -> tensor<4x4x8xui8> {
  %s = graph.constant dense<0.5> : tensor<f32>
  %t = graph.constant dense<4.0> : tensor<f32>
  %z = graph.constant dense<3> : tensor<ui8>
  %0 = graph.dequantize %g, %s, %z : tensor<1x1x8xui8>, tensor<f32>, tensor<ui8> -> tensor<1x1x8xf32>
  %1 = graph.mul %x, %0 : tensor<4x4x8xf32>, tensor<1x1x8xf32> -> tensor<4x4x8xf32>
  %2 = graph.quantize %1, %t, %z : tensor<4x4x8xf32>, tensor<f32>, tensor<ui8> -> tensor<4x4x8xui8>
  return %2 : tensor<4x4x8xui8>
}

// Neither factor can be divided, or somebody else reads it.

// CHECK-LABEL: @factors
// CHECK-COUNT-2: graph.quantize %{{.*}}, %t, %z
func.func @factors(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>, %g: tensor<8xui8>) -> (tensor<4x8xui8>, tensor<4x8xui8>, tensor<8xf32>) {
  %s = graph.constant dense<0.5> : tensor<f32>
  %t = graph.constant dense<4.0> : tensor<f32>
  %z = graph.constant dense<3> : tensor<ui8>
  %0 = graph.mul %x, %y : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  %1 = graph.quantize %0, %t, %z : tensor<4x8xf32>, tensor<f32>, tensor<ui8> -> tensor<4x8xui8>
  %2 = graph.dequantize %g, %s, %z : tensor<8xui8>, tensor<f32>, tensor<ui8> -> tensor<8xf32>
  %3 = graph.mul %x, %2 : tensor<4x8xf32>, tensor<8xf32> -> tensor<4x8xf32>
  %4 = graph.quantize %3, %t, %z : tensor<4x8xf32>, tensor<f32>, tensor<ui8> -> tensor<4x8xui8>
  return %1, %4, %2 : tensor<4x8xui8>, tensor<4x8xui8>, tensor<8xf32>
}

// The numbers are 0.5, 1 and 1.5, and -1, 0 and 8.
// CHECK: a.scaled: "0x040000000000003F0000803F0000C03F"
// CHECK: b.scaled: "0x04000000000080BF0000000000000041"
