// RUN: mlc-opt --pass-pipeline='merge-products{least-gain=0}' %s | filecheck %s
// RUN: mlc-opt --pass-pipeline='merge-products{least-gain=0},fold-empty,fuse,lower-to-tensor,fold-moves' --check-each %s | filecheck %s --check-prefix=FOLDED
// RUN: mlc-opt --pass-pipeline='merge-products{least-gain=0}' --remarks %s 2>&1 >%t | filecheck %s --check-prefix=REMARK

// Queries, keys and values side by side, biases too; attention reads them in place.
// CHECK-LABEL: @qkv
// CHECK-NEXT: %[[W:.*]] = graph.constant dense_resource<{{.*}}merged> : tensor<8x18xf32>
// CHECK-NEXT: %[[M:.*]] = graph.matmul %x, %[[W]]
// CHECK-NEXT: %[[B:.*]] = graph.constant dense_resource<{{.*}}merged{{.*}}> : tensor<18xf32>
// CHECK-NEXT: %[[A:.*]] = graph.add %[[M]], %[[B]]
// CHECK-NEXT: graph.slice %[[A]] starts [0, 0] ends [4, 6] strides [1, 1]
// CHECK-NEXT: graph.slice %[[A]] starts [0, 6] ends [4, 12] strides [1, 1]
// CHECK-NEXT: graph.slice %[[A]] starts [0, 12] ends [4, 18] strides [1, 1]
// CHECK-NOT: graph.add
// FOLDED-LABEL: func.func private @attention(
// FOLDED-SAME: %q: tensor<4x18xf32>, %k: tensor<4x18xf32>, %v: tensor<4x18xf32>
// FOLDED-NEXT: tensor.contract %q[m, b * 3 + k], %k[n, b * 3 + k + 6] over (b: 2, m: 4, n: 4) reduce (k: 3)
// FOLDED: tensor.contract %{{.*}}[b, m, k], %v[k, b * 3 + n + 12]
// FOLDED: func.call @attention(%[[A:[a-z0-9]+]], %[[A]], %[[A]])
// REMARK: 30:9: remark: merged with 2 other products of the same input (%q0 at 28:9, %v0 at 32:9): estimated {{[0-9.]+}} times as fast
func.func @qkv(%x: tensor<4x8xf32>) -> tensor<2x4x3xf32> {
  %wq = graph.constant dense<0.5> : tensor<8x6xf32>
  %wk = graph.constant dense<0.25> : tensor<8x6xf32>
  %wv = graph.constant dense<0.75> : tensor<8x6xf32>
  %bq = graph.constant dense<1.0> : tensor<6xf32>
  %bk = graph.constant dense<2.0> : tensor<6xf32>
  %bv = graph.constant dense<3.0> : tensor<6xf32>
  %q0 = graph.matmul %x, %wq : tensor<4x8xf32>, tensor<8x6xf32> -> tensor<4x6xf32>
  %q = graph.add %q0, %bq : tensor<4x6xf32>, tensor<6xf32> -> tensor<4x6xf32>
  %k0 = graph.matmul %x, %wk : tensor<4x8xf32>, tensor<8x6xf32> -> tensor<4x6xf32>
  %k = graph.add %k0, %bk : tensor<4x6xf32>, tensor<6xf32> -> tensor<4x6xf32>
  %v0 = graph.matmul %x, %wv : tensor<4x8xf32>, tensor<8x6xf32> -> tensor<4x6xf32>
  %v = graph.add %v0, %bv : tensor<4x6xf32>, tensor<6xf32> -> tensor<4x6xf32>
  %q1 = graph.reshape %q : tensor<4x6xf32> -> tensor<4x2x3xf32>
  %q2 = graph.transpose %q1 [1, 0, 2] : tensor<4x2x3xf32> -> tensor<2x4x3xf32>
  %k1 = graph.reshape %k : tensor<4x6xf32> -> tensor<4x2x3xf32>
  %k2 = graph.transpose %k1 [1, 2, 0] : tensor<4x2x3xf32> -> tensor<2x3x4xf32>
  %v1 = graph.reshape %v : tensor<4x6xf32> -> tensor<4x2x3xf32>
  %v2 = graph.transpose %v1 [1, 0, 2] : tensor<4x2x3xf32> -> tensor<2x4x3xf32>
  %0 = graph.matmul %q2, %k2 : tensor<2x4x3xf32>, tensor<2x3x4xf32> -> tensor<2x4x4xf32>
  %1 = graph.softmax %0 axis 2 : tensor<2x4x4xf32>
  %2 = graph.matmul %1, %v2 : tensor<2x4x4xf32>, tensor<2x4x3xf32> -> tensor<2x4x3xf32>
  return %2 : tensor<2x4x3xf32>
}

