// RUN: mlc-opt %s --schedule="target=znver5" | filecheck %s
// RUN: mlc-opt %s --schedule="target=znver5" --lower-to-loops --apply-schedule --check-each | filecheck %s --check-prefix=LOOPS

// While all channels of a block pass by, the first cache keeps the weights, and the columns that the next block shares with
// this one: blocks of one column of 384 channels, which fit there. Of 576 channels none does, and a wide block reads less.
// LOOPS: loop.for
// CHECK-LABEL: @keeps
// CHECK-SAME: vectorize(ni, 16), tile(y, 4), unroll(yi)
func.func private @keeps(%x: tensor<14x14x384xf32>, %w: tensor<3x3x384xf32>) -> tensor<14x14x384xf32> {
  %p = tensor.pad %x low[1, 1, 0] high[1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index):
    %zero = arith.constant 0.0 : f32
    tensor.yield %zero : f32
  } : tensor<14x14x384xf32> to tensor<16x16x384xf32>
  %0 = tensor.contract %p[y + ky, x + kx, n], %w[ky, kx, n] over (y: 14, x: 14, n: 384) reduce (ky: 3, kx: 3) : tensor<16x16x384xf32>, tensor<3x3x384xf32> -> tensor<14x14x384xf32>
  return %0 : tensor<14x14x384xf32>
}
// CHECK-LABEL: @reads_again
// CHECK-SAME: tile(x, 4), unroll(xi), tile(y, 4)
func.func private @reads_again(%x: tensor<14x14x576xf32>, %w: tensor<3x3x576xf32>) -> tensor<14x14x576xf32> {
  %p = tensor.pad %x low[1, 1, 0] high[1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index):
    %zero = arith.constant 0.0 : f32
    tensor.yield %zero : f32
  } : tensor<14x14x576xf32> to tensor<16x16x576xf32>
  %0 = tensor.contract %p[y + ky, x + kx, n], %w[ky, kx, n] over (y: 14, x: 14, n: 576) reduce (ky: 3, kx: 3) : tensor<16x16x576xf32>, tensor<3x3x576xf32> -> tensor<14x14x576xf32>
  return %0 : tensor<14x14x576xf32>
}

// With a stride, blocks share little, and push the weights out: each reads all of its own, and wide ones least.
// CHECK-LABEL: @strides
// CHECK-SAME: schedule = #loop.schedule<[partition(y, x), tile(n, 16), vectorize(ni, 16), tile(x, 6), unroll(xi), tile(y, 2), unroll(yi), llvm_unroll(kx, 3), llvm_unroll(ky, 3)]>
func.func private @strides(%x: tensor<14x14x576xf32>, %w: tensor<3x3x576xf32>) -> tensor<7x7x576xf32> {
  %p = tensor.pad %x low[0, 0, 0] high[1, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index):
    %zero = arith.constant 0.0 : f32
    tensor.yield %zero : f32
  } : tensor<14x14x576xf32> to tensor<15x15x576xf32>
  %0 = tensor.contract %p[y * 2 + ky, x * 2 + kx, n], %w[ky, kx, n] over (y: 7, x: 7, n: 576) reduce (ky: 3, kx: 3) : tensor<15x15x576xf32>, tensor<3x3x576xf32> -> tensor<7x7x576xf32>
  return %0 : tensor<7x7x576xf32>
}

// What is compared is loaded: 4 x 1 results read 27 vectors, which registers hold; 6 x 1 would read 39.
// CHECK-LABEL: @compares
// CHECK-SAME: schedule = #loop.schedule<[tile(n, 16), vectorize(ni, 16), tile(y, 4), unroll(yi), llvm_unroll(kx, 3), llvm_unroll(ky, 3)]>
func.func private @compares(%x: tensor<57x57x64xf32>) -> tensor<28x28x64xf32> {
  %y = tensor.reduce max %x[y * 2 + ky, x * 2 + kx, n] over (y: 28, x: 28, n: 64) reduce (ky: 3, kx: 3) : tensor<57x57x64xf32> -> tensor<28x28x64xf32>
  return %y : tensor<28x28x64xf32>
}

// A long epilogue of a block of two dims is a loop, so that there are fewer copies of it; a short one is copied.
// CHECK-LABEL: @sigmoid
// CHECK-SAME: tile(x, {{[0-9]+}}), unroll_reduction(xi), tile(y, {{[0-9]+}}), unroll(yi), llvm_unroll(kx, 3), llvm_unroll(ky, 3)]
func.func private @sigmoid(%x: tensor<16x16x576xf32>, %w: tensor<3x3x576xf32>) -> tensor<14x14x576xf32> {
  %0 = tensor.contract %x[y + ky, x + kx, n], %w[ky, kx, n] over (y: 14, x: 14, n: 576) reduce (ky: 3, kx: 3) : tensor<16x16x576xf32>, tensor<3x3x576xf32> -> tensor<14x14x576xf32>
  %1 = tensor.map %0[y, x, n] over (y: 14, x: 14, n: 576) : tensor<14x14x576xf32> -> tensor<14x14x576xf32> {
  ^bb0(%s: f32):
    %one = arith.constant 1.0 : f32
    %n = arith.negf %s : f32
    %e = math.exp %n : f32
    %d = arith.addf %e, %one : f32
    %q = arith.divf %one, %d : f32
    tensor.yield %q : f32
  }
  return %1 : tensor<14x14x576xf32>
}
// CHECK-LABEL: @relu
// CHECK-SAME: tile(x, {{[0-9]+}}), unroll(xi), tile(y, {{[0-9]+}}), unroll(yi)
func.func private @relu(%x: tensor<16x16x576xf32>, %w: tensor<3x3x576xf32>) -> tensor<14x14x576xf32> {
  %0 = tensor.contract %x[y + ky, x + kx, n], %w[ky, kx, n] over (y: 14, x: 14, n: 576) reduce (ky: 3, kx: 3) : tensor<16x16x576xf32>, tensor<3x3x576xf32> -> tensor<14x14x576xf32>
  %1 = tensor.map %0[y, x, n] over (y: 14, x: 14, n: 576) : tensor<14x14x576xf32> -> tensor<14x14x576xf32> {
  ^bb0(%s: f32):
    %zero = arith.constant 0.0 : f32
    %m = arith.maximumf %s, %zero : f32
    tensor.yield %m : f32
  }
  return %1 : tensor<14x14x576xf32>
}

// The border of 7 x 7 taps falls into more parts than loops are split into: equal pieces of rows read no padding, and no
// copy.
// CHECK-LABEL: @wide
// CHECK-SAME: schedule = #loop.schedule<[tile(n, 16), vectorize(ni, 16), tile(x, 9), unroll(xi), unroll(kx), clip(y), partition(x)]>
func.func private @wide(%x: tensor<18x18x128xf32>, %w: tensor<7x7x128xf32>) -> tensor<18x18x128xf32> {
  %p = tensor.pad %x low[3, 3, 0] high[3, 3, 0] {
  ^bb0(%i: index, %j: index, %k: index):
    %zero = arith.constant 0.0 : f32
    tensor.yield %zero : f32
  } : tensor<18x18x128xf32> to tensor<24x24x128xf32>
  %0 = tensor.contract %p[y + ky, x + kx, n], %w[ky, kx, n] over (y: 18, x: 18, n: 128) reduce (ky: 7, kx: 7) : tensor<24x24x128xf32>, tensor<7x7x128xf32> -> tensor<18x18x128xf32>
  return %0 : tensor<18x18x128xf32>
}
