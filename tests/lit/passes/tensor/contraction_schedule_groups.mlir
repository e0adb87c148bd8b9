// RUN: mlc-opt %s --schedule="target=x86-64-v3" | filecheck %s
// RUN: mlc-opt %s --schedule="target=x86-64-v3" --lower-to-loops --apply-schedule --check-each | filecheck %s --check-prefix=LOOPS

// Groups of 17 columns end in the middle of a vector: the groups are a loop, and inside it are two vectors, and one
// column that is left over.
// CHECK-LABEL: @between_vectors
// CHECK-SAME: [interchange(n, y, x), tile(n, 17), tile(ni, 24),
// CHECK-SAME: tile(nii, 8), vectorize(niii, 8), unroll(nii)
// LOOPS-LABEL: @between_vectors
// LOOPS: loop.for parallel "n" %n = 0 to 51 step 17
// LOOPS: vector<8xf32>
func.func private @between_vectors(%x: tensor<6x8x9xf32>, %w: tensor<3x3x3x51xf32>) -> tensor<4x6x51xf32> {
  %0 = tensor.contract %x[y + ky, x + kx, (n floordiv 17) * 3 + k], %w[ky, kx, k, n] over (y: 4, x: 6, n: 51) reduce (ky: 3, kx: 3, k: 3) : tensor<6x8x9xf32>, tensor<3x3x3x51xf32> -> tensor<4x6x51xf32>
  return %0 : tensor<4x6x51xf32>
}

// Groups of whole vectors need no loop of their own: no block lies across two of them.
// CHECK-LABEL: @whole_vectors
// CHECK-SAME: tile(n, 40), tile(ni, 8), vectorize(nii, 8)
// LOOPS-LABEL: @whole_vectors
func.func private @whole_vectors(%x: tensor<6x6xf32>, %w: tensor<3x80xf32>) -> tensor<6x80xf32> {
  %0 = tensor.contract %x[m, (n floordiv 40) * 3 + k], %w[k, n] over (m: 6, n: 80) reduce (k: 3) : tensor<6x6xf32>, tensor<3x80xf32> -> tensor<6x80xf32>
  return %0 : tensor<6x80xf32>
}

// Groups narrower than a vector become narrower vectors, of a row each.
// CHECK-LABEL: @narrow_groups
// CHECK-SAME: vectorize(ni, 6)
// LOOPS-LABEL: @narrow_groups
func.func private @narrow_groups(%x: tensor<6x4xf32>, %w: tensor<2x12xf32>) -> tensor<6x12xf32> {
  %0 = tensor.contract %x[m, (n floordiv 6) * 2 + k], %w[k, n] over (m: 6, n: 12) reduce (k: 2) : tensor<6x4xf32>, tensor<2x12xf32> -> tensor<6x12xf32>
  return %0 : tensor<6x12xf32>
}