// What reads two parts element by element reads them beside each other; so do results.
// CHECK-LABEL: @gated
// CHECK-COUNT-1: graph.matmul
// CHECK-COUNT-3: graph.slice
// CHECK: graph.mul %g, %u
// CHECK: return
func.func @gated(%x: tensor<4x8xf32>) -> (tensor<4x6xf32>, tensor<4x6xf32>) {
  %wg = graph.constant dense<0.5> : tensor<8x6xf32>
  %wu = graph.constant dense<0.25> : tensor<8x6xf32>
  %wb = graph.constant dense<1.0> : tensor<8x6xf32>
  %g = graph.matmul %x, %wg : tensor<4x8xf32>, tensor<8x6xf32> -> tensor<4x6xf32>
  %u = graph.matmul %x, %wu : tensor<4x8xf32>, tensor<8x6xf32> -> tensor<4x6xf32>
  %b = graph.matmul %x, %wb : tensor<4x8xf32>, tensor<8x6xf32> -> tensor<4x6xf32>
  %0 = graph.mul %g, %u : tensor<4x6xf32>, tensor<4x6xf32> -> tensor<4x6xf32>
  return %0, %b : tensor<4x6xf32>, tensor<4x6xf32>
}

// Heads of a detector: convolutions of one window, and all that they have behind them in common. The bounds of a clip are
// one number each and stay so, wherever they were defined; scales for each channel stand side by side.
// CHECK-LABEL: @heads
// CHECK-NEXT: %[[W:.*]] = graph.constant dense_resource<{{.*}}merged{{.*}}> : tensor<3x3x2x8xf32>
// CHECK-NEXT: %[[C:.*]] = graph.conv2d %x, %[[W]] {padding = array<i64: 1, 1, 1, 1>, layout = "NHWC"}
// CHECK-SAME: -> tensor<1x4x4x8xf32>
// CHECK-NEXT: %[[S:.*]] = graph.constant dense_resource<{{.*}}merged{{.*}}> : tensor<8xf32>
// CHECK-NEXT: %[[A:.*]] = graph.mul %[[C]], %[[S]]
// CHECK-NEXT: %[[SIX:.*]] = graph.constant dense<6.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[M:.*]] = graph.min %[[SIX]], %[[A]]
// CHECK-NEXT: graph.slice %[[M]] starts [0, 0, 0, 0] ends [1, 4, 4, 3]
// CHECK-NEXT: graph.slice %[[M]] starts [0, 0, 0, 3] ends [1, 4, 4, 8]
// CHECK-NEXT: return
func.func @heads(%x: tensor<1x4x4x2xf32>) -> (tensor<1x4x4x3xf32>, tensor<1x4x4x5xf32>) {
  %w0 = graph.constant dense<0.5> : tensor<3x3x2x3xf32>
  %w1 = graph.constant dense<0.25> : tensor<3x3x2x5xf32>
  %s0 = graph.constant dense<2.0> : tensor<3xf32>
  %s1 = graph.constant dense<4.0> : tensor<5xf32>
  %a0 = graph.conv2d %x, %w0 {padding = array<i64: 1, 1, 1, 1>, layout = "NHWC"} : tensor<1x4x4x2xf32>, tensor<3x3x2x3xf32> -> tensor<1x4x4x3xf32>
  %b0 = graph.mul %a0, %s0 : tensor<1x4x4x3xf32>, tensor<3xf32> -> tensor<1x4x4x3xf32>
  %six = graph.constant dense<6.0> : tensor<f32>
  %c0 = graph.min %six, %b0 : tensor<f32>, tensor<1x4x4x3xf32> -> tensor<1x4x4x3xf32>
  %a1 = graph.conv2d %x, %w1 {padding = array<i64: 1, 1, 1, 1>, layout = "NHWC"} : tensor<1x4x4x2xf32>, tensor<3x3x2x5xf32> -> tensor<1x4x4x5xf32>
  %b1 = graph.mul %a1, %s1 : tensor<1x4x4x5xf32>, tensor<5xf32> -> tensor<1x4x4x5xf32>
  %c1 = graph.min %six, %b1 : tensor<f32>, tensor<1x4x4x5xf32> -> tensor<1x4x4x5xf32>
  return %c0, %c1 : tensor<1x4x4x3xf32>, tensor<1x4x4x5xf32>
}

