// RUN: mlc-opt %s --schedule="target=x86-64-v4 estimates=false" | filecheck %s --check-prefixes=CHECK,V4
// RUN: mlc-opt %s --schedule="target=x86-64-v3 estimates=false" | filecheck %s --check-prefixes=CHECK,V3
// RUN: mlc-opt %s --schedule="target=neoverse-n1 estimates=false" | filecheck %s --check-prefixes=CHECK,N1
// RUN: mlc-opt %s --schedule --remarks 2>&1 >%t | filecheck %s --check-prefix=REMARK

// The tile fits the registers: rows * vectors, the fewer of these two once more, and one of the others. With fused
// multiply-adds that may be all registers.
// CHECK-LABEL: @matmul
// V4-SAME: schedule = #loop.schedule<[interchange(n, m), tile(n, 80), pack(w, n), tile(w_lane, 16), vectorize(w_lanei, 16), vectorize(ni, 80), tile(m, 5), unroll(mi)]>
// V3-SAME: schedule = #loop.schedule<[interchange(n, m), tile(n, 24), pack(w, n), tile(w_lane, 8), vectorize(w_lanei, 8), tile(m, 4), unroll(mi), tile(ni, 8), vectorize(nii, 8), unroll(ni)]>
// N1-SAME: schedule = #loop.schedule<[interchange(n, m), tile(n, 20), pack(w, n), tile(w_lane, 4), vectorize(w_lanei, 4), tile(ni, 4), vectorize(nii, 4), unroll(ni), tile(m, 5), unroll(mi), tile(k, 2), unroll(ki)]>
func.func private @matmul(%x: tensor<72x64xf32>, %w: tensor<64x480xf32>) -> tensor<72x480xf32> {
  %0 = tensor.contract %x[m, k], %w[k, n] over (m: 72, n: 480) reduce (k: 64) : tensor<72x64xf32>, tensor<64x480xf32> -> tensor<72x480xf32>
  return %0 : tensor<72x480xf32>
}

// The same product with a short and a long reduction: two rows are enough for panels in the first cache, longer panels
// come from the second one, which is slower.
// CHECK-LABEL: @short_reduction
// V3-SAME: tile(n, 40), {{.*}}tile(m, 2)
// N1-SAME: tile(n, 20), {{.*}}tile(m, 5)
func.func private @short_reduction(%x: tensor<64x64xf32>, %w: tensor<64x200xf32>) -> tensor<64x200xf32> {
  %0 = tensor.contract %x[m, k], %w[k, n] over (m: 64, n: 200) reduce (k: 64) : tensor<64x64xf32>, tensor<64x200xf32> -> tensor<64x200xf32>
  return %0 : tensor<64x200xf32>
}
// CHECK-LABEL: @long_reduction
// V3-SAME: tile(n, 16), {{.*}}tile(m, 6)
// N1-SAME: tile(n, 20), {{.*}}tile(m, 5)
func.func private @long_reduction(%x: tensor<64x784xf32>, %w: tensor<784x200xf32>) -> tensor<64x200xf32> {
  %0 = tensor.contract %x[m, k], %w[k, n] over (m: 64, n: 200) reduce (k: 784) : tensor<64x784xf32>, tensor<784x200xf32> -> tensor<64x200xf32>
  return %0 : tensor<64x200xf32>
}

// Seven columns of an image are four and three.
// CHECK-LABEL: @seven_columns
// V3-SAME: tile(n, 24), {{.*}}tile(x, 4), unroll(xi), tile(ni, 8), vectorize(nii, 8), unroll(ni)
// V4-SAME: tile(n, 48), {{.*}}tile(x, 7), unroll(xi),
func.func private @seven_columns(%x: tensor<9x9x512xf32>, %w: tensor<3x3x512x512xf32>) -> tensor<7x7x512xf32> {
  %0 = tensor.contract %x[y + ky, x + kx, k], %w[ky, kx, k, n] over (y: 7, x: 7, n: 512) reduce (ky: 3, kx: 3, k: 512) : tensor<9x9x512xf32>, tensor<3x3x512x512xf32> -> tensor<7x7x512xf32>
  return %0 : tensor<7x7x512xf32>
}

// CHECK-LABEL: @elementwise
// V4-SAME: schedule = #loop.schedule<[tile(n, 32), tile(ni, 8), vectorize(nii, 8), unroll(ni)]>
func.func private @elementwise(%x: tensor<64xf64>) -> tensor<64xf64> {
  %0 = tensor.map %x[n] over (n: 64) : tensor<64xf64> -> tensor<64xf64> {
  ^bb0(%a: f64):
    %s = arith.addf %a, %a : f64
    tensor.yield %s : f64
  }
  return %0 : tensor<64xf64>
}

// What was written by hand stays.
// CHECK-LABEL: @by_hand
// CHECK-SAME: schedule = #loop.schedule<[unroll(n)]>
func.func private @by_hand(%x: tensor<4xf32>) -> tensor<4xf32> attributes {schedule = #loop.schedule<[unroll(n)]>} {
  %0 = tensor.map %x[n] over (n: 4) : tensor<4xf32> -> tensor<4xf32> {
  ^bb0(%a: f32):
    %s = arith.addf %a, %a : f32
    tensor.yield %s : f32
  }
  return %0 : tensor<4xf32>
}

// Every other element makes vectors, every third one does not.
// CHECK-LABEL: @second
// CHECK-SAME: vectorize(nii
// CHECK-LABEL: @third
// CHECK-NOT: schedule
// REMARK: remark: not vectorized: tensor.map does not read operand 0 consecutively along 'n', its last dim
func.func private @second(%x: tensor<4x32xf32>) -> tensor<4x16xf32> {
  %0 = tensor.map %x[m, n * 2] over (m: 4, n: 16) : tensor<4x32xf32> -> tensor<4x16xf32> {
  ^bb0(%a: f32):
    tensor.yield %a : f32
  }
  return %0 : tensor<4x16xf32>
}
func.func private @third(%x: tensor<4x24xf32>) -> tensor<4x8xf32> {
  %0 = tensor.map %x[m, n * 3] over (m: 4, n: 8) : tensor<4x24xf32> -> tensor<4x8xf32> {
  ^bb0(%a: f32):
    tensor.yield %a : f32
  }
  return %0 : tensor<4x8xf32>
}

// Functions of several blocks, or of elements that mlc does not compute with, are no kernels.
// CHECK-LABEL: func.func private @blocks(
// CHECK-NOT: schedule
// CHECK: cf.br
func.func private @blocks(%x: tensor<4xf32>) -> tensor<4xf32> {
  cf.br ^bb1
^bb1:
  %0 = tensor.map %x[n] over (n: 4) : tensor<4xf32> -> tensor<4xf32> {
  ^bb0(%a: f32):
    %s = arith.addf %a, %a : f32
    tensor.yield %s : f32
  }
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func private @nibbles(
// CHECK-NOT: schedule
// CHECK: tensor.map
// REMARK: remark: no schedule: mlc does not compute with elements of type i4
func.func private @nibbles(%x: tensor<4xi4>) -> tensor<4xi4> {
  %0 = tensor.map %x[n] over (n: 4) : tensor<4xi4> -> tensor<4xi4> {
  ^bb0(%a: i4):
    tensor.yield %a : i4
  }
  return %0 : tensor<4xi4>
}
