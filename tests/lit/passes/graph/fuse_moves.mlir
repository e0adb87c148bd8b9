// RUN: mlc-opt --fuse %s | filecheck %s
// RUN: mlc-opt --fuse --remarks %s 2>&1 >%t | filecheck %s --check-prefix=REMARK
// RUN: mlc-opt --fuse="attention=false" %s | filecheck %s --check-prefix=APART

// Attention is one kernel, with the transposes around it; reshapes at its ends are views.
// CHECK-LABEL: @attention
// CHECK-NEXT: %[[Q:.*]] = graph.reshape %q
// CHECK-NEXT: graph.fusion "attention" (%{{.*}} = %[[Q]], %{{.*}} = %k, %{{.*}} = %v, %{{.*}} = %mask) : {{.*}} -> tensor<4x2x8xf32> {
// CHECK: graph.transpose {{.*}} [1, 2, 0]
// CHECK: graph.softmax
// CHECK: graph.matmul
// CHECK-NEXT: graph.transpose
// CHECK-NEXT: graph.yield
// CHECK: graph.reshape
// CHECK-NEXT: return
// APART-LABEL: @attention
// APART-NOT: "attention"
// APART: graph.fusion "matmul_mul_add"
// APART: graph.softmax
// APART: graph.fusion "matmul"
// APART: return
func.func @attention(%q: tensor<4x16xf32>, %k: tensor<5x2x8xf32>, %v: tensor<5x2x8xf32>, %mask: tensor<1x5xf32>) -> tensor<4x16xf32> {
  %s = graph.constant dense<0.35> : tensor<f32>
  // REMARK: graph.reshape -> graph.transpose: not fused: graph.reshape is a view and costs nothing
  %q0 = graph.reshape %q : tensor<4x16xf32> -> tensor<4x2x8xf32>
  %q1 = graph.transpose %q0 [1, 0, 2] : tensor<4x2x8xf32> -> tensor<2x4x8xf32>
  %k1 = graph.transpose %k [1, 2, 0] : tensor<5x2x8xf32> -> tensor<2x8x5xf32>
  %v1 = graph.transpose %v [1, 0, 2] : tensor<5x2x8xf32> -> tensor<2x5x8xf32>
  // REMARK: graph.transpose -> graph.matmul: fused into attention
  %0 = graph.matmul %q1, %k1 : tensor<2x4x8xf32>, tensor<2x8x5xf32> -> tensor<2x4x5xf32>
  %1 = graph.mul %0, %s : tensor<2x4x5xf32>, tensor<f32> -> tensor<2x4x5xf32>
  %2 = graph.add %1, %mask : tensor<2x4x5xf32>, tensor<1x5xf32> -> tensor<2x4x5xf32>
  // REMARK: graph.add -> graph.softmax: fused into attention
  %3 = graph.softmax %2 axis 2 : tensor<2x4x5xf32>
  // REMARK: graph.softmax -> graph.matmul: fused into attention
  %4 = graph.matmul %3, %v1 : tensor<2x4x5xf32>, tensor<2x5x8xf32> -> tensor<2x4x8xf32>
  // REMARK: graph.matmul -> graph.transpose: fused into attention
  %5 = graph.transpose %4 [1, 0, 2] : tensor<2x4x8xf32> -> tensor<4x2x8xf32>
  // REMARK: graph.transpose -> graph.reshape: not fused: graph.reshape is a view and costs nothing
  %6 = graph.reshape %5 : tensor<4x2x8xf32> -> tensor<4x16xf32>
  return %6 : tensor<4x16xf32>
}

// Scores that somebody else reads are computed apart.
// CHECK-LABEL: @scores_are_read
// CHECK-NEXT: graph.matmul
// CHECK-NEXT: graph.softmax
// CHECK-NEXT: graph.matmul
// CHECK-NEXT: return
func.func @scores_are_read(%q: tensor<4x8xf32>, %k: tensor<8x5xf32>, %v: tensor<5x8xf32>) -> (tensor<4x8xf32>, tensor<4x5xf32>) {
  %0 = graph.matmul %q, %k : tensor<4x8xf32>, tensor<8x5xf32> -> tensor<4x5xf32>
  // REMARK: graph.matmul -> graph.softmax: not fused: graph.softmax starts a kernel of its own
  %1 = graph.softmax %0 axis 1 : tensor<4x5xf32>
  %2 = graph.matmul %1, %v : tensor<4x5xf32>, tensor<5x8xf32> -> tensor<4x8xf32>
  return %2, %0 : tensor<4x8xf32>, tensor<4x5xf32>
}