// Another window, another padding, groups, channels first, and bounds that are zeros of two signs: each stays on its own.
// CHECK-LABEL: @other_windows
// CHECK-NOT: graph.slice
// CHECK: return
// REMARK: not merged with other products of the same input: no other is followed by such ops
// REMARK: not merged with other products of the same input: no other is followed by such ops
// REMARK: not merged with other products of the same input: 2 groups; required: 1
func.func @other_windows(%x: tensor<1x4x4x2xf32>) -> (tensor<1x4x4x3xf32>, tensor<1x2x2x3xf32>, tensor<1x4x4x4xf32>) {
  %w0 = graph.constant dense<0.5> : tensor<1x1x2x3xf32>
  %w1 = graph.constant dense<0.25> : tensor<3x3x2x3xf32>
  %w2 = graph.constant dense<0.25> : tensor<1x1x1x4xf32>
  %0 = graph.conv2d %x, %w0 {layout = "NHWC"} : tensor<1x4x4x2xf32>, tensor<1x1x2x3xf32> -> tensor<1x4x4x3xf32>
  %1 = graph.conv2d %x, %w1 {layout = "NHWC"} : tensor<1x4x4x2xf32>, tensor<3x3x2x3xf32> -> tensor<1x2x2x3xf32>
  %2 = graph.conv2d %x, %w2 {groups = 2, layout = "NHWC"} : tensor<1x4x4x2xf32>, tensor<1x1x1x4xf32> -> tensor<1x4x4x4xf32>
  return %0, %1, %2 : tensor<1x4x4x3xf32>, tensor<1x2x2x3xf32>, tensor<1x4x4x4xf32>
}
// CHECK-LABEL: @other_padding
// CHECK-NOT: graph.slice
// CHECK: return
func.func @other_padding(%x: tensor<1x4x4x2xf32>) -> (tensor<1x4x4x3xf32>, tensor<1x2x2x3xf32>) {
  %w0 = graph.constant dense<0.5> : tensor<3x3x2x3xf32>
  %w1 = graph.constant dense<0.25> : tensor<3x3x2x3xf32>
  %0 = graph.conv2d %x, %w0 {padding = array<i64: 1, 1, 1, 1>, layout = "NHWC"} : tensor<1x4x4x2xf32>, tensor<3x3x2x3xf32> -> tensor<1x4x4x3xf32>
  %1 = graph.conv2d %x, %w1 {layout = "NHWC"} : tensor<1x4x4x2xf32>, tensor<3x3x2x3xf32> -> tensor<1x2x2x3xf32>
  return %0, %1 : tensor<1x4x4x3xf32>, tensor<1x2x2x3xf32>
}
// CHECK-LABEL: @channels_first
// CHECK-NOT: graph.slice
// CHECK: return
// REMARK: layout NCHW; required: channels last
func.func @channels_first(%x: tensor<1x2x4x4xf32>) -> (tensor<1x3x4x4xf32>, tensor<1x3x4x4xf32>) {
  %w0 = graph.constant dense<0.5> : tensor<3x2x1x1xf32>
  %w1 = graph.constant dense<0.25> : tensor<3x2x1x1xf32>
  %0 = graph.conv2d %x, %w0 : tensor<1x2x4x4xf32>, tensor<3x2x1x1xf32> -> tensor<1x3x4x4xf32>
  %1 = graph.conv2d %x, %w1 : tensor<1x2x4x4xf32>, tensor<3x2x1x1xf32> -> tensor<1x3x4x4xf32>
  return %0, %1 : tensor<1x3x4x4xf32>, tensor<1x3x4x4xf32>
}
// CHECK-LABEL: @other_bounds
// CHECK-NOT: graph.slice
// CHECK: return
func.func @other_bounds(%x: tensor<4x8xf32>) -> (tensor<4x6xf32>, tensor<4x6xf32>) {
  %w0 = graph.constant dense<0.5> : tensor<8x6xf32>
  %w1 = graph.constant dense<0.25> : tensor<8x6xf32>
  %p = graph.constant dense<0.0> : tensor<f32>
  %n = graph.constant dense<-0.0> : tensor<f32>
  %0 = graph.matmul %x, %w0 : tensor<4x8xf32>, tensor<8x6xf32> -> tensor<4x6xf32>
  %1 = graph.max %0, %p : tensor<4x6xf32>, tensor<f32> -> tensor<4x6xf32>
  %2 = graph.matmul %x, %w1 : tensor<4x8xf32>, tensor<8x6xf32> -> tensor<4x6xf32>
  %3 = graph.max %2, %n : tensor<4x6xf32>, tensor<f32> -> tensor<4x6xf32>
  return %1, %3 : tensor<4x6xf32>, tensor<4x6xf32>
}

