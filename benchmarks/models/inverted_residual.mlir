// An inverted residual of MobileNetV2 (Sandler et al., 2018): 32 channels, expanded six times, at 28 x 28.
func.func @main(%x: tensor<1x28x28x32xf32>) -> tensor<1x28x28x32xf32> {
  %w1 = graph.constant dense_resource<w1> : tensor<1x1x32x192xf32>
  %b1 = graph.constant dense_resource<b1> : tensor<192xf32>
  %w2 = graph.constant dense_resource<w2> : tensor<3x3x1x192xf32>
  %b2 = graph.constant dense_resource<b2> : tensor<192xf32>
  %w3 = graph.constant dense_resource<w3> : tensor<1x1x192x32xf32>
  %b3 = graph.constant dense_resource<b3> : tensor<32xf32>
  %six = graph.constant dense<6.0> : tensor<f32>

  // Expand, with ReLU6.
  %0 = graph.conv2d %x, %w1 {layout = "NHWC"}
      : tensor<1x28x28x32xf32>, tensor<1x1x32x192xf32> -> tensor<1x28x28x192xf32>
  %1 = graph.add %0, %b1 : tensor<1x28x28x192xf32>, tensor<192xf32> -> tensor<1x28x28x192xf32>
  %2 = graph.relu %1 : tensor<1x28x28x192xf32>
  %3 = graph.min %2, %six : tensor<1x28x28x192xf32>, tensor<f32> -> tensor<1x28x28x192xf32>
  // Each channel by itself.
  %4 = graph.conv2d %3, %w2 {layout = "NHWC", padding = array<i64: 1, 1, 1, 1>, groups = 192 : i64}
      : tensor<1x28x28x192xf32>, tensor<3x3x1x192xf32> -> tensor<1x28x28x192xf32>
  %5 = graph.add %4, %b2 : tensor<1x28x28x192xf32>, tensor<192xf32> -> tensor<1x28x28x192xf32>
  %6 = graph.relu %5 : tensor<1x28x28x192xf32>
  %7 = graph.min %6, %six : tensor<1x28x28x192xf32>, tensor<f32> -> tensor<1x28x28x192xf32>
  // Project back, without activation, and add what came in.
  %8 = graph.conv2d %7, %w3 {layout = "NHWC"}
      : tensor<1x28x28x192xf32>, tensor<1x1x192x32xf32> -> tensor<1x28x28x32xf32>
  %9 = graph.add %8, %b3 : tensor<1x28x28x32xf32>, tensor<32xf32> -> tensor<1x28x28x32xf32>
  %y = graph.add %9, %x : tensor<1x28x28x32xf32>, tensor<1x28x28x32xf32> -> tensor<1x28x28x32xf32>
  return %y : tensor<1x28x28x32xf32>
}
