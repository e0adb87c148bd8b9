// RUN: mlc-opt %s --convert-graph-to-tensor | filecheck %s

// Operands become f32, constants at once, and each result of an op is rounded, in a kernel of several, too.
// CHECK-LABEL: func.func private @add_mul(%a: tensor<4xbf16>, %b: tensor<4xbf16>) -> tensor<4xbf16>
// CHECK: %[[A:.*]] = tensor.map %a[n] over (n: 4) : tensor<4xbf16> -> tensor<4xf32>
// CHECK: arith.extf %{{.*}} : bf16 to f32
// CHECK: %[[B:.*]] = tensor.map %b[n] over (n: 4) : tensor<4xbf16> -> tensor<4xf32>
// CHECK: %[[SUM:.*]] = tensor.map %[[A]][n], %[[B]][n]
// CHECK: arith.addf %{{.*}}, %{{.*}} : f32
// CHECK: %[[SHORT:.*]] = tensor.map %[[SUM]][n] over (n: 4) : tensor<4xf32> -> tensor<4xbf16>
// CHECK: arith.truncf %{{.*}} : f32 to bf16
// CHECK: %[[AGAIN:.*]] = tensor.map %[[SHORT]][n] over (n: 4) : tensor<4xbf16> -> tensor<4xf32>
// CHECK: tensor.map %[[AGAIN]][n]
// CHECK: arith.constant 5.000000e-01 : f32
// CHECK: arith.mulf
// CHECK: arith.truncf
func.func @main(%x: tensor<4xbf16>, %y: tensor<4xbf16>) -> tensor<4xbf16> {
  %0 = graph.fusion "add_mul" (%a = %x, %b = %y) : (tensor<4xbf16>, tensor<4xbf16>) -> tensor<4xbf16> {
    %half = graph.constant dense<0.5> : tensor<bf16>
    %1 = graph.add %a, %b : tensor<4xbf16>, tensor<4xbf16> -> tensor<4xbf16>
    %2 = graph.mul %1, %half : tensor<4xbf16>, tensor<bf16> -> tensor<4xbf16>
    graph.yield %2 : tensor<4xbf16>
  }
  return %0 : tensor<4xbf16>
}

// What moves elements does not change them; a comparison has no float to round.
// CHECK-LABEL: func.func private @transpose(
// CHECK-NOT: arith.
// CHECK-LABEL: func.func private @compare(
// CHECK: arith.extf %{{.*}} : f16 to f32
// CHECK: arith.cmpf olt, %{{.*}}, %{{.*}} : f32
// CHECK-NOT: arith.truncf
// CHECK-LABEL: func.func private @cast(
// CHECK: arith.extf %{{.*}} : f16 to f32
// CHECK: arith.fptosi %{{.*}} : f32 to i32
// CHECK-LABEL: func.func @kept(
func.func @kept(%x: tensor<4x8xf16>) -> (tensor<8x4xf16>, tensor<4x8xi1>, tensor<4x8xi32>) {
  %0 = graph.transpose %x [1, 0] : tensor<4x8xf16> -> tensor<8x4xf16>
  %1 = graph.compare lt, %x, %x : tensor<4x8xf16>, tensor<4x8xf16> -> tensor<4x8xi1>
  %2 = graph.cast %x : tensor<4x8xf16> -> tensor<4x8xi32>
  return %0, %1, %2 : tensor<8x4xf16>, tensor<4x8xi1>, tensor<4x8xi32>
}

// A scatter that replaces elements moves what there is; one that adds up does so in f32.
// CHECK-LABEL: func.func private @replaced(
// CHECK-NOT: arith.
// CHECK: tensor.put set
// CHECK-SAME: tensor<8x4xf16>
// CHECK-LABEL: func.func private @added(
// CHECK: arith.extf
// CHECK: tensor.put add
// CHECK-SAME: tensor<8x4xf32>
func.func @cached(%x: tensor<8x4xf16>, %at: tensor<1x1xi64>, %new: tensor<1x4xf16>) -> (tensor<8x4xf16>, tensor<8x4xf16>) {
  %0 = graph.fusion "replaced" (%a = %x, %b = %at, %c = %new) : (tensor<8x4xf16>, tensor<1x1xi64>, tensor<1x4xf16>) -> tensor<8x4xf16> {
    %1 = graph.scatter_nd set %a, %b, %c axes [0] : tensor<8x4xf16>, tensor<1x1xi64>, tensor<1x4xf16> -> tensor<8x4xf16>
    graph.yield %1 : tensor<8x4xf16>
  }
  %2 = graph.fusion "added" (%a = %x, %b = %at, %c = %new) : (tensor<8x4xf16>, tensor<1x1xi64>, tensor<1x4xf16>) -> tensor<8x4xf16> {
    %3 = graph.scatter_nd add %a, %b, %c axes [0] : tensor<8x4xf16>, tensor<1x1xi64>, tensor<1x4xf16> -> tensor<8x4xf16>
    graph.yield %3 : tensor<8x4xf16>
  }
  return %0, %2 : tensor<8x4xf16>, tensor<8x4xf16>
}
