// RUN: mlc-opt %s --schedule=target=x86-64-v4 | filecheck %s

// Where no cache holds the panel of a tile, each tile unpacks weights by itself.
// CHECK-LABEL: @deep
// CHECK-SAME:    <[interchange(n, m), tile(n, 64), pack(w, n), tile(ni, 32), tile(nii, 16), vectorize(niii, 16), unroll(nii), tile(m, 7)
func.func private @deep(%x: tensor<20x65536xf32>, %w: tensor<65536x16xi8>) -> tensor<20x16xf32> {
  %0 = tensor.contract %x[m, k], %w[k, n] over (m: 20, n: 16) reduce (k: 65536) : tensor<20x65536xf32>, tensor<65536x16xi8> -> tensor<20x16xf32>
  return %0 : tensor<20x16xf32>
}

// The panel of a long group is narrower, so that the first cache holds it.
// CHECK-LABEL: @long_groups
// CHECK-SAME:    cache_write(g, ni), tile(ni, 32), cache_read(w, ni)
func.func private @long_groups(%x: tensor<40x256xf32>, %w: tensor<256x192xi8>, %s: tensor<2x192xf32>) -> tensor<40x192xf32> {
  %0 = tensor.contract %x[m, g * 128 + k], %w[g * 128 + k, n] over (m: 40, g: 2, n: 192) reduce (k: 128) : tensor<40x256xf32>, tensor<256x192xi8> -> tensor<40x2x192xf32>
  %1 = tensor.contract %0[m, g, n], %s[g, n] over (m: 40, n: 192) reduce (g: 2) : tensor<40x2x192xf32>, tensor<2x192xf32> -> tensor<40x192xf32>
  return %1 : tensor<40x192xf32>
}

func.func @main(%x: tensor<20x65536xf32>, %y: tensor<40x256xf32>) -> (tensor<20x16xf32>, tensor<40x192xf32>) {
  %w = arith.constant dense<100> : tensor<65536x16xi8>
  %0 = call @deep(%x, %w) : (tensor<20x65536xf32>, tensor<65536x16xi8>) -> tensor<20x16xf32>
  %v = arith.constant dense<100> : tensor<256x192xi8>
  %s = arith.constant dense<2.0> : tensor<2x192xf32>
  %1 = call @long_groups(%y, %v, %s) : (tensor<40x256xf32>, tensor<256x192xi8>, tensor<2x192xf32>) -> tensor<40x192xf32>
  return %0, %1 : tensor<20x16xf32>, tensor<40x192xf32>
}
