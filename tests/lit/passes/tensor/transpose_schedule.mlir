// RUN: mlc-opt %s --schedule="target=x86-64-v4" | filecheck %s --check-prefixes=CHECK,V4
// RUN: mlc-opt %s --schedule="target=x86-64-v3" | filecheck %s --check-prefixes=CHECK,V3
// RUN: mlc-opt %s --schedule="target=x86-64-v4" --lower-to-loops --apply-schedule --transpose-loads | filecheck %s --check-prefix=LOOPS

// No candidate is refused.
// RUN: mlc-opt %s --schedule="target=x86-64-v4" --lower-to-loops --apply-schedule --remarks 2>&1 >%t | filecheck %s --check-prefix=REMARKS --allow-empty
// RUN: mlc-opt %s --schedule="target=x86-64-v3" --lower-to-loops --apply-schedule --remarks 2>&1 >%t | filecheck %s --check-prefix=REMARKS --allow-empty
// REMARKS-NOT: not interchanged

// Blocks of 16 x 16: a cache line of each row of the operand, and of each row of the result.
// CHECK-LABEL: @whole(
// V4-SAME: schedule = #loop.schedule<[tile(m, 16), tile(n, 16), interchange(m, n, mi, ni), vectorize(ni, 16), unroll(mi)]>
// V3-SAME: schedule = #loop.schedule<[tile(m, 16), tile(n, 16), tile(ni, 8), interchange(m, n, ni, mi, nii), vectorize(nii, 8), unroll(mi), unroll(ni)]>
func.func private @whole(%x: tensor<48x64xf32>) -> tensor<64x48xf32> {
  %y = tensor.map %x[n, m] over (m: 64, n: 48) : tensor<48x64xf32> -> tensor<64x48xf32> {
  ^bb0(%a: f32):
    tensor.yield %a : f32
  }
  return %y : tensor<64x48xf32>
}

// A rest in the last block is another loop beside it, which no interchange goes over.
// CHECK-LABEL: @transpose(
// V4-SAME: schedule = #loop.schedule<[tile(m, 16), tile(n, 16), vectorize(ni, 16), unroll(mi)]>
// V3-SAME: schedule = #loop.schedule<[tile(m, 16), tile(n, 16), tile(ni, 8), vectorize(nii, 8), unroll(mi), unroll(ni)]>
// LOOPS-LABEL: @transpose(
// LOOPS: loop.for parallel "m" %{{.*}} = 0 to 64 step 16 {
// LOOPS-NEXT: loop.for parallel "n" %{{.*}} = 0 to 32 step 16 {
// LOOPS-COUNT-16: loop.load %{{.*}} : memref<37x64xf32>, vector<16xf32>
// LOOPS-COUNT-64: vector.shuffle
// LOOPS-COUNT-16: loop.store %{{.*}} : memref<64x37xf32>, vector<16xf32>
// LOOPS-COUNT-5: loop.load %{{.*}} : memref<37x64xf32>, vector<8xf32>
// LOOPS: loop.store %{{.*}} active 5 : memref<64x37xf32>, vector<8xf32>
func.func private @transpose(%x: tensor<37x64xf32>) -> tensor<64x37xf32> {
  %y = tensor.map %x[n, m] over (m: 64, n: 37) : tensor<37x64xf32> -> tensor<64x37xf32> {
  ^bb0(%a: f32):
    tensor.yield %a : f32
  }
  return %y : tensor<64x37xf32>
}

// A dim between the two stays outside; f64 has eight elements in a line.
// CHECK-LABEL: @between(
// V4-SAME: [tile(m, 8), tile(n, 8), interchange(b, m, h, n, mi, ni), vectorize(ni, 8), unroll(mi)]
func.func private @between(%x: tensor<2x20x32x40xf64>) -> tensor<2x40x20x32xf64> {
  %y = tensor.map %x[b, h, n, m] over (b: 2, m: 40, h: 20, n: 32) : tensor<2x20x32x40xf64> -> tensor<2x40x20x32xf64> {
  ^bb0(%a: f64):
    tensor.yield %a : f64
  }
  return %y : tensor<2x40x20x32xf64>
}

// Bytes are turned in blocks of 16 x 16, whatever the vectors hold; of fewer rows each one by itself.
// CHECK-LABEL: @bytes(
// CHECK-SAME: tile(m, 16), tile(n, 16), interchange(m, n, mi, ni), vectorize(ni, 16), unroll(mi)
// CHECK-LABEL: @few_bytes(
// CHECK-NOT: unroll(mi)
func.func private @bytes(%x: tensor<32x64xi8>) -> tensor<64x32xi8> {
  %y = tensor.map %x[n, m] over (m: 64, n: 32) : tensor<32x64xi8> -> tensor<64x32xi8> {
  ^bb0(%a: i8):
    tensor.yield %a : i8
  }
  return %y : tensor<64x32xi8>
}
func.func private @few_bytes(%x: tensor<3x64xi8>) -> tensor<64x3xi8> {
  %y = tensor.map %x[n, m] over (m: 64, n: 3) : tensor<3x64xi8> -> tensor<64x3xi8> {
  ^bb0(%a: i8):
    tensor.yield %a : i8
  }
  return %y : tensor<64x3xi8>
}

// The last dim stays last: rows are copied. An i1 has no vectors that could be shuffled as bytes.
// CHECK-LABEL: @rows(
// CHECK-NOT: interchange
// CHECK-LABEL: @booleans(
// CHECK-NOT: interchange
// CHECK-LABEL: @diagonal(
// CHECK-NOT: interchange
func.func private @rows(%x: tensor<12x20x64xf32>) -> tensor<20x12x64xf32> {
  %y = tensor.map %x[k, m, n] over (m: 20, k: 12, n: 64) : tensor<12x20x64xf32> -> tensor<20x12x64xf32> {
  ^bb0(%a: f32):
    tensor.yield %a : f32
  }
  return %y : tensor<20x12x64xf32>
}
func.func private @booleans(%x: tensor<32x64xi1>) -> tensor<64x32xi1> {
  %y = tensor.map %x[n, m] over (m: 64, n: 32) : tensor<32x64xi1> -> tensor<64x32xi1> {
  ^bb0(%a: i1):
    tensor.yield %a : i1
  }
  return %y : tensor<64x32xi1>
}
func.func private @diagonal(%x: tensor<32x32xf32>) -> tensor<16x32xf32> {
  %y = tensor.map %x[n, n] over (m: 16, n: 32) : tensor<32x32xf32> -> tensor<16x32xf32> {
  ^bb0(%a: f32):
    tensor.yield %a : f32
  }
  return %y : tensor<16x32xf32>
}
