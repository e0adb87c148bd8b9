// RUN: mlc-opt %s --use-integer-products=precision=keep --check-each --target=icelake-server | filecheck %s
// RUN: mlc-opt %s --use-integer-products=precision=keep --check-each --target=haswell | filecheck %s
// RUN: mlc-opt %s --use-integer-products=precision=keep --check-each --target=neoverse-v1 | filecheck %s
// RUN: mlc-opt %s --use-integer-products=precision=keep --check-each --target=neoverse-n1 | filecheck %s --check-prefix=I8

// The sums take 3 for each of the four numbers of a column; scales of rows and columns are one product.

// CHECK-LABEL: @matmul
// CHECK:         %[[W:.*]] = graph.constant dense_resource<w.weights> : tensor<8x3xi8>
// CHECK-NEXT:    %[[SUMS:.*]] = graph.matmul %q, %[[W]] : tensor<4x8xui8>, tensor<8x3xi8> -> tensor<4x3xi32>
// CHECK-NEXT:    %[[OFFSET:.*]] = graph.constant dense_resource<w.offset> : tensor<1x3xi32>
// CHECK-NEXT:    %[[MOVED:.*]] = graph.add %[[SUMS]], %[[OFFSET]]
// CHECK-NEXT:    %[[REAL:.*]] = graph.cast %[[MOVED]] : tensor<4x3xi32> -> tensor<4x3xf32>
// CHECK-NEXT:    %[[SCALE:.*]] = graph.constant dense_resource<w.scale> : tensor<1x3xf32>
// CHECK-NEXT:    %y = graph.mul %[[REAL]], %[[SCALE]]
// CHECK-NEXT:    return %y
// I8-LABEL:    @matmul
// I8:            graph.add {{.*}}, %{{.*}} : tensor<4x8xi32>, tensor<i32>
// I8-NEXT:       graph.cast {{.*}} : tensor<4x8xi32> -> tensor<4x8xi8>
// I8:            graph.matmul {{.*}} : tensor<4x8xi8>, tensor<8x3xi8> -> tensor<4x3xi32>
func.func @matmul(%q: tensor<4x8xui8>) -> tensor<4x3xf32> {
  %z = graph.constant dense<3> : tensor<ui8>
  %t = graph.constant dense<[0.5, 0.25, 2.0]> : tensor<3xf32>
  %n = graph.constant dense<0> : tensor<i8>
  %v = graph.constant dense<[[1, 2, 3], [1, 2, 3], [1, 2, 3], [1, 2, 3], [-1, -2, -3], [-1, -2, -3], [0, 0, 1], [127, -128, 1]]> : tensor<8x3xi8>
  %s0 = graph.constant dense<0.5> : tensor<f32>
  %x = graph.dequantize %q, %s0, %z : tensor<4x8xui8>, tensor<f32>, tensor<ui8> -> tensor<4x8xf32>
  %w = graph.dequantize %v, %t, %n : tensor<8x3xi8>, tensor<3xf32>, tensor<i8> -> tensor<8x3xf32>
  %y = graph.matmul %x, %w : tensor<4x8xf32>, tensor<8x3xf32> -> tensor<4x3xf32>
  return %y : tensor<4x3xf32>
}

// A scale and a zero point that are computed, as DynamicQuantizeLinear does; weights of ui8 around 128 are those of i8
// around 0. Seven numbers are eight, the last one 0.

// CHECK-LABEL: @dynamic
// CHECK:         %[[X:.*]] = graph.pad %q low [0, 0] high [0, 1] with 0 : ui8 : tensor<4x7xui8> -> tensor<4x8xui8>
// CHECK-NEXT:    %[[W:.*]] = graph.constant dense_resource<w.weights.1> : tensor<8x2xi8>
// CHECK-NEXT:    %[[SUMS:.*]] = graph.matmul %[[X]], %[[W]]
// CHECK-NEXT:    %[[Z:.*]] = graph.cast %z : tensor<ui8> -> tensor<i32>
// CHECK-NEXT:    %[[V:.*]] = graph.constant dense_resource<w.sums> : tensor<1x2xi32>
// CHECK-NEXT:    %[[OFFSET:.*]] = graph.mul %[[Z]], %[[V]]
// CHECK-NEXT:    %[[MOVED:.*]] = graph.sub %[[SUMS]], %[[OFFSET]]
// CHECK-NEXT:    %[[REAL:.*]] = graph.cast %[[MOVED]]
// CHECK-NEXT:    %[[T:.*]] = graph.constant dense<5.000000e-01> : tensor<1x1xf32>
// CHECK-NEXT:    %[[SCALE:.*]] = graph.mul %s, %[[T]]
// CHECK-NEXT:    %y = graph.mul %[[REAL]], %[[SCALE]]
func.func @dynamic(%q: tensor<4x7xui8>, %s: tensor<f32>, %z: tensor<ui8>) -> tensor<4x2xf32> {
  %t = graph.constant dense<0.5> : tensor<f32>
  %n = graph.constant dense<128> : tensor<ui8>
  %v = graph.constant dense<[[1, 255], [0, 128], [128, 128], [129, 128], [128, 128], [128, 128], [127, 130]]> : tensor<7x2xui8>
  %x = graph.dequantize %q, %s, %z : tensor<4x7xui8>, tensor<f32>, tensor<ui8> -> tensor<4x7xf32>
  %w = graph.dequantize %v, %t, %n : tensor<7x2xui8>, tensor<f32>, tensor<ui8> -> tensor<7x2xf32>
  %y = graph.matmul %x, %w : tensor<4x7xf32>, tensor<7x2xf32> -> tensor<4x2xf32>
  return %y : tensor<4x2xf32>
}

