// RUN: mlc-opt %s --fuse | filecheck %s

// Rows that are masked altogether are NaN, and 0 takes their place: that is a part of attention.
// CHECK-LABEL: @masked
// CHECK: graph.fusion "attention"
// CHECK: graph.softmax
// CHECK-NEXT: graph.compare ne
// CHECK-NEXT: graph.where
// CHECK-NEXT: graph.matmul
func.func @masked(%q: tensor<4x8x16xf32>, %k: tensor<4x16x8xf32>, %mask: tensor<8x8xf32>, %v: tensor<4x8x16xf32>) -> tensor<4x8x16xf32> {
  %zero = graph.constant dense<0.0> : tensor<f32>
  %s = graph.matmul %q, %k : tensor<4x8x16xf32>, tensor<4x16x8xf32> -> tensor<4x8x8xf32>
  %m = graph.add %s, %mask : tensor<4x8x8xf32>, tensor<8x8xf32> -> tensor<4x8x8xf32>
  %p = graph.softmax %m axis 2 : tensor<4x8x8xf32>
  %nan = graph.compare ne, %p, %p : tensor<4x8x8xf32>, tensor<4x8x8xf32> -> tensor<4x8x8xi1>
  %w = graph.where %nan, %zero, %p : tensor<4x8x8xi1>, tensor<f32>, tensor<4x8x8xf32> -> tensor<4x8x8xf32>
  %y = graph.matmul %w, %v : tensor<4x8x8xf32>, tensor<4x8x16xf32> -> tensor<4x8x16xf32>
  func.return %y : tensor<4x8x16xf32>
}

// Another number in place of NaN, or another comparison, is none.
// CHECK-LABEL: @other_number
// CHECK-NOT: "attention"
func.func @other_number(%q: tensor<4x8x16xf32>, %k: tensor<4x16x8xf32>, %v: tensor<4x8x16xf32>) -> tensor<4x8x16xf32> {
  %one = graph.constant dense<1.0> : tensor<f32>
  %s = graph.matmul %q, %k : tensor<4x8x16xf32>, tensor<4x16x8xf32> -> tensor<4x8x8xf32>
  %p = graph.softmax %s axis 2 : tensor<4x8x8xf32>
  %nan = graph.compare ne, %p, %p : tensor<4x8x8xf32>, tensor<4x8x8xf32> -> tensor<4x8x8xi1>
  %w = graph.where %nan, %one, %p : tensor<4x8x8xi1>, tensor<f32>, tensor<4x8x8xf32> -> tensor<4x8x8xf32>
  %y = graph.matmul %w, %v : tensor<4x8x8xf32>, tensor<4x8x16xf32> -> tensor<4x8x16xf32>
  func.return %y : tensor<4x8x16xf32>
}

// CHECK-LABEL: @other_comparison
// CHECK-NOT: "attention"
func.func @other_comparison(%q: tensor<4x8x16xf32>, %k: tensor<4x16x8xf32>, %v: tensor<4x8x16xf32>) -> tensor<4x8x16xf32> {
  %zero = graph.constant dense<0.0> : tensor<f32>
  %s = graph.matmul %q, %k : tensor<4x8x16xf32>, tensor<4x16x8xf32> -> tensor<4x8x8xf32>
  %p = graph.softmax %s axis 2 : tensor<4x8x8xf32>
  %small = graph.compare lt, %p, %p : tensor<4x8x8xf32>, tensor<4x8x8xf32> -> tensor<4x8x8xi1>
  %w = graph.where %small, %zero, %p : tensor<4x8x8xi1>, tensor<f32>, tensor<4x8x8xf32> -> tensor<4x8x8xf32>
  %y = graph.matmul %w, %v : tensor<4x8x8xf32>, tensor<4x8x16xf32> -> tensor<4x8x16xf32>
  func.return %y : tensor<4x8x16xf32>
}

// Who returns the probabilities, too, reads them.
// CHECK-LABEL: @returned
// CHECK-NOT: "attention"
func.func @returned(%q: tensor<4x8x16xf32>, %k: tensor<4x16x8xf32>, %v: tensor<4x8x16xf32>) -> (tensor<4x8x16xf32>, tensor<4x8x8xf32>) {
  %zero = graph.constant dense<0.0> : tensor<f32>
  %s = graph.matmul %q, %k : tensor<4x8x16xf32>, tensor<4x16x8xf32> -> tensor<4x8x8xf32>
  %p = graph.softmax %s axis 2 : tensor<4x8x8xf32>
  %nan = graph.compare ne, %p, %p : tensor<4x8x8xf32>, tensor<4x8x8xf32> -> tensor<4x8x8xi1>
  %w = graph.where %nan, %zero, %p : tensor<4x8x8xi1>, tensor<f32>, tensor<4x8x8xf32> -> tensor<4x8x8xf32>
  %y = graph.matmul %w, %v : tensor<4x8x8xf32>, tensor<4x8x16xf32> -> tensor<4x8x16xf32>
  func.return %y, %p : tensor<4x8x16xf32>, tensor<4x8x8xf32>
}
