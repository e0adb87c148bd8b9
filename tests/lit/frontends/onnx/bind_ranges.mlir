// RUN: mlc-opt %s --pass-pipeline='bind-inputs{shape="n=1..4","y=2x3..9" value="rate=16000"}' | filecheck %s
// RUN: mlc-opt %s --pass-pipeline='bind-inputs{shape="n=1..4","y=2x3..9" value="rate=16000"},convert-onnx-to-graph' | filecheck %s --check-prefix=GRAPH

// A dim that stays open in a range has the largest extent in types, and an input that holds the extent of a call. Dims of
// one name share it; a dim without a name gives it that of its input. A name that is taken gets another spelling.

// CHECK-LABEL: func.func @main(
// CHECK-SAME: %x: tensor<4x3x4xf32> {onnx.dims = ["n", "", "n"], mlc.extents = array<i64: 3, -1, 3>}
// CHECK-SAME: %y: tensor<2x9xf32> {mlc.name = "y", mlc.extents = array<i64: -1, 4>}
// CHECK-SAME: tensor<f32> {mlc.name = "y_1"}
// CHECK-SAME: %n: tensor<i64> {mlc.name = "n", mlc.range = array<i64: 1, 4>}
// CHECK-SAME: tensor<i64> {mlc.name = "y_1_", mlc.range = array<i64: 3, 9>}
// CHECK: onnx.Constant {value = dense<16000>

// What is computed of the shape is computed with the extents: x.shape[0] * 3 for the first dim.
// GRAPH: %[[THREE:.*]] = graph.constant dense<3> : tensor<i64>
// GRAPH: %[[LONG:.*]] = graph.mul %n, %[[THREE]] : tensor<i64>, tensor<i64> -> tensor<i64>
// GRAPH: %[[X:.*]] = graph.reshape %x : tensor<4x3x4xf32> -> tensor<12x4xf32>
// GRAPH: return %[[X]], %[[LONG]], %n : tensor<12x4xf32>, tensor<i64>, tensor<i64>
func.func @main(%x: tensor<?x3x?xf32> {onnx.dims = ["n", "", "n"]}, %0: tensor<i64> {mlc.name = "rate"},
                %y: tensor<2x?xf32> {mlc.name = "y"}, %1: tensor<f32> {mlc.name = "y_1"}) -> tensor<*xf32> {
  %shape = onnx.Shape %x : (tensor<?x3x?xf32>) -> tensor<3xi64>
  %last = onnx.Constant {value = dense<2> : tensor<1xi64>} : () -> tensor<1xi64>
  %less = onnx.Constant {value = dense<-1> : tensor<1xi64>} : () -> tensor<1xi64>
  %width = onnx.Gather %shape, %last : (tensor<3xi64>, tensor<1xi64>) -> tensor<1xi64>
  %wanted = onnx.Concat %less, %width {axis = 0 : i64} : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
  %r = onnx.Reshape %x, %wanted : (tensor<?x3x?xf32>, tensor<2xi64>) -> tensor<*xf32>
  return %r : tensor<*xf32>
}
