// RUN: mlc-opt %s --split-input-file --use-short-weights --remarks 2>&1 >%t | filecheck %s --check-prefix=WHY
// RUN: mlc-opt %s --split-input-file --use-short-weights --check-each | filecheck %s

// A scale for each column: one group.

// CHECK-LABEL: @columns
// CHECK:         graph.scaled_matmul %x, %w_integers, %w_scale : tensor<2x128xf32>, tensor<128x130xi8>, tensor<1x130xf32> -> tensor<2x130xf32>
// CHECK-NOT:     graph.dequantize
func.func @columns(%x: tensor<2x128xf32>) -> tensor<2x130xf32> {
  %q = graph.constant dense<3> : tensor<128x130xi8>
  %s = graph.constant dense<0.5> : tensor<1x130xf32>
  %z = graph.constant dense<0> : tensor<i8>
  %w = graph.dequantize %q, %s, %z : tensor<128x130xi8>, tensor<1x130xf32>, tensor<i8> -> tensor<128x130xf32>
  %y = graph.matmul %x, %w : tensor<2x128xf32>, tensor<128x130xf32> -> tensor<2x130xf32>
  return %y : tensor<2x130xf32>
}

// -----

// Groups along rows, which are found behind a reshape and a transpose. One zero point goes into the integers. Leading
// dims of the first factor are rows.

// CHECK-LABEL: @groups
// CHECK:         %[[X:.*]] = graph.reshape %x : tensor<2x3x128xf32> -> tensor<6x128xf32>
// CHECK:         %[[Y:.*]] = graph.scaled_matmul %[[X]], {{.*}} : tensor<6x128xf32>, tensor<128x130xi8>, tensor<2x130xf32> -> tensor<6x130xf32>
// CHECK:         graph.reshape %[[Y]] : tensor<6x130xf32> -> tensor<2x3x130xf32>
func.func @groups(%x: tensor<2x3x128xf32>) -> tensor<2x3x130xf32> {
  %q = graph.constant dense<9> : tensor<130x2x64xui8>
  %s = graph.constant dense<[[[0.5], [2.0]]]> : tensor<1x2x1xf32>
  %z = graph.constant dense<8> : tensor<ui8>
  %d = graph.dequantize %q, %s, %z : tensor<130x2x64xui8>, tensor<1x2x1xf32>, tensor<ui8> -> tensor<130x2x64xf32>
  %r = graph.reshape %d : tensor<130x2x64xf32> -> tensor<130x128xf32>
  %w = graph.transpose %r [1, 0] : tensor<130x128xf32> -> tensor<128x130xf32>
  %y = graph.matmul %x, %w : tensor<2x3x128xf32>, tensor<128x130xf32> -> tensor<2x3x130xf32>
  return %y : tensor<2x3x130xf32>
}

// -----

// Of a last group that is shorter, the rest is 0. Zero points that differ are multiplied with the sums of groups.

// CHECK-LABEL: @zero_points
// CHECK:         %[[X:.*]] = graph.pad %x low [0, 0] high [0, 28] with 0.000000e+00
// CHECK:         %[[G:.*]] = graph.reshape %[[X]] : tensor<1x128xf32> -> tensor<1x4x32xf32>
// CHECK:         %[[T:.*]] = graph.reduce sum %[[G]] axes [2] : tensor<1x4x32xf32> -> tensor<1x4xf32>
// CHECK:         graph.scaled_matmul %[[X]], %w_integers, %w_scale, %w_offset, %[[T]] : tensor<1x128xf32>, tensor<128x180xi8>, tensor<4x180xf32>, tensor<4x180xi8>, tensor<1x4xf32>
func.func @zero_points(%x: tensor<1x100xf32>) -> tensor<1x180xf32> {
  %q = graph.constant dense<15> : tensor<5x32x180xui8>
  %s = graph.constant dense<0.5> : tensor<f32>
  %z = graph.constant dense<[[[3]], [[7]], [[3]], [[7]], [[7]]]> : tensor<5x1x1xui8>
  %d = graph.dequantize %q, %s, %z : tensor<5x32x180xui8>, tensor<f32>, tensor<5x1x1xui8> -> tensor<5x32x180xf32>
  %r = graph.reshape %d : tensor<5x32x180xf32> -> tensor<160x180xf32>
  %w = graph.slice %r starts [0, 0] ends [100, 180] strides [1, 1] : tensor<160x180xf32> -> tensor<100x180xf32>
  %y = graph.matmul %x, %w : tensor<1x100xf32>, tensor<100x180xf32> -> tensor<1x180xf32>
  return %y : tensor<1x180xf32>
}

// -----

// Spelled out as a cast, a difference and a product.

// CHECK-LABEL: @spelled
// CHECK:         graph.scaled_matmul {{.*}} : tensor<1x128xf32>, tensor<128x130xi8>, tensor<1x130xf32> -> tensor<1x130xf32>
func.func @spelled(%x: tensor<1x128xf32>) -> tensor<1x130xf32> {
  %q = graph.constant dense<5> : tensor<128x130xi8>
  %z = graph.constant dense<2.0> : tensor<f32>
  %s = graph.constant dense<0.25> : tensor<1x130xf32>
  %c = graph.cast %q : tensor<128x130xi8> -> tensor<128x130xf32>
  %d = graph.sub %c, %z : tensor<128x130xf32>, tensor<f32> -> tensor<128x130xf32>
  %w = graph.mul %d, %s : tensor<128x130xf32>, tensor<1x130xf32> -> tensor<128x130xf32>
  %y = graph.matmul %x, %w : tensor<1x128xf32>, tensor<128x130xf32> -> tensor<1x130xf32>
  return %y : tensor<1x130xf32>
}

