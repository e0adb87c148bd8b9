// RUN: mlc-opt --merge-matmuls %s | filecheck %s
// RUN: mlc-opt --merge-matmuls --fuse --lower-to-tensor --fold-moves --check-each %s | filecheck %s --check-prefix=FOLDED
// RUN: mlc-opt --merge-matmuls --remarks %s 2>&1 >%t | filecheck %s --check-prefix=REMARK

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
// REMARK: merged with 2 other products of the same matrix
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

// Elementwise ops belong to the kernel of the product in front of them; results with two readers would be copied.
// CHECK-LABEL: @gated
// CHECK-COUNT-4: graph.matmul
// CHECK-NOT: graph.slice
// CHECK: return
func.func @gated(%x: tensor<4x8xf32>) -> (tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>) {
  %wg = graph.constant dense<0.5> : tensor<8x6xf32>
  %wu = graph.constant dense<0.25> : tensor<8x6xf32>
  %wa = graph.constant dense<0.75> : tensor<8x6xf32>
  %wb = graph.constant dense<1.0> : tensor<8x6xf32>
  %g = graph.matmul %x, %wg : tensor<4x8xf32>, tensor<8x6xf32> -> tensor<4x6xf32>
  %u = graph.matmul %x, %wu : tensor<4x8xf32>, tensor<8x6xf32> -> tensor<4x6xf32>
  %0 = graph.mul %g, %u : tensor<4x6xf32>, tensor<4x6xf32> -> tensor<4x6xf32>
  %a = graph.matmul %x, %wa : tensor<4x8xf32>, tensor<8x6xf32> -> tensor<4x6xf32>
  %b = graph.matmul %x, %wb : tensor<4x8xf32>, tensor<8x6xf32> -> tensor<4x6xf32>
  %1 = graph.softmax %a axis 1 : tensor<4x6xf32>
  return %0, %1, %b : tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>
}

// One with a bias and one without, products of two matrices, a bias that is one number for all columns, and weights
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
