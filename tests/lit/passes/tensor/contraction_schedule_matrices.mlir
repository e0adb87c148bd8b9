// RUN: mlc-opt %s --target=sapphirerapids-amx --schedule | filecheck %s
// RUN: mlc-opt %s --target=sapphirerapids --schedule | filecheck %s --check-prefix=DOTS

// DOTS-NOT: mma

// Matrices of sums of 16 rows and 16 columns, three beside each other: their rows come from the second cache.
// CHECK-LABEL: @large
// CHECK-SAME: [dot(k, 4), interchange(n, m), tile(n, 48), pack(w, n), tile(ni, 16), interchange(m, ni, nii), tile(m, 16), tile(mi, 16), interchange(ni, mii), mma(mii, nii, k), unroll(mi), unroll(ni), vectorize(nii, 16)]
func.func private @large(%x: tensor<512x512xi8>, %w: tensor<512x512xi8>) -> tensor<512x512xi32> {
  %y = tensor.contract %x[m, k], %w[k, n] over (m: 512, n: 512) reduce (k: 512) {unsigned = array<i64: 0>} : tensor<512x512xi8>, tensor<512x512xi8> -> tensor<512x512xi32>
  func.return %y : tensor<512x512xi32>
}

// Rows of an image that is narrower than a register: those of several lines are below each other.
// CHECK-LABEL: @image
// CHECK-SAME: tile(y, {{[2-5]}}), tile(x, 7), interchange(x, yi, ni, xi), mma(xi, nii, k), unroll(yi), unroll(ni), vectorize(nii, 16)]
func.func private @image(%x: tensor<9x9x512xi8>, %w: tensor<3x3x512x512xi8>) -> tensor<7x7x512xi32> {
  %y = tensor.contract %x[y + ky, x + kx, k], %w[ky, kx, k, n] over (y: 7, x: 7, n: 512) reduce (ky: 3, kx: 3, k: 512) {unsigned = array<i64: 0>} : tensor<9x9x512xi8>, tensor<3x3x512x512xi8> -> tensor<7x7x512xi32>
  func.return %y : tensor<7x7x512xi32>
}

// Words of bf16 are pairs.
// CHECK-LABEL: @halves
// CHECK-SAME: [dot(k, 2), {{.*}}mma(
func.func private @halves(%x: tensor<49x512xbf16>, %w: tensor<512x64xbf16>) -> tensor<49x64xf32> {
  %y = tensor.contract %x[m, k], %w[k, n] over (m: 49, n: 64) reduce (k: 512) : tensor<49x512xbf16>, tensor<512x64xbf16> -> tensor<49x64xf32>
  func.return %y : tensor<49x64xf32>
}

// One row has no matrix, 37 words have no equal parts, and sums of few words take longer on their way through memory.
// CHECK-LABEL: @row
// CHECK-NOT: mma
func.func private @row(%x: tensor<1x512xi8>, %w: tensor<512x512xi8>) -> tensor<1x512xi32> {
  %y = tensor.contract %x[m, k], %w[k, n] over (m: 1, n: 512) reduce (k: 512) {unsigned = array<i64: 0>} : tensor<1x512xi8>, tensor<512x512xi8> -> tensor<1x512xi32>
  func.return %y : tensor<1x512xi32>
}
func.func private @prime(%x: tensor<100x148xi8>, %w: tensor<148x64xi8>) -> tensor<100x64xi32> {
  %y = tensor.contract %x[m, k], %w[k, n] over (m: 100, n: 64) reduce (k: 148) {unsigned = array<i64: 0>} : tensor<100x148xi8>, tensor<148x64xi8> -> tensor<100x64xi32>
  func.return %y : tensor<100x64xi32>
}
func.func private @short(%x: tensor<100x8xi8>, %w: tensor<8x64xi8>) -> tensor<100x64xi32> {
  %y = tensor.contract %x[m, k], %w[k, n] over (m: 100, n: 64) reduce (k: 8) {unsigned = array<i64: 0>} : tensor<100x8xi8>, tensor<8x64xi8> -> tensor<100x64xi32>
  func.return %y : tensor<100x64xi32>
}
func.func @main(%x: tensor<512x512xi8> {mlc.unsigned}, %i: tensor<9x9x512xi8> {mlc.unsigned}, %h: tensor<49x512xbf16>, %r: tensor<1x512xi8> {mlc.unsigned}, %p: tensor<100x148xi8> {mlc.unsigned}, %s: tensor<100x8xi8> {mlc.unsigned}) -> (tensor<512x512xi32>, tensor<7x7x512xi32>, tensor<49x64xf32>, tensor<1x512xi32>, tensor<100x64xi32>, tensor<100x64xi32>) {
  %w = arith.constant dense<1> : tensor<512x512xi8>
  %v = arith.constant dense<1> : tensor<3x3x512x512xi8>
  %u = arith.constant dense<1.0> : tensor<512x64xbf16>
  %t = arith.constant dense<1> : tensor<148x64xi8>
  %q = arith.constant dense<1> : tensor<8x64xi8>
  %0 = func.call @large(%x, %w) : (tensor<512x512xi8>, tensor<512x512xi8>) -> tensor<512x512xi32>
  %1 = func.call @image(%i, %v) : (tensor<9x9x512xi8>, tensor<3x3x512x512xi8>) -> tensor<7x7x512xi32>
  %2 = func.call @halves(%h, %u) : (tensor<49x512xbf16>, tensor<512x64xbf16>) -> tensor<49x64xf32>
  %3 = func.call @row(%r, %w) : (tensor<1x512xi8>, tensor<512x512xi8>) -> tensor<1x512xi32>
  %4 = func.call @prime(%p, %t) : (tensor<100x148xi8>, tensor<148x64xi8>) -> tensor<100x64xi32>
  %5 = func.call @short(%s, %q) : (tensor<100x8xi8>, tensor<8x64xi8>) -> tensor<100x64xi32>
  func.return %0, %1, %2, %3, %4, %5 : tensor<512x512xi32>, tensor<7x7x512xi32>, tensor<49x64xf32>, tensor<1x512xi32>, tensor<100x64xi32>, tensor<100x64xi32>
}
