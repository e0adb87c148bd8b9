// RUN: mlc-opt %s --convert-graph-to-tensor | filecheck %s

// Equal layers share a kernel, in all functions; another shape, attribute, constant or name is another kernel.
// CHECK:      func.func private @layer(%a: tensor<4xf32>, %b: tensor<4xf32>)
// CHECK:      func.func private @tanh(%y: tensor<4xf32>)
// CHECK:      func.func private @relu(%v: tensor<2xf32>)
// CHECK:      func.func private @mul(
// CHECK:        arith.constant 2.0
// CHECK:      func.func private @mul_1(
// CHECK:        arith.constant 3.0
// CHECK:      func.func private @other(
// CHECK:      func.func private @mul_2(%x: tensor<4xf32>)
// CHECK:      func.func private @add(
// CHECK-NOT:  private
// CHECK:      func.func @main(
// CHECK-NEXT:   %[[A:.*]] = func.call @layer(%x, %w)
// CHECK-NEXT:   %[[B:.*]] = func.call @layer(%[[A]], %x)
// CHECK-NEXT:   %[[C:.*]] = func.call @tanh(%[[B]])
// CHECK-NEXT:   func.call @tanh(%[[C]])
func.func @main(%x: tensor<4xf32>, %w: tensor<4xf32>, %v: tensor<2xf32>) -> (tensor<4xf32>, tensor<2xf32>) {
  %0 = graph.fusion "layer" (%a = %x, %b = %w) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
    %2 = graph.add %a, %b : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
    %3 = graph.relu %2 : tensor<4xf32>
    graph.yield %3 : tensor<4xf32>
  }
  %y = graph.fusion "layer" (%c = %0, %d = %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
    %2 = graph.add %c, %d : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
    %3 = graph.relu %2 : tensor<4xf32>
    graph.yield %3 : tensor<4xf32>
  }
  %4 = graph.tanh %y : tensor<4xf32>
  %5 = graph.tanh %4 : tensor<4xf32>
  %6 = graph.relu %v : tensor<2xf32>
  %two = graph.constant dense<2.0> : tensor<f32>
  %three = graph.constant dense<3.0> : tensor<f32>
  %7 = graph.mul %5, %two : tensor<4xf32>, tensor<f32> -> tensor<4xf32>
  %8 = graph.mul %7, %three : tensor<4xf32>, tensor<f32> -> tensor<4xf32>
  %9 = graph.fusion "other" (%e = %8, %f = %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
    %10 = graph.add %e, %f : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
    %11 = graph.relu %10 : tensor<4xf32>
    graph.yield %11 : tensor<4xf32>
  }
  // One argument for both operands is another thing than two.
  %12 = graph.mul %x, %x : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %13 = graph.add %9, %12 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  return %13, %6 : tensor<4xf32>, tensor<2xf32>
}

// CHECK:         func.func @another(
// CHECK-NEXT:      func.call @tanh(
func.func @another(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.tanh %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
