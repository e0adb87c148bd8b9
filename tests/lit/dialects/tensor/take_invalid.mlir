// RUN: mlc-opt %s --verify-diagnostics --split-input-file

func.func @placed_c1_names(%x: tensor<9x4xf32>, %i: tensor<3xi64>) {
  // expected-error @+1 {{dims and coordinates must have distinct names, and sizes that are not negative, got m, n, n and sizes 3, 4 (placed_c1)}}
  %0 = tensor.take %x[n, n] at (n = %i[m]) over (m: 3, n: 4) : tensor<9x4xf32>, tensor<3xi64> -> tensor<3x4xf32>
  return
}

// -----

func.func @placed_c1_sizes(%x: tensor<9x4xf32>, %i: tensor<3xi64>) {
  // expected-error @+1 {{got m, n, i and sizes 3, -4 (placed_c1)}}
  %0 = tensor.take %x[i, n] at (i = %i[m]) over (m: 3, n: -4) : tensor<9x4xf32>, tensor<3xi64> -> tensor<3x4xf32>
  return
}

// -----

func.func @placed_c2_outside(%x: tensor<9x4xf32>, %i: tensor<3xi64>) {
  // expected-error @+1 {{subscript 0 of the index tensor of i runs from 1 to 3, outside of tensor<3xi64> (placed_c2)}}
  %0 = tensor.take %x[i, n] at (i = %i[m + 1]) over (m: 3, n: 4) : tensor<9x4xf32>, tensor<3xi64> -> tensor<3x4xf32>
  return
}

// -----

func.func @placed_c2_rank(%x: tensor<9x4xf32>, %i: tensor<3xi64>) {
  // expected-error @+1 {{2 subscripts for the index tensor of i, tensor<3xi64> (placed_c2)}}
  %0 = tensor.take %x[i, n] at (i = %i[m, n]) over (m: 3, n: 4) : tensor<9x4xf32>, tensor<3xi64> -> tensor<3x4xf32>
  return
}

// -----

func.func @placed_c2_coordinate(%x: tensor<9x4xf32>, %i: tensor<3xi64>) {
  // expected-error @+1 {{subscript 0 of the index tensor of i computes with a coordinate; required: dims (placed_c2)}}
  %0 = tensor.take %x[i, n] at (i = %i[i]) over (m: 3, n: 4) : tensor<9x4xf32>, tensor<3xi64> -> tensor<3x4xf32>
  return
}

// -----

func.func @placed_c3_outside(%x: tensor<9x4xf32>, %i: tensor<3xi64>) {
  // expected-error @+1 {{subscript 1 of data runs from 0 to 4, outside of tensor<9x4xf32> (placed_c3)}}
  %0 = tensor.take %x[i, n] at (i = %i[m]) over (m: 3, n: 5) : tensor<9x4xf32>, tensor<3xi64> -> tensor<3x5xf32>
  return
}

// -----

func.func @placed_c3_rank(%x: tensor<9x4xf32>, %i: tensor<3xi64>) {
  // expected-error @+1 {{1 subscripts for data, tensor<9x4xf32> (placed_c3)}}
  %0 = tensor.take %x[i] at (i = %i[m]) over (m: 3, n: 4) : tensor<9x4xf32>, tensor<3xi64> -> tensor<3x4xf32>
  return
}

// -----

func.func @placed_c3_computes(%x: tensor<9x4xf32>, %i: tensor<3xi64>) {
  // expected-error @+1 {{subscript 0 of data computes with a coordinate; required: dims (placed_c3)}}
  %0 = tensor.take %x[i + 1, n] at (i = %i[m]) over (m: 3, n: 4) : tensor<9x4xf32>, tensor<3xi64> -> tensor<3x4xf32>
  return
}

// -----

func.func @placed_c4_unused(%x: tensor<9x4xf32>, %i: tensor<3xi64>) {
  // expected-error @+1 {{each coordinate must be the subscript of one axis (placed_c4)}}
  %0 = tensor.take %x[m, n] at (i = %i[m]) over (m: 3, n: 4) : tensor<9x4xf32>, tensor<3xi64> -> tensor<3x4xf32>
  return
}

// -----

func.func @placed_c4_twice(%x: tensor<9x4xf32>, %i: tensor<3xi64>) {
  // expected-error @+1 {{each coordinate must be the subscript of one axis (placed_c4)}}
  %0 = tensor.take %x[i, i] at (i = %i[m]) over (m: 3) : tensor<9x4xf32>, tensor<3xi64> -> tensor<3xf32>
  return
}

// -----

func.func @placed_c4_empty(%x: tensor<0x4xf32>, %i: tensor<3xi64>) {
  // expected-error @+1 {{a coordinate subscripts an axis of tensor<0x4xf32> without elements (placed_c4)}}
  %0 = tensor.take %x[i, n] at (i = %i[m]) over (m: 3, n: 4) : tensor<0x4xf32>, tensor<3xi64> -> tensor<3x4xf32>
  return
}

// -----

func.func @take_c1(%x: tensor<9x4xf32>, %i: tensor<3xi64>) {
  // expected-error @+1 {{tensor.take: the result type is tensor<3x5xf32>, the dims and the data give tensor<3x4xf32> (take_c1)}}
  %0 = tensor.take %x[i, n] at (i = %i[m]) over (m: 3, n: 4) : tensor<9x4xf32>, tensor<3xi64> -> tensor<3x5xf32>
  return
}

// -----

func.func @unknown_name(%x: tensor<9x4xf32>, %i: tensor<3xi64>) {
  // expected-error @+1 {{subscript 'k' is not one of the dims and coordinates m, n, i}}
  %0 = tensor.take %x[i, k] at (i = %i[m]) over (m: 3, n: 4) : tensor<9x4xf32>, tensor<3xi64> -> tensor<3x4xf32>
  return
}
