// RUN: mlc-opt %s --sink-dequantize --dce --check-each | filecheck %s

// Elements are moved, and the largest taken, as integers.

// CHECK-LABEL: @moves
// CHECK:         graph.transpose %q [1, 0] : tensor<2x6xui8> -> tensor<6x2xui8>
// CHECK:         graph.reshape %{{.*}} : tensor<6x2xui8> -> tensor<3x4xui8>
// CHECK:         graph.slice %{{.*}} : tensor<3x4xui8> -> tensor<2x4xui8>
// CHECK-NEXT:    graph.dequantize %{{.*}}, %s, %z : tensor<2x4xui8>, tensor<f32>, tensor<ui8> -> tensor<2x4xf32>
// CHECK-NEXT:    return
func.func @moves(%q: tensor<2x6xui8>, %s: tensor<f32>, %z: tensor<ui8>) -> tensor<2x4xf32> {
  %x = graph.dequantize %q, %s, %z : tensor<2x6xui8>, tensor<f32>, tensor<ui8> -> tensor<2x6xf32>
  %0 = graph.transpose %x [1, 0] : tensor<2x6xf32> -> tensor<6x2xf32>
  %1 = graph.reshape %0 : tensor<6x2xf32> -> tensor<3x4xf32>
  %2 = graph.slice %1 starts [1, 0] ends [3, 4] strides [1, 1] : tensor<3x4xf32> -> tensor<2x4xf32>
  return %2 : tensor<2x4xf32>
}

// A transpose takes scales of channels along.

// CHECK-LABEL: @channels
// CHECK:         %[[Q:.*]] = graph.transpose %q [2, 0, 1] : tensor<2x3x4xi8> -> tensor<4x2x3xi8>
// CHECK:         %[[S1:.*]] = graph.reshape %s : tensor<3x1xf32> -> tensor<1x3x1xf32>
// CHECK-NEXT:    %[[S:.*]] = graph.transpose %[[S1]] [2, 0, 1] : tensor<1x3x1xf32> -> tensor<1x1x3xf32>
// CHECK:         graph.dequantize %[[Q]], %[[S]], %z : tensor<4x2x3xi8>, tensor<1x1x3xf32>, tensor<i8> -> tensor<4x2x3xf32>
func.func @channels(%q: tensor<2x3x4xi8>, %s: tensor<3x1xf32>, %z: tensor<i8>) -> tensor<4x2x3xf32> {
  %x = graph.dequantize %q, %s, %z : tensor<2x3x4xi8>, tensor<3x1xf32>, tensor<i8> -> tensor<2x3x4xf32>
  %y = graph.transpose %x [2, 0, 1] : tensor<2x3x4xf32> -> tensor<4x2x3xf32>
  return %y : tensor<4x2x3xf32>
}

// Concatenations of one scale; pads with zeros are zero points.

// CHECK-LABEL: @together
// CHECK:         graph.concat %q, %r axis 0 : tensor<1x2xui8>, tensor<1x2xui8> -> tensor<2x2xui8>
// CHECK:         graph.pad %{{.*}} low [1, 0] high [0, 1] with 200 : ui8 : tensor<2x2xui8> -> tensor<3x3xui8>
// CHECK:         graph.dequantize %{{.*}} -> tensor<3x3xf32>
// CHECK-NEXT:    return
func.func @together(%q: tensor<1x2xui8>, %r: tensor<1x2xui8>) -> tensor<3x3xf32> {
  %s = graph.constant dense<0.5> : tensor<f32>
  %t = graph.constant dense<0.5> : tensor<f32>
  %z = graph.constant dense<200> : tensor<ui8>
  %x = graph.dequantize %q, %s, %z : tensor<1x2xui8>, tensor<f32>, tensor<ui8> -> tensor<1x2xf32>
  %y = graph.dequantize %r, %t, %z : tensor<1x2xui8>, tensor<f32>, tensor<ui8> -> tensor<1x2xf32>
  %c = graph.concat %x, %y axis 0 : tensor<1x2xf32>, tensor<1x2xf32> -> tensor<2x2xf32>
  %p = graph.pad %c low [1, 0] high [0, 1] with 0.0 : f32 : tensor<2x2xf32> -> tensor<3x3xf32>
  return %p : tensor<3x3xf32>
}

