// RUN: mlc-opt %s --schedule=target=x86-64-v4 | filecheck %s

// Where no cache holds the panel of a tile, each tile unpacks weights by itself.
// CHECK-LABEL: @deep
// CHECK-SAME:    <[interchange(n, m), tile(n, {{[0-9]+}}), pack(w, n), tile(ni, 16)
func.func private @deep(%x: tensor<20x65536xf32>, %w: tensor<65536x16xi8>) -> tensor<20x16xf32> {
  %0 = tensor.contract %x[m, k], %w[k, n] over (m: 20, n: 16) reduce (k: 65536) : tensor<20x65536xf32>, tensor<65536x16xi8> -> tensor<20x16xf32>
  return %0 : tensor<20x16xf32>
}

func.func @main(%x: tensor<20x65536xf32>) -> tensor<20x16xf32> {
  %w = arith.constant dense<100> : tensor<65536x16xi8>
  %0 = call @deep(%x, %w) : (tensor<20x65536xf32>, tensor<65536x16xi8>) -> tensor<20x16xf32>
  return %0 : tensor<20x16xf32>
}
