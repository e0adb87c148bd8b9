// RUN: mlc-opt %s --split-input-file --use-integer-products=precision=keep --check-each --target=haswell | filecheck %s
// RUN: mlc-opt %s --split-input-file --use-integer-products=precision=keep --check-each --target=icelake-server | filecheck %s
// RUN: mlc-opt %s --split-input-file --use-integer-products=precision=keep --remarks --target=neoverse-n1 2>&1 >%t | filecheck %s --check-prefix=NONE

// Weights of ui8 around a zero point other than 128: both factors less their zero points are integers of i16.
// Where no instruction adds products of those, they stay.

// CHECK-LABEL: @weights
// CHECK:         %[[X:.*]] = graph.sub %{{.*}} : tensor<4x5xi32>, tensor<i32> -> tensor<4x5xi32>
// CHECK-NEXT:    %[[SHORT:.*]] = graph.cast %[[X]] : tensor<4x5xi32> -> tensor<4x5xi16>
// CHECK-NEXT:    %[[EVEN:.*]] = graph.pad %[[SHORT]] low [0, 0] high [0, 1] with 0 : i16
// CHECK-NEXT:    %[[W:.*]] = graph.constant dense_resource<w.weights> : tensor<6x2xi16>
// CHECK-NEXT:    %[[SUMS:.*]] = graph.matmul %[[EVEN]], %[[W]] : tensor<4x6xi16>, tensor<6x2xi16> -> tensor<4x2xi32>
// CHECK-NEXT:    %[[REAL:.*]] = graph.cast %[[SUMS]] : tensor<4x2xi32> -> tensor<4x2xf32>
// CHECK:         %[[SCALE:.*]] = graph.mul %s, %{{.*}}
// CHECK-NEXT:    %y = graph.mul %[[REAL]], %[[SCALE]]
// CHECK-NEXT:    return %y
// NONE: not computed in integers: the second factor is not a constant of 8 bits
func.func @weights(%q: tensor<4x5xui8>, %s: tensor<f32>, %z: tensor<ui8>) -> tensor<4x2xf32> {
  %t = graph.constant dense<0.5> : tensor<f32>
  %n = graph.constant dense<[100, 0]> : tensor<2xui8>
  %v = graph.constant dense<[[1, 255], [0, 128], [255, 128], [129, 128], [127, 130]]> : tensor<5x2xui8>
  %x = graph.dequantize %q, %s, %z : tensor<4x5xui8>, tensor<f32>, tensor<ui8> -> tensor<4x5xf32>
  %w = graph.dequantize %v, %t, %n : tensor<5x2xui8>, tensor<f32>, tensor<2xui8> -> tensor<5x2xf32>
  %y = graph.matmul %x, %w : tensor<4x5xf32>, tensor<5x2xf32> -> tensor<4x2xf32>
  return %y : tensor<4x2xf32>
}

// -----

// -128 less 1 is the first integer that does not fit.

// CHECK-LABEL: @least
// CHECK: graph.matmul {{.*}} : tensor<2x4xi16>, tensor<4x2xi16> -> tensor<2x2xi32>
// NONE: not computed in integers: the second factor is not a constant of 8 bits
func.func @least(%q: tensor<2x4xi8>) -> tensor<2x2xf32> {
  %s = graph.constant dense<0.5> : tensor<f32>
  %z = graph.constant dense<-3> : tensor<i8>
  %n = graph.constant dense<1> : tensor<i8>
  %v = graph.constant dense<-128> : tensor<4x2xi8>
  %x = graph.dequantize %q, %s, %z : tensor<2x4xi8>, tensor<f32>, tensor<i8> -> tensor<2x4xf32>
  %w = graph.dequantize %v, %s, %n : tensor<4x2xi8>, tensor<f32>, tensor<i8> -> tensor<4x2xf32>
  %y = graph.matmul %x, %w : tensor<2x4xf32>, tensor<4x2xf32> -> tensor<2x2xf32>
  return %y : tensor<2x2xf32>
}

// -----

// ConvInteger: zeros around an image that is less its zero point, known or not.

