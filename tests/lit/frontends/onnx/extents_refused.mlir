// RUN: not mlc-opt %s --split-input-file --convert-onnx-to-graph 2>&1 | filecheck %s

// CHECK: error: Bernoulli (version {{.*}}): the extent of dim 1 of 'input', float[1,6] at most, depends on data, and mlc has no form of this operator that leaves out what lies after it; let the model end before this node
// CHECK: error: Flatten (version {{.*}}): the extent of dim 1 of an operand, int64[2,12] at most, depends on data, and mlc has no form of this operator that leaves out what lies after it; let the model end before this node
// CHECK: error: Add (version {{.*}}): the extent of dim 1 is known when the model runs in one operand, and is another in the next; required: one extent, or 1 (2 nodes)
// CHECK: error: Reshape (version {{.*}}): shape [1, 6] gives dim 1 an extent, which depends on data; -1 would follow it
// CHECK: error: Expand (version {{.*}}): shape [6] gives dim 1 an extent, which depends on data; 1 would keep it
// CHECK: error: Slice (version {{.*}}): it counts from the end of a dim whose extent depends on data
// CHECK: error: Split (version {{.*}}): parts of 2 equal parts do not make up an extent of count in 2 results
// CHECK: error: MatMul (version {{.*}}): the extent of dim 0 is known when the model runs in one operand, and is another in the next; required: one extent, or 1
func.func @main(%x: tensor<6xf32>, %z: tensor<6xf32>, %m: tensor<6x2xi64>) -> (tensor<*xi64>, tensor<*xi64>, tensor<*xi64>, tensor<*xi64>, tensor<*xi64>, tensor<*xi64>, tensor<*xi64>, tensor<*xi64>, tensor<*xi64>) {
  %ones = onnx.Constant {value_ints = [1 : i64]} : () -> tensor<1xi64>
  %minus = onnx.Constant {value_ints = [-1 : i64]} : () -> tensor<1xi64>
  %six = onnx.Constant {value_ints = [6 : i64]} : () -> tensor<1xi64>
  %shape = onnx.Constant {value_ints = [1 : i64, 6 : i64]} : () -> tensor<2xi64>
  %shape2 = onnx.Constant {value = dense<[[1, 2]]> : tensor<1x2xi64>} : () -> tensor<1x2xi64>
  %numbers = onnx.Constant {value_ints = [0 : i64, 1 : i64, 2 : i64, 3 : i64, 4 : i64, 5 : i64]} : () -> tensor<6xi64>
  %y = onnx.NonZero %x : (tensor<6xf32>) -> tensor<1x?xi64>
  %w = onnx.NonZero %z : (tensor<6xf32>) -> tensor<1x?xi64>
  %floats = onnx.Cast %y {to = 1 : i64} : (tensor<1x?xi64>) -> tensor<1x?xf32>
  %a = onnx.Bernoulli %floats {dtype = 7 : i64} : (tensor<1x?xf32>) -> tensor<*xi64>
  %q = onnx.NonZero %m : (tensor<6x2xi64>) -> tensor<2x?xi64>
  %b = onnx.Flatten %q {axis = 0 : i64} : (tensor<2x?xi64>) -> tensor<*xi64>
  %c = onnx.Add %y, %numbers : (tensor<1x?xi64>, tensor<6xi64>) -> tensor<*xi64>
  %d = onnx.Add %y, %w : (tensor<1x?xi64>, tensor<1x?xi64>) -> tensor<*xi64>
  %e = onnx.Reshape %y, %shape : (tensor<1x?xi64>, tensor<2xi64>) -> tensor<*xi64>
  %f = onnx.Expand %y, %six : (tensor<1x?xi64>, tensor<1xi64>) -> tensor<*xi64>
  %g = onnx.Slice %y, %minus, %six, %ones : (tensor<1x?xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<*xi64>
  %h, %i = onnx.Split %y {axis = 1 : i64} : (tensor<1x?xi64>) -> (tensor<*xi64>, tensor<*xi64>)
  %k = onnx.MatMul %y, %m : (tensor<1x?xi64>, tensor<6x2xi64>) -> tensor<*xi64>
  return %a, %b, %c, %d, %e, %f, %g, %h, %k : tensor<*xi64>, tensor<*xi64>, tensor<*xi64>, tensor<*xi64>, tensor<*xi64>, tensor<*xi64>, tensor<*xi64>, tensor<*xi64>, tensor<*xi64>
}

// -----

// Both branches are computed where extents depend on data, so that there is no loop in them.
// CHECK: error: If (version {{.*}}): the extent of dim 1 of what a graph yields, int64[1,6] at most, depends on data; required: a known one
func.func @branches(%x: tensor<6xf32>, %c: tensor<i1>) -> tensor<*xi64> {
  %y = onnx.If %c else_branch {
    %a = onnx.NonZero %x : (tensor<6xf32>) -> tensor<1x?xi64>
    onnx.Yield %a : tensor<1x?xi64>
  } then_branch {
    %none = onnx.NoValue
    %z = onnx.Loop %none, %c, %x body {
    ^bb0(%i: tensor<i64>, %go: tensor<i1>, %s: tensor<6xf32>):
      %0 = onnx.Mul %s, %s : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
      %sum = onnx.ReduceSum %0, %none {keepdims = 0 : i64} : (tensor<6xf32>, none) -> tensor<f32>
      %on = onnx.Less %sum, %sum : (tensor<f32>, tensor<f32>) -> tensor<i1>
      onnx.Yield %on, %0 : tensor<i1>, tensor<6xf32>
    } : (none, tensor<i1>, tensor<6xf32>) -> tensor<6xf32>
    %b = onnx.NonZero %z : (tensor<6xf32>) -> tensor<1x?xi64>
    onnx.Yield %b : tensor<1x?xi64>
  } : (tensor<i1>) -> tensor<*xi64>
  return %y : tensor<*xi64>
}
