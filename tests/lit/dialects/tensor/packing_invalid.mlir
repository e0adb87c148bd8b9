// RUN: mlc-opt %s --split-input-file --verify-diagnostics

func.func @pack_c1(%x: tensor<8x12xf32>, %e: tensor<2x12x4xf32>) {
  // expected-error @+1 {{tensor.pack: found tiles [4] of axes [2]; required: a positive tile for each, axes of tensor<8x12xf32>, each once (pack_c1)}}
  %0 = tensor.pack %x inner_dims_pos = [2] inner_tiles = [4] into %e : tensor<8x12xf32> -> tensor<2x12x4xf32>
  return
}

// -----

func.func @positive(%x: tensor<8x12xf32>, %e: tensor<2x12x4xf32>) {
  // expected-error @+1 {{tensor.unpack: found tiles [0] of axes [0]; required: a positive tile for each}}
  %0 = tensor.unpack %e inner_dims_pos = [0] inner_tiles = [0] into %x : tensor<2x12x4xf32> -> tensor<8x12xf32>
  return
}

// -----

func.func @pack_c2(%x: tensor<8x12xf32>, %e: tensor<2x12x4xf32>) {
  // expected-error @+1 {{tensor.pack: found outer_dims_perm [0, 0]; required: each axis of tensor<8x12xf32> once (pack_c2)}}
  %0 = tensor.pack %x outer_dims_perm = [0, 0] inner_dims_pos = [0] inner_tiles = [4] into %e : tensor<8x12xf32> -> tensor<2x12x4xf32>
  return
}

// -----

func.func @pack_c3(%x: tensor<8x12xf32>, %e: tensor<12x2x4xf32>) {
  // expected-error @+1 {{tensor.pack: found tensor<12x2x4xf32> beside tensor<8x12xf32>; required: tensor<2x12x4xf32> (pack_c3)}}
  %0 = tensor.pack %x inner_dims_pos = [0] inner_tiles = [4] into %e : tensor<8x12xf32> -> tensor<12x2x4xf32>
  return
}

// -----

func.func @pack_c4(%x: tensor<2x12x4xf32>, %e: tensor<8x12xf32>) {
  // expected-error @+1 {{tensor.unpack: the result is tensor<?x12xf32>, the destination tensor<8x12xf32> (pack_c4)}}
  %0 = "tensor.unpack"(%x, %e) <{inner_dims_pos = array<i64: 0>, static_inner_tiles = array<i64: 4>}>
       : (tensor<2x12x4xf32>, tensor<8x12xf32>) -> tensor<?x12xf32>
  return
}

// -----

func.func @pack_c5(%x: tensor<7x12xf32>, %e: tensor<2x12x4xf32>) {
  // expected-error @+1 {{tensor.pack: found tiles [4] of axes [0] of tensor<7x12xf32>, which go over its end; required: padding_value (pack_c5)}}
  %0 = tensor.pack %x inner_dims_pos = [0] inner_tiles = [4] into %e : tensor<7x12xf32> -> tensor<2x12x4xf32>
  return
}

// -----

func.func @padding(%x: tensor<7x12xf32>, %z: i32, %e: tensor<2x12x4xf32>) {
  // expected-error @+1 {{tensor.pack: the padding is of type i32, elements are of f32 (pack_c5)}}
  %0 = tensor.pack %x padding_value(%z : i32) inner_dims_pos = [0] inner_tiles = [4] into %e : tensor<7x12xf32> -> tensor<2x12x4xf32>
  return
}
