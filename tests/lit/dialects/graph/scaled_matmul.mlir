// RUN: mlc-opt %s | mlc-opt | filecheck %s

// CHECK-LABEL: @products
// CHECK:         graph.scaled_matmul %x, %w, %s : tensor<2x64xf32>, tensor<64x5xi8>, tensor<2x5xf32> -> tensor<2x5xf32>
// CHECK:         graph.scaled_matmul %x, %w, %s, %z, %t : tensor<2x64xf32>, tensor<64x5xi8>, tensor<2x5xf32>, tensor<2x5xi8>, tensor<2x2xf32> -> tensor<2x5xf32>
// CHECK:         graph.scaled_matmul %x, %w, %s, %f, %t
// CHECK:         graph.scaled_matmul %q, %u, %s, %t : tensor<2x64xi8>, tensor<64x5xui8>, tensor<2x5xf32>, tensor<2x2xf32> -> tensor<2x5xf32>
// CHECK:         graph.scaled_matmul %q, %w, %s, %t, %z, %t
func.func @products(%x: tensor<2x64xf32>, %w: tensor<64x5xi8>, %s: tensor<2x5xf32>, %z: tensor<2x5xi8>, %f: tensor<2x5xf32>, %t: tensor<2x2xf32>, %q: tensor<2x64xi8>, %u: tensor<64x5xui8>) {
  %a = graph.scaled_matmul %x, %w, %s : tensor<2x64xf32>, tensor<64x5xi8>, tensor<2x5xf32> -> tensor<2x5xf32>
  %b = graph.scaled_matmul %x, %w, %s, %z, %t : tensor<2x64xf32>, tensor<64x5xi8>, tensor<2x5xf32>, tensor<2x5xi8>, tensor<2x2xf32> -> tensor<2x5xf32>
  %c = graph.scaled_matmul %x, %w, %s, %f, %t : tensor<2x64xf32>, tensor<64x5xi8>, tensor<2x5xf32>, tensor<2x5xf32>, tensor<2x2xf32> -> tensor<2x5xf32>
  %d = graph.scaled_matmul %q, %u, %s, %t : tensor<2x64xi8>, tensor<64x5xui8>, tensor<2x5xf32>, tensor<2x2xf32> -> tensor<2x5xf32>
  %e = graph.scaled_matmul %q, %w, %s, %t, %z, %t : tensor<2x64xi8>, tensor<64x5xi8>, tensor<2x5xf32>, tensor<2x2xf32>, tensor<2x5xi8>, tensor<2x2xf32> -> tensor<2x5xf32>
  return
}
