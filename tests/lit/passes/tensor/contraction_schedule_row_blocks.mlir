// RUN: mlc-opt %s --schedule="target=cortex-a55 estimates=false" | filecheck %s
// RUN: mlc-opt %s --schedule="target=cortex-a55 estimates=false" --lower-to-loops --apply-schedule --check-each
// RUN: mlc-opt %s --schedule="target=neoverse-n1 estimates=false" | filecheck %s --check-prefix=NEAR

// More rows than a quarter of the last cache are taken in blocks, each of which uses all panels. Where caches are large,
// all rows use a panel before the next one.
// CHECK-LABEL: @far
// CHECK-SAME: <[tile(m, 276), interchange(n, mi), tile(n, 24),
// CHECK-SAME: tile(mi, 4), unroll(mii)
// NEAR-LABEL: @far
// NEAR-SAME: <[interchange(n, m), tile(n, 24),
// NEAR-SAME: tile(m, 4), unroll(mi)
func.func private @far(%x: tensor<1100x64xf32>, %w: tensor<64x48xf32>) -> tensor<1100x48xf32> {
  %0 = tensor.contract %x[m, k], %w[k, n] over (m: 1100, n: 48) reduce (k: 64) : tensor<1100x64xf32>, tensor<64x48xf32> -> tensor<1100x48xf32>
  return %0 : tensor<1100x48xf32>
}

// One panel is all there is: rows come once.
// CHECK-LABEL: @one_panel
// CHECK-NOT: mi,
// CHECK: return
func.func private @one_panel(%x: tensor<1100x64xf32>, %w: tensor<64x16xf32>) -> tensor<1100x16xf32> {
  %0 = tensor.contract %x[m, k], %w[k, n] over (m: 1100, n: 16) reduce (k: 64) : tensor<1100x64xf32>, tensor<64x16xf32> -> tensor<1100x16xf32>
  return %0 : tensor<1100x16xf32>
}

// The last vector of a row is half empty, and stays in step with the others.
// CHECK-LABEL: @ragged
// CHECK-SAME: <[tile(m,
// CHECK-SAME: fuse(m), fuse(mi), fuse(k), tile(mi,
func.func private @ragged(%x: tensor<1100x64xf32>, %w: tensor<64x38xf32>) -> tensor<1100x38xf32> {
  %0 = tensor.contract %x[m, k], %w[k, n] over (m: 1100, n: 38) reduce (k: 64) : tensor<1100x64xf32>, tensor<64x38xf32> -> tensor<1100x38xf32>
  return %0 : tensor<1100x38xf32>
}

// Whole images of a batch are blocks, and no loop is cut.
// CHECK-LABEL: @images
// CHECK-SAME: <[interchange(n, y, x), tile(n, 24),
func.func private @images(%x: tensor<4x20x16x64xf32>, %w: tensor<64x48xf32>) -> tensor<4x20x16x48xf32> {
  %0 = tensor.contract %x[b, y, x, k], %w[k, n] over (b: 4, y: 20, x: 16, n: 48) reduce (k: 64) : tensor<4x20x16x64xf32>, tensor<64x48xf32> -> tensor<4x20x16x48xf32>
  return %0 : tensor<4x20x16x48xf32>
}

// So are several small ones.
// CHECK-LABEL: @small_images
// CHECK-SAME: <[tile(b, 4), interchange(n, bi, y, x), tile(n, 24),
func.func private @small_images(%x: tensor<16x10x8x64xf32>, %w: tensor<64x48xf32>) -> tensor<16x10x8x48xf32> {
  %0 = tensor.contract %x[b, y, x, k], %w[k, n] over (b: 16, y: 10, x: 8, n: 48) reduce (k: 64) : tensor<16x10x8x64xf32>, tensor<64x48xf32> -> tensor<16x10x8x48xf32>
  return %0 : tensor<16x10x8x48xf32>
}

// A block of one image is no loop of its own.
// CHECK-LABEL: @one_image
// CHECK-SAME: <[interchange(n, y, x), tile(n, 16),
func.func private @one_image(%x: tensor<5x20x12x64xf32>, %w: tensor<64x48xf32>) -> tensor<5x20x12x48xf32> {
  %0 = tensor.contract %x[b, y, x, k], %w[k, n] over (b: 5, y: 20, x: 12, n: 48) reduce (k: 64) : tensor<5x20x12x64xf32>, tensor<64x48xf32> -> tensor<5x20x12x48xf32>
  return %0 : tensor<5x20x12x48xf32>
}

// Rows whose borders are peeled off stay in one piece.
// CHECK-LABEL: @peeled
// CHECK-SAME: <[interchange(n, y, x), clip(y), tile(n,
func.func private @peeled(%x: tensor<24x24x128xf32>, %w: tensor<3x1x128x32xf32>) -> tensor<24x24x32xf32> {
  %p = tensor.pad %x low[1, 0, 0] high[1, 0, 0] {
  ^bb0(%i: index, %j: index, %k: index):
    %zero = arith.constant 0.0 : f32
    tensor.yield %zero : f32
  } : tensor<24x24x128xf32> to tensor<26x24x128xf32>
  %0 = tensor.contract %p[y + ky, x + kx, k], %w[ky, kx, k, n] over (y: 24, x: 24, n: 32) reduce (ky: 3, kx: 1, k: 128) : tensor<26x24x128xf32>, tensor<3x1x128x32xf32> -> tensor<24x24x32xf32>
  return %0 : tensor<24x24x32xf32>
}

// Each matrix of a batch has weights of its own.
// CHECK-LABEL: @batched
// CHECK-NOT: tile(b
// CHECK-NOT: mii
// CHECK: return
func.func private @batched(%x: tensor<8x160x64xf32>, %w: tensor<8x64x48xf32>) -> tensor<8x160x48xf32> {
  %0 = tensor.contract %x[b, m, k], %w[b, k, n] over (b: 8, m: 160, n: 48) reduce (k: 64) : tensor<8x160x64xf32>, tensor<8x64x48xf32> -> tensor<8x160x48xf32>
  return %0 : tensor<8x160x48xf32>
}

// Of two products side by side only one has far rows; loops of one name belong to both, and stay whole.
// CHECK-LABEL: @beside
// CHECK-NOT: mii
// CHECK: return
func.func private @beside(%x: tensor<1100x64xf32>, %w: tensor<64x48xf32>, %z: tensor<1100x4xf32>, %v: tensor<4x48xf32>) -> tensor<2200x48xf32> {
  %0 = tensor.contract %x[m, k], %w[k, n] over (m: 1100, n: 48) reduce (k: 64) : tensor<1100x64xf32>, tensor<64x48xf32> -> tensor<1100x48xf32>
  %1 = tensor.contract %z[m, k], %v[k, n] over (m: 1100, n: 48) reduce (k: 4) : tensor<1100x4xf32>, tensor<4x48xf32> -> tensor<1100x48xf32>
  %2 = tensor.concat dim(0) %0, %1 : (tensor<1100x48xf32>, tensor<1100x48xf32>) -> tensor<2200x48xf32>
  return %2 : tensor<2200x48xf32>
}