// A column that is stretched behind its product is not among the columns of others any more.
// CHECK-LABEL: @stretched
// CHECK: %[[M:.*]] = graph.matmul
// CHECK: %[[A:.*]] = graph.slice %[[M]] starts [0, 0] ends [4, 1]
// CHECK: %[[B:.*]] = graph.slice %[[M]] starts [0, 1] ends [4, 2]
// CHECK: graph.add %[[A]], %row
// CHECK: graph.add %[[B]], %row
func.func @stretched(%x: tensor<4x8xf32>) -> (tensor<4x6xf32>, tensor<4x6xf32>) {
  %w0 = graph.constant dense<0.5> : tensor<8x1xf32>
  %w1 = graph.constant dense<0.25> : tensor<8x1xf32>
  %row = graph.constant dense<2.0> : tensor<6xf32>
  %0 = graph.matmul %x, %w0 : tensor<4x8xf32>, tensor<8x1xf32> -> tensor<4x1xf32>
  %1 = graph.add %0, %row : tensor<4x1xf32>, tensor<6xf32> -> tensor<4x6xf32>
  %2 = graph.matmul %x, %w1 : tensor<4x8xf32>, tensor<8x1xf32> -> tensor<4x1xf32>
  %3 = graph.add %2, %row : tensor<4x1xf32>, tensor<6xf32> -> tensor<4x6xf32>
  return %1, %3 : tensor<4x6xf32>, tensor<4x6xf32>
}

// Integers, weights that come with each call, and an input without elements.
// CHECK-LABEL: @left_alone
// CHECK-NOT: graph.slice
// CHECK: return
// REMARK: elements of type i32; required: f32 or f64
// REMARK: its weights are not constant
// REMARK: its shape is not known, or empty
func.func @left_alone(%i: tensor<4x8xi32>, %x: tensor<4x8xf32>, %w: tensor<8x6xf32>, %e: tensor<0x8xf32>)
    -> (tensor<4x6xi32>, tensor<4x6xi32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<0x6xf32>, tensor<0x6xf32>) {
  %w0 = graph.constant dense<1> : tensor<8x6xi32>
  %w1 = graph.constant dense<2> : tensor<8x6xi32>
  %w2 = graph.constant dense<0.25> : tensor<8x6xf32>
  %w3 = graph.constant dense<0.5> : tensor<8x6xf32>
  %w4 = graph.constant dense<0.75> : tensor<8x6xf32>
  %0 = graph.matmul %i, %w0 : tensor<4x8xi32>, tensor<8x6xi32> -> tensor<4x6xi32>
  %1 = graph.matmul %i, %w1 : tensor<4x8xi32>, tensor<8x6xi32> -> tensor<4x6xi32>
  %2 = graph.matmul %x, %w : tensor<4x8xf32>, tensor<8x6xf32> -> tensor<4x6xf32>
  %3 = graph.matmul %x, %w2 : tensor<4x8xf32>, tensor<8x6xf32> -> tensor<4x6xf32>
  %4 = graph.matmul %e, %w3 : tensor<0x8xf32>, tensor<8x6xf32> -> tensor<0x6xf32>
  %5 = graph.matmul %e, %w4 : tensor<0x8xf32>, tensor<8x6xf32> -> tensor<0x6xf32>
  return %0, %1, %2, %3, %4, %5 : tensor<4x6xi32>, tensor<4x6xi32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<0x6xf32>, tensor<0x6xf32>
}

