// RUN: mlc-opt %s --verify-diagnostics --split-input-file

// dot_general_c1

func.func @wrong(%x: tensor<2x3xf32>) {
  // expected-error-re @+1 {{they have to be as many{{.*}}(dot_general_c1)}}
  %0 = stablehlo.dot_general %x, %x, batching_dims = [0] x [], contracting_dims = [1] x [1] : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x2xf32>
  return
}

// -----

// dot_general_c3

func.func @wrong(%x: tensor<2x3xf32>) {
  // expected-error-re @+1 {{dims of lhs are [1, 1]{{.*}}(dot_general_c3)}}
  %0 = stablehlo.dot_general %x, %x, batching_dims = [1] x [0], contracting_dims = [1] x [1] : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x2xf32>
  return
}

// -----

// dot_general_c6

func.func @wrong(%x: tensor<2x3xf32>) {
  // expected-error-re @+1 {{contracting dims are [2] and [1]; lhs has 2 dims{{.*}}(dot_general_c6)}}
  %0 = stablehlo.dot_general %x, %x, contracting_dims = [2] x [1] : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x2xf32>
  return
}

// -----

// dot_general_c9

func.func @wrong(%x: tensor<2x3xf32>, %y: tensor<4x3xf32>) {
  // expected-error-re @+1 {{batching dims have one extent; dim 0 of lhs has 2, dim 0 of rhs 4{{.*}}(dot_general_c9)}}
  %0 = stablehlo.dot_general %x, %y, batching_dims = [0] x [0], contracting_dims = [1] x [1] : (tensor<2x3xf32>, tensor<4x3xf32>) -> tensor<2xf32>
  return
}

// -----

// dot_general_c10

func.func @wrong(%x: tensor<2x3xf32>) {
  // expected-error-re @+1 {{contracting dims have one extent; dim 1 of lhs has 3, dim 0 of rhs 2{{.*}}(dot_general_c10)}}
  %0 = stablehlo.dot_general %x, %x, contracting_dims = [1] x [0] : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

// dot_general_c12

func.func @wrong(%x: tensor<2x3xf32>) {
  // expected-error-re @+1 {{the result is 3x2; it has to be 2x2{{.*}}(dot_general_c12)}}
  %0 = stablehlo.dot_general %x, %x, contracting_dims = [1] x [1] : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<3x2xf32>
  return
}

// -----

// dot_general_c13

func.func @wrong(%x: tensor<2x3xf32>, %y: tensor<2x3xi32>) {
  // expected-error-re @+1 {{operands have one element type; found f32 and i32{{.*}}(dot_general_c13)}}
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [1] : (tensor<2x3xf32>, tensor<2x3xi32>) -> tensor<2x2xf32>
  return
}

// -----

// convolution_c14

func.func @wrong(%x: tensor<1x8x8x3xf32>, %w: tensor<3x3x2x4xf32>) {
  // expected-error-re @+1 {{rhs takes 2 features; lhs has 3 in 1 groups{{.*}}(convolution_c14)}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x3xf32>, tensor<3x3x2x4xf32>) -> tensor<1x6x6x4xf32>
  return
}

// -----

// convolution_c25

func.func @wrong(%x: tensor<1x8x8x3xf32>, %w: tensor<3x3x3x4xf32>) {
  // expected-error-re @+1 {{the result is 1x5x6x4; it has to be 1x6x6x4{{.*}}(convolution_c25)}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x3xf32>, tensor<3x3x3x4xf32>) -> tensor<1x5x6x4xf32>
  return
}

// -----

// convolution_c2

func.func @wrong(%x: tensor<1x8x8x3xf32>, %w: tensor<3x3x3x4xf32>) {
  // expected-error-re @+1 {{window strides are [2]; there are 2 spatial dims{{.*}}(convolution_c2)}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x3xf32>, tensor<3x3x3x4xf32>) -> tensor<1x6x6x4xf32>
  return
}

// -----

// convolution_c23

func.func @wrong(%x: tensor<2x8x8x3xf32>, %w: tensor<3x3x1x6xf32>) {
  // expected-error-re @+1 {{groups are of features or of batches; found 3 and 2{{.*}}(convolution_c23)}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 2 : i64, feature_group_count = 3 : i64} : (tensor<2x8x8x3xf32>, tensor<3x3x1x6xf32>) -> tensor<1x6x6x6xf32>
  return
}
