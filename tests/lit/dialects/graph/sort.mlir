// RUN: mlc-opt %s | mlc-opt | filecheck %s
// RUN: mlc-opt %s --canonicalize --check-each | filecheck %s --check-prefix=CANONICAL

// CHECK-LABEL: @argsort
// CANONICAL-LABEL: @argsort
func.func @argsort(%x: tensor<4x10xf32>, %i: tensor<4x10xi32>) -> (tensor<4x10xi64>, tensor<3x10xi64>, tensor<4x0xi64>) {
  // CHECK-NEXT: graph.argsort %x axis 1 first 10 : tensor<4x10xf32> -> tensor<4x10xi64>
  // CANONICAL-NEXT: graph.argsort
  %0 = graph.argsort %x axis 1 first 10 : tensor<4x10xf32> -> tensor<4x10xi64>
  // CHECK-NEXT: graph.argsort %i axis 0 descending first 3 : tensor<4x10xi32> -> tensor<3x10xi64>
  // CANONICAL-NEXT: graph.argsort
  %1 = graph.argsort %i axis 0 descending first 3 : tensor<4x10xi32> -> tensor<3x10xi64>
  // CHECK-NEXT: graph.argsort %x axis 1 first 0 : tensor<4x10xf32> -> tensor<4x0xi64>
  %2 = graph.argsort %x axis 1 first 0 : tensor<4x10xf32> -> tensor<4x0xi64>
  return %0, %1, %2 : tensor<4x10xi64>, tensor<3x10xi64>, tensor<4x0xi64>
}

// The least float is no argmin, which is NaN if there is one.
// CANONICAL-LABEL: @first
// CANONICAL-NEXT: graph.argmax %x axis 1 keepdims : tensor<4x10xf32> -> tensor<4x1xi64>
// CANONICAL-NEXT: graph.argsort %x axis 1 first 1
// CANONICAL-NEXT: graph.argmax %i axis 1 keepdims
// CANONICAL-NEXT: graph.argmin %i axis 0 keepdims
func.func @first(%x: tensor<4x10xf32>, %i: tensor<4x10xi32>) -> (tensor<4x1xi64>, tensor<4x1xi64>, tensor<4x1xi64>, tensor<1x10xi64>) {
  %0 = graph.argsort %x axis 1 descending first 1 : tensor<4x10xf32> -> tensor<4x1xi64>
  %1 = graph.argsort %x axis 1 first 1 : tensor<4x10xf32> -> tensor<4x1xi64>
  %2 = graph.argsort %i axis 1 descending first 1 : tensor<4x10xi32> -> tensor<4x1xi64>
  %3 = graph.argsort %i axis 0 first 1 : tensor<4x10xi32> -> tensor<1x10xi64>
  return %0, %1, %2, %3 : tensor<4x1xi64>, tensor<4x1xi64>, tensor<4x1xi64>, tensor<1x10xi64>
}
