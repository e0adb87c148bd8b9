// RUN: mlc-opt %s --verify-diagnostics --split-input-file

func.func @reshape_c1(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{graph.reshape: tensor<2x3xf32> has 6 elements and 5 has 5; these must be equal (reshape_c1)}}
  %0 = graph.reshape %x : tensor<2x3xf32> -> tensor<5xf32>
  return
}

// -----

func.func @reshape_element_type(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{graph.reshape: the result type is tensor<6xi32>, the operands give tensor<6xf32>}}
  %0 = graph.reshape %x : tensor<2x3xf32> -> tensor<6xi32>
  return
}

// -----

func.func @transpose_c1(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{graph.transpose: [1, 1] does not permute the 2 dimensions of tensor<2x3xf32> (transpose_c1)}}
  %0 = graph.transpose %x [1, 1] : tensor<2x3xf32> -> tensor<3x3xf32>
  return
}
