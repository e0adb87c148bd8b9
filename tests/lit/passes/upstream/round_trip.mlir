// What is written for upstream comes back, and computes the same.
// RUN: mlc-opt %s --lower-to-tensor --convert-tensor-to-linalg --convert-linalg-to-tensor --check-each | filecheck %s
// RUN: mlc-opt %s -O3 --emit=mlir:tensor | mlc-opt --convert-tensor-to-linalg --convert-linalg-to-tensor --lower-to-loops --check-each | filecheck %s --check-prefix=LOOP

// CHECK-NOT: linalg.
// CHECK: tensor.contract
// CHECK-NOT: linalg.
// LOOP-NOT: linalg.
// LOOP: loop.for
// LOOP-NOT: linalg.
func.func @attention(%q: tensor<2x5x4xf32>, %k: tensor<2x7x4xf32>, %v: tensor<2x7x3xf32>) -> tensor<2x5x3xf32> {
  %t = graph.transpose %k [0, 2, 1] : tensor<2x7x4xf32> -> tensor<2x4x7xf32>
  %s = graph.matmul %q, %t : tensor<2x5x4xf32>, tensor<2x4x7xf32> -> tensor<2x5x7xf32>
  %p = graph.softmax %s axis 2 : tensor<2x5x7xf32>
  %r = graph.matmul %p, %v : tensor<2x5x7xf32>, tensor<2x7x3xf32> -> tensor<2x5x3xf32>
  return %r : tensor<2x5x3xf32>
}

func.func @pooling(%x: tensor<1x2x6x6xf32>) -> tensor<1x2x3x3xf32> {
  %0 = graph.max_pool2d %x {kernel = array<i64: 3, 3>, strides = array<i64: 2, 2>, padding = array<i64: 1, 1, 1, 1>}
       : tensor<1x2x6x6xf32> -> tensor<1x2x3x3xf32>
  return %0 : tensor<1x2x3x3xf32>
}