// Scales and zero points by row; numbers of i8 become those of ui8.

// CHECK-LABEL: @rows
// CHECK:         %[[SHIFT:.*]] = graph.constant dense<128> : tensor<i32>
// CHECK:         %[[X:.*]] = graph.cast %{{.*}} : tensor<2x4xi32> -> tensor<2x4xui8>
// CHECK:         %[[Z:.*]] = graph.add %{{.*}}, %[[SHIFT]] : tensor<2x1xi32>, tensor<i32> -> tensor<2x1xi32>
// CHECK:         graph.matmul %[[X]], %{{.*}} : tensor<2x4xui8>, tensor<4x2xi8> -> tensor<2x2xi32>
// CHECK:         graph.mul %[[Z]], %{{.*}} : tensor<2x1xi32>, tensor<1x2xi32> -> tensor<2x2xi32>
// CHECK:         graph.mul %s, %{{.*}} : tensor<2x1xf32>, tensor<1x2xf32> -> tensor<2x2xf32>
// I8-LABEL:    @rows
// I8:            graph.matmul %q, {{.*}} : tensor<2x4xi8>, tensor<4x2xi8> -> tensor<2x2xi32>
func.func @rows(%q: tensor<2x4xi8>, %s: tensor<2x1xf32>, %z: tensor<2x1xi8>) -> tensor<2x2xf32> {
  %t = graph.constant dense<[[0.5, 0.25]]> : tensor<1x2xf32>
  %n = graph.constant dense<0> : tensor<i8>
  %v = graph.constant dense<[[1, 2], [3, 4], [5, 6], [7, 8]]> : tensor<4x2xi8>
  %x = graph.dequantize %q, %s, %z : tensor<2x4xi8>, tensor<2x1xf32>, tensor<2x1xi8> -> tensor<2x4xf32>
  %w = graph.dequantize %v, %t, %n : tensor<4x2xi8>, tensor<1x2xf32>, tensor<i8> -> tensor<4x2xf32>
  %y = graph.matmul %x, %w : tensor<2x4xf32>, tensor<4x2xf32> -> tensor<2x2xf32>
  return %y : tensor<2x2xf32>
}

// The padding of a convolution is the zero point, and its channels are a multiple of 4.

