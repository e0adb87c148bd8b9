// RUN: mlc-opt %s --target=neoverse-v1 --schedule | filecheck %s
// RUN: mlc-opt %s --target=neoverse-n1 --schedule | filecheck %s --check-prefix=DOTS
// RUN: mlc-opt %s --target=apple-m1 --schedule | filecheck %s --check-prefix=DOTS

// Without instructions for two rows and two columns words have 32 bits.
// DOTS-NOT: dot(k, {{[0-9]+}}, 64)

// With them, words have 64, a register has two of a row, and tiles are wide: each two rows are put together once for all
// columns. Rows are taken in pairs.
// CHECK-LABEL: @large
// CHECK-SAME: [dot(k, 8, 64), interchange(n, m), tile(n, 24), pack(w, n), tile(ni, 4), vectorize(nii, 4), unroll(ni), tile(m, 4), unroll(mi), tile(k, 2), unroll(ki)]
func.func private @large(%x: tensor<512x512xi8>, %w: tensor<512x512xi8>) -> tensor<512x512xi32> {
  %y = tensor.contract %x[m, k], %w[k, n] over (m: 512, n: 512) reduce (k: 512) : tensor<512x512xi8>, tensor<512x512xi8> -> tensor<512x512xi32>
  func.return %y : tensor<512x512xi32>
}

// The first number without sign, or the second one; halves, four of which are a word.
// CHECK-LABEL: @signs
// CHECK-SAME: [dot(k, 8, 64),
func.func private @signs(%x: tensor<512x512xi8>, %w: tensor<512x512xi8>) -> tensor<512x512xi32> {
  %y = tensor.contract %x[m, k], %w[k, n] over (m: 512, n: 512) reduce (k: 512) {unsigned = array<i64: 1>} : tensor<512x512xi8>, tensor<512x512xi8> -> tensor<512x512xi32>
  func.return %y : tensor<512x512xi32>
}
// CHECK-LABEL: @halves
// CHECK-SAME: [dot(k, 4, 64), {{.*}}tile(m, 4), unroll(mi), tile(k, 2), unroll(ki)]
func.func private @halves(%x: tensor<512x512xbf16>, %w: tensor<512x512xbf16>) -> tensor<512x512xf32> {
  %y = tensor.contract %x[m, k], %w[k, n] over (m: 512, n: 512) reduce (k: 512) : tensor<512x512xbf16>, tensor<512x512xbf16> -> tensor<512x512xf32>
  func.return %y : tensor<512x512xf32>
}

// Three rows leave one alone, whose words are taken apart: two pairs of rows would be as fast, one is not.
// CHECK-LABEL: @odd
// CHECK-SAME: [dot(k, 4), {{.*}}tile(m, 3)
func.func private @odd(%x: tensor<3x512xi8>, %w: tensor<512x512xi8>) -> tensor<3x512xi32> {
  %y = tensor.contract %x[m, k], %w[k, n] over (m: 3, n: 512) reduce (k: 512) : tensor<3x512xi8>, tensor<512x512xi8> -> tensor<3x512xi32>
  func.return %y : tensor<3x512xi32>
}

