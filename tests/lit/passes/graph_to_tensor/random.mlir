// RUN: mlc-opt %s --fuse --convert-graph-to-tensor --check-each | filecheck %s

// Bits and what becomes of them are one kernel: a map, whose point computes ten rounds on words in 64 bits.
// CHECK-LABEL: func.func private @philox_shr_cast_mul
// CHECK: tensor.map %place[m, n], %key[] over (m: 5, n: 7)
// CHECK-COUNT-20: arith.muli
// CHECK-NOT: arith.muli
// CHECK: arith.trunci
// CHECK: tensor.map
// CHECK: arith.shrui
// CHECK: arith.uitofp
// CHECK-LABEL: func.func @uniform
func.func @uniform(%place: tensor<5x7xui64>, %key: tensor<ui64>) -> tensor<5x7xf32> {
  %zero = graph.constant dense<0> : tensor<ui64>
  %eight = graph.constant dense<8> : tensor<ui32>
  %scale = graph.constant dense<5.96046448e-08> : tensor<f32>
  %0 = graph.philox %place, %key, %zero, %zero : tensor<5x7xui64>, tensor<ui64>, tensor<ui64>, tensor<ui64> -> tensor<5x7xui32>
  %1 = graph.shr %0, %eight : tensor<5x7xui32>, tensor<ui32> -> tensor<5x7xui32>
  %2 = graph.cast %1 : tensor<5x7xui32> -> tensor<5x7xf32>
  %3 = graph.mul %2, %scale : tensor<5x7xf32>, tensor<f32> -> tensor<5x7xf32>
  return %3 : tensor<5x7xf32>
}
