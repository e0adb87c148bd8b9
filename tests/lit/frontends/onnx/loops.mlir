// RUN: mlc-opt %s --convert-onnx-to-graph | filecheck %s

// Rows of another axis are rows of a transpose; `exclusive` stacks what was carried in.

// CHECK-LABEL: func.func @cumsum
// CHECK:         %[[T:.*]] = graph.transpose %x [1, 0] : tensor<4x5xf32> -> tensor<5x4xf32>
// CHECK:         %{{.*}}, %[[S:.*]] = graph.scan 5 carry (%[[C:.*]] = %{{.*}}) over (%[[R:.*]] = %[[T]] backwards) stack (backwards)
// CHECK-NEXT:      %[[N:.*]] = graph.add %[[C]], %[[R]] : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
// CHECK-NEXT:      graph.yield %[[N]], %[[C]]
// CHECK:         graph.transpose %[[S]] [1, 0]
func.func @cumsum(%x: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %axis = onnx.Constant {value_int = -1 : i64} : () -> tensor<i64>
  %y = onnx.CumSum %x, %axis {exclusive = 1 : i64, reverse = 1 : i64} : (tensor<4x5xf32>, tensor<i64>) -> tensor<4x5xf32>
  return %y : tensor<4x5xf32>
}

// One loop for each direction; sequences that are over keep their state, and give zeros; so do all after the longest.

// CHECK-LABEL: func.func @rnn
// CHECK:         %[[M:.*]] = graph.reduce max %lengths axes [0] : tensor<3xi32> -> tensor<i32>
// CHECK-NEXT:    %[[LONGEST:.*]] = graph.cast %[[M]] : tensor<i32> -> tensor<i64>
// CHECK:         graph.scan 7 carry (%[[H:.*]] = %{{.*}}) over (%[[X:.*]] = %x, %[[T:.*]] = %{{.*}}) using ({{.*}}%[[END:.*]] = %[[LONGEST]], %{{.*}} = %lengths)
// CHECK:           graph.matmul %[[X]]
// CHECK:           %[[N:.*]] = graph.tanh
// CHECK:           %[[RUNS:.*]] = graph.compare lt, %[[T]], %[[END]] : tensor<i64>, tensor<i64> -> tensor<i1>
// CHECK:           %[[ON:.*]] = graph.compare lt, %[[T]], %{{.*}} : tensor<i64>, tensor<3xi64> -> tensor<3xi1>
// CHECK:           %[[ON1:.*]] = graph.reshape %[[ON]] : tensor<3xi1> -> tensor<3x1xi1>
// CHECK:           %[[Y:.*]] = graph.where %[[ON1]], %[[N]], %{{.*}} : tensor<3x1xi1>, tensor<3x6xf32>, tensor<f32> -> tensor<3x6xf32>
// CHECK:           %[[NEXT:.*]] = graph.where %[[ON1]], %[[N]], %[[H]]
// CHECK:           %[[KEPT:.*]] = graph.where %[[RUNS]], %[[NEXT]], %[[H]]
// CHECK:           %[[ROW:.*]] = graph.where %[[RUNS]], %[[Y]], %{{.*}} : tensor<i1>, tensor<3x6xf32>, tensor<f32> -> tensor<3x6xf32>
// CHECK:           graph.yield %[[KEPT]], %[[ROW]]
// CHECK:         graph.scan 7 {{.*}} backwards{{.*}} stack (backwards)
// CHECK:         graph.concat {{.*}} axis 1
func.func @rnn(%x: tensor<7x3x5xf32>, %w: tensor<2x6x5xf32>, %r: tensor<2x6x6xf32>, %lengths: tensor<3xi32>)
    -> (tensor<7x2x3x6xf32>, tensor<2x3x6xf32>) {
  %none = onnx.NoValue
  %y, %h = onnx.RNN %x, %w, %r, %none, %lengths {direction = "bidirectional", hidden_size = 6 : i64}
      : (tensor<7x3x5xf32>, tensor<2x6x5xf32>, tensor<2x6x6xf32>, none, tensor<3xi32>)
      -> (tensor<7x2x3x6xf32>, tensor<2x3x6xf32>)
  return %y, %h : tensor<7x2x3x6xf32>, tensor<2x3x6xf32>
}

// A loop of known length; what it uses of the values around it is an operand.

// CHECK-LABEL: func.func @counted
// CHECK:         graph.scan 70 carry (%[[S:.*]] = %x) over (%[[I:.*]] = %{{.*}}) using (%[[W:.*]] = %w)
// CHECK:           graph.cast %[[I]] : tensor<i64> -> tensor<f32>
// CHECK:           graph.mul %[[S]], %[[W]]
func.func @counted(%x: tensor<4xf32>, %w: tensor<4xf32>) -> (tensor<4xf32>, tensor<70x4xf32>) {
  %most = onnx.Constant {value_int = 70 : i64} : () -> tensor<i64>
  %none = onnx.NoValue
  %y:2 = onnx.Loop %most, %none, %x body {
  ^bb0(%i: tensor<i64>, %go: tensor<i1>, %s: tensor<4xf32>):
    %0 = onnx.Cast %i {to = 1 : i64} : (tensor<i64>) -> tensor<f32>
    %1 = onnx.Mul %s, %w : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %2 = onnx.Add %1, %0 : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    onnx.Yield %go, %2, %1 : tensor<i1>, tensor<4xf32>, tensor<4xf32>
  } : (tensor<i64>, none, tensor<4xf32>) -> (tensor<4xf32>, tensor<70x4xf32>)
  return %y#0, %y#1 : tensor<4xf32>, tensor<70x4xf32>
}

