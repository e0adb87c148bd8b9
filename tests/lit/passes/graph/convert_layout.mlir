// RUN: mlc-opt --convert-layout %s | filecheck %s

// CHECK-LABEL: @chain
func.func @chain(%x: tensor<1x3x8x8xf32>, %w: tensor<16x3x3x3xf32>, %b: tensor<16x1x1xf32>, %v: tensor<4x16x3x3xf32>) -> tensor<1x4x2x2xf32> {
  // CHECK-DAG: %[[W:.*]] = graph.transpose %w [2, 3, 1, 0] : tensor<16x3x3x3xf32> -> tensor<3x3x3x16xf32>
  // CHECK-DAG: %[[V:.*]] = graph.transpose %v [2, 3, 1, 0] : tensor<4x16x3x3xf32> -> tensor<3x3x16x4xf32>
  // CHECK-DAG: %[[B:.*]] = graph.reshape %b : tensor<16x1x1xf32> -> tensor<16xf32>
  // CHECK-DAG: %[[X:.*]] = graph.transpose %x [0, 2, 3, 1] : tensor<1x3x8x8xf32> -> tensor<1x8x8x3xf32>
  // CHECK: %[[C:.*]] = graph.conv2d %[[X]], %[[W]] {{.*}}layout = "NHWC"{{.*}} -> tensor<1x8x8x16xf32>
  %0 = graph.conv2d %x, %w {padding = array<i64: 1, 1, 1, 1>} : tensor<1x3x8x8xf32>, tensor<16x3x3x3xf32> -> tensor<1x16x8x8xf32>
  // CHECK-NEXT: %[[A:.*]] = graph.add %[[C]], %[[B]] : tensor<1x8x8x16xf32>, tensor<16xf32> -> tensor<1x8x8x16xf32>
  %1 = graph.add %0, %b : tensor<1x16x8x8xf32>, tensor<16x1x1xf32> -> tensor<1x16x8x8xf32>
  // CHECK-NEXT: %[[R:.*]] = graph.relu %[[A]]
  %2 = graph.relu %1 : tensor<1x16x8x8xf32>
  // CHECK-NEXT: %[[P:.*]] = graph.max_pool2d %[[R]] {{.*}}layout = "NHWC"{{.*}} -> tensor<1x4x4x16xf32>
  %3 = graph.max_pool2d %2 {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>} : tensor<1x16x8x8xf32> -> tensor<1x16x4x4xf32>
  // CHECK-NEXT: %[[D:.*]] = graph.conv2d %[[P]], %[[V]]
  %4 = graph.conv2d %3, %v : tensor<1x16x4x4xf32>, tensor<4x16x3x3xf32> -> tensor<1x4x2x2xf32>
  // CHECK-NEXT: %[[Y:.*]] = graph.transpose %[[D]] [0, 3, 1, 2] : tensor<1x2x2x4xf32> -> tensor<1x4x2x2xf32>
  // CHECK-NEXT: return %[[Y]]
  return %4 : tensor<1x4x2x2xf32>
}

// Only dimensions of extent 1 move: reshapes.
// CHECK-LABEL: @unit_dimensions
func.func @unit_dimensions(%x: tensor<1x1x8x8xf32>, %w: tensor<4x1x8x8xf32>) -> tensor<1x4xf32> {
  // CHECK: %[[X:.*]] = graph.reshape %x : tensor<1x1x8x8xf32> -> tensor<1x8x8x1xf32>
  // CHECK: %[[C:.*]] = graph.conv2d %[[X]]
  // CHECK-NEXT: %[[Y:.*]] = graph.reshape %[[C]] : tensor<1x1x1x4xf32> -> tensor<1x4xf32>
  // CHECK-NEXT: return %[[Y]]
  %0 = graph.conv2d %x, %w : tensor<1x1x8x8xf32>, tensor<4x1x8x8xf32> -> tensor<1x4x1x1xf32>
  %1 = graph.reshape %0 : tensor<1x4x1x1xf32> -> tensor<1x4xf32>
  return %1 : tensor<1x4xf32>
}

