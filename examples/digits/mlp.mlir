// A handwritten digit, 8x8 pixels in 0..1, to one score per class. Trained by train.py.
func.func @main(%image: tensor<1x8x8xf32>) -> tensor<1x10xf32> {
  %w1 = graph.constant dense_resource<fc1.weight> : tensor<64x200xf32>
  %b1 = graph.constant dense_resource<fc1.bias> : tensor<200xf32>
  %w2 = graph.constant dense_resource<fc2.weight> : tensor<200x10xf32>
  %b2 = graph.constant dense_resource<fc2.bias> : tensor<10xf32>

  %x = graph.reshape %image : tensor<1x8x8xf32> -> tensor<1x64xf32>
  %0 = graph.matmul %x, %w1 : tensor<1x64xf32>, tensor<64x200xf32> -> tensor<1x200xf32>
  %1 = graph.add %0, %b1 : tensor<1x200xf32>, tensor<200xf32> -> tensor<1x200xf32>
  %2 = graph.relu %1 : tensor<1x200xf32>
  %3 = graph.matmul %2, %w2 : tensor<1x200xf32>, tensor<200x10xf32> -> tensor<1x10xf32>
  %scores = graph.add %3, %b2 : tensor<1x10xf32>, tensor<10xf32> -> tensor<1x10xf32>
  return %scores : tensor<1x10xf32>
}

{-#
  external_resources: { mlc: { weights: "mlp.safetensors" } }
#-}