// A few steps whose values change their shape are written out.

// CHECK-LABEL: func.func @grows
// CHECK-COUNT-3: graph.concat
// CHECK-NOT:     graph.scan
func.func @grows(%x: tensor<2xf32>) -> tensor<*xf32> {
  %most = onnx.Constant {value_int = 3 : i64} : () -> tensor<i64>
  %none = onnx.NoValue
  %y = onnx.Loop %most, %none, %x body {
  ^bb0(%i: tensor<i64>, %go: tensor<i1>, %s: tensor<*xf32>):
    %0 = onnx.Concat %s, %x {axis = 0 : i64} : (tensor<*xf32>, tensor<2xf32>) -> tensor<*xf32>
    onnx.Yield %go, %0 : tensor<i1>, tensor<*xf32>
  } : (tensor<i64>, none, tensor<2xf32>) -> tensor<*xf32>
  return %y : tensor<*xf32>
}

// What ends depends on data: the condition is carried, beside the number of the step.

// CHECK-LABEL: func.func @as_long_as
// CHECK:         %{{.*}}, %{{.*}}, %y = graph.while carry (%{{.*}}, %go, %x) using (%most, %w)
// CHECK:           %[[L:.*]] = graph.compare lt
// CHECK:           %[[A:.*]] = graph.and %{{.*}}, %[[L]]
// CHECK:           graph.yield %[[A]] : tensor<i1>
// CHECK:         } do {
// CHECK:           graph.compare lt
// CHECK:           graph.yield
func.func @as_long_as(%most: tensor<i64>, %go: tensor<i1>, %x: tensor<f32>, %w: tensor<f32>) -> tensor<f32> {
  %y = onnx.Loop %most, %go, %x body {
  ^bb0(%i: tensor<i64>, %g: tensor<i1>, %s: tensor<f32>):
    %0 = onnx.Add %s, %w : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %1 = onnx.Less %0, %w : (tensor<f32>, tensor<f32>) -> tensor<i1>
    onnx.Yield %1, %0 : tensor<i1>, tensor<f32>
  } : (tensor<i64>, tensor<i1>, tensor<f32>) -> tensor<f32>
  return %y : tensor<f32>
}

// A branch that is not known: both stay, and take what either of them uses.

