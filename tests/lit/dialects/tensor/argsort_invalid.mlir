// RUN: mlc-opt %s --verify-diagnostics --split-input-file

func.func @keys_c1_rank(%x: tensor<10xi32>) {
  // expected-error @+1 {{tensor.argsort: takes rows of signed integers, got tensor<10xi32> (keys_c1)}}
  %0 = tensor.argsort %x first 3 : tensor<10xi32> -> tensor<3xi64>
  return
}

// -----

func.func @keys_c1_element(%x: tensor<4x10xf32>) {
  // expected-error @+1 {{tensor.top_k: takes rows of signed integers, got tensor<4x10xf32> (keys_c1)}}
  %0 = tensor.top_k %x first 3 : tensor<4x10xf32> -> tensor<4x3xi64>
  return
}

// -----

func.func @keys_c2(%x: tensor<4x10xi32>) {
  // expected-error @+1 {{tensor.top_k: the first 11 of a row are wanted, got tensor<4x10xi32> (keys_c2)}}
  %0 = tensor.top_k %x first 11 : tensor<4x10xi32> -> tensor<4x11xi64>
  return
}

// -----

func.func @keys_c3(%x: tensor<4x10xi32>) {
  // expected-error @+1 {{tensor.argsort: the result is tensor<4x3xi32>, required tensor<4x3xi64> (keys_c3)}}
  %0 = tensor.argsort %x first 3 : tensor<4x10xi32> -> tensor<4x3xi32>
  return
}