// -----

// Small weights, those that are no constants, and short floats stay as they are.

// CHECK-LABEL: @others
// CHECK-NOT:     graph.scaled_matmul
// CHECK:         return
func.func @others(%x: tensor<1x128xf32>, %q: tensor<128x130xi8>) -> (tensor<1x130xf32>, tensor<1x128xf32>) {
  %s = graph.constant dense<0.5> : tensor<f32>
  %z = graph.constant dense<0> : tensor<i8>
  %w = graph.dequantize %q, %s, %z : tensor<128x130xi8>, tensor<f32>, tensor<i8> -> tensor<128x130xf32>
  %y = graph.matmul %x, %w : tensor<1x128xf32>, tensor<128x130xf32> -> tensor<1x130xf32>
  %p = graph.constant dense<3> : tensor<128x128xi8>
  %v = graph.dequantize %p, %s, %z : tensor<128x128xi8>, tensor<f32>, tensor<i8> -> tensor<128x128xf32>
  %u = graph.matmul %x, %v : tensor<1x128xf32>, tensor<128x128xf32> -> tensor<1x128xf32>
  %f = graph.constant dense<0.3> : tensor<128x130xf8E4M3FN>
  %g = graph.cast %f : tensor<128x130xf8E4M3FN> -> tensor<128x130xf32>
  %h = graph.matmul %x, %g : tensor<1x128xf32>, tensor<128x130xf32> -> tensor<1x130xf32>
  return %y, %u : tensor<1x130xf32>, tensor<1x128xf32>
}

// -----

// What is less a zero point already is not less another one.

// CHECK-LABEL: @less_twice
// CHECK-NOT:     graph.scaled_matmul
func.func @less_twice(%x: tensor<1x128xf32>) -> tensor<1x130xf32> {
  %q = graph.constant dense<3> : tensor<128x130xi8>
  %s = graph.constant dense<1.0> : tensor<f32>
  %z = graph.constant dense<2> : tensor<i8>
  %d = graph.dequantize %q, %s, %z : tensor<128x130xi8>, tensor<f32>, tensor<i8> -> tensor<128x130xf32>
  %o = graph.constant dense<3.0> : tensor<1x130xf32>
  %w = graph.sub %d, %o : tensor<128x130xf32>, tensor<1x130xf32> -> tensor<128x130xf32>
  %y = graph.matmul %x, %w : tensor<1x128xf32>, tensor<128x130xf32> -> tensor<1x130xf32>
  return %y : tensor<1x130xf32>
}

// -----

// What is scaled already is not scaled again, for that would round twice.

// CHECK-LABEL: @twice
// CHECK-NOT:     graph.scaled_matmul
func.func @twice(%x: tensor<1x128xf32>) -> tensor<1x130xf32> {
  %q = graph.constant dense<3> : tensor<128x130xi8>
  %s = graph.constant dense<0.3> : tensor<1x130xf32>
  %z = graph.constant dense<0> : tensor<i8>
  %d = graph.dequantize %q, %s, %z : tensor<128x130xi8>, tensor<1x130xf32>, tensor<i8> -> tensor<128x130xf32>
  %w = graph.mul %d, %s : tensor<128x130xf32>, tensor<1x130xf32> -> tensor<128x130xf32>
  %y = graph.matmul %x, %w : tensor<1x128xf32>, tensor<128x130xf32> -> tensor<1x130xf32>
  return %y : tensor<1x130xf32>
}

// -----

// CHECK-LABEL: @infinite
// CHECK-NOT:     graph.scaled_matmul
// WHY:           remark: weights become floats: a scale is not finite, or a weight overflows
func.func @infinite(%x: tensor<1x128xf32>) -> tensor<1x130xf32> {
  %q = graph.constant dense<100> : tensor<128x130xi8>
  %s = graph.constant dense<3.0e38> : tensor<f32>
  %z = graph.constant dense<0> : tensor<i8>
  %w = graph.dequantize %q, %s, %z : tensor<128x130xi8>, tensor<f32>, tensor<i8> -> tensor<128x130xf32>
  %y = graph.matmul %x, %w : tensor<1x128xf32>, tensor<128x130xf32> -> tensor<1x130xf32>
  return %y : tensor<1x130xf32>
}

// -----

// CHECK-LABEL: @short_groups
// CHECK-NOT:     graph.scaled_matmul
// WHY:           remark: weights become floats: groups of 8 rows share a scale; required: at least 16
func.func @short_groups(%x: tensor<1x16xf32>) -> tensor<1x1300xf32> {
  %q = graph.constant dense<100> : tensor<2x8x1300xi8>
  %s = graph.constant dense<[[[0.5]], [[0.25]]]> : tensor<2x1x1xf32>
  %z = graph.constant dense<0> : tensor<i8>
  %d = graph.dequantize %q, %s, %z : tensor<2x8x1300xi8>, tensor<2x1x1xf32>, tensor<i8> -> tensor<2x8x1300xf32>
  %w = graph.reshape %d : tensor<2x8x1300xf32> -> tensor<16x1300xf32>
  %y = graph.matmul %x, %w : tensor<1x16xf32>, tensor<16x1300xf32> -> tensor<1x1300xf32>
  return %y : tensor<1x1300xf32>
}
