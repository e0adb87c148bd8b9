// Weights side by side are in no file: what is printed holds them, and is parsed and compiled like any other text.
// RUN: mlc-opt --pass-pipeline='merge-products{least-gain=0}' %s > %t
// RUN: filecheck %s --input-file %t
// RUN: mlc-opt --pass-pipeline='fuse,lower-to-tensor' --check-each %t | filecheck %s --check-prefix=AGAIN

// CHECK: graph.constant dense_resource<[[NAME:.*merged]]> : tensor<2x4xf32>
// CHECK: [[NAME]]: "0x04000000{{[0-9A-F]+}}"
// AGAIN: arith.constant dense_resource<{{.*}}merged> : tensor<2x4xf32>
func.func @main(%x: tensor<3x2xf32>) -> (tensor<3x2xf32>, tensor<3x2xf32>) {
  %v = graph.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %w = graph.constant dense<[[5.0, 6.0], [7.0, 8.0]]> : tensor<2x2xf32>
  %0 = graph.matmul %x, %v : tensor<3x2xf32>, tensor<2x2xf32> -> tensor<3x2xf32>
  %1 = graph.matmul %x, %w : tensor<3x2xf32>, tensor<2x2xf32> -> tensor<3x2xf32>
  return %0, %1 : tensor<3x2xf32>, tensor<3x2xf32>
}