// Axes of other ops follow; what is left of a reduction over height and width needs no transpose.
// CHECK-LABEL: @axes
func.func @axes(%x: tensor<2x3x8x8xf32>, %w: tensor<4x3x1x1xf32>, %p: tensor<8xf32>) -> tensor<2x8xf32> {
  %0 = graph.conv2d %x, %w : tensor<2x3x8x8xf32>, tensor<4x3x1x1xf32> -> tensor<2x4x8x8xf32>
  // CHECK: graph.concat %{{.*}} axis 3 : {{.*}} -> tensor<2x8x8x8xf32>
  %1 = graph.concat %0, %0 axis 1 : tensor<2x4x8x8xf32>, tensor<2x4x8x8xf32> -> tensor<2x8x8x8xf32>
  // CHECK-NEXT: graph.pad %{{.*}} low [0, 1, 0, 0] high [0, 0, 2, 0]
  %2 = graph.pad %1 low [0, 0, 1, 0] high [0, 0, 0, 2] with 0.0 : f32 : tensor<2x8x8x8xf32> -> tensor<2x8x9x10xf32>
  // CHECK-NEXT: graph.slice %{{.*}} starts [0, 1, 2, 0] ends [2, 9, 10, 8] strides [1, 1, 2, 1]
  %3 = graph.slice %2 starts [0, 0, 1, 2] ends [2, 8, 9, 10] strides [1, 1, 1, 2] : tensor<2x8x9x10xf32> -> tensor<2x8x8x4xf32>
  // CHECK-NEXT: graph.batch_norm %{{.*}} axis 3
  %4 = graph.batch_norm %3, %p, %p, %p, %p axis 1 epsilon 1.0e-05 : tensor<2x8x8x4xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32> -> tensor<2x8x8x4xf32>
  // CHECK-NEXT: graph.softmax %{{.*}} axis 3
  %5 = graph.softmax %4 axis 1 : tensor<2x8x8x4xf32>
  // CHECK-NEXT: %[[Y:.*]] = graph.reduce mean %{{.*}} axes [1, 2] : tensor<2x8x4x8xf32> -> tensor<2x8xf32>
  %6 = graph.reduce mean %5 axes [2, 3] : tensor<2x8x8x4xf32> -> tensor<2x8xf32>
  // CHECK-NEXT: return %[[Y]]
  return %6 : tensor<2x8xf32>
}

// A transpose to channels last, as other frameworks' models have, is what the conversion did anyway.
// CHECK-LABEL: @transposed_anyway
func.func @transposed_anyway(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x1x1xf32>) -> tensor<1x8x8x4xf32> {
  // CHECK: %[[C:.*]] = graph.conv2d
  %0 = graph.conv2d %x, %w : tensor<1x3x8x8xf32>, tensor<4x3x1x1xf32> -> tensor<1x4x8x8xf32>
  %1 = graph.transpose %0 [0, 2, 3, 1] : tensor<1x4x8x8xf32> -> tensor<1x8x8x4xf32>
  // CHECK-NEXT: return %[[C]]
  return %1 : tensor<1x8x8x4xf32>
}

// Without a convolution or a pool there is no reason to change anything.
// CHECK-LABEL: @no_images
func.func @no_images(%x: tensor<1x3x8x8xf32>) -> tensor<1x3x8x8xf32> {
  // CHECK-NEXT: graph.relu %x : tensor<1x3x8x8xf32>
  // CHECK-NEXT: return
  %0 = graph.relu %x : tensor<1x3x8x8xf32>
  return %0 : tensor<1x3x8x8xf32>
}

// CHECK-LABEL: @channels_last_already
func.func @channels_last_already(%x: tensor<1x8x8x3xf32>, %w: tensor<1x1x3x4xf32>) -> tensor<1x8x8x4xf32> {
  // CHECK-NEXT: graph.conv2d %x, %w
  // CHECK-NEXT: return
  %0 = graph.conv2d %x, %w {layout = "NHWC"} : tensor<1x8x8x3xf32>, tensor<1x1x3x4xf32> -> tensor<1x8x8x4xf32>
  return %0 : tensor<1x8x8x4xf32>
}

// CHECK-LABEL: @upsample_and_classify
func.func @upsample_and_classify(%x: tensor<2x8x4x4xf32>, %w: tensor<8x6x2x2xf32>, %s: tensor<6xf32>) -> tensor<2x8x8xi64> {
  // CHECK-DAG: %[[X:.*]] = graph.transpose %x [0, 2, 3, 1]
  // CHECK-DAG: %[[W:.*]] = graph.transpose %w [2, 3, 0, 1] : tensor<8x6x2x2xf32> -> tensor<2x2x8x6xf32>
  // CHECK: graph.conv_transpose2d %[[X]], %[[W]] {strides = array<i64: 2, 2>, layout = "NHWC"} : tensor<2x4x4x8xf32>, tensor<2x2x8x6xf32> -> tensor<2x8x8x6xf32>
  %0 = graph.conv_transpose2d %x, %w {strides = array<i64: 2, 2>} : tensor<2x8x4x4xf32>, tensor<8x6x2x2xf32> -> tensor<2x6x8x8xf32>
  // CHECK-NEXT: graph.group_norm %{{.*}}, %s, %s axis 3 groups 3
  %1 = graph.group_norm %0, %s, %s axis 1 groups 3 epsilon 1.0e-05 : tensor<2x6x8x8xf32>, tensor<6xf32>, tensor<6xf32> -> tensor<2x6x8x8xf32>
  // CHECK-NEXT: %[[Y:.*]] = graph.argmax %{{.*}} axis 3 : tensor<2x8x8x6xf32> -> tensor<2x8x8xi64>
  %2 = graph.argmax %1 axis 1 : tensor<2x6x8x8xf32> -> tensor<2x8x8xi64>
  // CHECK-NEXT: return %[[Y]]
  return %2 : tensor<2x8x8xi64>
}

