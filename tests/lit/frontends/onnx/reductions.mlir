// RUN: mlc-opt %s --convert-onnx-to-graph | filecheck %s

// Reductions along axes that are constants, or along all.

// CHECK-LABEL: func.func @mean
// CHECK-NEXT: %y = graph.reduce mean %x axes [2] keepdims : tensor<2x3x4xf32> -> tensor<2x3x1xf32>
// CHECK-NEXT: func.return %y : tensor<2x3x1xf32>
func.func @mean(%x: tensor<2x3x4xf32>) -> tensor<*xf32> {
  %axes = onnx.Constant {value_ints = [-1 : i64]} : () -> tensor<1xi64>
  %y = onnx.ReduceMean %x, %axes : (tensor<2x3x4xf32>, tensor<1xi64>) -> tensor<*xf32>
  return %y : tensor<*xf32>
}

// Without axes, all of them.

// CHECK-LABEL: func.func @sum_of_all
// CHECK-NEXT: %y = graph.reduce sum %x axes [0, 1, 2] : tensor<2x3x4xf32> -> tensor<f32>
// CHECK-NEXT: func.return %y : tensor<f32>
func.func @sum_of_all(%x: tensor<2x3x4xf32>) -> tensor<*xf32> {
  %y = onnx.ReduceSum %x {keepdims = 0 : si64} : (tensor<2x3x4xf32>) -> tensor<*xf32>
  return %y : tensor<*xf32>
}

// Norms are written out.

// CHECK-LABEL: func.func @euclid
// CHECK-NEXT: %[[V0:.*]] = graph.mul %x, %x : tensor<2x3xf32>, tensor<2x3xf32> -> tensor<2x3xf32>
// CHECK-NEXT: %[[V1:.*]] = graph.reduce sum %[[V0]] axes [1] : tensor<2x3xf32> -> tensor<2xf32>
// CHECK-NEXT: %y = graph.sqrt %[[V1]] : tensor<2xf32>
// CHECK-NEXT: func.return %y : tensor<2xf32>
func.func @euclid(%x: tensor<2x3xf32>) -> tensor<*xf32> {
  %axes = onnx.Constant {value_ints = [1 : i64]} : () -> tensor<1xi64>
  %y = onnx.ReduceL2 %x, %axes {keepdims = 0 : si64} : (tensor<2x3xf32>, tensor<1xi64>) -> tensor<*xf32>
  return %y : tensor<*xf32>
}

// The maximum is subtracted first, unless it is infinite: no exponential overflows.

// CHECK-LABEL: func.func @logsumexp
// CHECK-NEXT: %[[V0:.*]] = graph.reduce max %x axes [1] keepdims : tensor<2x3xf32> -> tensor<2x1xf32>
// CHECK-NEXT: %[[V1:.*]] = graph.abs %[[V0]] : tensor<2x1xf32>
// CHECK-NEXT: %[[V2:.*]] = graph.constant dense<0x7f800000> : tensor<f32>
// CHECK-NEXT: %[[V3:.*]] = graph.compare lt, %[[V1]], %[[V2]] : tensor<2x1xf32>, tensor<f32> -> tensor<2x1xi1>
// CHECK-NEXT: %[[V4:.*]] = graph.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[V5:.*]] = graph.where %[[V3]], %[[V0]], %[[V4]] : tensor<2x1xi1>, tensor<2x1xf32>, tensor<f32> -> tensor<2x1xf32>
// CHECK-NEXT: %[[V6:.*]] = graph.sub %x, %[[V5]] : tensor<2x3xf32>, tensor<2x1xf32> -> tensor<2x3xf32>
// CHECK-NEXT: %[[V7:.*]] = graph.exp %[[V6]] : tensor<2x3xf32>
// CHECK-NEXT: %[[V8:.*]] = graph.reduce sum %[[V7]] axes [1] keepdims : tensor<2x3xf32> -> tensor<2x1xf32>
// CHECK-NEXT: %[[V9:.*]] = graph.log %[[V8]] : tensor<2x1xf32>
// CHECK-NEXT: %y = graph.add %[[V9]], %[[V5]] : tensor<2x1xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
// CHECK-NEXT: func.return %y : tensor<2x1xf32>
func.func @logsumexp(%x: tensor<2x3xf32>) -> tensor<*xf32> {
  %axes = onnx.Constant {value_ints = [1 : i64]} : () -> tensor<1xi64>
  %y = onnx.ReduceLogSumExp %x, %axes : (tensor<2x3xf32>, tensor<1xi64>) -> tensor<*xf32>
  return %y : tensor<*xf32>
}

// The last of equal elements is the first one from behind.

// CHECK-LABEL: func.func @last_of_equals
// CHECK-NEXT: %[[V0:.*]] = graph.reverse %x axes [1] : tensor<2x3xf32> -> tensor<2x3xf32>
// CHECK-NEXT: %[[V1:.*]] = graph.argmax %[[V0]] axis 1 : tensor<2x3xf32> -> tensor<2xi64>
// CHECK-NEXT: %[[V2:.*]] = graph.constant dense<2> : tensor<i64>
// CHECK-NEXT: %y = graph.sub %[[V2]], %[[V1]] : tensor<i64>, tensor<2xi64> -> tensor<2xi64>
// CHECK-NEXT: func.return %y : tensor<2xi64>
func.func @last_of_equals(%x: tensor<2x3xf32>) -> tensor<*xi64> {
  %y = onnx.ArgMax %x {axis = 1 : si64, keepdims = 0 : si64, select_last_index = 1 : si64}
      : (tensor<2x3xf32>) -> tensor<*xi64>
  return %y : tensor<*xi64>
}
