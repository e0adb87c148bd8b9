// RUN: mlc-opt %s --verify-diagnostics --split-input-file

func.func @c1(%x: tensor<1x4x8x8xf32>) {
  // expected-error @+1 {{graph.max_pool2d: kernel has 3 elements; it must have 2 (max_pool2d_c1)}}
  %0 = graph.max_pool2d %x {kernel = array<i64: 2, 2, 2>} : tensor<1x4x8x8xf32> -> tensor<1x4x7x7xf32>
  return
}

// -----

func.func @c2(%x: tensor<1x4x8x8xf32>) {
  // expected-error @+1 {{graph.avg_pool2d: padding is [0, 0, 0, -1]; each element must be at least 0 (avg_pool2d_c2)}}
  %0 = graph.avg_pool2d %x {kernel = array<i64: 2, 2>, padding = array<i64: 0, 0, 0, -1>} : tensor<1x4x8x8xf32> -> tensor<1x4x7x6xf32>
  return
}

// -----

func.func @c3(%x: tensor<1x4x8x8xf32>) {
  // expected-error @+1 {{graph.max_pool2d: a window of 9 does not fit into an extent of 8 padded by 0 and 0 (max_pool2d_c3)}}
  %0 = graph.max_pool2d %x {kernel = array<i64: 9, 9>} : tensor<1x4x8x8xf32> -> tensor<1x4x1x1xf32>
  return
}

// -----

func.func @c4(%x: tensor<1x4x8x8xf32>) {
  // expected-error @+1 {{graph.max_pool2d: padding by 2 and 2 is as wide as the window of 2; use graph.pad (max_pool2d_c4)}}
  %0 = graph.max_pool2d %x {kernel = array<i64: 2, 2>, padding = array<i64: 2, 2, 2, 2>} : tensor<1x4x8x8xf32> -> tensor<1x4x11x11xf32>
  return
}

// -----

func.func @c5(%x: tensor<1x4x8x8xf32>) {
  // expected-error @+1 {{graph.max_pool2d: layout is "nchw"; use "NCHW" or "NHWC" (max_pool2d_c5)}}
  %0 = graph.max_pool2d %x {kernel = array<i64: 2, 2>, layout = "nchw"} : tensor<1x4x8x8xf32> -> tensor<1x4x7x7xf32>
  return
}

// -----

func.func @c6(%x: tensor<4x8x8xf32>) {
  // expected-error @+1 {{graph.max_pool2d: the image is tensor<4x8x8xf32>; it must have 4 dimensions (max_pool2d_c6)}}
  %0 = graph.max_pool2d %x {kernel = array<i64: 2, 2>} : tensor<4x8x8xf32> -> tensor<4x7x7xf32>
  return
}

// -----

func.func @c1_of_volumes(%x: tensor<1x4x8x8x8xf32>) {
  // expected-error @+1 {{graph.max_pool3d: padding has 4 elements; it must have 6 (max_pool3d_c1)}}
  %0 = graph.max_pool3d %x {kernel = array<i64: 2, 2, 2>, padding = array<i64: 1, 1, 1, 1>} : tensor<1x4x8x8x8xf32> -> tensor<1x4x7x7x7xf32>
  return
}

// -----

func.func @c1_of_nothing(%x: tensor<1x4x8x8xf32>) {
  // expected-error @+1 {{graph.avg_pool2d: dilations has 0 elements; it must have 2 (avg_pool2d_c1)}}
  %0 = graph.avg_pool2d %x {kernel = array<i64: 2, 2>, dilations = array<i64>} : tensor<1x4x8x8xf32> -> tensor<1x4x7x7xf32>
  return
}

// -----

func.func @c5_of_volumes(%x: tensor<1x4x8x8x8xf32>) {
  // expected-error @+1 {{graph.avg_pool3d: layout is "NHWC"; use "NCDHW" or "NDHWC" (avg_pool3d_c5)}}
  %0 = graph.avg_pool3d %x {kernel = array<i64: 2, 2, 2>, layout = "NHWC"} : tensor<1x4x8x8x8xf32> -> tensor<1x4x7x7x7xf32>
  return
}

// -----

func.func @c6_of_volumes(%x: tensor<4x8x8x8xf32>) {
  // expected-error @+1 {{graph.max_pool3d: the image is tensor<4x8x8x8xf32>; it must have 5 dimensions (max_pool3d_c6)}}
  %0 = graph.max_pool3d %x {kernel = array<i64: 2, 2, 2>} : tensor<4x8x8x8xf32> -> tensor<4x7x7x7xf32>
  return
}

// -----

func.func @positions_are_i64(%x: tensor<1x4x8x8xf32>) {
  // expected-error @+1 {{i64}}
  %0 = graph.arg_max_pool2d %x {kernel = array<i64: 2, 2>} : tensor<1x4x8x8xf32> -> tensor<1x4x7x7xf32>
  return
}
