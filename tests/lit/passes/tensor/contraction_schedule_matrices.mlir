// RUN: mlc-opt %s --target=sapphirerapids-amx --schedule | filecheck %s
// RUN: mlc-opt %s --target=sapphirerapids --schedule | filecheck %s --check-prefix=DOTS

// DOTS-NOT: mma

// Matrices of sums of 16 rows and 16 columns, three beside each other: their panel stays in the first cache. The next
// one comes from farther away, since rows and results pass by.
// CHECK-LABEL: @large
// CHECK-SAME: [dot(k, 4), interchange(n, m), tile(n, 48), pack(w, n), tile(ni, 16), interchange(m, ni, nii), tile(m, 16), tile(mi, 16), interchange(ni, mii), mma(mii, nii, k), unroll(mi), unroll(ni), vectorize(nii, 16), prefetch_next(k, n, 2)]
func.func private @large(%x: tensor<512x512xi8>, %w: tensor<512x512xi8>) -> tensor<512x512xi32> {
  %y = tensor.contract %x[m, k], %w[k, n] over (m: 512, n: 512) reduce (k: 512) {unsigned = array<i64: 0>} : tensor<512x512xi8>, tensor<512x512xi8> -> tensor<512x512xi32>
  func.return %y : tensor<512x512xi32>
}

// Rows of an image that is narrower than a register: those of several lines are below each other. A sum is stored for
// each line of the window: stores of matrices would sleep until all of it has been added up.
// CHECK-LABEL: @image
// CHECK-SAME: tile(y, {{[2-5]}}), tile(x, 7), interchange(x, yi, ni, xi), mma(xi, nii, k), unroll(yi), unroll(ni), store_early(ky), vectorize(nii, 16), prefetch_next(k, n, 2)]
func.func private @image(%x: tensor<9x9x512xi8>, %w: tensor<3x3x512x512xi8>) -> tensor<7x7x512xi32> {
  %y = tensor.contract %x[y + ky, x + kx, k], %w[ky, kx, k, n] over (y: 7, x: 7, n: 512) reduce (ky: 3, kx: 3, k: 512) {unsigned = array<i64: 0>} : tensor<9x9x512xi8>, tensor<3x3x512x512xi8> -> tensor<7x7x512xi32>
  func.return %y : tensor<7x7x512xi32>
}

// Lines of a window that take too long store a sum for each tap.
// CHECK-LABEL: @deep_image
// CHECK-SAME: mma(xi, nii, k), unroll(yi), unroll(ni), store_early(kx), vectorize(nii, 16)
func.func private @deep_image(%x: tensor<16x16x256xbf16>, %w: tensor<3x3x256x32xbf16>) -> tensor<14x14x32xf32> {
  %y = tensor.contract %x[y + ky, x + kx, k], %w[ky, kx, k, n] over (y: 14, x: 14, n: 32) reduce (ky: 3, kx: 3, k: 256) : tensor<16x16x256xbf16>, tensor<3x3x256x32xbf16> -> tensor<14x14x32xf32>
  func.return %y : tensor<14x14x32xf32>
}

// Rows and results that the second cache does not hold: blocks of rows stay there while all panels pass by. The reduction
// has blocks as well, each of which stores a sum. Few rows use a panel here: they would not bring the next one in time.
// CHECK-LABEL: @far
// CHECK-SAME: [dot(k, 2), tile(m, 192), interchange(m, n, mi), tile(n, 32), pack({{.*}}, n), tile(ni, 16), interchange(mi, ni, nii), tile(mi, 32), tile(mii, 16), tile(k, 64), interchange(ni, miii), mma(miii, nii, ki), unroll(mii), unroll(ni), store_early(k), vectorize(nii, 16)]
func.func private @far(%x: tensor<1024x1024xbf16>, %w: tensor<1024x1024xbf16>) -> tensor<1024x1024xf32> {
  %y = tensor.contract %x[m, k], %w[k, n] over (m: 1024, n: 1024) reduce (k: 1024) : tensor<1024x1024xbf16>, tensor<1024x1024xbf16> -> tensor<1024x1024xf32>
  func.return %y : tensor<1024x1024xf32>
}

