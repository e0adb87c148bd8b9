// RUN: mlc-opt %s --split-input-file --verify-diagnostics

func.func @generate_c1(%z: f32) -> tensor<?xf32> {
  // expected-error @+1 {{tensor.generate: found 0 extents; tensor<?xf32> leaves 1 open (generate_c1)}}
  %y = tensor.generate {
  ^bb0(%i: index):
    tensor.yield %z : f32
  } : tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

func.func @generate_c2(%z: f32) -> tensor<2x3xf32> {
  // expected-error @+1 {{tensor.generate: the body takes (index); required: an index for each dim of tensor<2x3xf32> (generate_c2)}}
  %y = tensor.generate {
  ^bb0(%i: index):
    tensor.yield %z : f32
  } : tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// -----

func.func @generate_c3() -> tensor<2xf32> {
  // expected-error @+1 {{tensor.generate: the body yields (index); required: tensor.yield of f32 (generate_c3)}}
  %y = tensor.generate {
  ^bb0(%i: index):
    tensor.yield %i : index
  } : tensor<2xf32>
  return %y : tensor<2xf32>
}
