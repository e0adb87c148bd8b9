// RUN: mlc-opt %s --convert-onnx-to-graph | filecheck %s

// Images of other sizes, one axis after the other.

// The nearest pixel is a gather along each axis that grows.

// CHECK-LABEL: func.func @twice
// CHECK-NEXT: %[[V0:.*]] = graph.constant dense<[0, 0, 1, 1]> : tensor<4xi64>
// CHECK-NEXT: %[[V1:.*]] = graph.gather %x, %[[V0]] axis 2 : tensor<1x1x2x3xf32>, tensor<4xi64> -> tensor<1x1x4x3xf32>
// CHECK-NEXT: %[[V2:.*]] = graph.constant dense<[0, 0, 1, 1, 2, 2]> : tensor<6xi64>
// CHECK-NEXT: %y = graph.gather %[[V1]], %[[V2]] axis 3 : tensor<1x1x4x3xf32>, tensor<6xi64> -> tensor<1x1x4x6xf32>
// CHECK-NEXT: func.return %y : tensor<1x1x4x6xf32>
func.func @twice(%x: tensor<1x1x2x3xf32>) -> tensor<*xf32> {
  %none = onnx.NoValue
  %scales = onnx.Constant {value_floats = [1.0 : f32, 1.0 : f32, 2.0 : f32, 2.0 : f32]} : () -> tensor<4xf32>
  %y = onnx.Resize %x, %none, %scales {mode = "nearest"} : (tensor<1x1x2x3xf32>, none, tensor<4xf32>) -> tensor<*xf32>
  return %y : tensor<*xf32>
}

// Two neighbours with weights; the axis that keeps its size is left alone.

// CHECK-LABEL: func.func @linear
// CHECK-NEXT: %[[V0:.*]] = graph.constant dense<[0, 0, 0, 1]> : tensor<4xi64>
// CHECK-NEXT: %[[V1:.*]] = graph.gather %x, %[[V0]] axis 2 : tensor<1x1x2x3xf32>, tensor<4xi64> -> tensor<1x1x4x3xf32>
// CHECK-NEXT: %[[V2:.*]] = graph.constant dense<{{\[\[\[\[}}1.000000e+00], [7.500000e-01], [2.500000e-01], [1.000000e+00{{\]\]\]\]}}> : tensor<1x1x4x1xf32>
// CHECK-NEXT: %[[V3:.*]] = graph.mul %[[V1]], %[[V2]] : tensor<1x1x4x3xf32>, tensor<1x1x4x1xf32> -> tensor<1x1x4x3xf32>
// CHECK-NEXT: %[[V4:.*]] = graph.constant dense<[0, 1, 1, 1]> : tensor<4xi64>
// CHECK-NEXT: %[[V5:.*]] = graph.gather %x, %[[V4]] axis 2 : tensor<1x1x2x3xf32>, tensor<4xi64> -> tensor<1x1x4x3xf32>
// CHECK-NEXT: %[[V6:.*]] = graph.constant dense<{{\[\[\[\[}}0.000000e+00], [2.500000e-01], [7.500000e-01], [0.000000e+00{{\]\]\]\]}}> : tensor<1x1x4x1xf32>
// CHECK-NEXT: %[[V7:.*]] = graph.mul %[[V5]], %[[V6]] : tensor<1x1x4x3xf32>, tensor<1x1x4x1xf32> -> tensor<1x1x4x3xf32>
// CHECK-NEXT: %y = graph.add %[[V3]], %[[V7]] : tensor<1x1x4x3xf32>, tensor<1x1x4x3xf32> -> tensor<1x1x4x3xf32>
// CHECK-NEXT: func.return %y : tensor<1x1x4x3xf32>
func.func @linear(%x: tensor<1x1x2x3xf32>) -> tensor<*xf32> {
  %none = onnx.NoValue
  %sizes = onnx.Constant {value_ints = [1, 1, 4, 3]} : () -> tensor<4xi64>
  %y = onnx.Resize %x, %none, %none, %sizes {mode = "linear"}
      : (tensor<1x1x2x3xf32>, none, none, tensor<4xi64>) -> tensor<*xf32>
  return %y : tensor<*xf32>
}