// CHECK-LABEL: func.func @choice
// CHECK:         %y = graph.if %c using (%x, %w) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>) {
// CHECK-NEXT:    ^bb0(%[[X:.*]]: tensor<4xf32>, %{{.*}}: tensor<4xf32>):
// CHECK-NEXT:      %{{.*}} = graph.exp %[[X]]
// CHECK:         } else {
// CHECK-NEXT:    ^bb0(%{{.*}}: tensor<4xf32>, %[[W:.*]]: tensor<4xf32>):
// CHECK-NEXT:      %{{.*}} = graph.neg %[[W]]
func.func @choice(%c: tensor<i1>, %x: tensor<4xf32>, %w: tensor<4xf32>) -> tensor<4xf32> {
  %y = onnx.If %c else_branch {
    %0 = onnx.Neg %w : (tensor<4xf32>) -> tensor<4xf32>
    onnx.Yield %0 : tensor<4xf32>
  } then_branch {
    %0 = onnx.Exp %x : (tensor<4xf32>) -> tensor<4xf32>
    onnx.Yield %0 : tensor<4xf32>
  } : (tensor<i1>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// A condition that counts says how many steps there are: i + 1 < 70, from 0 on.

// CHECK-LABEL: func.func @counts
// CHECK:         graph.scan 70 carry (%[[I:.*]] = %{{.*}}, %{{.*}} = %{{.*}}) {{.*}}using (%[[X:.*]] = %x)
// CHECK:           %[[J:.*]] = graph.add %[[I]],
// CHECK:           %[[R:.*]] = graph.gather %[[X]], %[[I]] axis 0
// CHECK:           graph.yield %[[J]], %{{.*}}, %[[R]]
func.func @counts(%x: tensor<70x4xf32>) -> tensor<*xf32> {
  %none = onnx.NoValue
  %true = onnx.Constant {value = dense<true> : tensor<i1>} : () -> tensor<i1>
  %zero = onnx.Constant {value_int = 0 : i64} : () -> tensor<i64>
  %one = onnx.Constant {value_int = 1 : i64} : () -> tensor<i64>
  %shape = onnx.Shape %x : (tensor<70x4xf32>) -> tensor<2xi64>
  %n = onnx.Gather %shape, %zero : (tensor<2xi64>, tensor<i64>) -> tensor<i64>
  %y:3 = onnx.Loop %none, %true, %zero, %n body {
  ^bb0(%k: tensor<i64>, %go: tensor<i1>, %i: tensor<i64>, %m: tensor<i64>):
    %j = onnx.Add %i, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %less = onnx.Less %j, %m : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %on = onnx.And %less, %go : (tensor<i1>, tensor<i1>) -> tensor<i1>
    %row = onnx.Gather %x, %i : (tensor<70x4xf32>, tensor<i64>) -> tensor<4xf32>
    onnx.Yield %on, %j, %m, %row : tensor<i1>, tensor<i64>, tensor<i64>, tensor<4xf32>
  } : (none, tensor<i1>, tensor<i64>, tensor<i64>) -> (tensor<i64>, tensor<i64>, tensor<*xf32>)
  return %y#2 : tensor<*xf32>
}

// A slice from a counter on is gathered; in a loop that data may end, too, if it counts besides.

// CHECK-LABEL: func.func @slices
// CHECK:         graph.while
// CHECK:         } do {
// CHECK:         ^bb0(%{{.*}}: tensor<i64>, %{{.*}}: tensor<i1>, %[[I:.*]]: tensor<i64>, %{{.*}}: tensor<1x4xf32>, %[[X:.*]]: tensor<72x4xf32>)
// CHECK:           %[[S:.*]] = graph.reshape %[[I]] : tensor<i64> -> tensor<1xi64>
// CHECK:           %[[P:.*]] = graph.reshape %[[S]] : tensor<1xi64> -> tensor<i64>
// CHECK:           %[[A:.*]] = graph.add %[[P]], %{{.*}} : tensor<i64>, tensor<1xi64> -> tensor<1xi64>
// CHECK:           graph.gather %[[X]], %[[A]] axis 0
func.func @slices(%x: tensor<72x4xf32>) -> tensor<1x4xf32> {
  %none = onnx.NoValue
  %zero = onnx.Constant {value_int = 0 : i64} : () -> tensor<i64>
  %one = onnx.Constant {value_int = 1 : i64} : () -> tensor<i64>
  %n = onnx.Constant {value_int = 70 : i64} : () -> tensor<i64>
  %ones = onnx.Constant {value_ints = array<i64: 1>} : () -> tensor<1xi64>
  %axis = onnx.Constant {value_ints = array<i64: 0>} : () -> tensor<1xi64>
  %first = onnx.Constant {value = dense<0.0> : tensor<1x4xf32>} : () -> tensor<1x4xf32>
  %y:2 = onnx.Loop %none, %none, %zero, %first body {
  ^bb0(%k: tensor<i64>, %go: tensor<i1>, %i: tensor<i64>, %s: tensor<1x4xf32>):
    %j = onnx.Add %i, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %less = onnx.Less %j, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %start = onnx.Reshape %i, %ones : (tensor<i64>, tensor<1xi64>) -> tensor<1xi64>
    %end = onnx.Add %start, %ones : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
    %row = onnx.Slice %x, %start, %end, %axis : (tensor<72x4xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<1x4xf32>
    %t = onnx.Add %s, %row : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32>
    %sum = onnx.ReduceSum %t {keepdims = 0 : i64} : (tensor<1x4xf32>) -> tensor<f32>
    %small = onnx.Less %sum, %sum : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %on = onnx.And %less, %small : (tensor<i1>, tensor<i1>) -> tensor<i1>
    onnx.Yield %on, %j, %t : tensor<i1>, tensor<i64>, tensor<1x4xf32>
  } : (none, none, tensor<i64>, tensor<1x4xf32>) -> (tensor<i64>, tensor<1x4xf32>)
  return %y#1 : tensor<1x4xf32>
}

// A number of steps that is data ends a loop that counts, too.

// CHECK-LABEL: func.func @most_of_data
// CHECK:         graph.while
func.func @most_of_data(%most: tensor<i64>, %go: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %none = onnx.NoValue
  %n = onnx.Constant {value_int = 70 : i64} : () -> tensor<i64>
  %y = onnx.Loop %most, %none, %x body {
  ^bb0(%k: tensor<i64>, %g: tensor<i1>, %s: tensor<4xf32>):
    %t = onnx.Exp %s : (tensor<4xf32>) -> tensor<4xf32>
    %less = onnx.Less %k, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
    onnx.Yield %less, %t : tensor<i1>, tensor<4xf32>
  } : (tensor<i64>, none, tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// Whether there is a first step is data.

// CHECK-LABEL: func.func @begins_by_data
// CHECK:         graph.while
func.func @begins_by_data(%most: tensor<i64>, %go: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %none = onnx.NoValue
  %n = onnx.Constant {value_int = 70 : i64} : () -> tensor<i64>
  %y = onnx.Loop %none, %go, %x body {
  ^bb0(%k: tensor<i64>, %g: tensor<i1>, %s: tensor<4xf32>):
    %t = onnx.Exp %s : (tensor<4xf32>) -> tensor<4xf32>
    %less = onnx.Less %k, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
    onnx.Yield %less, %t : tensor<i1>, tensor<4xf32>
  } : (none, tensor<i1>, tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}
