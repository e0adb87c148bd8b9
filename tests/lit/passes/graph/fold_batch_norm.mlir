// RUN: mlc-opt --fold-batch-norm %s | filecheck %s

// CHECK-LABEL: @after_conv
func.func @after_conv(%x: tensor<1x1x4x4xf32>) -> tensor<1x2x4x4xf32> {
  %w = graph.constant dense_resource<w> : tensor<2x1x1x1xf32>
  %p = graph.constant dense_resource<p> : tensor<2xf32>
  %0 = graph.conv2d %x, %w : tensor<1x1x4x4xf32>, tensor<2x1x1x1xf32> -> tensor<1x2x4x4xf32>
  // CHECK: %[[VAR:.*]] = graph.add %p, %{{.*}} : tensor<2xf32>, tensor<f32> -> tensor<2xf32>
  // CHECK: %[[DEV:.*]] = graph.sqrt %[[VAR]]
  // CHECK: %[[FACTOR:.*]] = graph.div %p, %[[DEV]]
  // CHECK: %[[OFFSET:.*]] = graph.mul %p, %[[FACTOR]]
  // CHECK: %[[SHIFT:.*]] = graph.sub %p, %[[OFFSET]]
  // CHECK: %[[SHIFT1:.*]] = graph.reshape %[[SHIFT]] : tensor<2xf32> -> tensor<2x1x1xf32>
  // CHECK: %[[FACTOR1:.*]] = graph.reshape %[[FACTOR]] : tensor<2xf32> -> tensor<2x1x1x1xf32>
  // CHECK: %[[W:.*]] = graph.mul %w, %[[FACTOR1]] : tensor<2x1x1x1xf32>
  // CHECK: %[[Y:.*]] = graph.conv2d %x, %[[W]]
  // CHECK: %[[Z:.*]] = graph.add %[[Y]], %[[SHIFT1]] : tensor<1x2x4x4xf32>, tensor<2x1x1xf32> -> tensor<1x2x4x4xf32>
  // CHECK: return %[[Z]]
  %1 = graph.batch_norm %0, %p, %p, %p, %p axis 1 epsilon 1.0e-05 : tensor<1x2x4x4xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32> -> tensor<1x2x4x4xf32>
  return %1 : tensor<1x2x4x4xf32>
}

// CHECK-LABEL: @after_matmul_with_bias
func.func @after_matmul_with_bias(%x: tensor<3x1xf32>) -> tensor<3x2xf32> {
  %w = graph.constant dense_resource<v> : tensor<1x2xf32>
  %p = graph.constant dense_resource<p> : tensor<2xf32>
  // CHECK: %[[FACTOR:.*]] = graph.div
  // CHECK: %[[SHIFT:.*]] = graph.sub
  // CHECK: %[[W:.*]] = graph.mul %w, %[[FACTOR]]
  // CHECK: %[[Y:.*]] = graph.matmul %x, %[[W]]
  // CHECK: %[[BIAS:.*]] = graph.mul %p, %[[FACTOR]]
  // CHECK: %[[BIAS1:.*]] = graph.add %[[BIAS]], %[[SHIFT]]
  // CHECK: graph.add %[[Y]], %[[BIAS1]] : tensor<3x2xf32>, tensor<2xf32> -> tensor<3x2xf32>
  // CHECK-NEXT: return
  %0 = graph.matmul %x, %w : tensor<3x1xf32>, tensor<1x2xf32> -> tensor<3x2xf32>
  %1 = graph.add %0, %p : tensor<3x2xf32>, tensor<2xf32> -> tensor<3x2xf32>
  %2 = graph.batch_norm %1, %p, %p, %p, %p axis 1 epsilon 1.0e-05 : tensor<3x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32> -> tensor<3x2xf32>
  return %2 : tensor<3x2xf32>
}

