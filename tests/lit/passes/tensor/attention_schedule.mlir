// RUN: mlc-opt %s --schedule="target=x86-64-v4" | filecheck %s
// RUN: mlc-opt %s --schedule="target=x86-64-v3" | filecheck %s --check-prefix=V3
// RUN: mlc-opt %s --schedule="target=x86-64-v4" --lower-to-loops --apply-schedule --fold-storage --forward-stores --check-each | filecheck %s --check-prefix=LOOPS

// Heads and blocks of rows are fused; a panel of keys or values is used by all tiles of a block. Both are packed.
// CHECK-LABEL: @attention
// CHECK-SAME: [fuse(b), tile(m, 84), fuse(m), interchange(n, mi), interchange(n1, mi), tile(mi, 14), vectorize_reduction(k1, 16), unroll(mii), tile(n, 32), pack(k, n),
// CHECK-SAME: tile(ni, 16), vectorize(nii, 16), unroll(ni), tile(n1, 32), pack(v, n1),
// CHECK-SAME: tile(n1i, 16), vectorize(n1ii, 16), unroll(n1i)]
// V3-LABEL: @attention
// V3-SAME: tile(m, 84), fuse(m), interchange(n, mi), interchange(n1, mi), tile(mi, 6), vectorize_reduction(k1, 8), unroll(mii), tile(n, 16), pack(k, n),
// LOOPS-LABEL: @attention
// LOOPS: loop.for parallel "b"
// LOOPS-NEXT: loop.for parallel "m" %m = 0 to 168 step 84
// LOOPS-DAG: memref.alloc() {alignment = 64 : i64} : memref<1x84x48xf32>
// LOOPS: loop.for parallel "mi"
// LOOPS-NOT: loop.for parallel "m"
func.func private @attention(%q: tensor<2x168x32xf32>, %k: tensor<2x48x32xf32>, %v: tensor<2x48x32xf32>) -> tensor<2x168x32xf32> {
  %scores = tensor.contract %q[b, m, k], %k[b, n, k] over (b: 2, m: 168, n: 48) reduce (k: 32) : tensor<2x168x32xf32>, tensor<2x48x32xf32> -> tensor<2x168x48xf32>
  %top = tensor.reduce max %scores[b, m, k1] over (b: 2, m: 168) reduce (k1: 48) : tensor<2x168x48xf32> -> tensor<2x168xf32>
  %p = tensor.map %scores[b, m, n], %top[b, m] over (b: 2, m: 168, n: 48) : tensor<2x168x48xf32>, tensor<2x168xf32> -> tensor<2x168x48xf32> {
  ^bb0(%s: f32, %t: f32):
    %d = arith.subf %s, %t : f32
    %e = math.exp %d : f32
    tensor.yield %e : f32
  }
  %sum = tensor.reduce add %p[b, m, k1] over (b: 2, m: 168) reduce (k1: 48) : tensor<2x168x48xf32> -> tensor<2x168xf32>
  %out = tensor.contract %p[b, m, k2], %v[b, k2, n1] over (b: 2, m: 168, n1: 32) reduce (k2: 48) : tensor<2x168x48xf32>, tensor<2x48x32xf32> -> tensor<2x168x32xf32>
  %r = tensor.map %out[b, m, n1], %sum[b, m] over (b: 2, m: 168, n1: 32) : tensor<2x168x32xf32>, tensor<2x168xf32> -> tensor<2x168x32xf32> {
  ^bb0(%o: f32, %s: f32):
    %d = arith.divf %o, %s : f32
    tensor.yield %d : f32
  }
  return %r : tensor<2x168x32xf32>
}

// Few rows: values lie in order as they are, and are not worth a copy; keys do not.
// CHECK-LABEL: @few_rows
// CHECK-SAME: pack(k, n)
// CHECK-NOT: pack(v, n1)
// LOOPS-LABEL: @few_rows
func.func private @few_rows(%q: tensor<2x8x32xf32>, %k: tensor<2x48x32xf32>, %v: tensor<2x48x32xf32>) -> tensor<2x8x32xf32> {
  %scores = tensor.contract %q[b, m, k], %k[b, n, k] over (b: 2, m: 8, n: 48) reduce (k: 32) : tensor<2x8x32xf32>, tensor<2x48x32xf32> -> tensor<2x8x48xf32>
  %top = tensor.reduce max %scores[b, m, k1] over (b: 2, m: 8) reduce (k1: 48) : tensor<2x8x48xf32> -> tensor<2x8xf32>
  %p = tensor.map %scores[b, m, n], %top[b, m] over (b: 2, m: 8, n: 48) : tensor<2x8x48xf32>, tensor<2x8xf32> -> tensor<2x8x48xf32> {
  ^bb0(%s: f32, %t: f32):
    %d = arith.subf %s, %t : f32
    %e = math.exp %d : f32
    tensor.yield %e : f32
  }
  %sum = tensor.reduce add %p[b, m, k1] over (b: 2, m: 8) reduce (k1: 48) : tensor<2x8x48xf32> -> tensor<2x8xf32>
  %out = tensor.contract %p[b, m, k2], %v[b, k2, n1] over (b: 2, m: 8, n1: 32) reduce (k2: 48) : tensor<2x8x48xf32>, tensor<2x48x32xf32> -> tensor<2x8x32xf32>
  %r = tensor.map %out[b, m, n1], %sum[b, m] over (b: 2, m: 8, n1: 32) : tensor<2x8x32xf32>, tensor<2x8xf32> -> tensor<2x8x32xf32> {
  ^bb0(%o: f32, %s: f32):
    %d = arith.divf %o, %s : f32
    tensor.yield %d : f32
  }
  return %r : tensor<2x8x32xf32>
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
