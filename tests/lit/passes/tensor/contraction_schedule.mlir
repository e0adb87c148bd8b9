// RUN: mlc-opt %s --schedule="target=x86-64-v4 estimates=false" | filecheck %s
// RUN: mlc-opt %s --schedule="target=x86-64-v4 estimates=false" --lower-to-loops --apply-schedule --check-each
// SLOW: schedules many kernels and checks them

// Weights are packed when the program is compiled; nothing is left to do for the kernel.
// CHECK-LABEL: @weights
// CHECK-SAME: [interchange(n, m), tile(n, [[N:[0-9]+]]), pack(w, n), {{tile.m|vectorize.ni}}
func.func private @weights(%x: tensor<30x64xf32>, %w: tensor<64x160xf32>) -> tensor<30x160xf32> {
  %0 = tensor.contract %x[m, k], %w[k, n] over (m: 30, n: 160) reduce (k: 64) : tensor<30x64xf32>, tensor<64x160xf32> -> tensor<30x160xf32>
  return %0 : tensor<30x160xf32>
}

// A matrix across which the lanes run is packed by the kernel, in blocks that are transposed in registers.
// CHECK-LABEL: @transposed
// CHECK-SAME: pack(w, n), tile(w_0, 16), tile(w_lane, 16), interchange(w_lane, w_0i, w_lanei), vectorize(w_lanei, 16), unroll(w_0i)
func.func private @transposed(%x: tensor<64x32xf32>, %w: tensor<96x32xf32>) -> tensor<64x96xf32> {
  %0 = tensor.contract %x[m, k], %w[n, k] over (m: 64, n: 96) reduce (k: 32) : tensor<64x32xf32>, tensor<96x32xf32> -> tensor<64x96xf32>
  return %0 : tensor<64x96xf32>
}

// Too few rows to pay for packing, and columns that fill one block.
// CHECK-LABEL: @few_rows
// CHECK-NOT: pack
// CHECK: return
func.func private @few_rows(%x: tensor<4x32xf32>, %w: tensor<32x160xf32>) -> tensor<4x160xf32> {
  %0 = tensor.contract %x[m, k], %w[k, n] over (m: 4, n: 160) reduce (k: 32) : tensor<4x32xf32>, tensor<32x160xf32> -> tensor<4x160xf32>
  return %0 : tensor<4x160xf32>
}

// The last block has one vector and a half; these are one nest again before rows are tiled.
// CHECK-LABEL: @ragged
// CHECK-SAME: unroll(ni), fuse(m), fuse(k), tile(m
func.func private @ragged(%x: tensor<17x32xf32>, %w: tensor<32x72xf32>) -> tensor<17x72xf32> {
  %0 = tensor.contract %x[m, k], %w[k, n] over (m: 17, n: 72) reduce (k: 32) : tensor<17x32xf32>, tensor<32x72xf32> -> tensor<17x72xf32>
  return %0 : tensor<17x72xf32>
}

// The residual and the result are more than the second cache holds: they are asked for before each tile needs them.
// CHECK-LABEL: @residual
// CHECK-SAME: prefetch(k)]
func.func private @residual(%x: tensor<3136x64xf32>, %w: tensor<64x256xf32>, %r: tensor<3136x256xf32>) -> tensor<3136x256xf32> {
  %0 = tensor.contract %x[m, k], %w[k, n] over (m: 3136, n: 256) reduce (k: 64) : tensor<3136x64xf32>, tensor<64x256xf32> -> tensor<3136x256xf32>
  %1 = tensor.map %0[m, n], %r[m, n] over (m: 3136, n: 256) : tensor<3136x256xf32>, tensor<3136x256xf32> -> tensor<3136x256xf32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tensor.yield %s : f32
  }
  return %1 : tensor<3136x256xf32>
}

// A small result is there already.
// CHECK-LABEL: @small_residual
// CHECK-NOT: prefetch
// CHECK: return
func.func private @small_residual(%x: tensor<49x64xf32>, %w: tensor<64x256xf32>, %r: tensor<49x256xf32>) -> tensor<49x256xf32> {
  %0 = tensor.contract %x[m, k], %w[k, n] over (m: 49, n: 256) reduce (k: 64) : tensor<49x64xf32>, tensor<64x256xf32> -> tensor<49x256xf32>
  %1 = tensor.map %0[m, n], %r[m, n] over (m: 49, n: 256) : tensor<49x256xf32>, tensor<49x256xf32> -> tensor<49x256xf32> {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tensor.yield %s : f32
  }
  return %1 : tensor<49x256xf32>
}

