// RUN: mlc-opt %s --convert-graph-to-tensor | filecheck %s

// A fusion becomes one kernel, under its name; constants that are one number become immediate.
// CHECK-LABEL: func.func private @linear_relu(
// CHECK-NEXT: tensor.contract %{{.*}}[m, k], %{{.*}}[k, n] over (m: 2, n: 3) reduce (k: 4)
// CHECK-NEXT: tensor.map %{{.*}}[m, n], %{{.*}}[n] over (m: 2, n: 3)
// CHECK: arith.addf
// CHECK: tensor.map %{{.*}}[m, n] over (m: 2, n: 3)
// CHECK: arith.cmpf olt
// CHECK-NEXT: arith.select
// CHECK: return
// CHECK-LABEL: func.func private @mul(
// CHECK: ^bb0(%[[X:.*]]: f32):
// CHECK-NEXT: %[[HALF:.*]] = arith.constant 5.000000e-01 : f32
// CHECK-NEXT: arith.mulf %[[X]], %[[HALF]]
// CHECK-LABEL: func.func @main(
// CHECK: %[[Y:.*]] = func.call @linear_relu(
// CHECK: %[[Z:.*]] = func.call @mul(%[[Y]])
// CHECK: return %[[Z]]
func.func @main(%x: tensor<2x4xf32>, %w: tensor<4x3xf32>, %b: tensor<3xf32>) -> tensor<2x3xf32> {
  %half = graph.constant dense<0.5> : tensor<f32>
  %y = graph.fusion "linear_relu" (%x0 = %x, %w0 = %w, %b0 = %b) : (tensor<2x4xf32>, tensor<4x3xf32>, tensor<3xf32>) -> tensor<2x3xf32> {
    %0 = graph.matmul %x0, %w0 : tensor<2x4xf32>, tensor<4x3xf32> -> tensor<2x3xf32>
    %1 = graph.add %0, %b0 : tensor<2x3xf32>, tensor<3xf32> -> tensor<2x3xf32>
    %2 = graph.relu %1 : tensor<2x3xf32>
    graph.yield %2 : tensor<2x3xf32>
  }
  %z = graph.mul %y, %half : tensor<2x3xf32>, tensor<f32> -> tensor<2x3xf32>
  return %z : tensor<2x3xf32>
}

// A reshape moves nothing and stays outside of kernels.
// CHECK-LABEL: func.func @reshape(
// CHECK-NEXT: tensor.collapse_shape
// CHECK-NEXT: tensor.expand_shape
// CHECK-NEXT: return
func.func @reshape(%x: tensor<2x6xf32>) -> tensor<4x3xf32> {
  %0 = graph.reshape %x : tensor<2x6xf32> -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

// The remainder of a division that is rounded down: the divisor is added where the signs differ.
// CHECK-LABEL: func.func private @mod(
// CHECK:      %[[R:.*]] = arith.remsi %[[A:.*]], %[[B:.*]] : i64
// CHECK-NEXT: %[[BITS:.*]] = arith.xori %[[R]], %[[B]] : i64
// CHECK-NEXT: %[[DIFFER:.*]] = arith.cmpi slt, %[[BITS]], %[[ZERO:.*]] : i64
// CHECK-NEXT: %[[RESTS:.*]] = arith.cmpi ne, %[[R]], %[[ZERO]] : i64
// CHECK-NEXT: %[[WRONG:.*]] = arith.andi %[[RESTS]], %[[DIFFER]] : i1
// CHECK-NEXT: %[[SUM:.*]] = arith.addi %[[R]], %[[B]] : i64
// CHECK-NEXT: arith.select %[[WRONG]], %[[SUM]], %[[R]] : i64
// CHECK-LABEL: func.func @remainders(
func.func @remainders(%x: tensor<4xi64>) -> tensor<4xi64> {
  %0 = graph.mod %x, %x : tensor<4xi64>, tensor<4xi64> -> tensor<4xi64>
  return %0 : tensor<4xi64>
}

// CHECK-LABEL: func.func private @bitcast(
// CHECK:      arith.bitcast %{{.*}} : f32 to i32
// CHECK-LABEL: func.func @bits(
func.func @bits(%x: tensor<4xf32>) -> tensor<4xi32> {
  %0 = graph.bitcast %x : tensor<4xf32> -> tensor<4xi32>
  return %0 : tensor<4xi32>
}

// A function without graph ops is left alone.
// CHECK-LABEL: func.func @other(
// CHECK-NEXT: arith.addf
// CHECK-NEXT: return
func.func @other(%x: f32) -> f32 {
  %0 = arith.addf %x, %x : f32
  return %0 : f32
}
