// RUN: mlc-opt %s --verify-diagnostics --split-input-file

// cholesky_c3

func.func @wrong(%x: tensor<3x4xf32>) {
  // expected-error-re @+1 {{the last two dims are equal{{.*}}(cholesky_c3)}}
  %0 = stablehlo.cholesky %x : tensor<3x4xf32>
  return
}

// -----

// triangular_solve_c3

func.func @wrong(%x: tensor<3x3xf32>, %y: tensor<4x2xf32>) {
  // expected-error-re @+1 {{3x3 cannot be solved for 4x2{{.*}}(triangular_solve_c3)}}
  %0 = "stablehlo.triangular_solve"(%x, %y) <{left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : (tensor<3x3xf32>, tensor<4x2xf32>) -> tensor<4x2xf32>
  return
}

// -----

// fft_c2

func.func @wrong(%x: tensor<8xf32>) {
  // expected-error-re @+1 {{RFFT cannot turn tensor<8xf32> into tensor<5xf32>{{.*}}(fft_c2)}}
  %0 = stablehlo.fft %x, type = RFFT, length = [8] : (tensor<8xf32>) -> tensor<5xf32>
  return
}

// -----

// fft_c4

func.func @wrong(%x: tensor<8xf32>) {
  // expected-error-re @+1 {{lengths are [7]; the real tensor is 8{{.*}}(fft_c4)}}
  %0 = stablehlo.fft %x, type = RFFT, length = [7] : (tensor<8xf32>) -> tensor<5xcomplex<f32>>
  return
}

// -----

// fft_c5

func.func @wrong(%x: tensor<8xf32>) {
  // expected-error-re @+1 {{the result is 4; it has to be 5{{.*}}(fft_c5)}}
  %0 = stablehlo.fft %x, type = RFFT, length = [8] : (tensor<8xf32>) -> tensor<4xcomplex<f32>>
  return
}

// -----

// rng_bit_generator_c2

func.func @wrong(%x: tensor<3xui64>) {
  // expected-error-re @+1 {{the state has 3 numbers; THREE_FRY needs 2{{.*}}(rng_bit_generator_c2)}}
  %0, %1 = stablehlo.rng_bit_generator %x, algorithm = THREE_FRY : (tensor<3xui64>) -> (tensor<3xui64>, tensor<4xui32>)
  return
}

// -----

// get_tuple_element_c1

func.func @wrong(%x: tuple<tensor<f32>>) {
  // expected-error-re @+1 {{the index is 1; the tuple has 1 parts{{.*}}(get_tuple_element_c1)}}
  %0 = stablehlo.get_tuple_element %x[1] : (tuple<tensor<f32>>) -> tensor<f32>
  return
}

// -----

// top_k_c1

func.func @wrong(%x: tensor<8xf32>) {
  // expected-error-re @+1 {{k is 9 of 8{{.*}}(top_k_c1)}}
  %0, %1 = chlo.top_k(%x, k = 9) : tensor<8xf32> -> (tensor<9xf32>, tensor<9xi32>)
  return
}

// -----

// broadcast_add_c1

func.func @wrong(%x: tensor<4x8xf32>, %y: tensor<3xf32>) {
  // expected-error-re @+1 {{3 cannot be broadcast to 4x8{{.*}}(broadcast_add_c1)}}
  %0 = chlo.broadcast_add %x, %y : (tensor<4x8xf32>, tensor<3xf32>) -> tensor<4x8xf32>
  return
}