// CHECK-LABEL: @conv
// CHECK:         %[[P:.*]] = graph.pad %q low [0, 0, 1, 1] high [0, 0, 1, 1] with 7 : ui8
// CHECK-NEXT:    %[[X:.*]] = graph.pad %[[P]] low [0, 0, 0, 0] high [0, 2, 0, 0] with 0 : ui8
// CHECK-NEXT:    %[[W:.*]] = graph.constant dense_resource<w.weights.3> : tensor<2x4x3x3xi8>
// CHECK-NEXT:    graph.conv2d %[[X]], %[[W]] : tensor<1x4x5x5xui8>, tensor<2x4x3x3xi8> -> tensor<1x2x3x3xi32>
// CHECK-NEXT:    graph.constant dense_resource<w.offset.1> : tensor<2x1x1xi32>
// CHECK:         graph.constant dense_resource<w.scale.2> : tensor<2x1x1xf32>
// I8-LABEL:    @conv
// I8:            graph.pad %{{.*}} low [0, 0, 1, 1] high [0, 0, 1, 1] with -121 : i8
func.func @conv(%q: tensor<1x2x3x3xui8>) -> tensor<1x2x3x3xf32> {
  %s = graph.constant dense<0.5> : tensor<f32>
  %z = graph.constant dense<7> : tensor<ui8>
  %t = graph.constant dense<[[[[0.5]]], [[[0.25]]]]> : tensor<2x1x1x1xf32>
  %n = graph.constant dense<0> : tensor<i8>
  %v = graph.constant dense<[[[[1, 2, 3], [4, 5, 6], [7, 8, 9]], [[1, 1, 1], [1, 1, 1], [1, 1, 1]]], [[[0, 0, 0], [0, 1, 0], [0, 0, 0]], [[0, 0, 0], [0, -1, 0], [0, 0, 0]]]]> : tensor<2x2x3x3xi8>
  %x = graph.dequantize %q, %s, %z : tensor<1x2x3x3xui8>, tensor<f32>, tensor<ui8> -> tensor<1x2x3x3xf32>
  %w = graph.dequantize %v, %t, %n : tensor<2x2x3x3xi8>, tensor<2x1x1x1xf32>, tensor<i8> -> tensor<2x2x3x3xf32>
  %y = graph.conv2d %x, %w {padding = array<i64: 1, 1, 1, 1>} : tensor<1x2x3x3xf32>, tensor<2x2x3x3xf32> -> tensor<1x2x3x3xf32>
  return %y : tensor<1x2x3x3xf32>
}

// Zeros of a zero point of 0 are the convolution's own padding; channels of groups stay as many.

// CHECK-LABEL: @grouped
// CHECK-NOT:     graph.pad
// CHECK:         graph.conv2d %q, %{{.*}} {groups = 2 : i64, padding = array<i64: 1, 1, 1, 1>} : tensor<1x2x3x3xui8>, tensor<2x1x3x3xi8> -> tensor<1x2x3x3xi32>
// CHECK-NOT:     graph.add
// CHECK:         graph.mul
func.func @grouped(%q: tensor<1x2x3x3xui8>) -> tensor<1x2x3x3xf32> {
  %s = graph.constant dense<0.5> : tensor<f32>
  %z = graph.constant dense<0> : tensor<ui8>
  %n = graph.constant dense<0> : tensor<i8>
  %v = graph.constant dense<1> : tensor<2x1x3x3xi8>
  %x = graph.dequantize %q, %s, %z : tensor<1x2x3x3xui8>, tensor<f32>, tensor<ui8> -> tensor<1x2x3x3xf32>
  %w = graph.dequantize %v, %s, %n : tensor<2x1x3x3xi8>, tensor<f32>, tensor<i8> -> tensor<2x1x3x3xf32>
  %y = graph.conv2d %x, %w {groups = 2 : i64, padding = array<i64: 1, 1, 1, 1>} : tensor<1x2x3x3xf32>, tensor<2x1x3x3xf32> -> tensor<1x2x3x3xf32>
  return %y : tensor<1x2x3x3xf32>
}

// Numbers that were widened to i32, as MatMulInteger has them; weights that ops compute are known, too.

// CHECK-LABEL: @widened
// CHECK:         graph.matmul %{{.*}}, %{{.*}} : tensor<2x4xui8>, tensor<4x2xi8> -> tensor<2x2xi32>
// CHECK:         graph.sub
// CHECK-NEXT:    return
func.func @widened(%q: tensor<2x4xi8>, %z: tensor<i32>) -> tensor<2x2xi32> {
  %c = graph.constant dense<1> : tensor<4x2xi8>
  %d = graph.add %c, %c : tensor<4x2xi8>, tensor<4x2xi8> -> tensor<4x2xi8>
  %w = graph.cast %d : tensor<4x2xi8> -> tensor<4x2xi32>
  %0 = graph.cast %q : tensor<2x4xi8> -> tensor<2x4xi32>
  %x = graph.sub %0, %z : tensor<2x4xi32>, tensor<i32> -> tensor<2x4xi32>
  %y = graph.matmul %x, %w : tensor<2x4xi32>, tensor<4x2xi32> -> tensor<2x2xi32>
  return %y : tensor<2x2xi32>
}

// What quantises to i8 does so to ui8, through whatever moves its numbers.