// A softmax across the rows of the scores, or over the columns of another matrix, is no attention.
// CHECK-LABEL: @other_axis
// CHECK-NEXT: graph.matmul
// CHECK-NEXT: graph.softmax
// CHECK-NEXT: graph.matmul
func.func @other_axis(%q: tensor<4x8xf32>, %k: tensor<8x5xf32>, %v: tensor<5x8xf32>) -> tensor<4x8xf32> {
  %0 = graph.matmul %q, %k : tensor<4x8xf32>, tensor<8x5xf32> -> tensor<4x5xf32>
  %1 = graph.softmax %0 axis 0 : tensor<4x5xf32>
  %2 = graph.matmul %1, %v : tensor<4x5xf32>, tensor<5x8xf32> -> tensor<4x8xf32>
  return %2 : tensor<4x8xf32>
}

// A slice, split up and reordered along whole rows of 8, is read where it lies.
// CHECK-LABEL: @sliced
// CHECK-NEXT: graph.fusion "matmul" (%{{.*}} = %x, %{{.*}} = %w)
// CHECK-NEXT: graph.slice
// CHECK-NEXT: graph.reshape
// CHECK-NEXT: graph.transpose
// CHECK-NEXT: graph.matmul
func.func @sliced(%x: tensor<4x48xf32>, %w: tensor<2x8x3xf32>) -> tensor<2x4x3xf32> {
  // REMARK: graph.slice -> graph.reshape: fused into matmul
  %0 = graph.slice %x starts [0, 16] ends [4, 32] strides [1, 1] : tensor<4x48xf32> -> tensor<4x16xf32>
  %1 = graph.reshape %0 : tensor<4x16xf32> -> tensor<4x2x8xf32>
  %2 = graph.transpose %1 [1, 0, 2] : tensor<4x2x8xf32> -> tensor<2x4x8xf32>
  %3 = graph.matmul %2, %w : tensor<2x4x8xf32>, tensor<2x8x3xf32> -> tensor<2x4x3xf32>
  return %3 : tensor<2x4x3xf32>
}

// Every other column, a reshape that joins what was reordered, two readers: these stay.
// CHECK-LABEL: @stays
// CHECK-NEXT: graph.slice
// CHECK-NEXT: graph.exp
// CHECK-NEXT: graph.transpose
// CHECK-NEXT: graph.reshape
// CHECK-NEXT: graph.exp
// CHECK-NEXT: graph.transpose
// CHECK-NEXT: graph.exp
// CHECK-NEXT: graph.neg
func.func @stays(%x: tensor<4x6xf32>, %y: tensor<2x3x8xf32>, %z: tensor<2x3x8xf32>) -> (tensor<4x3xf32>, tensor<3x16xf32>, tensor<3x2x8xf32>, tensor<3x2x8xf32>) {
  %0 = graph.slice %x starts [0, 0] ends [4, 6] strides [1, 2] : tensor<4x6xf32> -> tensor<4x3xf32>
  // REMARK: graph.slice -> graph.exp: not fused: graph.slice would have to be read with a stride
  %1 = graph.exp %0 : tensor<4x3xf32>
  %2 = graph.transpose %y [1, 0, 2] : tensor<2x3x8xf32> -> tensor<3x2x8xf32>
  // REMARK: graph.transpose -> graph.reshape: not fused: graph.reshape is a view and costs nothing
  %3 = graph.reshape %2 : tensor<3x2x8xf32> -> tensor<3x16xf32>
  %4 = graph.exp %3 : tensor<3x16xf32>
  %5 = graph.transpose %z [1, 0, 2] : tensor<2x3x8xf32> -> tensor<3x2x8xf32>
  // REMARK: graph.transpose -> graph.exp: not fused: result has 2 uses
  %6 = graph.exp %5 : tensor<3x2x8xf32>
  %7 = graph.neg %5 : tensor<3x2x8xf32>
  return %1, %4, %6, %7 : tensor<4x3xf32>, tensor<3x16xf32>, tensor<3x2x8xf32>, tensor<3x2x8xf32>
}