// Eight channels per group: vectors of eight.
// CHECK-LABEL: @grouped
// CHECK-SAME: tile(n, 8), pack(w, n),
// CHECK-SAME: vectorize(ni, 8)
func.func private @grouped(%x: tensor<10x10x32xf32>, %w: tensor<3x3x8x32xf32>) -> tensor<8x8x32xf32> {
  %0 = tensor.contract %x[y + ky, x + kx, (n floordiv 8) * 8 + k], %w[ky, kx, k, n] over (y: 8, x: 8, n: 32) reduce (ky: 3, kx: 3, k: 8) : tensor<10x10x32xf32>, tensor<3x3x8x32xf32> -> tensor<8x8x32xf32>
  return %0 : tensor<8x8x32xf32>
}

// A tile holds all seven columns of the image: in each of three copies of the loop it is known which of them are padding.
// Above and below, the window ends where the image does.
// CHECK-LABEL: @short_rows
// CHECK-SAME: [interchange(n, y, x), clip(y), tile(n, 48), pack(w, n), tile(w_lane, 16), vectorize(w_lanei, 16), tile(x, 7), {{.*}}, unroll(kx), partition(x)]
func.func private @short_rows(%x: tensor<7x7x64xf32>, %w: tensor<3x3x64x96xf32>) -> tensor<7x7x96xf32> {
  %p = tensor.pad %x low[1, 1, 0] high[1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index):
    %zero = arith.constant 0.0 : f32
    tensor.yield %zero : f32
  } : tensor<7x7x64xf32> to tensor<9x9x64xf32>
  %0 = tensor.contract %p[y + ky, x + kx, k], %w[ky, kx, k, n] over (y: 7, x: 7, n: 96) reduce (ky: 3, kx: 3, k: 64) : tensor<9x9x64xf32>, tensor<3x3x64x96xf32> -> tensor<7x7x96xf32>
  return %0 : tensor<7x7x96xf32>
}

// Of longer rows, few products are with padding: the copy of the image keeps it at the sides.
// CHECK-LABEL: @long_rows
// CHECK-NOT: partition(x)
// CHECK: return
func.func private @long_rows(%x: tensor<28x28x64xf32>, %w: tensor<3x3x64x96xf32>) -> tensor<28x28x96xf32> {
  %p = tensor.pad %x low[1, 1, 0] high[1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index):
    %zero = arith.constant 0.0 : f32
    tensor.yield %zero : f32
  } : tensor<28x28x64xf32> to tensor<30x30x64xf32>
  %0 = tensor.contract %p[y + ky, x + kx, k], %w[ky, kx, k, n] over (y: 28, x: 28, n: 96) reduce (ky: 3, kx: 3, k: 64) : tensor<30x30x64xf32>, tensor<3x3x64x96xf32> -> tensor<28x28x96xf32>
  return %0 : tensor<28x28x96xf32>
}

// A padded depthwise convolution copies no image: rows of eight results, in which it is known which taps are padding.
// CHECK-LABEL: @depthwise
// CHECK-SAME: [tile(n, 16), vectorize(ni, 16), tile(x, 8), unroll(xi), unroll(kx), clip(y), partition(x)]
func.func private @depthwise(%x: tensor<8x8x24xf32>, %w: tensor<3x3x24xf32>) -> tensor<8x8x24xf32> {
  %p = tensor.pad %x low[1, 1, 0] high[1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index):
    %zero = arith.constant 0.0 : f32
    tensor.yield %zero : f32
  } : tensor<8x8x24xf32> to tensor<10x10x24xf32>
  %0 = tensor.contract %p[y + ky, x + kx, n], %w[ky, kx, n] over (y: 8, x: 8, n: 24) reduce (ky: 3, kx: 3) : tensor<10x10x24xf32>, tensor<3x3x24xf32> -> tensor<8x8x24xf32>
  return %0 : tensor<8x8x24xf32>
}

// CHECK-LABEL: @main
func.func @main(%x: tensor<30x64xf32>) -> tensor<30x160xf32> {
  %w = arith.constant dense<0.5> : tensor<64x160xf32>
  %0 = func.call @weights(%x, %w) : (tensor<30x64xf32>, tensor<64x160xf32>) -> tensor<30x160xf32>
  return %0 : tensor<30x160xf32>
}

