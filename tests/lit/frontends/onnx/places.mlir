// RUN: mlc-opt %s --convert-onnx-to-graph | filecheck %s

// All axes but one are the point's own.
// CHECK-LABEL: func.func @along_an_axis
// CHECK-NEXT: %[[I:.*]] = graph.reshape %i : tensor<2x5xi64> -> tensor<2x5x1xi64>
// CHECK-NEXT: %g = graph.gather_nd %x, %[[I]] axes [1] own [0] : tensor<2x9xf32>, tensor<2x5x1xi64> -> tensor<2x5xf32>
// CHECK-NEXT: %[[J:.*]] = graph.reshape %i
// CHECK-NEXT: %s = graph.scatter_nd max %x, %[[J]], %g axes [1] own [0]
func.func @along_an_axis(%x: tensor<2x9xf32>, %i: tensor<2x5xi64>) -> tensor<2x9xf32> {
  %g = onnx.GatherElements %x, %i {axis = -1 : i64} : (tensor<2x9xf32>, tensor<2x5xi64>) -> tensor<2x5xf32>
  %s = onnx.ScatterElements %x, %i, %g {axis = 1 : i64, reduction = "max"}
      : (tensor<2x9xf32>, tensor<2x5xi64>, tensor<2x5xf32>) -> tensor<2x9xf32>
  return %s : tensor<2x9xf32>
}

// Dims of a batch are own axes.
// CHECK-LABEL: func.func @coordinates
// CHECK-NEXT: %g = graph.gather_nd %x, %i axes [1] own [0] : tensor<6x9x4xf32>, tensor<6x5x1xi64> -> tensor<6x5x4xf32>
// CHECK-NEXT: %s = graph.scatter_nd set %x, %j, %u axes [0, 1] : tensor<6x9x4xf32>, tensor<3x2xi64>, tensor<3x4xf32> -> tensor<6x9x4xf32>
func.func @coordinates(%x: tensor<6x9x4xf32>, %i: tensor<6x5x1xi64>, %j: tensor<3x2xi64>, %u: tensor<3x4xf32>) -> (tensor<6x5x4xf32>, tensor<6x9x4xf32>) {
  %g = onnx.GatherND %x, %i {batch_dims = 1 : i64} : (tensor<6x9x4xf32>, tensor<6x5x1xi64>) -> tensor<6x5x4xf32>
  %s = onnx.ScatterND %x, %j, %u : (tensor<6x9x4xf32>, tensor<3x2xi64>, tensor<3x4xf32>) -> tensor<6x9x4xf32>
  return %g, %s : tensor<6x5x4xf32>, tensor<6x9x4xf32>
}

// The rows of an update go into a cache from an index of each batch on.
// CHECK-LABEL: func.func @cache
// CHECK: %[[AT:.*]] = graph.add
// CHECK: %y = graph.scatter_nd set %x, %{{.*}}, %u axes [2] own [0, 1] : tensor<2x3x9x4xf32>, tensor<2x3x5x1xi64>, tensor<2x3x5x4xf32> -> tensor<2x3x9x4xf32>
func.func @cache(%x: tensor<2x3x9x4xf32>, %u: tensor<2x3x5x4xf32>, %at: tensor<2xi64>) -> tensor<2x3x9x4xf32> {
  %y = onnx.TensorScatter %x, %u, %at : (tensor<2x3x9x4xf32>, tensor<2x3x5x4xf32>, tensor<2xi64>) -> tensor<2x3x9x4xf32>
  return %y : tensor<2x3x9x4xf32>
}

// Positions first; the elements are read there.
// CHECK-LABEL: func.func @top_k
// CHECK-NEXT: %[[I:.*]] = graph.argsort %x axis 1 descending first 3 : tensor<2x9xf32> -> tensor<2x3xi64>
// CHECK-NEXT: %[[J:.*]] = graph.reshape %[[I]] : tensor<2x3xi64> -> tensor<2x3x1xi64>
// CHECK-NEXT: graph.gather_nd %x, %[[J]] axes [1] own [0]
// CHECK: graph.argsort %x axis 0 first 2
func.func @top_k(%x: tensor<2x9xf32>) -> (tensor<2x3xf32>, tensor<2x3xi64>, tensor<2x9xf32>) {
  %three = onnx.Constant {value_ints = [3 : i64]} : () -> tensor<1xi64>
  %two = onnx.Constant {value_ints = [2 : i64]} : () -> tensor<1xi64>
  %v, %i = onnx.TopK %x, %three : (tensor<2x9xf32>, tensor<1xi64>) -> (tensor<2x3xf32>, tensor<2x3xi64>)
  %w, %j = onnx.TopK %x, %two {axis = 0 : i64, largest = 0 : i64} : (tensor<2x9xf32>, tensor<1xi64>) -> (tensor<2x9xf32>, tensor<2x9xi64>)
  return %v, %i, %w : tensor<2x3xf32>, tensor<2x3xi64>, tensor<2x9xf32>
}
