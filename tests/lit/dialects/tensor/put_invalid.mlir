// RUN: mlc-opt %s --verify-diagnostics --split-input-file

func.func @put_c1(%u: tensor<3x4xf32>, %x: tensor<9x4xf32>, %i: tensor<3xi64>) {
  // expected-error @+1 {{tensor.put: unknown kind 'sub', required one of set, add, mul, max, min, maxnum, maxui, minui (put_c1)}}
  %0 = tensor.put sub %u into %x[i, n] at (i = %i[m]) over (m: 3, n: 4) : tensor<3x4xf32>, tensor<9x4xf32>, tensor<3xi64> -> tensor<9x4xf32>
  return
}

// -----

func.func @put_c2(%u: tensor<3x5xf32>, %x: tensor<9x4xf32>, %i: tensor<3xi64>) {
  // expected-error @+1 {{tensor.put: the updates are tensor<3x5xf32>, the dims and the data give tensor<3x4xf32> (put_c2)}}
  %0 = tensor.put set %u into %x[i, n] at (i = %i[m]) over (m: 3, n: 4) : tensor<3x5xf32>, tensor<9x4xf32>, tensor<3xi64> -> tensor<9x4xf32>
  return
}

// -----

func.func @put_c3(%u: tensor<3x4xf32>, %x: tensor<9x4xf32>, %i: tensor<3xi64>) {
  // expected-error @+1 {{tensor.put: the result type is tensor<8x4xf32>, required tensor<9x4xf32> (put_c3)}}
  %0 = tensor.put set %u into %x[i, n] at (i = %i[m]) over (m: 3, n: 4) : tensor<3x4xf32>, tensor<9x4xf32>, tensor<3xi64> -> tensor<8x4xf32>
  return
}

// -----

func.func @placed_c3(%u: tensor<3x5xf32>, %x: tensor<9x4xf32>, %i: tensor<3xi64>) {
  // expected-error @+1 {{tensor.put: subscript 1 of data runs from 0 to 4, outside of tensor<9x4xf32> (placed_c3)}}
  %0 = tensor.put set %u into %x[i, n] at (i = %i[m]) over (m: 3, n: 5) : tensor<3x5xf32>, tensor<9x4xf32>, tensor<3xi64> -> tensor<9x4xf32>
  return
}

// -----

func.func @put_c4(%u: tensor<3x4xf32>, %x: tensor<9x4xf32>, %i: tensor<3xi64>) {
  // expected-error @+1 {{tensor.put: 'minui' combines unsigned integers, found elements of type f32; use 'min' (put_c4)}}
  %0 = tensor.put minui %u into %x[i, n] at (i = %i[m]) over (m: 3, n: 4) : tensor<3x4xf32>, tensor<9x4xf32>, tensor<3xi64> -> tensor<9x4xf32>
  return
}
