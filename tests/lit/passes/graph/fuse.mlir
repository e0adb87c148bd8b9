// RUN: mlc-opt --fuse %s | filecheck %s
// RUN: mlc-opt --fuse --remarks %s 2>&1 | filecheck %s --check-prefix=REMARK

// CHECK-LABEL: @linear_relu
func.func @linear_relu(%x: tensor<64x784xf32>, %w: tensor<784x200xf32>, %b: tensor<200xf32>) -> tensor<64x200xf32> {
  // CHECK-NEXT: %[[Y:.*]] = graph.fusion "linear_relu" (%[[A:.*]] = %x, %[[M:.*]] = %w, %[[V:.*]] = %b) : (tensor<64x784xf32>, tensor<784x200xf32>, tensor<200xf32>) -> tensor<64x200xf32> {
  // CHECK-NEXT:   %[[P:.*]] = graph.matmul %[[A]], %[[M]]
  // CHECK-NEXT:   %[[S:.*]] = graph.add %[[P]], %[[V]]
  // CHECK-NEXT:   %[[R:.*]] = graph.relu %[[S]]
  // CHECK-NEXT:   graph.yield %[[R]] : tensor<64x200xf32>
  // CHECK-NEXT: }
  // CHECK-NEXT: return %[[Y]]
  // REMARK: graph.matmul -> graph.add: fused into linear_relu
  // REMARK: graph.add -> graph.relu: fused into linear_relu
  %0 = graph.matmul %x, %w : tensor<64x784xf32>, tensor<784x200xf32> -> tensor<64x200xf32>
  %1 = graph.add %0, %b : tensor<64x200xf32>, tensor<200xf32> -> tensor<64x200xf32>
  %2 = graph.relu %1 : tensor<64x200xf32>
  return %2 : tensor<64x200xf32>
}

// CHECK-LABEL: @conv2d_bias
func.func @conv2d_bias(%x: tensor<1x8x8x3xf32>, %w: tensor<1x1x3x4xf32>, %b: tensor<4xf32>) -> tensor<1x8x8x4xf32> {
  // CHECK-NEXT: graph.fusion "conv2d_bias_sigmoid"
  %0 = graph.conv2d %x, %w {layout = "NHWC"} : tensor<1x8x8x3xf32>, tensor<1x1x3x4xf32> -> tensor<1x8x8x4xf32>
  %1 = graph.add %0, %b : tensor<1x8x8x4xf32>, tensor<4xf32> -> tensor<1x8x8x4xf32>
  %2 = graph.sigmoid %1 : tensor<1x8x8x4xf32>
  return %2 : tensor<1x8x8x4xf32>
}

// A value with several readers is fine if they all end up in the group; a repeated number moves inside.
// CHECK-LABEL: @diamond
func.func @diamond(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>) -> tensor<4x8xf32> {
  %half = graph.constant dense<0.5> : tensor<f32>
  // CHECK-NEXT: graph.fusion "matmul_sigmoid_mul_mul" (%{{.*}} = %x, %{{.*}} = %w) :
  // CHECK-NEXT:   graph.constant dense<5.000000e-01> : tensor<f32>
  %0 = graph.matmul %x, %w : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
  %1 = graph.sigmoid %0 : tensor<4x8xf32>
  %2 = graph.mul %0, %1 : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  %3 = graph.mul %2, %half : tensor<4x8xf32>, tensor<f32> -> tensor<4x8xf32>
  return %3 : tensor<4x8xf32>
}

// Two branches of elementwise ops meet; weights stay operands.
// CHECK-LABEL: @tree
func.func @tree(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %w = graph.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  // CHECK: graph.fusion "exp_mul_add" (%{{.*}} = %x, %{{.*}} = %y, %{{.*}} = %w)
  %0 = graph.exp %x : tensor<4xf32>
  %1 = graph.mul %y, %w : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %2 = graph.add %0, %1 : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  return %2 : tensor<4xf32>
}

// CHECK-LABEL: @residual
func.func @residual(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>) -> tensor<4x8xf32> {
  // CHECK-NEXT: %[[H:.*]] = graph.fusion "matmul_relu"
  %0 = graph.matmul %x, %w : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
  %1 = graph.relu %0 : tensor<4x8xf32>
  // CHECK: %[[Y:.*]] = graph.fusion "matmul_add" (%{{.*}} = %[[H]], %{{.*}} = %w)
  // REMARK: graph.relu -> graph.matmul: not fused: graph.matmul starts a kernel of its own
  %2 = graph.matmul %1, %w : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
  // REMARK: graph.relu -> graph.add: not fused: result has 2 uses
  // REMARK: graph.matmul -> graph.add: fused into matmul_add
  %3 = graph.add %1, %2 : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  // CHECK: return %[[Y]]
  return %3 : tensor<4x8xf32>
}

