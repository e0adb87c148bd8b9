// RUN: mlc-opt %s --verify-diagnostics --split-input-file

func.func @float_op_on_integers(%x: tensor<4xi32>) {
  // expected-error @+1 {{i32}}
  %0 = graph.exp %x : tensor<4xi32>
  return
}

// -----

func.func @bit_op_on_floats(%x: tensor<4xf32>) {
  // expected-error @+1 {{f32}}
  %0 = graph.not %x : tensor<4xf32>
  return
}

// -----

func.func @unknown_approximation(%x: tensor<4xf32>) {
  // expected-error @+1 {{graph.gelu: approximate is "erf"; use "none" or "tanh" (gelu_c1)}}
  %0 = graph.gelu %x approximate "erf" : tensor<4xf32>
  return
}

// -----

func.func @negative_unsigned(%x: tensor<4xui8>) -> tensor<4xui8> {
  // expected-error @+1 {{'graph.neg': operand 'input' is of type tensor<4xui8>; required: one of}}
  %0 = graph.neg %x : tensor<4xui8>
  return %0 : tensor<4xui8>
}
