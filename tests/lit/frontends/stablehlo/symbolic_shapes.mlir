// RUN: mlc-opt %s --split-input-file --pass-pipeline='bind-inputs{shape="arg0=2x5"},convert-stablehlo-to-graph' | filecheck %s
// RUN: mlc-opt %s --split-input-file --pass-pipeline='bind-inputs{shape="arg0=2x1..5"},convert-stablehlo-to-graph' | filecheck %s --check-prefix=RANGE

// The size of a dim is known when the input is bound, and so are shapes that are computed from it.
// CHECK-LABEL: @main(%arg0: tensor<2x5xf32>) -> tensor<2x5xf32>
// CHECK-NEXT:    %wide = graph.constant dense<5.000000e-01> : tensor<2x5xf32>
// CHECK-NEXT:    %sum = graph.add %arg0, %wide
// CHECK-NEXT:    return %sum : tensor<2x5xf32>

// Of a range it is an input.
// RANGE-LABEL: @main(%arg0: tensor<2x5xf32> {mlc.extents = array<i64: -1, 1>},
// RANGE-SAME:    %arg0_1: tensor<i64> {mlc.name = "arg0_1", mlc.range = array<i64: 1, 5>})
// RANGE-SAME:    -> (tensor<2x5xf32> {mlc.extents = array<i64: -1, 1>}, tensor<i64> {mlc.name = "sum.extent1"})
// RANGE:         %sum = graph.add %arg0, %wide
// RANGE-NEXT:    return %sum, %arg0_1
func.func public @main(%arg0: tensor<2x?xf32>) -> tensor<2x?xf32> {
  %c1 = stablehlo.constant dense<1> : tensor<i32>
  %c2 = stablehlo.constant dense<2> : tensor<1xi32>
  %half = stablehlo.constant dense<5.000000e-01> : tensor<f32>
  %size = stablehlo.get_dimension_size %arg0, dim = 1 : (tensor<2x?xf32>) -> tensor<i32>
  %holds = stablehlo.compare GE, %size, %c1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.custom_call @shape_assertion(%holds, %size) {error_message = "too short: {0}", has_side_effect = true} : (tensor<i1>, tensor<i32>) -> ()
  %one = stablehlo.reshape %size : (tensor<i32>) -> tensor<1xi32>
  %shape = stablehlo.concatenate %c2, %one, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %wide = stablehlo.dynamic_broadcast_in_dim %half, %shape, dims = [] : (tensor<f32>, tensor<2xi32>) -> tensor<2x?xf32>
  %sum = stablehlo.add %arg0, %wide : tensor<2x?xf32>
  return %sum : tensor<2x?xf32>
}

// -----

// A window ends inside of the tensor, as long as that is in a call.
// CHECK-LABEL: @window(%arg0: tensor<2x5xf32>
// CHECK:         graph.constant dense<4>
// CHECK:         graph.gather %arg0
// RANGE-LABEL: @window(%arg0: tensor<2x5xf32>
// RANGE:         %[[LESS:.*]] = graph.constant dense<-1> : tensor<i64>
// RANGE-NEXT:    %[[MOST:.*]] = graph.add %arg0_1, %[[LESS]]
// RANGE-NEXT:    graph.min %{{.*}}, %[[MOST]]
// RANGE:         graph.gather %arg0
func.func public @window(%arg0: tensor<2x?xf32>, %at: tensor<i32>) -> tensor<2x1xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.dynamic_slice %arg0, %zero, %at, sizes = [2, 1] : (tensor<2x?xf32>, tensor<i32>, tensor<i32>) -> tensor<2x1xf32>
  return %0 : tensor<2x1xf32>
}