// CHECK-LABEL: @only_one_root
func.func @only_one_root(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>) -> tensor<4x8xf32> {
  // CHECK-NEXT: graph.matmul
  // CHECK-NEXT: graph.fusion "matmul_add"
  %0 = graph.matmul %x, %w : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
  %1 = graph.matmul %0, %w : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
  %2 = graph.add %0, %1 : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  return %2 : tensor<4x8xf32>
}

// CHECK-LABEL: @shapes_differ
func.func @shapes_differ(%x: tensor<1x200xf32>, %y: tensor<200xf32>) -> tensor<1x200xf32> {
  // CHECK-NEXT: graph.exp
  // CHECK-NEXT: graph.add
  // CHECK-NEXT: return
  // REMARK: graph.exp -> graph.add: not fused: shapes differ 200 vs 1x200
  %0 = graph.exp %y : tensor<200xf32>
  %1 = graph.add %x, %0 : tensor<1x200xf32>, tensor<200xf32> -> tensor<1x200xf32>
  return %1 : tensor<1x200xf32>
}

// CHECK-LABEL: @several_readers
func.func @several_readers(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK-NEXT: graph.exp
  // CHECK-NEXT: graph.relu
  // CHECK-NEXT: graph.neg
  // CHECK-NEXT: return
  // REMARK: graph.exp -> graph.relu: not fused: result has 2 uses
  // REMARK: graph.exp -> graph.neg: not fused: result has 2 uses
  %0 = graph.exp %x : tensor<4xf32>
  %1 = graph.relu %0 : tensor<4xf32>
  %2 = graph.neg %0 : tensor<4xf32>
  return %1, %2 : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: @moved_data
func.func @moved_data(%x: tensor<4x2xf32>) -> tensor<2x4xf32> {
  // CHECK-NEXT: graph.transpose
  // CHECK-NEXT: graph.relu
  // CHECK-NEXT: return
  // REMARK: graph.transpose -> graph.relu: not fused: graph.transpose would have to be read with a stride
  %0 = graph.transpose %x [1, 0] : tensor<4x2xf32> -> tensor<2x4xf32>
  %1 = graph.relu %0 : tensor<2x4xf32>
  return %1 : tensor<2x4xf32>
}

// CHECK-LABEL: @after_transposed_convolution
func.func @after_transposed_convolution(%x: tensor<1x4x4x8xf32>, %w: tensor<2x2x8x4xf32>, %b: tensor<4xf32>) -> tensor<1x8x8x4xf32> {
  // CHECK-NEXT: graph.fusion "conv_transpose2d_bias_silu"
  // REMARK: graph.conv_transpose2d -> graph.add: fused into conv_transpose2d_bias_silu
  %0 = graph.conv_transpose2d %x, %w {strides = array<i64: 2, 2>, layout = "NHWC"} : tensor<1x4x4x8xf32>, tensor<2x2x8x4xf32> -> tensor<1x8x8x4xf32>
  %1 = graph.add %0, %b : tensor<1x8x8x4xf32>, tensor<4xf32> -> tensor<1x8x8x4xf32>
  %2 = graph.silu %1 : tensor<1x8x8x4xf32>
  return %2 : tensor<1x8x8x4xf32>
}

// CHECK-LABEL: @embedding
func.func @embedding(%table: tensor<100x8xf32>, %ids: tensor<4xi64>, %p: tensor<4x8xf32>, %s: tensor<8xf32>) -> tensor<4xi32> {
  // CHECK-NEXT: graph.gather
  // CHECK-NEXT: graph.fusion "add_rms_norm_relu"
  // CHECK: graph.fusion "argmax_cast"
  // REMARK: graph.gather -> graph.add: not fused: graph.gather moves data
  // REMARK: graph.add -> graph.rms_norm: fused into add_rms_norm_relu
  // REMARK: graph.relu -> graph.argmax: not fused: graph.argmax starts a kernel of its own
  %0 = graph.gather %table, %ids axis 0 : tensor<100x8xf32>, tensor<4xi64> -> tensor<4x8xf32>
  %1 = graph.add %0, %p : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  %2 = graph.rms_norm %1, %s axis 1 epsilon 1.0e-05 : tensor<4x8xf32>, tensor<8xf32> -> tensor<4x8xf32>
  %3 = graph.relu %2 : tensor<4x8xf32>
  %4 = graph.argmax %3 axis 1 : tensor<4x8xf32> -> tensor<4xi64>
  %5 = graph.cast %4 : tensor<4xi64> -> tensor<4xi32>
  return %5 : tensor<4xi32>
}
