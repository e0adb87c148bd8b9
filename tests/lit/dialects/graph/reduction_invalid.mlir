// RUN: mlc-opt %s --verify-diagnostics --split-input-file

func.func @c1(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{graph.reduce: axes are [2]; tensor<2x3xf32> has axes 0 to 1 (reduce_c1)}}
  %0 = graph.reduce sum %x axes [2] : tensor<2x3xf32> -> tensor<2xf32>
  return
}

// -----

func.func @c2(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{graph.reduce: axes are [1, 0]; list each once, in ascending order (reduce_c2)}}
  %0 = graph.reduce sum %x axes [1, 0] : tensor<2x3xf32> -> tensor<f32>
  return
}

// -----

func.func @c3(%x: tensor<2x3xi32>) {
  // expected-error @+1 {{graph.reduce: the mean of tensor<2x3xi32> needs floating-point elements; insert graph.cast (reduce_c3)}}
  %0 = graph.reduce mean %x axes [0] : tensor<2x3xi32> -> tensor<3xi32>
  return
}

// -----

func.func @keeps_no_dims(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{graph.reduce: the result type is tensor<1x3xf32>, the operands give tensor<3xf32>}}
  %0 = graph.reduce sum %x axes [0] : tensor<2x3xf32> -> tensor<1x3xf32>
  return
}

// -----

func.func @argmax_c1(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{graph.argmax: axis is 2; tensor<2x3xf32> has axes 0 to 1 (argmax_c1)}}
  %0 = graph.argmax %x axis 2 : tensor<2x3xf32> -> tensor<2xi64>
  return
}

// -----

func.func @argmin_c2(%x: tensor<2x0xf32>) {
  // expected-error @+1 {{graph.argmin: tensor<2x0xf32> has no elements along axis 1; it needs at least one (argmin_c2)}}
  %0 = graph.argmin %x axis 1 : tensor<2x0xf32> -> tensor<2xi64>
  return
}

// -----

func.func @argmax_keeps_no_dims(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{graph.argmax: the result type is tensor<1x3xi64>, the operands give tensor<3xi64>}}
  %0 = graph.argmax %x axis 0 : tensor<2x3xf32> -> tensor<1x3xi64>
  return
}
