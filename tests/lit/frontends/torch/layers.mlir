// REQUIRES: torch
// RUN: mlc-opt %s --split-input-file --convert-aten-to-graph | filecheck %s

// A layer of an encoder: a normalisation stands behind each sum; scores that a mask hides are minus infinity.

// CHECK-LABEL: func.func @encoder
// CHECK: graph.matmul %x
// CHECK: graph.where {{.*}} tensor<2x1x1x3xi1>
// CHECK: graph.softmax {{.*}} axis 3
// CHECK: graph.add %x
// CHECK: graph.layer_norm
// CHECK: graph.gelu
// CHECK: %y = graph.layer_norm
// CHECK-NEXT: return %y
func.func @encoder(%x: tensor<2x3x4xf32>, %w: tensor<12x4xf32>, %b: tensor<12xf32>, %p: tensor<4x4xf32>, %c: tensor<4xf32>,
                   %f: tensor<8x4xf32>, %d: tensor<8xf32>, %g: tensor<4x8xf32>, %m: tensor<2x3xi1>) -> tensor<2x3x4xf32> {
  %y = aten._transformer_encoder_layer_fwd %x, %w, %b, %p, %c, %c, %c, %c, %c, %f, %d, %g, %c, %m
      {embed_dim = 4 : i64, num_heads = 2 : i64, use_gelu = true, norm_first = false, eps = 1.0e-5 : f64, mask_type = 1 : i64}
      : (tensor<2x3x4xf32>, tensor<12x4xf32>, tensor<12xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>,
         tensor<4xf32>, tensor<4xf32>, tensor<8x4xf32>, tensor<8xf32>, tensor<4x8xf32>, tensor<4xf32>, tensor<2x3xi1>) -> tensor<2x3x4xf32>
  return %y : tensor<2x3x4xf32>
}

// -----

// What is outside of the range goes to a bin of its own, which is cut off.

// CHECK-LABEL: func.func @histogram
// CHECK: graph.scatter_nd add
// CHECK-SAME: -> tensor<5xi64>
// CHECK: graph.slice {{.*}} ends [4]
// CHECK: %y = graph.cast
func.func @histogram(%x: tensor<9xf32>) -> tensor<4xf32> {
  %y = aten.histc %x {bins = 4 : i64, max = 1 : i64} : (tensor<9xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// Pixels are products with rows of weights.

// CHECK-LABEL: func.func @antialiased
// CHECK: graph.matmul {{.*}} tensor<16x4xf32>
// CHECK: graph.matmul {{.*}} tensor<12x3xf32>
func.func @antialiased(%x: tensor<1x1x12x16xf32>) -> tensor<1x1x3x4xf32> {
  %y = aten._upsample_bilinear2d_aa %x {output_size = array<i64: 3, 4>, align_corners = false}
      : (tensor<1x1x12x16xf32>) -> tensor<1x1x3x4xf32>
  return %y : tensor<1x1x3x4xf32>
}

// -----

// The gradient of a bag is added to its rows.

// CHECK-LABEL: func.func @bags
// CHECK: graph.gather %g
// CHECK: %y = graph.scatter_nd add
func.func @bags(%g: tensor<2x3xf32>, %i: tensor<5xi64>, %o: tensor<2xi64>, %n: tensor<0xi64>, %s: tensor<2xi64>) -> tensor<6x3xf32> {
  %y = aten._embedding_bag_backward %g, %i, %o, %n, %s, %s
      {aten.operands = array<i64: 1, 1, 1, 1, 1, 1, 0>, num_weights = 6 : i64, scale_grad_by_freq = false, mode = 0 : i64, sparse = false}
      : (tensor<2x3xf32>, tensor<5xi64>, tensor<2xi64>, tensor<0xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<6x3xf32>
  return %y : tensor<6x3xf32>
}

// -----

// A window that lies behind the image, in no padding that windows have, finds the least number.

// CHECK-LABEL: func.func @window_behind
// CHECK: %[[WIDE:.*]] = graph.pad %x low [0, 0, 0] high [0, 0, 2] with 0xff800000
// CHECK: graph.max_pool2d %{{.*}} -> tensor<1x1x1x3xf32>
func.func @window_behind(%x: tensor<1x1x4xf32>) -> tensor<1x1x3xf32> {
  %y = aten.max_pool1d %x {kernel_size = array<i64: 2>, stride = array<i64: 2>, padding = array<i64: 0>, dilation = array<i64: 1>, ceil_mode = true}
      : (tensor<1x1x4xf32>) -> tensor<1x1x3xf32>
  return %y : tensor<1x1x3xf32>
}