// One row has no other one; a reduction of no multiple of eight has no long words; numbers of i16 have no such
// instruction; and groups keep to words of 32 bits.
// CHECK-LABEL: @row
// CHECK-SAME: [dot(k, 4),
func.func private @row(%x: tensor<1x512xi8>, %w: tensor<512x512xi8>) -> tensor<1x512xi32> {
  %y = tensor.contract %x[m, k], %w[k, n] over (m: 1, n: 512) reduce (k: 512) : tensor<1x512xi8>, tensor<512x512xi8> -> tensor<1x512xi32>
  func.return %y : tensor<1x512xi32>
}
// CHECK-LABEL: @short
// CHECK-SAME: [dot(k, 4),
func.func private @short(%x: tensor<512x508xi8>, %w: tensor<508x512xi8>) -> tensor<512x512xi32> {
  %y = tensor.contract %x[m, k], %w[k, n] over (m: 512, n: 512) reduce (k: 508) : tensor<512x508xi8>, tensor<508x512xi8> -> tensor<512x512xi32>
  func.return %y : tensor<512x512xi32>
}
// CHECK-LABEL: @pairs
// CHECK-SAME: [dot(k, 2),
func.func private @pairs(%x: tensor<512x512xi16>, %w: tensor<512x512xi16>) -> tensor<512x512xi32> {
  %y = tensor.contract %x[m, k], %w[k, n] over (m: 512, n: 512) reduce (k: 512) : tensor<512x512xi16>, tensor<512x512xi16> -> tensor<512x512xi32>
  func.return %y : tensor<512x512xi32>
}
// CHECK-LABEL: @groups
// CHECK-SAME: [dot(k, 4),
func.func private @groups(%x: tensor<64x4x64xi8>, %w: tensor<64x64xi8>) -> tensor<64x64xi32> {
  %y = tensor.contract %x[m, n floordiv 16, k], %w[k, n] over (m: 64, n: 64) reduce (k: 64) : tensor<64x4x64xi8>, tensor<64x64xi8> -> tensor<64x64xi32>
  func.return %y : tensor<64x64xi32>
}

func.func @main(%x0: tensor<512x512xi8>, %x1: tensor<512x512xi8>, %x2: tensor<512x512xbf16>, %x3: tensor<3x512xi8>, %x4: tensor<1x512xi8>, %x5: tensor<512x508xi8>, %x6: tensor<512x512xi16>, %x7: tensor<64x4x64xi8>) -> (tensor<512x512xi32>, tensor<512x512xi32>, tensor<512x512xf32>, tensor<3x512xi32>, tensor<1x512xi32>, tensor<512x512xi32>, tensor<512x512xi32>, tensor<64x64xi32>) {
  %w0 = arith.constant dense<1> : tensor<512x512xi8>
  %y0 = func.call @large(%x0, %w0) : (tensor<512x512xi8>, tensor<512x512xi8>) -> tensor<512x512xi32>
  %w1 = arith.constant dense<1> : tensor<512x512xi8>
  %y1 = func.call @signs(%x1, %w1) : (tensor<512x512xi8>, tensor<512x512xi8>) -> tensor<512x512xi32>
  %w2 = arith.constant dense<1.0> : tensor<512x512xbf16>
  %y2 = func.call @halves(%x2, %w2) : (tensor<512x512xbf16>, tensor<512x512xbf16>) -> tensor<512x512xf32>
  %w3 = arith.constant dense<1> : tensor<512x512xi8>
  %y3 = func.call @odd(%x3, %w3) : (tensor<3x512xi8>, tensor<512x512xi8>) -> tensor<3x512xi32>
  %w4 = arith.constant dense<1> : tensor<512x512xi8>
  %y4 = func.call @row(%x4, %w4) : (tensor<1x512xi8>, tensor<512x512xi8>) -> tensor<1x512xi32>
  %w5 = arith.constant dense<1> : tensor<508x512xi8>
  %y5 = func.call @short(%x5, %w5) : (tensor<512x508xi8>, tensor<508x512xi8>) -> tensor<512x512xi32>
  %w6 = arith.constant dense<1> : tensor<512x512xi16>
  %y6 = func.call @pairs(%x6, %w6) : (tensor<512x512xi16>, tensor<512x512xi16>) -> tensor<512x512xi32>
  %w7 = arith.constant dense<1> : tensor<64x64xi8>
  %y7 = func.call @groups(%x7, %w7) : (tensor<64x4x64xi8>, tensor<64x64xi8>) -> tensor<64x64xi32>
  func.return %y0, %y1, %y2, %y3, %y4, %y5, %y6, %y7 : tensor<512x512xi32>, tensor<512x512xi32>, tensor<512x512xf32>, tensor<3x512xi32>, tensor<1x512xi32>, tensor<512x512xi32>, tensor<512x512xi32>, tensor<64x64xi32>
}
