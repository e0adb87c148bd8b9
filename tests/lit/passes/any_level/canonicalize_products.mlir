// RUN: mlc-opt --canonicalize --check-each %s | filecheck %s

// Who names dims gets products whose operands both lie across memory: the other way round, none does.
// CHECK-LABEL: @both_across
func.func @both_across(%v: tensor<5x4x3xf32>, %p: tensor<4x6x5xf32>) -> tensor<6x4x3xf32> {
  // CHECK-NEXT: %[[V:.*]] = graph.transpose %v [1, 0, 2] : tensor<5x4x3xf32> -> tensor<4x5x3xf32>
  // CHECK-NEXT: %[[Y:.*]] = graph.matmul %p, %[[V]] : tensor<4x6x5xf32>, tensor<4x5x3xf32> -> tensor<4x6x3xf32>
  // CHECK-NEXT: %[[D:.*]] = graph.transpose %[[Y]] [1, 0, 2] : tensor<4x6x3xf32> -> tensor<6x4x3xf32>
  // CHECK-NEXT: return %[[D]]
  %a = graph.transpose %v [1, 2, 0] : tensor<5x4x3xf32> -> tensor<4x3x5xf32>
  %b = graph.transpose %p [0, 2, 1] : tensor<4x6x5xf32> -> tensor<4x5x6xf32>
  %c = graph.matmul %a, %b : tensor<4x3x5xf32>, tensor<4x5x6xf32> -> tensor<4x3x6xf32>
  %d = graph.transpose %c [2, 0, 1] : tensor<4x3x6xf32> -> tensor<6x4x3xf32>
  return %d : tensor<6x4x3xf32>
}

// One stack is for all matrices of the other.
// CHECK-LABEL: @shared
func.func @shared(%x: tensor<5x3xf32>, %p: tensor<4x6x5xf32>) -> tensor<4x3x6xf32> {
  // CHECK-NEXT: %[[Y:.*]] = graph.matmul %p, %x : tensor<4x6x5xf32>, tensor<5x3xf32> -> tensor<4x6x3xf32>
  // CHECK-NEXT: graph.transpose %[[Y]] [0, 2, 1]
  %a = graph.transpose %x [1, 0] : tensor<5x3xf32> -> tensor<3x5xf32>
  %b = graph.transpose %p [0, 2, 1] : tensor<4x6x5xf32> -> tensor<4x5x6xf32>
  %c = graph.matmul %a, %b : tensor<3x5xf32>, tensor<4x5x6xf32> -> tensor<4x3x6xf32>
  return %c : tensor<4x3x6xf32>
}

// A layer for one row reads its weights row by row, where they lie.
// CHECK-LABEL: @row
func.func @row(%x: tensor<1x5xf32>, %w: tensor<7x5xf32>) -> tensor<1x7xf32> {
  // CHECK-NEXT: %[[X:.*]] = graph.reshape %x : tensor<1x5xf32> -> tensor<5x1xf32>
  // CHECK-NEXT: %[[Y:.*]] = graph.matmul %w, %[[X]] : tensor<7x5xf32>, tensor<5x1xf32> -> tensor<7x1xf32>
  // CHECK-NEXT: graph.reshape %[[Y]] : tensor<7x1xf32> -> tensor<1x7xf32>
  %t = graph.transpose %w [1, 0] : tensor<7x5xf32> -> tensor<5x7xf32>
  %y = graph.matmul %x, %t : tensor<1x5xf32>, tensor<5x7xf32> -> tensor<1x7xf32>
  return %y : tensor<1x7xf32>
}

// CHECK-LABEL: @column
func.func @column(%x: tensor<5x1xf32>, %w: tensor<5x7xf32>) -> tensor<7x1xf32> {
  // CHECK: graph.matmul %{{.*}}, %w : tensor<1x5xf32>, tensor<5x7xf32> -> tensor<1x7xf32>
  %t = graph.transpose %w [1, 0] : tensor<5x7xf32> -> tensor<7x5xf32>
  %y = graph.matmul %t, %x : tensor<7x5xf32>, tensor<5x1xf32> -> tensor<7x1xf32>
  return %y : tensor<7x1xf32>
}

// Weights that are known are transposed when the model is compiled; of two operands one may lie as it should.
// CHECK-LABEL: @as_they_are
func.func @as_they_are(%x: tensor<1x2xf32>, %q: tensor<4x6x5xf32>, %k: tensor<4x3x5xf32>, %v: tensor<4x5x3xf32>)
    -> (tensor<1x3xf32>, tensor<4x6x3xf32>, tensor<4x5x3xf32>) {
  %w = graph.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32>
  // CHECK: graph.matmul %x, %
  %t = graph.transpose %w [1, 0] : tensor<3x2xf32> -> tensor<2x3xf32>
  %y = graph.matmul %x, %t : tensor<1x2xf32>, tensor<2x3xf32> -> tensor<1x3xf32>
  // CHECK: graph.matmul %q, %
  %u = graph.transpose %k [0, 2, 1] : tensor<4x3x5xf32> -> tensor<4x5x3xf32>
  %z = graph.matmul %q, %u : tensor<4x6x5xf32>, tensor<4x5x3xf32> -> tensor<4x6x3xf32>
  // CHECK: %[[Q:.*]] = graph.transpose %q [0, 2, 1]
  // CHECK: graph.matmul %[[Q]], %
  %r = graph.transpose %q [0, 2, 1] : tensor<4x6x5xf32> -> tensor<4x5x6xf32>
  %s = graph.matmul %r, %z : tensor<4x5x6xf32>, tensor<4x6x3xf32> -> tensor<4x5x3xf32>
  return %y, %z, %s : tensor<1x3xf32>, tensor<4x6x3xf32>, tensor<4x5x3xf32>
}