// What is quantised again with the same scale was the same integer before.

// CHECK-LABEL: @pool
// CHECK-NEXT:    %[[P:.*]] = graph.max_pool2d %q {{.*}} : tensor<1x1x4x4xi8> -> tensor<1x1x2x2xi8>
// CHECK-NEXT:    return %[[P]]
func.func @pool(%q: tensor<1x1x4x4xi8>) -> tensor<1x1x2x2xi8> {
  %s = graph.constant dense<0.5> : tensor<f32>
  %z = graph.constant dense<-7> : tensor<i8>
  %x = graph.dequantize %q, %s, %z : tensor<1x1x4x4xi8>, tensor<f32>, tensor<i8> -> tensor<1x1x4x4xf32>
  %p = graph.max_pool2d %x {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>} : tensor<1x1x4x4xf32> -> tensor<1x1x2x2xf32>
  %r = graph.quantize %p, %s, %z : tensor<1x1x2x2xf32>, tensor<f32>, tensor<i8> -> tensor<1x1x2x2xi8>
  return %r : tensor<1x1x2x2xi8>
}

// It stays: scales of channels but for transposes, what a dequantisation broadcasts, other scales in a concatenation, pads
// with other numbers than 0 or with a scale that may be infinite, pools of numbers that a scale turns round, or that wrap.

// CHECK-LABEL: @stays
// CHECK-NEXT:    graph.dequantize
// CHECK-NEXT:    graph.reshape %{{.*}} -> tensor<6xf32>
// CHECK-NEXT:    graph.dequantize
// CHECK-NEXT:    graph.transpose %{{.*}} -> tensor<3x2xf32>
// CHECK-NEXT:    graph.dequantize
// CHECK-NEXT:    graph.dequantize
// CHECK-NEXT:    graph.concat %{{.*}} -> tensor<4x3xf32>
// CHECK-NEXT:    graph.pad %{{.*}} -> tensor<3x3xf32>
func.func @stays(%q: tensor<2x3xi8>, %v: tensor<3xi8>, %s: tensor<f32>, %c: tensor<2x1xf32>, %z: tensor<i8>)
    -> (tensor<6xf32>, tensor<3x2xf32>, tensor<4x3xf32>, tensor<3x3xf32>) {
  %0 = graph.dequantize %q, %c, %z : tensor<2x3xi8>, tensor<2x1xf32>, tensor<i8> -> tensor<2x3xf32>
  %1 = graph.reshape %0 : tensor<2x3xf32> -> tensor<6xf32>
  %2 = graph.dequantize %v, %c, %z : tensor<3xi8>, tensor<2x1xf32>, tensor<i8> -> tensor<2x3xf32>
  %3 = graph.transpose %2 [1, 0] : tensor<2x3xf32> -> tensor<3x2xf32>
  %4 = graph.dequantize %q, %s, %z : tensor<2x3xi8>, tensor<f32>, tensor<i8> -> tensor<2x3xf32>
  %5 = graph.dequantize %q, %c, %z : tensor<2x3xi8>, tensor<2x1xf32>, tensor<i8> -> tensor<2x3xf32>
  %6 = graph.concat %4, %5 axis 0 : tensor<2x3xf32>, tensor<2x3xf32> -> tensor<4x3xf32>
  %7 = graph.pad %4 low [0, 0] high [1, 0] with 0.0 : f32 : tensor<2x3xf32> -> tensor<3x3xf32>
  return %1, %3, %6, %7 : tensor<6xf32>, tensor<3x2xf32>, tensor<4x3xf32>, tensor<3x3xf32>
}