// Lines of an image that is as far away; and of images of a batch, one after the other.
// CHECK-LABEL: @far_image
// CHECK-SAME: [dot(k, 2), tile(y, {{[0-9]+}}), interchange(y, n, yi, x), tile(n, {{[0-9]+}}), {{.*}}interchange(yi, x, ni, nii), {{.*}}mma(
func.func private @far_image(%x: tensor<130x130x32xbf16>, %w: tensor<3x3x32x64xbf16>) -> tensor<128x128x64xf32> {
  %y = tensor.contract %x[y + ky, x + kx, k], %w[ky, kx, k, n] over (y: 128, x: 128, n: 64) reduce (ky: 3, kx: 3, k: 32) : tensor<130x130x32xbf16>, tensor<3x3x32x64xbf16> -> tensor<128x128x64xf32>
  func.return %y : tensor<128x128x64xf32>
}
// CHECK-LABEL: @batch
// CHECK-SAME: [dot(k, 2), tile(y, 28), interchange(b, y, n, yi, x), tile(n, 32), {{.*}}interchange(yi, x, ni, nii), {{.*}}mma(
func.func private @batch(%x: tensor<4x56x56x64xbf16>, %w: tensor<64x128xbf16>) -> tensor<4x56x56x128xf32> {
  %y = tensor.contract %x[b, y, x, k], %w[k, n] over (b: 4, y: 56, x: 56, n: 128) reduce (k: 64) : tensor<4x56x56x64xbf16>, tensor<64x128xbf16> -> tensor<4x56x56x128xf32>
  func.return %y : tensor<4x56x56x128xf32>
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
func.func @main(%x: tensor<512x512xi8> {mlc.unsigned}, %i: tensor<9x9x512xi8> {mlc.unsigned}, %h: tensor<49x512xbf16>, %r: tensor<1x512xi8> {mlc.unsigned}, %p: tensor<100x148xi8> {mlc.unsigned}, %s: tensor<100x8xi8> {mlc.unsigned}, %f: tensor<1024x1024xbf16>, %g: tensor<130x130x32xbf16>, %b: tensor<4x56x56x64xbf16>, %d: tensor<16x16x256xbf16>) -> (tensor<512x512xi32>, tensor<7x7x512xi32>, tensor<49x64xf32>, tensor<1x512xi32>, tensor<100x64xi32>, tensor<100x64xi32>, tensor<1024x1024xf32>, tensor<128x128x64xf32>, tensor<4x56x56x128xf32>, tensor<14x14x32xf32>) {
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
  %fw = arith.constant dense<1.0> : tensor<1024x1024xbf16>
  %gw = arith.constant dense<1.0> : tensor<3x3x32x64xbf16>
  %bw = arith.constant dense<1.0> : tensor<64x128xbf16>
  %6 = func.call @far(%f, %fw) : (tensor<1024x1024xbf16>, tensor<1024x1024xbf16>) -> tensor<1024x1024xf32>
  %7 = func.call @far_image(%g, %gw) : (tensor<130x130x32xbf16>, tensor<3x3x32x64xbf16>) -> tensor<128x128x64xf32>
  %8 = func.call @batch(%b, %bw) : (tensor<4x56x56x64xbf16>, tensor<64x128xbf16>) -> tensor<4x56x56x128xf32>
  %dw = arith.constant dense<1.0> : tensor<3x3x256x32xbf16>
  %9 = func.call @deep_image(%d, %dw) : (tensor<16x16x256xbf16>, tensor<3x3x256x32xbf16>) -> tensor<14x14x32xf32>
  func.return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9 : tensor<512x512xi32>, tensor<7x7x512xi32>, tensor<49x64xf32>, tensor<1x512xi32>, tensor<100x64xi32>, tensor<100x64xi32>, tensor<1024x1024xf32>, tensor<128x128x64xf32>, tensor<4x56x56x128xf32>, tensor<14x14x32xf32>
}
