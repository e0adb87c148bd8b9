// RUN: mlc-opt %s --schedule="target=x86-64-v4" | filecheck %s
// RUN: mlc-opt %s --schedule="target=x86-64-v4" --lower-to-loops --apply-schedule --check-each | filecheck %s --check-prefix=LOOPS

// A row of a register tile is one vector, of several registers.
// CHECK-LABEL: @four_registers
// CHECK-SAME:  tile(n, 64), {{.*}}vectorize(ni, 64)]
// LOOPS-LABEL: @four_registers
// LOOPS-NOT:   vector<16xf32>
// LOOPS-LABEL: @three_registers
func.func private @four_registers(%x: tensor<64x64xf32>, %w: tensor<64x128xf32>) -> tensor<64x128xf32> {
  %0 = tensor.contract %x[m, k], %w[k, n] over (m: 64, n: 128) reduce (k: 64) : tensor<64x64xf32>, tensor<64x128xf32> -> tensor<64x128xf32>
  return %0 : tensor<64x128xf32>
}

// CHECK-LABEL: @three_registers
// CHECK-SAME:  tile(n, 48), {{.*}}vectorize(ni, 48)]
func.func private @three_registers(%x: tensor<64x64xf32>, %w: tensor<64x48xf32>) -> tensor<64x48xf32> {
  %0 = tensor.contract %x[m, k], %w[k, n] over (m: 64, n: 48) reduce (k: 64) : tensor<64x64xf32>, tensor<64x48xf32> -> tensor<64x48xf32>
  return %0 : tensor<64x48xf32>
}

// The last block has three, of which a vector would be padded to four.
// CHECK-LABEL: @three_registers_left
// CHECK-SAME:  tile(n, 64), {{.*}}tile(ni, 16), vectorize(nii, 16), unroll(ni)]
func.func private @three_registers_left(%x: tensor<64x64xf32>, %w: tensor<64x112xf32>) -> tensor<64x112xf32> {
  %0 = tensor.contract %x[m, k], %w[k, n] over (m: 64, n: 112) reduce (k: 64) : tensor<64x64xf32>, tensor<64x112xf32> -> tensor<64x112xf32>
  return %0 : tensor<64x112xf32>
}

// The last block ends in the middle of a register.
// CHECK-LABEL: @ragged
// CHECK-SAME:  tile(n, 64), tile(ni, 16), vectorize(nii, 16), unroll(ni), fuse(m)
func.func private @ragged(%x: tensor<64x64xf32>, %w: tensor<64x100xf32>) -> tensor<64x100xf32> {
  %0 = tensor.contract %x[m, k], %w[k, n] over (m: 64, n: 100) reduce (k: 64) : tensor<64x64xf32>, tensor<64x100xf32> -> tensor<64x100xf32>
  return %0 : tensor<64x100xf32>
}