// CHECK-LABEL: @pads_stay
// CHECK-COUNT-4: graph.pad {{.*}} -> tensor<5xf32>
func.func @pads_stay(%q: tensor<4xi8>) -> (tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>) {
  %z = graph.constant dense<3> : tensor<i8>
  %s = graph.constant dense<0.5> : tensor<f32>
  %0 = graph.dequantize %q, %s, %z : tensor<4xi8>, tensor<f32>, tensor<i8> -> tensor<4xf32>
  %1 = graph.pad %0 low [0] high [1] with 1.0 : f32 : tensor<4xf32> -> tensor<5xf32>
  %2 = graph.pad %0 low [0] high [1] with -0.0 : f32 : tensor<4xf32> -> tensor<5xf32>
  %negative = graph.constant dense<-0.5> : tensor<f32>
  %3 = graph.dequantize %q, %negative, %z : tensor<4xi8>, tensor<f32>, tensor<i8> -> tensor<4xf32>
  %4 = graph.pad %3 low [0] high [1] with 0.0 : f32 : tensor<4xf32> -> tensor<5xf32>
  %infinite = graph.constant dense<0x7F800000> : tensor<f32>
  %5 = graph.dequantize %q, %infinite, %z : tensor<4xi8>, tensor<f32>, tensor<i8> -> tensor<4xf32>
  %6 = graph.pad %5 low [0] high [1] with 0.0 : f32 : tensor<4xf32> -> tensor<5xf32>
  return %1, %2, %4, %6 : tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>
}

// CHECK-LABEL: @pools_stay
// CHECK-COUNT-3: graph.max_pool2d {{.*}}f32> -> tensor<1x1x1x2xf32>
func.func @pools_stay(%q: tensor<1x1x2x2xi8>, %i: tensor<1x1x2x2xi32>, %z: tensor<i8>, %s: tensor<f32>, %y: tensor<i32>)
    -> (tensor<1x1x1x2xf32>, tensor<1x1x1x2xf32>, tensor<1x1x1x2xf32>) {
  %negative = graph.constant dense<-0.5> : tensor<f32>
  %0 = graph.dequantize %q, %negative, %z : tensor<1x1x2x2xi8>, tensor<f32>, tensor<i8> -> tensor<1x1x2x2xf32>
  %1 = graph.max_pool2d %0 {kernel = array<i64: 2, 1>} : tensor<1x1x2x2xf32> -> tensor<1x1x1x2xf32>
  %2 = graph.dequantize %q, %s, %z : tensor<1x1x2x2xi8>, tensor<f32>, tensor<i8> -> tensor<1x1x2x2xf32>
  %3 = graph.max_pool2d %2 {kernel = array<i64: 2, 1>} : tensor<1x1x2x2xf32> -> tensor<1x1x1x2xf32>
  %t = graph.constant dense<0.5> : tensor<f32>
  %4 = graph.dequantize %i, %t, %y : tensor<1x1x2x2xi32>, tensor<f32>, tensor<i32> -> tensor<1x1x2x2xf32>
  %5 = graph.max_pool2d %4 {kernel = array<i64: 2, 1>} : tensor<1x1x2x2xf32> -> tensor<1x1x1x2xf32>
  return %1, %3, %5 : tensor<1x1x1x2xf32>, tensor<1x1x1x2xf32>, tensor<1x1x1x2xf32>
}

// CHECK-LABEL: @other_parameters_stay
// CHECK-COUNT-2: graph.concat {{.*}} -> tensor<8xf32>
func.func @other_parameters_stay(%q: tensor<4xi8>, %r: tensor<4xi8>) -> (tensor<8xf32>, tensor<8xf32>) {
  %z = graph.constant dense<3> : tensor<i8>
  %y = graph.constant dense<4> : tensor<i8>
  %s = graph.constant dense<0.5> : tensor<f32>
  %t = graph.constant dense<0.25> : tensor<f32>
  %0 = graph.dequantize %q, %s, %z : tensor<4xi8>, tensor<f32>, tensor<i8> -> tensor<4xf32>
  %1 = graph.dequantize %r, %t, %z : tensor<4xi8>, tensor<f32>, tensor<i8> -> tensor<4xf32>
  %2 = graph.dequantize %r, %s, %y : tensor<4xi8>, tensor<f32>, tensor<i8> -> tensor<4xf32>
  %3 = graph.concat %0, %1 axis 0 : tensor<4xf32>, tensor<4xf32> -> tensor<8xf32>
  %4 = graph.concat %0, %2 axis 0 : tensor<4xf32>, tensor<4xf32> -> tensor<8xf32>
  return %3, %4 : tensor<8xf32>, tensor<8xf32>
}