// The convolution's result is read elsewhere too, so its weights stay.
// CHECK-LABEL: @standing_alone
func.func @standing_alone(%x: tensor<1x1x4x4xf32>) -> (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>) {
  %w = graph.constant dense_resource<w> : tensor<2x1x1x1xf32>
  %p = graph.constant dense_resource<p> : tensor<2xf32>
  // CHECK: %[[Y:.*]] = graph.conv2d %x, %w
  %0 = graph.conv2d %x, %w : tensor<1x1x4x4xf32>, tensor<2x1x1x1xf32> -> tensor<1x2x4x4xf32>
  // CHECK: %[[Z:.*]] = graph.mul %[[Y]], %{{.*}} : tensor<1x2x4x4xf32>, tensor<2x1x1xf32> -> tensor<1x2x4x4xf32>
  // CHECK: graph.add %[[Z]], %{{.*}} : tensor<1x2x4x4xf32>, tensor<2x1x1xf32> -> tensor<1x2x4x4xf32>
  %1 = graph.batch_norm %0, %p, %p, %p, %p axis 1 epsilon 1.0e-05 : tensor<1x2x4x4xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32> -> tensor<1x2x4x4xf32>
  return %0, %1 : tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>
}

// CHECK-LABEL: @computed_parameters
func.func @computed_parameters(%x: tensor<3x2xf32>, %p: tensor<2xf32>) -> tensor<3x2xf32> {
  // CHECK-NEXT: graph.batch_norm
  %0 = graph.batch_norm %x, %p, %p, %p, %p axis 1 epsilon 1.0e-05 : tensor<3x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32> -> tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}

{-#
  dialect_resources: {
    builtin: {
      w: "0x040000000000803F00000040",
      v: "0x040000000000803F00000040",
      p: "0x040000000000803F00000040"
    }
  }
#-}

// A factor per row of the image is none per channel, even if there are as many.
// CHECK-LABEL: @other_axis
// CHECK: %[[Y:.*]] = graph.conv2d
// CHECK: graph.mul %[[Y]],
func.func @other_axis(%x: tensor<1x1x2x2xf32>) -> tensor<1x2x2x2xf32> {
  %w = graph.constant dense<[[[[1.0]]], [[[2.0]]]]> : tensor<2x1x1x1xf32>
  %scale = graph.constant dense<[2.0, 3.0]> : tensor<2xf32>
  %bias = graph.constant dense<[10.0, 20.0]> : tensor<2xf32>
  %mean = graph.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %variance = graph.constant dense<[3.0, 3.0]> : tensor<2xf32>
  %0 = graph.conv2d %x, %w : tensor<1x1x2x2xf32>, tensor<2x1x1x1xf32> -> tensor<1x2x2x2xf32>
  %1 = graph.batch_norm %0, %scale, %bias, %mean, %variance axis 2 epsilon 1.0 : tensor<1x2x2x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32> -> tensor<1x2x2x2xf32>
  return %1 : tensor<1x2x2x2xf32>
}

// The sum with the bias is read elsewhere too.
// CHECK-LABEL: @sum_is_read
// CHECK: graph.matmul
// CHECK-NEXT: %[[S:.*]] = graph.add
// CHECK: return %{{.*}}, %[[S]]
func.func @sum_is_read(%x: tensor<3x1xf32>) -> (tensor<3x2xf32>, tensor<3x2xf32>) {
  %w = graph.constant dense<[[1.0, 2.0]]> : tensor<1x2xf32>
  %b = graph.constant dense<[4.0, 5.0]> : tensor<2xf32>
  %scale = graph.constant dense<[2.0, 3.0]> : tensor<2xf32>
  %bias = graph.constant dense<[10.0, 20.0]> : tensor<2xf32>
  %mean = graph.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %variance = graph.constant dense<[3.0, 3.0]> : tensor<2xf32>
  %0 = graph.matmul %x, %w : tensor<3x1xf32>, tensor<1x2xf32> -> tensor<3x2xf32>
  %1 = graph.add %0, %b : tensor<3x2xf32>, tensor<2xf32> -> tensor<3x2xf32>
  %2 = graph.batch_norm %1, %scale, %bias, %mean, %variance axis 1 epsilon 1.0 : tensor<3x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32> -> tensor<3x2xf32>
  return %2, %1 : tensor<3x2xf32>, tensor<3x2xf32>
}
