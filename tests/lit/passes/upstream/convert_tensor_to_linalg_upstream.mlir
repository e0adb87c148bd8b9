// REQUIRES: mlir-opt
// RUN: mlc-opt %s --lower-to-tensor --convert-tensor-to-linalg --print-op-generic | mlir-opt --linalg-generalize-named-ops --linalg-fuse-elementwise-ops | filecheck %s

// Upstream goes on from here: it takes the product apart from the sum, and the bias and the relu together.

// CHECK-LABEL: func.func private @linear_relu(
// CHECK:         linalg.generic
// CHECK:           arith.mulf
// CHECK:         linalg.generic
// CHECK:           arith.addf
// CHECK-NEXT:      arith.cmpf
// CHECK-NOT:     linalg.generic
// CHECK-LABEL: func.func @main(
func.func @main(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>, %b: tensor<16xf32>) -> tensor<4x16xf32> {
  %y = graph.fusion "linear_relu" (%0 = %x, %1 = %w, %2 = %b) : (tensor<4x8xf32>, tensor<8x16xf32>, tensor<16xf32>) -> tensor<4x16xf32> {
    %3 = graph.matmul %0, %1 : tensor<4x8xf32>, tensor<8x16xf32> -> tensor<4x16xf32>
    %4 = graph.add %3, %2 : tensor<4x16xf32>, tensor<16xf32> -> tensor<4x16xf32>
    %5 = graph.relu %4 : tensor<4x16xf32>
    graph.yield %5 : tensor<4x16xf32>
  }
  return %y : tensor<4x16xf32>
}
