// RUN: mlc-opt %s --schedule="target=x86-64-v4" | filecheck %s
// RUN: mlc-opt %s --schedule="target=x86-64-v4" --lower-to-loops --apply-schedule --shrink-buffers --forward-stores --check-each | filecheck %s --check-prefix=LOOPS

// Heads and rows are fused, the keys packed; eight rows of scores at a time.
// CHECK-LABEL: @attention
// CHECK-SAME: [fuse(b), tile(m, 8), fuse(m), tile(n, 32), pack(k, n),
// CHECK-SAME: tile(ni, 16), vectorize(nii, 16), unroll(ni), tile(n1, 32), tile(n1i, 16), vectorize(n1ii, 16), unroll(n1i), vectorize_reduction(k1, 16), unroll(mi)]
// LOOPS-LABEL: @attention
// LOOPS: loop.for parallel "b"
// LOOPS-NEXT: loop.for parallel "m" %m = 0 to 16 step 8
// LOOPS-DAG: memref.alloc() {alignment = 64 : i64} : memref<1x8x48xf32>
// LOOPS-NOT: loop.for parallel "m"
func.func private @attention(%q: tensor<2x16x32xf32>, %k: tensor<2x48x32xf32>, %v: tensor<2x48x32xf32>) -> tensor<2x16x32xf32> {
  %scores = tensor.contract %q[b, m, k], %k[b, n, k] over (b: 2, m: 16, n: 48) reduce (k: 32) : tensor<2x16x32xf32>, tensor<2x48x32xf32> -> tensor<2x16x48xf32>
  %top = tensor.reduce max %scores[b, m, k1] over (b: 2, m: 16) reduce (k1: 48) : tensor<2x16x48xf32> -> tensor<2x16xf32>
  %p = tensor.map %scores[b, m, n], %top[b, m] over (b: 2, m: 16, n: 48) : tensor<2x16x48xf32>, tensor<2x16xf32> -> tensor<2x16x48xf32> {
  ^bb0(%s: f32, %t: f32):
    %d = arith.subf %s, %t : f32
    %e = math.exp %d : f32
    tensor.yield %e : f32
  }
  %sum = tensor.reduce add %p[b, m, k1] over (b: 2, m: 16) reduce (k1: 48) : tensor<2x16x48xf32> -> tensor<2x16xf32>
  %out = tensor.contract %p[b, m, k2], %v[b, k2, n1] over (b: 2, m: 16, n1: 32) reduce (k2: 48) : tensor<2x16x48xf32>, tensor<2x48x32xf32> -> tensor<2x16x32xf32>
  %r = tensor.map %out[b, m, n1], %sum[b, m] over (b: 2, m: 16, n1: 32) : tensor<2x16x32xf32>, tensor<2x16xf32> -> tensor<2x16x32xf32> {
  ^bb0(%o: f32, %s: f32):
    %d = arith.divf %o, %s : f32
    tensor.yield %d : f32
  }
  return %r : tensor<2x16x32xf32>
}

// Two products with nothing in between are no attention.
// CHECK-LABEL: @chain
// LOOPS-LABEL: @chain
// CHECK-NOT: vectorize_reduction
// CHECK: return
func.func private @chain(%x: tensor<4x8xf32>, %u: tensor<8x16xf32>, %v: tensor<16x8xf32>) -> tensor<4x8xf32> {
  %0 = tensor.contract %x[m, k], %u[k, n] over (m: 4, n: 16) reduce (k: 8) : tensor<4x8xf32>, tensor<8x16xf32> -> tensor<4x16xf32>
  %1 = tensor.contract %0[m, k1], %v[k1, n1] over (m: 4, n1: 8) reduce (k1: 16) : tensor<4x16xf32>, tensor<16x8xf32> -> tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}
