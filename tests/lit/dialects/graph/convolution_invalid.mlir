// RUN: mlc-opt %s --verify-diagnostics --split-input-file

func.func @conv2d_c1(%x: tensor<1x3x8x8xf32>, %w: tensor<16x3x3x3xf32>) {
  // expected-error @+1 {{graph.conv2d: padding has 2 elements; it must have 4 (conv2d_c1)}}
  %0 = graph.conv2d %x, %w {padding = array<i64: 1, 1>} : tensor<1x3x8x8xf32>, tensor<16x3x3x3xf32> -> tensor<1x16x8x8xf32>
  return
}

// -----

func.func @conv2d_c2(%x: tensor<1x3x8x8xf32>, %w: tensor<16x3x3x3xf32>) {
  // expected-error @+1 {{graph.conv2d: strides is [0, 1]; each element must be at least 1 (conv2d_c2)}}
  %0 = graph.conv2d %x, %w {strides = array<i64: 0, 1>} : tensor<1x3x8x8xf32>, tensor<16x3x3x3xf32> -> tensor<1x16x8x8xf32>
  return
}

// -----

func.func @conv2d_c3(%x: tensor<1x3x2x8xf32>, %w: tensor<16x3x3x3xf32>) {
  // expected-error @+1 {{graph.conv2d: a window of 3 does not fit into an extent of 2 padded by 0 and 0 (conv2d_c3)}}
  %0 = graph.conv2d %x, %w : tensor<1x3x2x8xf32>, tensor<16x3x3x3xf32> -> tensor<1x16x1x6xf32>
  return
}

// -----

func.func @conv2d_c4(%x: tensor<1x3x8x8xf32>, %w: tensor<16x3x1x1xf32>) {
  // expected-error @+1 {{graph.conv2d: padding by 1 and 0 is as wide as the window of 1; use graph.pad (conv2d_c4)}}
  %0 = graph.conv2d %x, %w {padding = array<i64: 1, 0, 0, 0>} : tensor<1x3x8x8xf32>, tensor<16x3x1x1xf32> -> tensor<1x16x9x8xf32>
  return
}

// -----

func.func @conv2d_c5(%x: tensor<1x3x8x8xf32>, %w: tensor<16x3x1x1xf32>) {
  // expected-error @+1 {{graph.conv2d: layout is "CHWN"; use "NCHW" or "NHWC" (conv2d_c5)}}
  %0 = graph.conv2d %x, %w {layout = "CHWN"} : tensor<1x3x8x8xf32>, tensor<16x3x1x1xf32> -> tensor<1x16x8x8xf32>
  return
}

// -----

func.func @conv2d_c6(%x: tensor<3x8x8xf32>, %w: tensor<16x3x1x1xf32>) {
  // expected-error @+1 {{graph.conv2d: the image is tensor<3x8x8xf32> and the weights are tensor<16x3x1x1xf32>; both must have 4 dimensions (conv2d_c6)}}
  %0 = graph.conv2d %x, %w : tensor<3x8x8xf32>, tensor<16x3x1x1xf32> -> tensor<16x8x8xf32>
  return
}

// -----

func.func @conv2d_c7(%x: tensor<1x4x8x8xf32>, %w: tensor<16x3x1x1xf32>) {
  // expected-error @+1 {{graph.conv2d: tensor<1x4x8x8xf32> has 4 channels, tensor<16x3x1x1xf32> takes 3 and gives 16, with 1 groups and layout NCHW; channels must be groups x what is taken, and groups must divide what is given (conv2d_c7)}}
  %0 = graph.conv2d %x, %w : tensor<1x4x8x8xf32>, tensor<16x3x1x1xf32> -> tensor<1x16x8x8xf32>
  return
}

// -----

func.func @conv2d_c8(%x: tensor<1x3x8x8xf32>, %w: tensor<16x3x1x1xf64>) {
  // expected-error @+1 {{graph.conv2d: tensor<1x3x8x8xf32> and tensor<16x3x1x1xf64> have different element types; insert graph.cast (conv2d_c8)}}
  %0 = graph.conv2d %x, %w : tensor<1x3x8x8xf32>, tensor<16x3x1x1xf64> -> tensor<1x16x8x8xf32>
  return
}

// -----

func.func @c6_of_volumes(%x: tensor<1x4x8x8xf32>, %w: tensor<16x4x3x3x3xf32>) {
  // expected-error @+1 {{graph.conv3d: the image is tensor<1x4x8x8xf32> and the weights are tensor<16x4x3x3x3xf32>; both must have 5 dimensions (conv3d_c6)}}
  %0 = graph.conv3d %x, %w : tensor<1x4x8x8xf32>, tensor<16x4x3x3x3xf32> -> tensor<1x16x6x6xf32>
  return
}

// -----

func.func @c1_of_volumes(%x: tensor<1x4x8x8x8xf32>, %w: tensor<16x4x3x3x3xf32>) {
  // expected-error @+1 {{graph.conv3d: strides has 2 elements; it must have 3 (conv3d_c1)}}
  %0 = graph.conv3d %x, %w {strides = array<i64: 1, 1>} : tensor<1x4x8x8x8xf32>, tensor<16x4x3x3x3xf32> -> tensor<1x16x6x6x6xf32>
  return
}

// -----

func.func @conv2d_c8(%x: tensor<1x3x8x8xi8>, %w: tensor<16x3x1x1xui8>) {
  // expected-error @+1 {{graph.conv2d: tensor<1x3x8x8xi8> and tensor<16x3x1x1xui8> have different element types; insert graph.cast (conv2d_c8)}}
  %0 = graph.conv2d %x, %w : tensor<1x3x8x8xi8>, tensor<16x3x1x1xui8> -> tensor<1x16x8x8xi8>
  return
}
