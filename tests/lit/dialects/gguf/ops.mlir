// RUN: mlc-opt %s | mlc-opt | filecheck %s

// A model of one layer: what its file holds is not asked before it is converted.

// CHECK: %logits, %hidden, %keys, %values = gguf.decode "model.gguf"(%tokens, %position, %count, %k, %v) : (tensor<1x16xi64>, tensor<i64>, tensor<i64>, tensor<3x64x512xf32>, tensor<3x512x64xf32>) -> (tensor<1x100xf32>, tensor<1x576xf32>, tensor<3x64x512xf32>, tensor<3x512x64xf32>)
func.func @decode(%tokens: tensor<1x16xi64>, %position: tensor<i64>, %count: tensor<i64>, %k: tensor<3x64x512xf32>, %v: tensor<3x512x64xf32>)
    -> (tensor<1x100xf32>, tensor<1x576xf32>, tensor<3x64x512xf32>, tensor<3x512x64xf32>) {
  %logits, %hidden, %keys, %values = gguf.decode "model.gguf"(%tokens, %position, %count, %k, %v)
      : (tensor<1x16xi64>, tensor<i64>, tensor<i64>, tensor<3x64x512xf32>, tensor<3x512x64xf32>)
      -> (tensor<1x100xf32>, tensor<1x576xf32>, tensor<3x64x512xf32>, tensor<3x512x64xf32>)
  return %logits, %hidden, %keys, %values : tensor<1x100xf32>, tensor<1x576xf32>, tensor<3x64x512xf32>, tensor<3x512x64xf32>
}
