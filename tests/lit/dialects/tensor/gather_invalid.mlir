// RUN: mlc-opt %s --verify-diagnostics --split-input-file

func.func @gather_c1(%x: tensor<4x8xf32>, %i: tensor<3x2xindex>) {
  // expected-error @+1 {{gather_dims are [1, 0]; required: at least one dim of tensor<4x8xf32>, in increasing order (gather_c1)}}
  %0 = tensor.gather %x[%i] gather_dims([1, 0]) : (tensor<4x8xf32>, tensor<3x2xindex>) -> tensor<3xf32>
  return
}

// -----

func.func @gather_c1_none(%x: tensor<4x8xf32>, %i: tensor<3x2xindex>) {
  // expected-error @+1 {{gather_dims are []; required: at least one dim}}
  %0 = tensor.gather %x[%i] gather_dims([]) : (tensor<4x8xf32>, tensor<3x2xindex>) -> tensor<3xf32>
  return
}

// -----

func.func @gather_c1_range(%x: tensor<4x8xf32>, %i: tensor<3x1xindex>) {
  // expected-error @+1 {{gather_dims are [2]; required: at least one dim of tensor<4x8xf32>}}
  %0 = tensor.gather %x[%i] gather_dims([2]) : (tensor<4x8xf32>, tensor<3x1xindex>) -> tensor<3x4xf32>
  return
}

// -----

func.func @gather_c2(%x: tensor<4x8xf32>, %i: tensor<3x2xindex>) {
  // expected-error @+1 {{the last dim of the indices is 2, there are 1 gather_dims (gather_c2)}}
  %0 = tensor.gather %x[%i] gather_dims([0]) : (tensor<4x8xf32>, tensor<3x2xindex>) -> tensor<3x8xf32>
  return
}

// -----

func.func @gather_c3(%x: tensor<4x8xf32>, %i: tensor<3x1xindex>) {
  // expected-error @+1 {{the result type is tensor<3x4xf32>, the operands give tensor<3x1x8xf32> or tensor<3x8xf32> (gather_c3)}}
  %0 = tensor.gather %x[%i] gather_dims([0]) : (tensor<4x8xf32>, tensor<3x1xindex>) -> tensor<3x4xf32>
  return
}