// One with a bias and one without, products of two matrices, biases of one number each, and weights
// that somebody else reads: each stays on its own.
// CHECK-LABEL: @one_bias
// CHECK-NOT: graph.slice
// CHECK: return
func.func @one_bias(%x: tensor<4x8xf32>) -> (tensor<4x6xf32>, tensor<4x6xf32>) {
  %wq = graph.constant dense<0.5> : tensor<8x6xf32>
  %wk = graph.constant dense<0.25> : tensor<8x6xf32>
  %bq = graph.constant dense<1.0> : tensor<6xf32>
  %q0 = graph.matmul %x, %wq : tensor<4x8xf32>, tensor<8x6xf32> -> tensor<4x6xf32>
  %q1 = graph.add %q0, %bq : tensor<4x6xf32>, tensor<6xf32> -> tensor<4x6xf32>
  %q = graph.softmax %q1 axis 1 : tensor<4x6xf32>
  %k0 = graph.matmul %x, %wk : tensor<4x8xf32>, tensor<8x6xf32> -> tensor<4x6xf32>
  %k = graph.softmax %k0 axis 1 : tensor<4x6xf32>
  return %q, %k : tensor<4x6xf32>, tensor<4x6xf32>
}
// CHECK-LABEL: @two_matrices
// CHECK-NOT: graph.slice
// CHECK: return
func.func @two_matrices(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> (tensor<4x6xf32>, tensor<4x6xf32>) {
  %wq = graph.constant dense<0.5> : tensor<8x6xf32>
  %wk = graph.constant dense<0.25> : tensor<8x6xf32>
  %q0 = graph.matmul %x, %wq : tensor<4x8xf32>, tensor<8x6xf32> -> tensor<4x6xf32>
  %q = graph.softmax %q0 axis 1 : tensor<4x6xf32>
  %k0 = graph.matmul %y, %wk : tensor<4x8xf32>, tensor<8x6xf32> -> tensor<4x6xf32>
  %k = graph.softmax %k0 axis 1 : tensor<4x6xf32>
  return %q, %k : tensor<4x6xf32>, tensor<4x6xf32>
}
// CHECK-LABEL: @one_number
// CHECK-NOT: graph.slice
// CHECK: return
func.func @one_number(%x: tensor<4x8xf32>) -> (tensor<4x6xf32>, tensor<4x6xf32>) {
  %wq = graph.constant dense<0.5> : tensor<8x6xf32>
  %wk = graph.constant dense<0.25> : tensor<8x6xf32>
  %bq = graph.constant dense<1.0> : tensor<1xf32>
  %bk = graph.constant dense<2.0> : tensor<1xf32>
  %q0 = graph.matmul %x, %wq : tensor<4x8xf32>, tensor<8x6xf32> -> tensor<4x6xf32>
  %q1 = graph.add %q0, %bq : tensor<4x6xf32>, tensor<1xf32> -> tensor<4x6xf32>
  %q = graph.softmax %q1 axis 1 : tensor<4x6xf32>
  %k0 = graph.matmul %x, %wk : tensor<4x8xf32>, tensor<8x6xf32> -> tensor<4x6xf32>
  %k1 = graph.add %k0, %bk : tensor<4x6xf32>, tensor<1xf32> -> tensor<4x6xf32>
  %k = graph.softmax %k1 axis 1 : tensor<4x6xf32>
  return %q, %k : tensor<4x6xf32>, tensor<4x6xf32>
}
// CHECK-LABEL: @shared_weights
// CHECK-NOT: graph.slice
// CHECK: return %{{.*}}, %{{.*}}, %wk
func.func @shared_weights(%x: tensor<4x8xf32>) -> (tensor<4x6xf32>, tensor<4x6xf32>, tensor<8x6xf32>) {
  %wq = graph.constant dense<0.5> : tensor<8x6xf32>
  %wk = graph.constant dense<0.25> : tensor<8x6xf32>
  %q0 = graph.matmul %x, %wq : tensor<4x8xf32>, tensor<8x6xf32> -> tensor<4x6xf32>
  %q = graph.softmax %q0 axis 1 : tensor<4x6xf32>
  %k0 = graph.matmul %x, %wk : tensor<4x8xf32>, tensor<8x6xf32> -> tensor<4x6xf32>
  %k = graph.softmax %k0 axis 1 : tensor<4x6xf32>
  return %q, %k, %wk : tensor<4x6xf32>, tensor<4x6xf32>, tensor<8x6xf32>
}
// CHECK-LABEL: @merged
// CHECK: graph.slice
// CHECK: graph.slice
func.func @merged(%x: tensor<4x8xf32>) -> (tensor<4x6xf32>, tensor<4x6xf32>) {
  %wq = graph.constant dense<0.5> : tensor<8x6xf32>
  %wk = graph.constant dense<0.25> : tensor<8x6xf32>
  %q0 = graph.matmul %x, %wq : tensor<4x8xf32>, tensor<8x6xf32> -> tensor<4x6xf32>
  %q = graph.softmax %q0 axis 1 : tensor<4x6xf32>
  %k0 = graph.matmul %x, %wk : tensor<4x8xf32>, tensor<8x6xf32> -> tensor<4x6xf32>
  %k = graph.softmax %k0 axis 1 : tensor<4x6xf32>
  return %q, %k : tensor<4x6xf32>, tensor<4x6xf32>
}