// CHECK-LABEL: @padded
// CHECK:         %[[X:.*]] = graph.sub
// CHECK-NEXT:    %[[SHORT:.*]] = graph.cast %[[X]] : tensor<1x4x3x3xi32> -> tensor<1x4x3x3xi16>
// CHECK-NEXT:    graph.constant {{.*}} : tensor<2x4x3x3xi16>
// CHECK-NEXT:    %y = graph.conv2d %[[SHORT]], %{{.*}} {padding = array<i64: 1, 1, 1, 1>} : tensor<1x4x3x3xi16>, tensor<2x4x3x3xi16> -> tensor<1x2x3x3xi32>
// CHECK-NEXT:    return %y
// NONE: not computed in integers: its padding is a zero point that is not known, or that the type of its image has not
func.func @padded(%q: tensor<1x4x3x3xui8>, %z: tensor<ui8>) -> tensor<1x2x3x3xi32> {
  %w = graph.constant dense<1> : tensor<2x4x3x3xi32>
  %0 = graph.cast %q : tensor<1x4x3x3xui8> -> tensor<1x4x3x3xi32>
  %1 = graph.cast %z : tensor<ui8> -> tensor<i32>
  %x = graph.sub %0, %1 : tensor<1x4x3x3xi32>, tensor<i32> -> tensor<1x4x3x3xi32>
  %y = graph.conv2d %x, %w {padding = array<i64: 1, 1, 1, 1>} : tensor<1x4x3x3xi32>, tensor<2x4x3x3xi32> -> tensor<1x2x3x3xi32>
  return %y : tensor<1x2x3x3xi32>
}

// -----

// Zero points that differ along what is summed up.

// CHECK-LABEL: @along
// CHECK: graph.matmul {{.*}} : tensor<2x4xi16>, tensor<4x2xi16> -> tensor<2x2xi32>
// NONE: not computed in integers: the first factor has other zero points along what is summed up
func.func @along(%q: tensor<2x4xui8>) -> tensor<2x2xf32> {
  %s = graph.constant dense<0.5> : tensor<f32>
  %z = graph.constant dense<[1, 2, 3, 4]> : tensor<4xui8>
  %n = graph.constant dense<0> : tensor<i8>
  %v = graph.constant dense<1> : tensor<4x2xi8>
  %x = graph.dequantize %q, %s, %z : tensor<2x4xui8>, tensor<f32>, tensor<4xui8> -> tensor<2x4xf32>
  %w = graph.dequantize %v, %s, %n : tensor<4x2xi8>, tensor<f32>, tensor<i8> -> tensor<4x2xf32>
  %y = graph.matmul %x, %w : tensor<2x4xf32>, tensor<4x2xf32> -> tensor<2x2xf32>
  return %y : tensor<2x2xf32>
}

// -----

// 33,025 products of 255 and 255 fit in i32, and one more does not.

// CHECK-LABEL: @most
// CHECK: graph.matmul {{.*}}i16> -> tensor<1x1xi32>
// NONE: not computed in integers: the second factor is not a constant of 8 bits
func.func @most(%q: tensor<1x33025xui8>) -> tensor<1x1xf32> {
  %s = graph.constant dense<0.5> : tensor<f32>
  %z = graph.constant dense<0> : tensor<ui8>
  %v = graph.constant dense<255> : tensor<33025x1xui8>
  %x = graph.dequantize %q, %s, %z : tensor<1x33025xui8>, tensor<f32>, tensor<ui8> -> tensor<1x33025xf32>
  %w = graph.dequantize %v, %s, %z : tensor<33025x1xui8>, tensor<f32>, tensor<ui8> -> tensor<33025x1xf32>
  %y = graph.matmul %x, %w : tensor<1x33025xf32>, tensor<33025x1xf32> -> tensor<1x1xf32>
  return %y : tensor<1x1xf32>
}

// -----