// A transpose goes to what computes it if it stores whole rows.
// CHECK-LABEL: @stored
// CHECK: graph.fusion "linear"
// CHECK: graph.transpose
// CHECK-NEXT: graph.yield
// CHECK: %[[E:.*]] = graph.exp
// CHECK-NEXT: graph.transpose %[[E]]
func.func @stored(%x: tensor<2x3x8xf32>, %w: tensor<8x8xf32>, %b: tensor<8xf32>) -> (tensor<3x2x8xf32>, tensor<8x3x2xf32>) {
  %0 = graph.matmul %x, %w : tensor<2x3x8xf32>, tensor<8x8xf32> -> tensor<2x3x8xf32>
  %1 = graph.add %0, %b : tensor<2x3x8xf32>, tensor<8xf32> -> tensor<2x3x8xf32>
  // REMARK: graph.add -> graph.transpose: fused into linear
  %2 = graph.transpose %1 [1, 0, 2] : tensor<2x3x8xf32> -> tensor<3x2x8xf32>
  %3 = graph.exp %x : tensor<2x3x8xf32>
  // REMARK: graph.exp -> graph.transpose: not fused: graph.transpose would have to write with a stride
  %4 = graph.transpose %3 [2, 1, 0] : tensor<2x3x8xf32> -> tensor<8x3x2xf32>
  return %2, %4 : tensor<3x2x8xf32>, tensor<8x3x2xf32>
}

// Rows take along the elementwise ops in front of them; a product of matrices does not.
// CHECK-LABEL: @rows
// CHECK-NEXT: graph.fusion "add_layer_norm_relu"
// CHECK: graph.exp
// CHECK-NEXT: graph.matmul
func.func @rows(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>, %g: tensor<8xf32>, %w: tensor<8x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %0 = graph.add %x, %y : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
  // REMARK: graph.add -> graph.layer_norm: fused into add_layer_norm_relu
  %1 = graph.layer_norm %0, %g, %g axis 1 epsilon 1.0e-05 : tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32> -> tensor<4x8xf32>
  %2 = graph.relu %1 : tensor<4x8xf32>
  %3 = graph.exp %x : tensor<4x8xf32>
  // REMARK: graph.exp -> graph.matmul: not fused: graph.matmul starts a kernel of its own
  %4 = graph.matmul %3, %w : tensor<4x8xf32>, tensor<8x8xf32> -> tensor<4x8xf32>
  return %2, %4 : tensor<4x8xf32>, tensor<4x8xf32>
}

// A mask of booleans is part of attention as one of numbers is, whichever branch of the selection has the scores.
// CHECK-LABEL: func.func @boolean_masks(
// CHECK: graph.fusion "attention"
// CHECK: graph.where
// CHECK: graph.fusion "attention"
// CHECK: graph.where
func.func @boolean_masks(%q: tensor<2x8x4xf32>, %k: tensor<2x4x8xf32>, %v: tensor<2x8x4xf32>, %pad: tensor<2x1x8xi1>) -> (tensor<2x8x4xf32>, tensor<2x8x4xf32>) {
  %never = graph.constant dense<0xFF800000> : tensor<f32>
  %s0 = graph.matmul %q, %k : tensor<2x8x4xf32>, tensor<2x4x8xf32> -> tensor<2x8x8xf32>
  %m0 = graph.where %pad, %never, %s0 : tensor<2x1x8xi1>, tensor<f32>, tensor<2x8x8xf32> -> tensor<2x8x8xf32>
  %p0 = graph.softmax %m0 axis 2 : tensor<2x8x8xf32>
  %y0 = graph.matmul %p0, %v : tensor<2x8x8xf32>, tensor<2x8x4xf32> -> tensor<2x8x4xf32>
  %s1 = graph.matmul %q, %k : tensor<2x8x4xf32>, tensor<2x4x8xf32> -> tensor<2x8x8xf32>
  %m1 = graph.where %pad, %s1, %never : tensor<2x1x8xi1>, tensor<2x8x8xf32>, tensor<f32> -> tensor<2x8x8xf32>
  %p1 = graph.softmax %m1 axis 2 : tensor<2x8x8xf32>
  %y1 = graph.matmul %p1, %v : tensor<2x8x8xf32>, tensor<2x8x4xf32> -> tensor<2x8x4xf32>
  return %y0, %y1 : tensor<2x8x4xf32>, tensor<2x8x4xf32>
}

// What is the last of a line of pixels is not its width of one pixel: to store channels first would take strides.

// CHECK-LABEL: func.func @line_of_pixels
// CHECK: graph.fusion
// CHECK-NOT: graph.transpose
// CHECK: graph.yield
// CHECK: graph.transpose
func.func @line_of_pixels(%x: tensor<1x16x1x8xf32>, %w: tensor<5x1x8x8xf32>) -> tensor<1x8x12x1xf32> {
  %y = graph.conv2d %x, %w {layout = "NHWC"} : tensor<1x16x1x8xf32>, tensor<5x1x8x8xf32> -> tensor<1x12x1x8xf32>
  %r = graph.relu %y : tensor<1x12x1x8xf32>
  %t = graph.transpose %r [0, 3, 1, 2] : tensor<1x12x1x8xf32> -> tensor<1x8x12x1xf32>
  return %t : tensor<1x8x12x1xf32>
}
