// RUN: mlc-opt %s --convert-onnx-to-graph | filecheck %s

// What computes shapes is computed, by the same rules as everything else, and leaves nothing behind.

// CHECK-LABEL: func.func @flatten(%x: tensor<4x8x8xf32>) -> tensor<4x64xf32> {
// CHECK-NEXT:    %y = graph.reshape %x : tensor<4x8x8xf32> -> tensor<4x64xf32>
// CHECK-NEXT:    func.return %y : tensor<4x64xf32>
func.func @flatten(%x: tensor<4x8x8xf32>) -> tensor<?x?xf32> {
  %shape = onnx.Shape %x : (tensor<4x8x8xf32>) -> tensor<3xi64>
  %zero = onnx.Constant {value_int = 0 : i64} : () -> tensor<i64>
  %axes = onnx.Constant {value_ints = array<i64: 0>} : () -> tensor<1xi64>
  %n = onnx.Gather %shape, %zero : (tensor<3xi64>, tensor<i64>) -> tensor<i64>
  %n1 = onnx.Unsqueeze %n, %axes : (tensor<i64>, tensor<1xi64>) -> tensor<1xi64>
  %rest = onnx.Constant {value = dense<-1> : tensor<1xi64>} : () -> tensor<1xi64>
  %wanted = onnx.Concat %n1, %rest {axis = 0 : i64} : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
  %y = onnx.Reshape %x, %wanted : (tensor<4x8x8xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

// A branch that is known takes the place of the `If`; the other one is not even looked at.

// CHECK-LABEL: func.func @branch(%x: tensor<4x1xf32>) -> tensor<4xf32> {
// CHECK-NEXT:    %y = graph.reshape %x : tensor<4x1xf32> -> tensor<4xf32>
// CHECK-NEXT:    func.return %y : tensor<4xf32>
func.func @branch(%x: tensor<4x1xf32>) -> tensor<*xf32> {
  %shape = onnx.Shape %x {start = 1 : i64} : (tensor<4x1xf32>) -> tensor<1xi64>
  %one = onnx.Constant {value_ints = array<i64: 1>} : () -> tensor<1xi64>
  %is = onnx.Equal %shape, %one : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi1>
  %y = onnx.If %is else_branch {
    %other = onnx.com.example.Unknown %x : (tensor<4x1xf32>) -> tensor<*xf32>
    onnx.Yield %other : tensor<*xf32>
  } then_branch {
    %flat = onnx.Squeeze %x, %one : (tensor<4x1xf32>, tensor<1xi64>) -> tensor<*xf32>
    onnx.Yield %flat : tensor<*xf32>
  } : (tensor<1xi1>) -> tensor<*xf32>
  return %y : tensor<*xf32>
}

// What is at the graph level already stays as it is, and so does a function without ops of ONNX.

// CHECK-LABEL: func.func @left_alone(%x: tensor<?xf32>) -> tensor<?xf32> {
// CHECK-NEXT:    %y = graph.relu %x : tensor<?xf32>
// CHECK-NEXT:    func.return %y : tensor<?xf32>
func.func @left_alone(%x: tensor<?xf32>) -> tensor<?xf32> {
  %y = graph.relu %x : tensor<?xf32>
  return %y : tensor<?xf32>
}

// A diagonal is made of the numbers of rows and columns: as a constant this one would take 16 MB.

// CHECK-LABEL: func.func @diagonal
// CHECK: %[[ROWS:.*]] = graph.constant {{.*}} : tensor<2000x1xi64>
// CHECK: %[[COLUMNS:.*]] = graph.constant {{.*}} : tensor<2000xi64>
// CHECK: %[[SAME:.*]] = graph.compare eq, %[[ROWS]], %[[COLUMNS]] : tensor<2000x1xi64>, tensor<2000xi64> -> tensor<2000x2000xi1>
// CHECK: graph.cast %[[SAME]] : tensor<2000x2000xi1> -> tensor<2000x2000xf32>
func.func @diagonal(%x: tensor<2000x2000xi1>) -> tensor<2000x2000xf32> {
  %y = onnx.EyeLike %x {dtype = 1 : i64, k = 1 : i64} : (tensor<2000x2000xi1>) -> tensor<2000x2000xf32>
  return %y : tensor<2000x2000xf32>
}