// What spells out a dequantisation becomes one, with zero points that are computed, or are constants of the type.

// CHECK-LABEL: func.func @spelled_out
// CHECK-NEXT:    %0 = graph.dequantize %q, %s, %z : tensor<4x8xi8>, tensor<4x1xf32>, tensor<4x1xi8> -> tensor<4x8xf32>
// CHECK:         graph.constant dense_resource<zero_point> : tensor<8xi8>
// CHECK-NEXT:    graph.dequantize %q
// CHECK-NOT:     graph.mul
func.func @spelled_out(%q: tensor<4x8xi8>, %s: tensor<4x1xf32>, %z: tensor<4x1xi8>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %0 = graph.cast %q : tensor<4x8xi8> -> tensor<4x8xf32>
  %1 = graph.cast %z : tensor<4x1xi8> -> tensor<4x1xf32>
  %2 = graph.sub %0, %1 : tensor<4x8xf32>, tensor<4x1xf32> -> tensor<4x8xf32>
  %3 = graph.mul %2, %s : tensor<4x8xf32>, tensor<4x1xf32> -> tensor<4x8xf32>
  %4 = graph.constant dense<[3.0, -128.0, 127.0, 0.0, 1.0, 2.0, 3.0, 4.0]> : tensor<8xf32>
  %5 = graph.sub %0, %4 : tensor<4x8xf32>, tensor<8xf32> -> tensor<4x8xf32>
  %6 = graph.mul %s, %5 : tensor<4x1xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  return %3, %6 : tensor<4x8xf32>, tensor<4x8xf32>
}

// Not with zero points that the type does not have, or of another one, and not for a product of whole tensors.

// CHECK-LABEL: func.func @not_spelled_out
// CHECK-NOT:     graph.dequantize
// CHECK:         return
func.func @not_spelled_out(%q: tensor<4x8xi8>, %s: tensor<4x1xf32>, %z: tensor<4x1xui8>, %x: tensor<4x8xf32>, %y: tensor<4x1xi8>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) {
  %0 = graph.cast %q : tensor<4x8xi8> -> tensor<4x8xf32>
  %1 = graph.cast %z : tensor<4x1xui8> -> tensor<4x1xf32>
  %2 = graph.sub %0, %1 : tensor<4x8xf32>, tensor<4x1xf32> -> tensor<4x8xf32>
  %3 = graph.mul %2, %s : tensor<4x8xf32>, tensor<4x1xf32> -> tensor<4x8xf32>
  %4 = graph.constant dense<128.0> : tensor<f32>
  %5 = graph.sub %0, %4 : tensor<4x8xf32>, tensor<f32> -> tensor<4x8xf32>
  %6 = graph.mul %5, %s : tensor<4x8xf32>, tensor<4x1xf32> -> tensor<4x8xf32>
  %7 = graph.constant dense<0.5> : tensor<f32>
  %8 = graph.sub %0, %7 : tensor<4x8xf32>, tensor<f32> -> tensor<4x8xf32>
  %9 = graph.mul %8, %s : tensor<4x8xf32>, tensor<4x1xf32> -> tensor<4x8xf32>
  %10 = graph.cast %y : tensor<4x1xi8> -> tensor<4x1xf32>
  %11 = graph.sub %0, %10 : tensor<4x8xf32>, tensor<4x1xf32> -> tensor<4x8xf32>
  %12 = graph.mul %11, %x : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  return %3, %6, %9, %12 : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
}
