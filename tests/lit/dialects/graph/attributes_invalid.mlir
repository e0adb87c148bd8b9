// RUN: mlc-opt %s --split-input-file --verify-diagnostics

func.func @f(%x: tensor<1x4x8x8xf32>, %w: tensor<4x4x1x1xf32>) -> tensor<1x4x8x8xf32> {
  // expected-error @+1 {{graph.conv2d: unknown attribute 'stride', did you mean 'strides'?}}
  %0 = graph.conv2d %x, %w {stride = array<i64: 2, 2>} : tensor<1x4x8x8xf32>, tensor<4x4x1x1xf32> -> tensor<1x4x8x8xf32>
  return %0 : tensor<1x4x8x8xf32>
}

// -----

func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{graph.relu: unknown attribute 'note'; attributes of your own need a prefix, as in 'my.note'}}
  %0 = graph.relu %x {note = 1} : tensor<4xf32>
  return %0 : tensor<4xf32>
}
