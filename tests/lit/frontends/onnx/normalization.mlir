// RUN: mlc-opt %s --convert-onnx-to-graph | filecheck %s

// Normalizations are ops of the graph where it has one, and else written out.

// In inference a batch norm has fixed statistics.

// CHECK-LABEL: func.func @batch
// CHECK-NEXT: %y = graph.batch_norm %x, %s, %b, %m, %v axis 1 epsilon 0.0010000000474974513 : tensor<2x3x4x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32> -> tensor<2x3x4x4xf32>
// CHECK-NEXT: func.return %y : tensor<2x3x4x4xf32>
func.func @batch(%x: tensor<2x3x4x4xf32>, %s: tensor<3xf32>, %b: tensor<3xf32>, %m: tensor<3xf32>, %v: tensor<3xf32>) -> tensor<*xf32> {
  %y = onnx.BatchNormalization %x, %s, %b, %m, %v {epsilon = 0.001 : f32}
      : (tensor<2x3x4x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<*xf32>
  return %y : tensor<*xf32>
}

// A negative axis counts from the end.

// CHECK-LABEL: func.func @layer
// CHECK-NEXT: %y = graph.layer_norm %x, %s, %b axis 2 epsilon 9.9999997473787516e-06 : tensor<2x3x8xf32>, tensor<8xf32>, tensor<8xf32> -> tensor<2x3x8xf32>
// CHECK-NEXT: func.return %y : tensor<2x3x8xf32>
func.func @layer(%x: tensor<2x3x8xf32>, %s: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<*xf32> {
  %y = onnx.LayerNormalization %x, %s, %b {axis = -1 : si64}
      : (tensor<2x3x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<*xf32>
  return %y : tensor<*xf32>
}

// Each channel of each image is a group of its own.

// CHECK-LABEL: func.func @instance
// CHECK-NEXT: %y = graph.group_norm %x, %s, %b axis 1 groups 3 epsilon 9.9999997473787516e-06 : tensor<2x3x4x4xf32>, tensor<3xf32>, tensor<3xf32> -> tensor<2x3x4x4xf32>
// CHECK-NEXT: func.return %y : tensor<2x3x4x4xf32>
func.func @instance(%x: tensor<2x3x4x4xf32>, %s: tensor<3xf32>, %b: tensor<3xf32>) -> tensor<*xf32> {
  %y = onnx.InstanceNormalization %x, %s, %b : (tensor<2x3x4x4xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<*xf32>
  return %y : tensor<*xf32>
}

// Squares of neighbouring channels are summed by slices of a padded tensor.

// CHECK-LABEL: func.func @lrn
// CHECK-NEXT: %[[V0:.*]] = graph.mul %x, %x : tensor<1x5x4x4xf32>, tensor<1x5x4x4xf32> -> tensor<1x5x4x4xf32>
// CHECK-NEXT: %[[V1:.*]] = graph.pad %[[V0]] low [0, 1, 0, 0] high [0, 1, 0, 0] with 0.000000e+00 : f32 : tensor<1x5x4x4xf32> -> tensor<1x7x4x4xf32>
// CHECK-NEXT: %[[V2:.*]] = graph.slice %[[V1]] starts [0, 0, 0, 0] ends [1, 5, 4, 4] strides [1, 1, 1, 1] : tensor<1x7x4x4xf32> -> tensor<1x5x4x4xf32>
// CHECK-NEXT: %[[V3:.*]] = graph.slice %[[V1]] starts [0, 1, 0, 0] ends [1, 6, 4, 4] strides [1, 1, 1, 1] : tensor<1x7x4x4xf32> -> tensor<1x5x4x4xf32>
// CHECK-NEXT: %[[V4:.*]] = graph.add %[[V2]], %[[V3]] : tensor<1x5x4x4xf32>, tensor<1x5x4x4xf32> -> tensor<1x5x4x4xf32>
// CHECK-NEXT: %[[V5:.*]] = graph.slice %[[V1]] starts [0, 2, 0, 0] ends [1, 7, 4, 4] strides [1, 1, 1, 1] : tensor<1x7x4x4xf32> -> tensor<1x5x4x4xf32>
// CHECK-NEXT: %[[V6:.*]] = graph.add %[[V4]], %[[V5]] : tensor<1x5x4x4xf32>, tensor<1x5x4x4xf32> -> tensor<1x5x4x4xf32>
// CHECK-NEXT: %[[V7:.*]] = graph.constant dense<3.33333337e-05> : tensor<f32>
// CHECK-NEXT: %[[V8:.*]] = graph.mul %[[V6]], %[[V7]] : tensor<1x5x4x4xf32>, tensor<f32> -> tensor<1x5x4x4xf32>
// CHECK-NEXT: %[[V9:.*]] = graph.constant dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[V10:.*]] = graph.add %[[V8]], %[[V9]] : tensor<1x5x4x4xf32>, tensor<f32> -> tensor<1x5x4x4xf32>
// CHECK-NEXT: %[[V11:.*]] = graph.constant dense<7.500000e-01> : tensor<f32>
// CHECK-NEXT: %[[V12:.*]] = graph.pow %[[V10]], %[[V11]] : tensor<1x5x4x4xf32>, tensor<f32> -> tensor<1x5x4x4xf32>
// CHECK-NEXT: %y = graph.div %x, %[[V12]] : tensor<1x5x4x4xf32>, tensor<1x5x4x4xf32> -> tensor<1x5x4x4xf32>
// CHECK-NEXT: func.return %y : tensor<1x5x4x4xf32>
func.func @lrn(%x: tensor<1x5x4x4xf32>) -> tensor<*xf32> {
  %y = onnx.LRN %x {size = 3 : si64} : (tensor<1x5x4x4xf32>) -> tensor<*xf32>
  return %y : tensor<*xf32>
}

// Vectors of length 1; a vector of zeros stays one.

// CHECK-LABEL: func.func @length
// CHECK-NEXT: %[[V0:.*]] = graph.mul %x, %x : tensor<3x4xf32>, tensor<3x4xf32> -> tensor<3x4xf32>
// CHECK-NEXT: %[[V1:.*]] = graph.reduce sum %[[V0]] axes [1] keepdims : tensor<3x4xf32> -> tensor<3x1xf32>
// CHECK-NEXT: %[[V2:.*]] = graph.sqrt %[[V1]] : tensor<3x1xf32>
// CHECK-NEXT: %[[V3:.*]] = graph.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[V4:.*]] = graph.compare eq, %[[V2]], %[[V3]] : tensor<3x1xf32>, tensor<f32> -> tensor<3x1xi1>
// CHECK-NEXT: %[[V5:.*]] = graph.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[V6:.*]] = graph.div %x, %[[V2]] : tensor<3x4xf32>, tensor<3x1xf32> -> tensor<3x4xf32>
// CHECK-NEXT: %y = graph.where %[[V4]], %[[V5]], %[[V6]] : tensor<3x1xi1>, tensor<f32>, tensor<3x4xf32> -> tensor<3x4xf32>
// CHECK-NEXT: func.return %y : tensor<3x4xf32>
func.func @length(%x: tensor<3x4xf32>) -> tensor<*xf32> {
  %y = onnx.LpNormalization %x {axis = 1 : si64} : (tensor<3x4xf32>) -> tensor<*xf32>
  return %y : tensor<*xf32>
}
