// RUN: mlc-opt %s --convert-onnx-to-graph | filecheck %s

// What slides over images: convolutions and pooling. Padding is given as top, left, bottom, right.

// A bias is added to each channel.

// CHECK-LABEL: func.func @conv
// CHECK-NEXT: %[[V0:.*]] = graph.conv2d %x, %w {strides = array<i64: 2, 2>, padding = array<i64: 1, 1, 1, 1>} : tensor<1x3x8x8xf32>, tensor<6x3x3x3xf32> -> tensor<1x6x4x4xf32>
// CHECK-NEXT: %[[V1:.*]] = graph.reshape %b : tensor<6xf32> -> tensor<6x1x1xf32>
// CHECK-NEXT: %y = graph.add %[[V0]], %[[V1]] : tensor<1x6x4x4xf32>, tensor<6x1x1xf32> -> tensor<1x6x4x4xf32>
// CHECK-NEXT: func.return %y : tensor<1x6x4x4xf32>
func.func @conv(%x: tensor<1x3x8x8xf32>, %w: tensor<6x3x3x3xf32>, %b: tensor<6xf32>) -> tensor<*xf32> {
  %y = onnx.Conv %x, %w, %b {pads = [1, 1, 1, 1], strides = [2, 2]}
      : (tensor<1x3x8x8xf32>, tensor<6x3x3x3xf32>, tensor<6xf32>) -> tensor<*xf32>
  return %y : tensor<*xf32>
}

// SAME_UPPER: of an odd number of rows of padding, more are at the end. A group per channel is depthwise.

// CHECK-LABEL: func.func @same
// CHECK-NEXT: %y = graph.conv2d %x, %w {strides = array<i64: 2, 2>, padding = array<i64: 0, 0, 1, 1>, groups = 3 : i64} : tensor<1x3x8x8xf32>, tensor<3x1x3x3xf32> -> tensor<1x3x4x4xf32>
// CHECK-NEXT: func.return %y : tensor<1x3x4x4xf32>
func.func @same(%x: tensor<1x3x8x8xf32>, %w: tensor<3x1x3x3xf32>) -> tensor<*xf32> {
  %y = onnx.Conv %x, %w {auto_pad = "SAME_UPPER", group = 3 : si64, strides = [2, 2]}
      : (tensor<1x3x8x8xf32>, tensor<3x1x3x3xf32>) -> tensor<*xf32>
  return %y : tensor<*xf32>
}

// Signals are images of one row.

// CHECK-LABEL: func.func @along_a_line
// CHECK-NEXT: %[[V0:.*]] = graph.reshape %x : tensor<1x3x8xf32> -> tensor<1x3x1x8xf32>
// CHECK-NEXT: %[[V1:.*]] = graph.reshape %w : tensor<6x3x3xf32> -> tensor<6x3x1x3xf32>
// CHECK-NEXT: %[[V2:.*]] = graph.conv2d %[[V0]], %[[V1]] : tensor<1x3x1x8xf32>, tensor<6x3x1x3xf32> -> tensor<1x6x1x6xf32>
// CHECK-NEXT: %y = graph.reshape %[[V2]] : tensor<1x6x1x6xf32> -> tensor<1x6x6xf32>
// CHECK-NEXT: func.return %y : tensor<1x6x6xf32>
func.func @along_a_line(%x: tensor<1x3x8xf32>, %w: tensor<6x3x3xf32>) -> tensor<*xf32> {
  %y = onnx.Conv %x, %w : (tensor<1x3x8xf32>, tensor<6x3x3xf32>) -> tensor<*xf32>
  return %y : tensor<*xf32>
}

// The transposed convolution has weights in the order of ONNX.

// CHECK-LABEL: func.func @transposed
// CHECK-NEXT: %y = graph.conv_transpose2d %x, %w {strides = array<i64: 2, 2>} : tensor<1x3x4x4xf32>, tensor<3x2x2x2xf32> -> tensor<1x2x8x8xf32>
// CHECK-NEXT: func.return %y : tensor<1x2x8x8xf32>
func.func @transposed(%x: tensor<1x3x4x4xf32>, %w: tensor<3x2x2x2xf32>) -> tensor<*xf32> {
  %y = onnx.ConvTranspose %x, %w {strides = [2, 2]} : (tensor<1x3x4x4xf32>, tensor<3x2x2x2xf32>) -> tensor<*xf32>
  return %y : tensor<*xf32>
}

// ceil_mode: a window that sticks out at the end counts, so there is padding.

// CHECK-LABEL: func.func @max
// CHECK-NEXT: %y = graph.max_pool2d %x {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, padding = array<i64: 0, 0, 1, 1>} : tensor<1x3x7x7xf32> -> tensor<1x3x4x4xf32>
// CHECK-NEXT: func.return %y : tensor<1x3x4x4xf32>
func.func @max(%x: tensor<1x3x7x7xf32>) -> tensor<*xf32> {
  %y = onnx.MaxPool %x {ceil_mode = 1 : si64, kernel_shape = [2, 2], strides = [2, 2]}
      : (tensor<1x3x7x7xf32>) -> tensor<*xf32>
  return %y : tensor<*xf32>
}

// Padding does not count in an average, unless the model says so.

// CHECK-LABEL: func.func @average
// CHECK-NEXT: %y = graph.avg_pool2d %x {kernel = array<i64: 3, 3>, padding = array<i64: 1, 1, 1, 1>} : tensor<1x3x7x7xf32> -> tensor<1x3x7x7xf32>
// CHECK-NEXT: func.return %y : tensor<1x3x7x7xf32>
func.func @average(%x: tensor<1x3x7x7xf32>) -> tensor<*xf32> {
  %y = onnx.AveragePool %x {kernel_shape = [3, 3], pads = [1, 1, 1, 1]} : (tensor<1x3x7x7xf32>) -> tensor<*xf32>
  return %y : tensor<*xf32>
}

// A window as large as the image is a reduction.

// CHECK-LABEL: func.func @global
// CHECK-NEXT: %y = graph.reduce mean %x axes [2, 3] keepdims : tensor<1x3x7x7xf32> -> tensor<1x3x1x1xf32>
// CHECK-NEXT: func.return %y : tensor<1x3x1x1xf32>
func.func @global(%x: tensor<1x3x7x7xf32>) -> tensor<*xf32> {
  %y = onnx.GlobalAveragePool %x : (tensor<1x3x7x7xf32>) -> tensor<*xf32>
  return %y : tensor<*xf32>
}
