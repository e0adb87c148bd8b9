// RUN: mlc-opt %s --schedule="target=x86-64-v4 estimates=false" | filecheck %s
// RUN: mlc-opt %s --schedule="target=x86-64-v4 estimates=false" --lower-to-loops --apply-schedule --check-each

// What follows the sums is long: a loop computes it, over rows if these are unrolled last.
// CHECK-LABEL: @long
// CHECK-SAME: unroll(ni), tile(m, {{[0-9]+}}), unroll_reduction(mi)]
func.func private @long(%x: tensor<20x64xf32>, %w: tensor<64x80xf32>, %s: tensor<f32>) -> tensor<20x80xf32> {
  %0 = tensor.contract %x[m, k], %w[k, n] over (m: 20, n: 80) reduce (k: 64) : tensor<20x64xf32>, tensor<64x80xf32> -> tensor<20x80xf32>
  %1 = tensor.map %0[m, n], %s[] over (m: 20, n: 80) : tensor<20x80xf32>, tensor<f32> -> tensor<20x80xf32> {
  ^bb0(%a: f32, %b: f32):
    %c = arith.mulf %a, %b : f32
    %d = arith.addf %c, %b : f32
    %e = arith.mulf %d, %d : f32
    %f = arith.subf %e, %a : f32
    tensor.yield %f : f32
  }
  %2 = tensor.map %1[m, n], %s[] over (m: 20, n: 80) : tensor<20x80xf32>, tensor<f32> -> tensor<20x80xf32> {
  ^bb0(%a: f32, %b: f32):
    %c = arith.mulf %a, %b : f32
    %d = arith.addf %c, %b : f32
    %e = arith.mulf %d, %d : f32
    %f = arith.subf %e, %a : f32
    tensor.yield %f : f32
  }
  return %2 : tensor<20x80xf32>
}

// The loop is over registers, also where a row could be one vector.
// CHECK-LABEL: @long_rows
// CHECK-SAME: tile(n, 64), {{.*}}tile(ni, 16), vectorize(nii, 16), unroll_reduction(ni)]
func.func private @long_rows(%x: tensor<60x64xf32>, %w: tensor<64x128xf32>, %s: tensor<f32>) -> tensor<60x128xf32> {
  %0 = tensor.contract %x[m, k], %w[k, n] over (m: 60, n: 128) reduce (k: 64) : tensor<60x64xf32>, tensor<64x128xf32> -> tensor<60x128xf32>
  %1 = tensor.map %0[m, n], %s[] over (m: 60, n: 128) : tensor<60x128xf32>, tensor<f32> -> tensor<60x128xf32> {
  ^bb0(%a: f32, %b: f32):
    %c = arith.mulf %a, %b : f32
    %d = arith.addf %c, %b : f32
    %e = arith.mulf %d, %d : f32
    %f = arith.subf %e, %a : f32
    tensor.yield %f : f32
  }
  %2 = tensor.map %1[m, n], %s[] over (m: 60, n: 128) : tensor<60x128xf32>, tensor<f32> -> tensor<60x128xf32> {
  ^bb0(%a: f32, %b: f32):
    %c = arith.mulf %a, %b : f32
    %d = arith.addf %c, %b : f32
    %e = arith.mulf %d, %d : f32
    %f = arith.subf %e, %a : f32
    tensor.yield %f : f32
  }
  return %2 : tensor<60x128xf32>
}

// One op fewer is copied; constants do not count.
// CHECK-LABEL: @short
// CHECK-SAME: vectorize(ni, 80), tile(m, {{[0-9]+}}), unroll(mi)]
func.func private @short(%x: tensor<20x64xf32>, %w: tensor<64x80xf32>, %s: tensor<f32>) -> tensor<20x80xf32> {
  %0 = tensor.contract %x[m, k], %w[k, n] over (m: 20, n: 80) reduce (k: 64) : tensor<20x64xf32>, tensor<64x80xf32> -> tensor<20x80xf32>
  %1 = tensor.map %0[m, n], %s[] over (m: 20, n: 80) : tensor<20x80xf32>, tensor<f32> -> tensor<20x80xf32> {
  ^bb0(%a: f32, %b: f32):
    %two = arith.constant 2.0 : f32
    %c = arith.mulf %a, %b : f32
    %d = arith.addf %c, %two : f32
    %e = arith.mulf %d, %d : f32
    %f = arith.subf %e, %a : f32
    %g = arith.mulf %f, %b : f32
    %h = arith.addf %g, %b : f32
    %i = arith.mulf %h, %h : f32
    tensor.yield %i : f32
  }
  return %1 : tensor<20x80xf32>
}

// Sums of few steps would wait for being stored and loaded.
// CHECK-LABEL: @few_steps
// CHECK-NOT: unroll_reduction
// CHECK: return
func.func private @few_steps(%x: tensor<20x8xf32>, %w: tensor<8x80xf32>, %s: tensor<f32>) -> tensor<20x80xf32> {
  %0 = tensor.contract %x[m, k], %w[k, n] over (m: 20, n: 80) reduce (k: 8) : tensor<20x8xf32>, tensor<8x80xf32> -> tensor<20x80xf32>
  %1 = tensor.map %0[m, n], %s[] over (m: 20, n: 80) : tensor<20x80xf32>, tensor<f32> -> tensor<20x80xf32> {
  ^bb0(%a: f32, %b: f32):
    %c = arith.mulf %a, %b : f32
    %d = arith.addf %c, %b : f32
    %e = arith.mulf %d, %d : f32
    %f = arith.subf %e, %a : f32
    tensor.yield %f : f32
  }
  %2 = tensor.map %1[m, n], %s[] over (m: 20, n: 80) : tensor<20x80xf32>, tensor<f32> -> tensor<20x80xf32> {
  ^bb0(%a: f32, %b: f32):
    %c = arith.mulf %a, %b : f32
    %d = arith.addf %c, %b : f32
    %e = arith.mulf %d, %d : f32
    %f = arith.subf %e, %a : f32
    tensor.yield %f : f32
  }
  return %2 : tensor<20x80xf32>
}

// One row: its few vectors are no more as copies than a loop would be.
// CHECK-LABEL: @one_row
// CHECK-NOT: unroll_reduction
// CHECK: return
func.func private @one_row(%x: tensor<1x64xf32>, %w: tensor<64x48xf32>, %s: tensor<f32>) -> tensor<1x48xf32> {
  %0 = tensor.contract %x[m, k], %w[k, n] over (m: 1, n: 48) reduce (k: 64) : tensor<1x64xf32>, tensor<64x48xf32> -> tensor<1x48xf32>
  %1 = tensor.map %0[m, n], %s[] over (m: 1, n: 48) : tensor<1x48xf32>, tensor<f32> -> tensor<1x48xf32> {
  ^bb0(%a: f32, %b: f32):
    %c = arith.mulf %a, %b : f32
    %d = arith.addf %c, %b : f32
    %e = arith.mulf %d, %d : f32
    %f = arith.subf %e, %a : f32
    %g = arith.mulf %f, %b : f32
    %h = arith.addf %g, %b : f32
    %i = arith.mulf %h, %h : f32
    %j = arith.mulf %i, %h : f32
    tensor.yield %j : f32
  }
  return %1 : tensor<1x48xf32>
}
