// A handwritten digit, 8x8 pixels in 0..1, to one score per class. Trained by train.py.
func.func @main(%image: tensor<1x8x8xf32>) -> tensor<1x10xf32> {
  %x = graph.reshape %image : tensor<1x8x8xf32> -> tensor<1x1x8x8xf32>

  %w1 = graph.constant dense_resource<conv1.weight> : tensor<16x1x3x3xf32>
  %s1 = graph.constant dense_resource<norm1.scale> : tensor<16xf32>
  %b1 = graph.constant dense_resource<norm1.bias> : tensor<16xf32>
  %m1 = graph.constant dense_resource<norm1.mean> : tensor<16xf32>
  %v1 = graph.constant dense_resource<norm1.var> : tensor<16xf32>
  %0 = graph.conv2d %x, %w1 {padding = array<i64: 1, 1, 1, 1>} : tensor<1x1x8x8xf32>, tensor<16x1x3x3xf32> -> tensor<1x16x8x8xf32>
  %1 = graph.batch_norm %0, %s1, %b1, %m1, %v1 axis 1 epsilon 1.0e-05
    : tensor<1x16x8x8xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32> -> tensor<1x16x8x8xf32>
  %2 = graph.relu %1 : tensor<1x16x8x8xf32>

  %w2 = graph.constant dense_resource<conv2.weight> : tensor<32x16x3x3xf32>
  %s2 = graph.constant dense_resource<norm2.scale> : tensor<32xf32>
  %b2 = graph.constant dense_resource<norm2.bias> : tensor<32xf32>
  %m2 = graph.constant dense_resource<norm2.mean> : tensor<32xf32>
  %v2 = graph.constant dense_resource<norm2.var> : tensor<32xf32>
  %3 = graph.conv2d %2, %w2 {padding = array<i64: 1, 1, 1, 1>} : tensor<1x16x8x8xf32>, tensor<32x16x3x3xf32> -> tensor<1x32x8x8xf32>
  %4 = graph.batch_norm %3, %s2, %b2, %m2, %v2 axis 1 epsilon 1.0e-05
    : tensor<1x32x8x8xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32> -> tensor<1x32x8x8xf32>
  %5 = graph.relu %4 : tensor<1x32x8x8xf32>

  %6 = graph.max_pool2d %5 {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>} : tensor<1x32x8x8xf32> -> tensor<1x32x4x4xf32>
  %w3 = graph.constant dense_resource<fc.weight> : tensor<512x10xf32>
  %b3 = graph.constant dense_resource<fc.bias> : tensor<10xf32>
  %7 = graph.reshape %6 : tensor<1x32x4x4xf32> -> tensor<1x512xf32>
  %8 = graph.matmul %7, %w3 : tensor<1x512xf32>, tensor<512x10xf32> -> tensor<1x10xf32>
  %scores = graph.add %8, %b3 : tensor<1x10xf32>, tensor<10xf32> -> tensor<1x10xf32>
  return %scores : tensor<1x10xf32>
}

{-#
  external_resources: { mlc: { weights: "cnn.safetensors" } }
#-}