// The position along another axis leaves channels in front of it.
// CHECK-LABEL: @argmax_of_columns
func.func @argmax_of_columns(%x: tensor<2x8x4x4xf32>, %w: tensor<3x8x1x1xf32>) -> tensor<2x3x4xi64> {
  // CHECK: graph.conv2d
  // CHECK: graph.argmax %{{.*}} axis 3 : tensor<2x3x4x4xf32> -> tensor<2x3x4xi64>
  %0 = graph.conv2d %x, %w : tensor<2x8x4x4xf32>, tensor<3x8x1x1xf32> -> tensor<2x3x4x4xf32>
  %1 = graph.argmax %0 axis 3 : tensor<2x3x4x4xf32> -> tensor<2x3x4xi64>
  return %1 : tensor<2x3x4xi64>
}

// CHECK-LABEL: @volumes
func.func @volumes(%x: tensor<1x3x4x8x8xf32>, %w: tensor<5x3x3x3x3xf32>, %b: tensor<5x1x1x1xf32>) -> tensor<1x5x1x3x3xf32> {
  // CHECK-DAG: %[[X:.*]] = graph.transpose %x [0, 2, 3, 4, 1]
  // CHECK-DAG: %[[W:.*]] = graph.transpose %w [2, 3, 4, 1, 0] : tensor<5x3x3x3x3xf32> -> tensor<3x3x3x3x5xf32>
  // CHECK-DAG: %[[B:.*]] = graph.reshape %b : tensor<5x1x1x1xf32> -> tensor<5xf32>
  // CHECK: %[[C:.*]] = graph.conv3d %[[X]], %[[W]] {layout = "NDHWC"} : tensor<1x4x8x8x3xf32>, tensor<3x3x3x3x5xf32> -> tensor<1x2x6x6x5xf32>
  %0 = graph.conv3d %x, %w : tensor<1x3x4x8x8xf32>, tensor<5x3x3x3x3xf32> -> tensor<1x5x2x6x6xf32>
  // CHECK-NEXT: %[[A:.*]] = graph.add %[[C]], %[[B]] : tensor<1x2x6x6x5xf32>, tensor<5xf32> -> tensor<1x2x6x6x5xf32>
  %1 = graph.add %0, %b : tensor<1x5x2x6x6xf32>, tensor<5x1x1x1xf32> -> tensor<1x5x2x6x6xf32>
  // CHECK-NEXT: %[[P:.*]] = graph.max_pool3d %[[A]] {{{.*}}layout = "NDHWC"}
  %2 = graph.max_pool3d %1 {kernel = array<i64: 2, 2, 2>, strides = array<i64: 1, 2, 2>} : tensor<1x5x2x6x6xf32> -> tensor<1x5x1x3x3xf32>
  // CHECK-NEXT: graph.transpose %[[P]] [0, 4, 1, 2, 3]
  return %2 : tensor<1x5x1x3x3xf32>
}

// A value of four dimensions that is broadcast into one of five keeps its own order.
// CHECK-LABEL: @into_more_dimensions
func.func @into_more_dimensions(%x: tensor<1x3x4x4xf32>, %w: tensor<5x3x1x1xf32>, %y: tensor<2x1x5x4x4xf32>) -> tensor<2x1x5x4x4xf32> {
  // CHECK: %[[C:.*]] = graph.conv2d
  // CHECK-NEXT: %[[T:.*]] = graph.transpose %[[C]] [0, 3, 1, 2]
  // CHECK-NEXT: graph.add %[[T]], %y
  %0 = graph.conv2d %x, %w : tensor<1x3x4x4xf32>, tensor<5x3x1x1xf32> -> tensor<1x5x4x4xf32>
  %1 = graph.add %0, %y : tensor<1x5x4x4xf32>, tensor<2x1x5x4x4xf32> -> tensor<2x1x5x4x4xf32>
  return %1 : tensor<2x1x5x4x4xf32>
}
