// RUN: mlc-opt %s --schedule=target=x86-64-v4 | filecheck %s
// RUN: mlc-opt %s --schedule=target=x86-64-v4 --lower-to-loops --apply-schedule --check-each

// Where a block of columns has several panels, these are as wide as those of code for one row, which then has the same.
// CHECK-LABEL: @several_panels
// CHECK-SAME:    <[interchange(n, m), tile(n, 128), cache_write(g, ni), tile(ni, 64), cache_read(w, ni), pack(w, ni), pack(s, ni), tile(w_1, 16)
func.func private @several_panels(%x: tensor<16x64xf32>, %w: tensor<64x2048xi8>, %s: tensor<2x2048xf32>) -> tensor<16x2048xf32> {
  %0 = tensor.contract %x[m, g * 32 + k], %w[g * 32 + k, n] over (m: 16, g: 2, n: 2048) reduce (k: 32) : tensor<16x64xf32>, tensor<64x2048xi8> -> tensor<16x2x2048xf32>
  %1 = tensor.contract %0[m, g, n], %s[g, n] over (m: 16, n: 2048) reduce (g: 2) : tensor<16x2x2048xf32>, tensor<2x2048xf32> -> tensor<16x2048xf32>
  return %1 : tensor<16x2048xf32>
}

// The bytes that one row meets come in order: no panel is asked for ahead, though no cache holds all of them.
// CHECK-LABEL: @bytes_of_one_row
// CHECK-SAME:    <[tile(n, 64), pack(w, n), pack(s, n), tile(ni, 16), vectorize(nii, 16), unroll(ni)]>
func.func private @bytes_of_one_row(%x: tensor<1024xf32>, %w: tensor<1024x2080xi8>, %s: tensor<32x2080xf32>) -> tensor<2080xf32> {
  %0 = tensor.contract %x[g * 32 + k], %w[g * 32 + k, n] over (g: 32, n: 2080) reduce (k: 32) : tensor<1024xf32>, tensor<1024x2080xi8> -> tensor<32x2080xf32>
  %1 = tensor.contract %0[g, n], %s[g, n] over (n: 2080) reduce (g: 32) : tensor<32x2080xf32>, tensor<32x2080xf32> -> tensor<2080xf32>
  return %1 : tensor<2080xf32>
}

// A few rows compute meanwhile.
// CHECK-LABEL: @bytes_of_rows
// CHECK-SAME:    prefetch_next(k, n, 2), prefetch_next(g, n, 2)]>
func.func private @bytes_of_rows(%x: tensor<4x1024xf32>, %w: tensor<1024x2080xi8>, %s: tensor<32x2080xf32>) -> tensor<4x2080xf32> {
  %0 = tensor.contract %x[m, g * 32 + k], %w[g * 32 + k, n] over (m: 4, g: 32, n: 2080) reduce (k: 32) : tensor<4x1024xf32>, tensor<1024x2080xi8> -> tensor<4x32x2080xf32>
  %1 = tensor.contract %0[m, g, n], %s[g, n] over (m: 4, n: 2080) reduce (g: 32) : tensor<4x32x2080xf32>, tensor<32x2080xf32> -> tensor<4x2080xf32>
  return %1 : tensor<4x2080xf32>
}

func.func @main(%x: tensor<16x64xf32>, %y: tensor<1024xf32>, %z: tensor<4x1024xf32>) -> (tensor<16x2048xf32>, tensor<2080xf32>, tensor<4x2080xf32>) {
  %w = arith.constant dense<100> : tensor<64x2048xi8>
  %s = arith.constant dense<0.5> : tensor<2x2048xf32>
  %0 = call @several_panels(%x, %w, %s) : (tensor<16x64xf32>, tensor<64x2048xi8>, tensor<2x2048xf32>) -> tensor<16x2048xf32>
  %v = arith.constant dense<100> : tensor<1024x2080xi8>
  %t = arith.constant dense<0.5> : tensor<32x2080xf32>
  %1 = call @bytes_of_one_row(%y, %v, %t) : (tensor<1024xf32>, tensor<1024x2080xi8>, tensor<32x2080xf32>) -> tensor<2080xf32>
  %2 = call @bytes_of_rows(%z, %v, %t) : (tensor<4x1024xf32>, tensor<1024x2080xi8>, tensor<32x2080xf32>) -> tensor<4x2080xf32>
  return %0, %1, %2 : tensor<16x2048xf32>, tensor<2080xf32>, tensor<4x2080xf32>
}