// A short padded image: products with the zeros above and below it are left out.
// CHECK-LABEL: @short_image
// CHECK-SAME: [interchange(n, y, x), clip(y), tile(n, 32),
func.func private @short_image(%x: tensor<7x7x24xf32>, %w: tensor<3x3x24x32xf32>) -> tensor<7x7x32xf32> {
  %p = tensor.pad %x low[1, 1, 0] high[1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index):
    %zero = arith.constant 0.0 : f32
    tensor.yield %zero : f32
  } : tensor<7x7x24xf32> to tensor<9x9x24xf32>
  %0 = tensor.contract %p[y + ky, x + kx, k], %w[ky, kx, k, n] over (y: 7, x: 7, n: 32) reduce (ky: 3, kx: 3, k: 24) : tensor<9x9x24xf32>, tensor<3x3x24x32xf32> -> tensor<7x7x32xf32>
  return %0 : tensor<7x7x32xf32>
}

// One vector of results would wait for each of its multiply-adds: it keeps eight partial results.
// CHECK-LABEL: @classes
// CHECK-SAME: tile(n, 16), split_reduction(k, 8), vectorize(ni, 16)
func.func private @classes(%x: tensor<512xf32>, %w: tensor<512x10xf32>) -> tensor<10xf32> {
  %0 = tensor.contract %x[k], %w[k, n] over (n: 10) reduce (k: 512) : tensor<512xf32>, tensor<512x10xf32> -> tensor<10xf32>
  return %0 : tensor<10xf32>
}

// A matrix that no second cache holds, and that nobody packed, is read once: half pages of eight rows, side by side.
// CHECK-LABEL: @far_away
// CHECK-SAME: [tile(n, 512), tile(k, 8), cache_write(k, ni), tile(ni, 64), tile(nii, 16), vectorize(niii, 16), unroll(nii), unroll(ki)]
func.func private @far_away(%x: tensor<4096xf32>, %w: tensor<4096x1000xf32>) -> tensor<1000xf32> {
  %0 = tensor.contract %x[k], %w[k, n] over (n: 1000) reduce (k: 4096) : tensor<4096xf32>, tensor<4096x1000xf32> -> tensor<1000xf32>
  return %0 : tensor<1000xf32>
}

// A dilation of two leaves out the same tap of two windows beside each other: they fill blocks of their own, of 2 x 4. The
// bounds of its windows are no sums, so that loops over rows are split, too.
// CHECK-LABEL: @dilated
// CHECK-SAME: [interchange(n, y, x), partition(y), partition(x), tile(n, 64), {{.*}}tile(x, 6), unroll(xi),
func.func private @dilated(%x: tensor<16x16x8xf32>, %w: tensor<3x3x8x64xf32>) -> tensor<16x16x64xf32> {
  %p = tensor.pad %x low[2, 2, 0] high[2, 2, 0] {
  ^bb0(%i: index, %j: index, %k: index):
    %zero = arith.constant 0.0 : f32
    tensor.yield %zero : f32
  } : tensor<16x16x8xf32> to tensor<20x20x8xf32>
  %0 = tensor.contract %p[y + 2 * ky, x + 2 * kx, k], %w[ky, kx, k, n] over (y: 16, x: 16, n: 64) reduce (ky: 3, kx: 3, k: 8) : tensor<20x20x8xf32>, tensor<3x3x8x64xf32> -> tensor<16x16x64xf32>
  return %0 : tensor<16x16x64xf32>
}

// Each window at the end of a row of 5 x 5 leaves out other taps: blocks of one row would be late.
// CHECK-LABEL: @each_its_own
// CHECK-SAME: [interchange(n, y, x), clip(y), tile(n, 64),
func.func private @each_its_own(%x: tensor<16x16x8xf32>, %w: tensor<5x5x8x64xf32>) -> tensor<16x16x64xf32> {
  %p = tensor.pad %x low[2, 2, 0] high[2, 2, 0] {
  ^bb0(%i: index, %j: index, %k: index):
    %zero = arith.constant 0.0 : f32
    tensor.yield %zero : f32
  } : tensor<16x16x8xf32> to tensor<20x20x8xf32>
  %0 = tensor.contract %p[y + ky, x + kx, k], %w[ky, kx, k, n] over (y: 16, x: 16, n: 64) reduce (ky: 5, kx: 5, k: 8) : tensor<20x20x8xf32>, tensor<5x5x8x64xf32> -> tensor<16x16x64xf32>
  return %0 : tensor<16x16x64xf32>
}