// CHECK-LABEL: @too_many
// CHECK: graph.matmul {{.*}}f32> -> tensor<1x1xf32>
// NONE: not computed in integers: 33026 products may overflow the sum
func.func @too_many(%q: tensor<1x33026xui8>) -> tensor<1x1xf32> {
  %s = graph.constant dense<0.5> : tensor<f32>
  %z = graph.constant dense<0> : tensor<ui8>
  %v = graph.constant dense<255> : tensor<33026x1xui8>
  %x = graph.dequantize %q, %s, %z : tensor<1x33026xui8>, tensor<f32>, tensor<ui8> -> tensor<1x33026xf32>
  %w = graph.dequantize %v, %s, %z : tensor<33026x1xui8>, tensor<f32>, tensor<ui8> -> tensor<33026x1xf32>
  %y = graph.matmul %x, %w : tensor<1x33026xf32>, tensor<33026x1xf32> -> tensor<1x1xf32>
  return %y : tensor<1x1xf32>
}

// -----

// Channels that are apart have no neighbours to be added to.

// CHECK-LABEL: @groups
// CHECK: graph.conv2d {{.*}} -> tensor<1x2x1x1xi32>
// CHECK-NOT: i16
// NONE: not computed in integers: the second factor is not a constant of 8 bits
func.func @groups(%q: tensor<1x2x3x3xui8>, %z: tensor<ui8>) -> tensor<1x2x1x1xi32> {
  %w = graph.constant dense<200> : tensor<2x1x3x3xi32>
  %0 = graph.cast %q : tensor<1x2x3x3xui8> -> tensor<1x2x3x3xi32>
  %1 = graph.cast %z : tensor<ui8> -> tensor<i32>
  %x = graph.sub %0, %1 : tensor<1x2x3x3xi32>, tensor<i32> -> tensor<1x2x3x3xi32>
  %y = graph.conv2d %x, %w {groups = 2 : i64} : tensor<1x2x3x3xi32>, tensor<2x1x3x3xi32> -> tensor<1x2x1x1xi32>
  return %y : tensor<1x2x1x1xi32>
}

// -----

// A zero point of another type may be 383 from the number, and any i32 is further: what is left does not fit.

// CHECK-LABEL: @other_type
// CHECK: graph.matmul {{.*}} : tensor<2x4xi32>, tensor<4x2xi32> -> tensor<2x2xi32>
// NONE: not computed in integers: the second factor is not a constant of 8 bits
func.func @other_type(%q: tensor<2x4xui8>, %z: tensor<i8>) -> tensor<2x2xi32> {
  %w = graph.constant dense<200> : tensor<4x2xi32>
  %0 = graph.cast %q : tensor<2x4xui8> -> tensor<2x4xi32>
  %1 = graph.cast %z : tensor<i8> -> tensor<i32>
  %x = graph.sub %0, %1 : tensor<2x4xi32>, tensor<i32> -> tensor<2x4xi32>
  %y = graph.matmul %x, %w : tensor<2x4xi32>, tensor<4x2xi32> -> tensor<2x2xi32>
  return %y : tensor<2x2xi32>
}

// -----

// CHECK-LABEL: @any_number
// CHECK: graph.matmul {{.*}} : tensor<2x4xi32>, tensor<4x2xi32> -> tensor<2x2xi32>
// NONE: not computed in integers: the second factor is not a constant of 8 bits
func.func @any_number(%q: tensor<2x4xui8>, %z: tensor<i32>) -> tensor<2x2xi32> {
  %w = graph.constant dense<200> : tensor<4x2xi32>
  %0 = graph.cast %q : tensor<2x4xui8> -> tensor<2x4xi32>
  %x = graph.sub %0, %z : tensor<2x4xi32>, tensor<i32> -> tensor<2x4xi32>
  %y = graph.matmul %x, %w : tensor<2x4xi32>, tensor<4x2xi32> -> tensor<2x2xi32>
  return %y : tensor<2x2xi32>
}

// -----

// Weights that no two integers of 8 bits differ by.

// CHECK-LABEL: @large
// CHECK: graph.matmul {{.*}} : tensor<2x4xi32>, tensor<4x2xi32> -> tensor<2x2xi32>
// NONE: not computed in integers: the second factor is not a constant of 8 bits
func.func @large(%q: tensor<2x4xui8>) -> tensor<2x2xi32> {
  %w = graph.constant dense<256> : tensor<4x2xi32>
  %x = graph.cast %q : tensor<2x4xui8> -> tensor<2x4xi32>
  %y = graph.matmul %x, %w : tensor<2x4xi32>, tensor<4x2xi32> -> tensor<2x2xi32>
  return %y : tensor<2x2xi32>
}
