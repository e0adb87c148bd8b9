// RUN: mlc-opt %s --schedule="target=neoverse-n1" | filecheck %s
// RUN: mlc-opt %s --schedule="target=neoverse-n1" --lower-to-loops --apply-schedule --check-each
// RUN: mlc-opt %s --schedule="target=x86-64-v3" | filecheck %s --check-prefix=X86

// On ARM, two steps of the reduction are one iteration, so that LLVM loads numbers by themselves.

// X86-NOT: unroll(ki)
// CHECK-LABEL: @pairs
// CHECK-SAME: tile(k, 2), unroll(ki)]
func.func private @pairs(%x: tensor<24x32xf32>, %w: tensor<32x40xf32>) -> tensor<24x40xf32> {
  %0 = tensor.contract %x[m, k], %w[k, n] over (m: 24, n: 40) reduce (k: 32) : tensor<24x32xf32>, tensor<32x40xf32> -> tensor<24x40xf32>
  return %0 : tensor<24x40xf32>
}

// A step would be left over.
// CHECK-LABEL: @odd
// CHECK-NOT: ki
// CHECK: return
func.func private @odd(%x: tensor<24x33xf32>, %w: tensor<33x40xf32>) -> tensor<24x40xf32> {
  %0 = tensor.contract %x[m, k], %w[k, n] over (m: 24, n: 40) reduce (k: 33) : tensor<24x33xf32>, tensor<33x40xf32> -> tensor<24x40xf32>
  return %0 : tensor<24x40xf32>
}

// All four are written out.
// CHECK-LABEL: @short
// CHECK-SAME: unroll(k)]
func.func private @short(%x: tensor<24x4xf32>, %w: tensor<4x40xf32>) -> tensor<24x40xf32> {
  %0 = tensor.contract %x[m, k], %w[k, n] over (m: 24, n: 40) reduce (k: 4) : tensor<24x4xf32>, tensor<4x40xf32> -> tensor<24x40xf32>
  return %0 : tensor<24x40xf32>
}

// A single row has several results for each of its accumulators, which take turns: these are several steps already.
// CHECK-LABEL: @few
// CHECK-SAME: split_reduction(k, 2)
// CHECK-NOT: ki
// CHECK: return
func.func private @few(%x: tensor<2x32xf32>, %w: tensor<32x8xf32>) -> tensor<2x8xf32> {
  %0 = tensor.contract %x[m, k], %w[k, n] over (m: 2, n: 8) reduce (k: 32) : tensor<2x32xf32>, tensor<32x8xf32> -> tensor<2x8xf32>
  return %0 : tensor<2x8xf32>
}