// CHECK-LABEL: @quantized
// CHECK:         %[[Z:.*]] = graph.constant dense<125> : tensor<ui8>
// CHECK-NEXT:    %q = graph.quantize %x, %s, %[[Z]] : tensor<2x4xf32>, tensor<f32>, tensor<ui8> -> tensor<2x4xui8>
// CHECK-NEXT:    %r = graph.reshape %q : tensor<2x4xui8> -> tensor<2x4xui8>
// CHECK:         graph.matmul %r, %{{.*}} : tensor<2x4xui8>, tensor<4x2xi8> -> tensor<2x2xi32>
// CHECK:         graph.constant dense<2.500000e-01> : tensor<1x1xf32>
// I8-LABEL:    @quantized
// I8:            graph.quantize {{.*}} -> tensor<2x4xi8>
func.func @quantized(%x: tensor<2x4xf32>) -> tensor<2x2xf32> {
  %s = graph.constant dense<0.5> : tensor<f32>
  %z = graph.constant dense<-3> : tensor<i8>
  %n = graph.constant dense<0> : tensor<i8>
  %v = graph.constant dense<[[1, 2, 3, 4], [5, 6, 7, 8]]> : tensor<2x4xi8>
  %q = graph.quantize %x, %s, %z : tensor<2x4xf32>, tensor<f32>, tensor<i8> -> tensor<2x4xi8>
  %r = graph.reshape %q : tensor<2x4xi8> -> tensor<2x4xi8>
  %0 = graph.dequantize %r, %s, %z : tensor<2x4xi8>, tensor<f32>, tensor<i8> -> tensor<2x4xf32>
  %1 = graph.transpose %v [1, 0] : tensor<2x4xi8> -> tensor<4x2xi8>
  %w = graph.dequantize %1, %s, %n : tensor<4x2xi8>, tensor<f32>, tensor<i8> -> tensor<4x2xf32>
  %y = graph.matmul %0, %w : tensor<2x4xf32>, tensor<4x2xf32> -> tensor<2x2xf32>
  return %y : tensor<2x2xf32>
}

// And to i8 where dot products are of i8 alone.

// CHECK-LABEL: @quantized_unsigned
// CHECK:         graph.quantize %x, %s, %z {{.*}} -> tensor<2x4xui8>
// I8-LABEL:    @quantized_unsigned
// I8:            %[[Z:.*]] = graph.constant dense<-125> : tensor<i8>
// I8-NEXT:       graph.quantize %x, %s, %[[Z]] {{.*}} -> tensor<2x4xi8>
// I8:            graph.matmul {{.*}} : tensor<2x4xi8>, tensor<4x2xi8> -> tensor<2x2xi32>
func.func @quantized_unsigned(%x: tensor<2x4xf32>) -> tensor<2x2xf32> {
  %s = graph.constant dense<0.5> : tensor<f32>
  %z = graph.constant dense<3> : tensor<ui8>
  %n = graph.constant dense<0> : tensor<i8>
  %v = graph.constant dense<[[1, 2], [3, 4], [5, 6], [7, 8]]> : tensor<4x2xi8>
  %q = graph.quantize %x, %s, %z : tensor<2x4xf32>, tensor<f32>, tensor<ui8> -> tensor<2x4xui8>
  %0 = graph.dequantize %q, %s, %z : tensor<2x4xui8>, tensor<f32>, tensor<ui8> -> tensor<2x4xf32>
  %w = graph.dequantize %v, %s, %n : tensor<4x2xi8>, tensor<f32>, tensor<i8> -> tensor<4x2xf32>
  %y = graph.matmul %0, %w : tensor<2x4xf32>, tensor<4x2xf32> -> tensor<2x2xf32>
  return %y : tensor<2x2xf32>
}

// It stays i8 where somebody wants to know the integers, or the zero point of a reader is not known.

// CHECK-LABEL: @seen
// CHECK-COUNT-3: graph.quantize {{.*}} -> tensor<2x4xi8>
func.func @seen(%x: tensor<2x4xf32>, %a: tensor<i8>) -> (tensor<2x4xi8>, tensor<2x4xf32>, tensor<2x4xi32>) {
  %s = graph.constant dense<0.5> : tensor<f32>
  %z = graph.constant dense<-3> : tensor<i8>
  %0 = graph.quantize %x, %s, %z : tensor<2x4xf32>, tensor<f32>, tensor<i8> -> tensor<2x4xi8>
  %1 = graph.quantize %x, %s, %z : tensor<2x4xf32>, tensor<f32>, tensor<i8> -> tensor<2x4xi8>
  %y = graph.dequantize %1, %s, %a : tensor<2x4xi8>, tensor<f32>, tensor<i8> -> tensor<2x4xf32>
  %2 = graph.quantize %x, %s, %z : tensor<2x4xf32>, tensor<f32>, tensor<i8> -> tensor<2x4xi8>
  %3 = graph.cast %2 : tensor<2x4xi8> -> tensor<2x4xi32>
  return %0, %y, %3 : tensor<2x4xi8>, tensor<2x4xf32>, tensor<2x4xi32>
}
