// RUN: mlc-opt %s | mlc-opt | filecheck %s

// CHECK-LABEL: @matmul
func.func @matmul(%x: tensor<64x784xf32>, %w: tensor<784x200xf32>, %q: tensor<2x8x4x16xf32>, %k: tensor<8x16x4xf32>) {
  // CHECK: graph.matmul %x, %w : tensor<64x784xf32>, tensor<784x200xf32> -> tensor<64x200xf32>
  %0 = graph.matmul %x, %w : tensor<64x784xf32>, tensor<784x200xf32> -> tensor<64x200xf32>
  // CHECK: graph.matmul %q, %k : tensor<2x8x4x16xf32>, tensor<8x16x4xf32> -> tensor<2x8x4x4xf32>
  %1 = graph.matmul %q, %k : tensor<2x8x4x16xf32>, tensor<8x16x4xf32> -> tensor<2x8x4x4xf32>
  return
}

// Products of short numbers are added in a wider type.

// CHECK-LABEL: @wider
func.func @wider(%q: tensor<4x16xui8>, %v: tensor<16x3xi8>, %i: tensor<4x16xi16>, %h: tensor<4x16xbf16>, %w: tensor<16x3xbf16>) {
  // CHECK: graph.matmul %q, %v : tensor<4x16xui8>, tensor<16x3xi8> -> tensor<4x3xi32>
  %0 = graph.matmul %q, %v : tensor<4x16xui8>, tensor<16x3xi8> -> tensor<4x3xi32>
  // CHECK: graph.matmul %i, %v : tensor<4x16xi16>, tensor<16x3xi8> -> tensor<4x3xi32>
  %1 = graph.matmul %i, %v : tensor<4x16xi16>, tensor<16x3xi8> -> tensor<4x3xi32>
  // CHECK: graph.matmul %h, %w : tensor<4x16xbf16>, tensor<16x3xbf16> -> tensor<4x3xf32>
  %2 = graph.matmul %h, %w : tensor<4x16xbf16>, tensor<16x3xbf16> -> tensor<4x3xf32>
  // CHECK: graph.matmul %h, %w : tensor<4x16xbf16>, tensor<16x3xbf16> -> tensor<4x3xbf16>
  %3 = graph.matmul %h, %w : tensor<4x16xbf16>, tensor<16x3xbf16> -> tensor<4x3xbf16>
  return
}
