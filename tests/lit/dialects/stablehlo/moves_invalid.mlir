// RUN: mlc-opt %s --verify-diagnostics --split-input-file

// constant_c1

func.func @wrong() {
  // expected-error-re @+1 {{the data is of type tensor<2xf32>; the result is of type tensor<3xf32>{{.*}}(constant_c1)}}
  %0 = "stablehlo.constant"() <{value = dense<1.0> : tensor<2xf32>}> : () -> tensor<3xf32>
  return
}

// -----

// iota_c1

func.func @wrong() {
  // expected-error-re @+1 {{the dim is 2; the result has 1 dims{{.*}}(iota_c1)}}
  %0 = stablehlo.iota dim = 2 : tensor<4xi32>
  return
}

// -----

// reshape_c2

func.func @wrong(%x: tensor<4xf32>) {
  // expected-error-re @+1 {{4 elements cannot be 5{{.*}}(reshape_c2)}}
  %0 = stablehlo.reshape %x : (tensor<4xf32>) -> tensor<5xf32>
  return
}

// -----

// broadcast_in_dim_c2

func.func @wrong(%x: tensor<4xf32>) {
  // expected-error-re @+1 {{dims are [0, 1]; the operand has 1 dims{{.*}}(broadcast_in_dim_c2)}}
  %0 = stablehlo.broadcast_in_dim %x, dims = [0, 1] : (tensor<4xf32>) -> tensor<4x4xf32>
  return
}

// -----

// broadcast_in_dim_c3

func.func @wrong(%x: tensor<4xf32>) {
  // expected-error-re @+1 {{dims are [2]; the result has 2 dims{{.*}}(broadcast_in_dim_c3)}}
  %0 = stablehlo.broadcast_in_dim %x, dims = [2] : (tensor<4xf32>) -> tensor<4x4xf32>
  return
}

// -----

// broadcast_in_dim_c4

func.func @wrong(%x: tensor<4x4xf32>) {
  // expected-error-re @+1 {{each may be there once{{.*}}(broadcast_in_dim_c4)}}
  %0 = stablehlo.broadcast_in_dim %x, dims = [0, 0] : (tensor<4x4xf32>) -> tensor<4x4xf32>
  return
}

// -----

// broadcast_in_dim_c5

func.func @wrong(%x: tensor<4xf32>) {
  // expected-error-re @+1 {{a dim of extent 4 becomes one of 5{{.*}}(broadcast_in_dim_c5)}}
  %0 = stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<4xf32>) -> tensor<4x5xf32>
  return
}

// -----

// transpose_c2

func.func @wrong(%x: tensor<4x5xf32>) {
  // expected-error-re @+1 {{dims are [0, 0]{{.*}}(transpose_c2)}}
  %0 = stablehlo.transpose %x, dims = [0, 0] : (tensor<4x5xf32>) -> tensor<4x5xf32>
  return
}

// -----

// transpose_c3

func.func @wrong(%x: tensor<4x5xf32>) {
  // expected-error-re @+1 {{the result is 4x5; it has to be 5x4{{.*}}(transpose_c3)}}
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<4x5xf32>) -> tensor<4x5xf32>
  return
}

// -----

// reverse_c3

func.func @wrong(%x: tensor<4xf32>) {
  // expected-error-re @+1 {{dims are [1]; the operand has 1 dims{{.*}}(reverse_c3)}}
  %0 = stablehlo.reverse %x, dims = [1] : tensor<4xf32>
  return
}

// -----

// slice_c3

func.func @wrong(%x: tensor<4xf32>) {
  // expected-error-re @+1 {{the range 2:6 is not in dim 0, which has extent 4{{.*}}(slice_c3)}}
  %0 = stablehlo.slice %x [2:6] : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// slice_c4

func.func @wrong(%x: tensor<4xf32>) {
  // expected-error-re @+1 {{strides are [0]{{.*}}(slice_c4)}}
  %0 = stablehlo.slice %x [0:4:0] : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// slice_c5

func.func @wrong(%x: tensor<4xf32>) {
  // expected-error-re @+1 {{the result is 4; it has to be 2{{.*}}(slice_c5)}}
  %0 = stablehlo.slice %x [0:4:2] : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// pad_c2

func.func @wrong(%x: tensor<4xf32>, %v: tensor<f32>) {
  // expected-error-re @+1 {{found padding of 2 dims; the operand has 1{{.*}}(pad_c2)}}
  %0 = stablehlo.pad %x, %v, low = [0, 0], high = [0], interior = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----

// pad_c4

func.func @wrong(%x: tensor<4xf32>, %v: tensor<f32>) {
  // expected-error-re @+1 {{the result is 4; it has to be 9{{.*}}(pad_c4)}}
  %0 = stablehlo.pad %x, %v, low = [1], high = [1], interior = [1] : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----

// concatenate_c2

func.func @wrong(%x: tensor<4x2xf32>, %y: tensor<4x3xf32>) {
  // expected-error-re @+1 {{operands differ in dim 0 only; found 4x2 and 4x3{{.*}}(concatenate_c2)}}
  %0 = stablehlo.concatenate %x, %y, dim = 0 : (tensor<4x2xf32>, tensor<4x3xf32>) -> tensor<8x2xf32>
  return
}

// -----

// concatenate_c6

func.func @wrong(%x: tensor<4xf32>) {
  // expected-error-re @+1 {{the result is 5; it has to be 8{{.*}}(concatenate_c6)}}
  %0 = stablehlo.concatenate %x, %x, dim = 0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<5xf32>
  return
}

// -----

// dynamic_slice_c4

func.func @wrong(%x: tensor<4xf32>, %i: tensor<i32>) {
  // expected-error-re @+1 {{sizes are 5; the operand is 4{{.*}}(dynamic_slice_c4)}}
  %0 = stablehlo.dynamic_slice %x, %i, sizes = [5] : (tensor<4xf32>, tensor<i32>) -> tensor<5xf32>
  return
}

// -----

// dynamic_slice_c3

func.func @wrong(%x: tensor<4x4xf32>, %i: tensor<i32>, %j: tensor<i64>) {
  // expected-error-re @+1 {{start indices are of types{{.*}}(dynamic_slice_c3)}}
  %0 = stablehlo.dynamic_slice %x, %i, %j, sizes = [1, 1] : (tensor<4x4xf32>, tensor<i32>, tensor<i64>) -> tensor<1x1xf32>
  return
}

// -----

// dynamic_update_slice_c6

func.func @wrong(%x: tensor<4xf32>, %u: tensor<5xf32>, %i: tensor<i32>) {
  // expected-error-re @+1 {{the update is 5; the operand is 4{{.*}}(dynamic_update_slice_c6)}}
  %0 = stablehlo.dynamic_update_slice %x, %u, %i : (tensor<4xf32>, tensor<5xf32>, tensor<i32>) -> tensor<4xf32>
  return
}

// -----

// bitcast_convert_c1

func.func @wrong(%x: tensor<4xf32>) {
  // expected-error-re @+1 {{the bits are not as many{{.*}}(bitcast_convert_c1)}}
  %0 = stablehlo.bitcast_convert %x : (tensor<4xf32>) -> tensor<4x3xi8>
  return
}

// -----

// get_dimension_size_c1

func.func @wrong(%x: tensor<4xf32>) {
  // expected-error-re @+1 {{the dim is 1; the operand has 1 dims{{.*}}(get_dimension_size_c1)}}
  %0 = stablehlo.get_dimension_size %x, dim = 1 : (tensor<4xf32>) -> tensor<i32>
  return
}
