// RUN: mlc-opt %s | mlc-opt | filecheck %s

// CHECK-LABEL: @matmul
func.func @matmul(%x: tensor<64x784xf32>, %w: tensor<784x200xf32>, %q: tensor<2x8x4x16xf32>, %k: tensor<8x16x4xf32>) {
  // CHECK: graph.matmul %x, %w : tensor<64x784xf32>, tensor<784x200xf32> -> tensor<64x200xf32>
  %0 = graph.matmul %x, %w : tensor<64x784xf32>, tensor<784x200xf32> -> tensor<64x200xf32>
  // CHECK: graph.matmul %q, %k : tensor<2x8x4x16xf32>, tensor<8x16x4xf32> -> tensor<2x8x4x4xf32>
  %1 = graph.matmul %q, %k : tensor<2x8x4x16xf32>, tensor<8x16x4xf32> -> tensor<2x8x4x4xf32>
  return
}
