// A bottleneck block of ResNet-50's first stage (He et al., 2015), batch norms folded into weights and biases.
func.func @main(%x: tensor<1x56x56x256xf32>) -> tensor<1x56x56x256xf32> {
  %w1 = graph.constant dense_resource<w1> : tensor<1x1x256x64xf32>
  %b1 = graph.constant dense_resource<b1> : tensor<64xf32>
  %w2 = graph.constant dense_resource<w2> : tensor<3x3x64x64xf32>
  %b2 = graph.constant dense_resource<b2> : tensor<64xf32>
  %w3 = graph.constant dense_resource<w3> : tensor<1x1x64x256xf32>
  %b3 = graph.constant dense_resource<b3> : tensor<256xf32>

  // Narrow.
  %0 = graph.conv2d %x, %w1 {layout = "NHWC"}
      : tensor<1x56x56x256xf32>, tensor<1x1x256x64xf32> -> tensor<1x56x56x64xf32>
  %1 = graph.add %0, %b1 : tensor<1x56x56x64xf32>, tensor<64xf32> -> tensor<1x56x56x64xf32>
  %2 = graph.relu %1 : tensor<1x56x56x64xf32>
  // Look around.
  %3 = graph.conv2d %2, %w2 {layout = "NHWC", padding = array<i64: 1, 1, 1, 1>}
      : tensor<1x56x56x64xf32>, tensor<3x3x64x64xf32> -> tensor<1x56x56x64xf32>
  %4 = graph.add %3, %b2 : tensor<1x56x56x64xf32>, tensor<64xf32> -> tensor<1x56x56x64xf32>
  %5 = graph.relu %4 : tensor<1x56x56x64xf32>
  // Widen, and add what came in.
  %6 = graph.conv2d %5, %w3 {layout = "NHWC"}
      : tensor<1x56x56x64xf32>, tensor<1x1x64x256xf32> -> tensor<1x56x56x256xf32>
  %7 = graph.add %6, %b3 : tensor<1x56x56x256xf32>, tensor<256xf32> -> tensor<1x56x56x256xf32>
  %8 = graph.add %7, %x : tensor<1x56x56x256xf32>, tensor<1x56x56x256xf32> -> tensor<1x56x56x256xf32>
  %y = graph.relu %8 : tensor<1x56x56x256xf32>
  return %y : tensor<1x56x56x256xf32>
}
