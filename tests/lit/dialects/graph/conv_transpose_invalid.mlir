// RUN: mlc-opt %s --verify-diagnostics --split-input-file

func.func @conv_transpose2d_c1(%x: tensor<1x3x8x8xf32>, %w: tensor<3x4x3x3xf32>) {
  // expected-error @+1 {{graph.conv_transpose2d: output_padding has 1 elements; it must have 2 (conv_transpose2d_c1)}}
  %0 = graph.conv_transpose2d %x, %w {output_padding = array<i64: 1>} : tensor<1x3x8x8xf32>, tensor<3x4x3x3xf32> -> tensor<1x4x10x10xf32>
  return
}

// -----

func.func @conv_transpose2d_c2(%x: tensor<1x3x8x8xf32>, %w: tensor<3x4x3x3xf32>) {
  // expected-error @+1 {{graph.conv_transpose2d: dilations is [1, 0]; each element must be at least 1 (conv_transpose2d_c2)}}
  %0 = graph.conv_transpose2d %x, %w {dilations = array<i64: 1, 0>} : tensor<1x3x8x8xf32>, tensor<3x4x3x3xf32> -> tensor<1x4x10x10xf32>
  return
}

// -----

func.func @conv_transpose2d_c3(%x: tensor<1x3x8x8xf32>, %w: tensor<3x4x3x3xf32>) {
  // expected-error @+1 {{graph.conv_transpose2d: padding cuts 4 and 6 off an extent of 10; nothing is left (conv_transpose2d_c3)}}
  %0 = graph.conv_transpose2d %x, %w {padding = array<i64: 0, 4, 0, 6>} : tensor<1x3x8x8xf32>, tensor<3x4x3x3xf32> -> tensor<1x4x10x10xf32>
  return
}

// -----

func.func @conv_transpose2d_c4(%x: tensor<1x3x8x8xf32>, %w: tensor<3x4x3x3xf32>) {
  // expected-error @+1 {{graph.conv_transpose2d: output_padding is [2, 0]; each element must be below the stride or the dilation, which are [2, 2] and [1, 1] (conv_transpose2d_c4)}}
  %0 = graph.conv_transpose2d %x, %w {output_padding = array<i64: 2, 0>, strides = array<i64: 2, 2>} : tensor<1x3x8x8xf32>, tensor<3x4x3x3xf32> -> tensor<1x4x10x10xf32>
  return
}

// -----

func.func @conv_transpose2d_c5(%x: tensor<1x3x8x8xf32>, %w: tensor<3x4x3x3xf32>) {
  // expected-error @+1 {{graph.conv_transpose2d: layout is "CHWN"; use "NCHW" or "NHWC" (conv_transpose2d_c5)}}
  %0 = graph.conv_transpose2d %x, %w {layout = "CHWN"} : tensor<1x3x8x8xf32>, tensor<3x4x3x3xf32> -> tensor<1x4x10x10xf32>
  return
}

// -----

func.func @conv_transpose2d_c6(%x: tensor<3x8x8xf32>, %w: tensor<3x4x3x3xf32>) {
  // expected-error @+1 {{graph.conv_transpose2d: the image is tensor<3x8x8xf32> and the weights are tensor<3x4x3x3xf32>; both must have 4 dimensions (conv_transpose2d_c6)}}
  %0 = graph.conv_transpose2d %x, %w : tensor<3x8x8xf32>, tensor<3x4x3x3xf32> -> tensor<1x4x10x10xf32>
  return
}

// -----

func.func @conv_transpose2d_c7(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x3x3xf32>) {
  // expected-error @+1 {{graph.conv_transpose2d: tensor<1x3x8x8xf32> has 3 channels, tensor<4x3x3x3xf32> takes 4, with 1 groups and layout NCHW; the weights must take all channels, and groups must divide them (conv_transpose2d_c7)}}
  %0 = graph.conv_transpose2d %x, %w : tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32> -> tensor<1x4x10x10xf32>
  return
}

// -----

func.func @conv_transpose2d_c7_groups(%x: tensor<1x3x8x8xf32>, %w: tensor<3x4x3x3xf32>) {
  // expected-error @+1 {{graph.conv_transpose2d: tensor<1x3x8x8xf32> has 3 channels, tensor<3x4x3x3xf32> takes 3, with 2 groups and layout NCHW; the weights must take all channels, and groups must divide them (conv_transpose2d_c7)}}
  %0 = graph.conv_transpose2d %x, %w {groups = 2 : i64} : tensor<1x3x8x8xf32>, tensor<3x4x3x3xf32> -> tensor<1x4x10x10xf32>
  return
}

// -----

func.func @conv_transpose2d_c8(%x: tensor<1x3x8x8xf32>, %w: tensor<3x4x3x3xf64>) {
  // expected-error @+1 {{graph.conv_transpose2d: tensor<1x3x8x8xf32> and tensor<3x4x3x3xf64> have different element types; insert graph.cast (conv_transpose2d_c8)}}
  %0 = graph.conv_transpose2d %x, %w : tensor<1x3x8x8xf32>, tensor<3x4x3x3xf64> -> tensor<1x4x10x10xf32>
  return
}

// -----

func.func @result_type(%x: tensor<1x3x8x8xf32>, %w: tensor<3x4x3x3xf32>) {
  // expected-error @+1 {{graph.conv_transpose2d: the result type is tensor<1x4x8x8xf32>, the operands give tensor<1x4x10x10xf32>}}
  %0 = graph.conv_transpose2d %x, %w : tensor<1x3x8x8xf32>, tensor<3x4x3x3xf32> -> tensor<1x4x8x8xf32>
  return
}
