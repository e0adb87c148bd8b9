// RUN: mlc-opt %s --convert-graph-to-tensor | filecheck %s

// A float of four bits is rounded with whole numbers, and so is what lies below its normal numbers; what is too large
// becomes its greatest number, NaN a zero.
// CHECK-LABEL: func.func private @cast(%x: tensor<4xf32>) -> tensor<4xi8>
// CHECK: arith.bitcast %{{.*}} : f32 to i32
// CHECK: arith.addf
// CHECK: arith.constant 7 : i32
// CHECK: arith.select
// CHECK: arith.trunci %{{.*}} : i32 to i8
// CHECK: tensor.yield %{{.*}} : i8

// The sign of an integer of four bits is extended, and what does not fit has been cut off.
// CHECK-LABEL: func.func private @cast_1(%q: tensor<4xi8>) -> tensor<4xi32>
// CHECK: %[[FOUR:.*]] = arith.constant 4 : i8
// CHECK: arith.shli %{{.*}}, %[[FOUR]] : i8
// CHECK: arith.shrsi %{{.*}}, %[[FOUR]] : i8
// CHECK: arith.extsi %{{.*}} : i8 to i32

// Callers are told; constants are codes, too.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %q: tensor<4xi8> {mlc.stored = i4})
// CHECK-SAME: -> (tensor<4xi8> {mlc.stored = f4E2M1FN}, tensor<4xi32>, tensor<2xi8> {mlc.stored = i4})
// CHECK: arith.constant dense<[15, 7]> : tensor<2xi8>
func.func @main(%x: tensor<4xf32>, %q: tensor<4xi4>) -> (tensor<4xf4E2M1FN>, tensor<4xi32>, tensor<2xi4>) {
  %f = graph.cast %x : tensor<4xf32> -> tensor<4xf4E2M1FN>
  %n = graph.cast %q : tensor<4xi4> -> tensor<4xi32>
  %c = graph.constant dense<[-1, 7]> : tensor<2xi4>
  return %f, %n, %c : tensor<4xf4E2M1FN>, tensor<4xi32>, tensor<2xi4>
}

// What moves elements does not convert them.
// CHECK-LABEL: func.func private @transpose(
// CHECK-NOT: arith.
// CHECK-LABEL: func.func @moved(%x: tensor<4x8xi8> {mlc.stored = f8E4M3FNUZ}) -> (tensor<8x4xi8> {mlc.stored = f8E4M3FNUZ})
func.func @moved(%x: tensor<4x8xf8E4M3FNUZ>) -> tensor<8x4xf8E4M3FNUZ> {
  %0 = graph.transpose %x [1, 0] : tensor<4x8xf8E4M3FNUZ> -> tensor<8x4xf8E4M3FNUZ>
  return %0 : tensor<8x4xf8E4M3FNUZ>
}

// The bits of a code as an integer are the code.
// CHECK-LABEL: func.func private @bitcast(
// CHECK-NOT: arith.
// CHECK-LABEL: func.func @bits(%x: tensor<4xi8> {mlc.stored = f8E5M2}) -> (tensor<4xi8> {mlc.unsigned})
func.func @bits(%x: tensor<4xf8E5M2>) -> tensor<4xui8> {
  %0 = graph.bitcast %x : tensor<4xf8E5M2> -> tensor<4xui8>
  return %0 : tensor<4xui8>
}
