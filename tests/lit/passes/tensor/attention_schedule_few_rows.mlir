// RUN: mlc-opt %s --schedule="target=x86-64-v4" | filecheck %s

// The rows of a token are one tile: it is wide, and the next block of keys is fetched ahead.
// CHECK-LABEL: @token
// CHECK-SAME: [fuse(b), tile(m, 3), fuse(m), {{.*}}tile(n, 64), {{.*}}tile(n1, 64), {{.*}}prefetch_next(k, n, 2)]
func.func private @token(%q: tensor<3x3x64xf32>, %k: tensor<3x64x512xf32>, %v: tensor<3x512x64xf32>) -> tensor<3x3x64xf32> {
  %scores = tensor.contract %q[b, m, k], %k[b, k, n] over (b: 3, m: 3, n: 512) reduce (k: 64) : tensor<3x3x64xf32>, tensor<3x64x512xf32> -> tensor<3x3x512xf32>
  %top = tensor.reduce max %scores[b, m, k1] over (b: 3, m: 3) reduce (k1: 512) : tensor<3x3x512xf32> -> tensor<3x3xf32>
  %p = tensor.map %scores[b, m, n], %top[b, m] over (b: 3, m: 3, n: 512) : tensor<3x3x512xf32>, tensor<3x3xf32> -> tensor<3x3x512xf32> {
  ^bb0(%s: f32, %t: f32):
    %d = arith.subf %s, %t : f32
    %e = math.exp %d : f32
    tensor.yield %e : f32
  }
  %sum = tensor.reduce add %p[b, m, k1] over (b: 3, m: 3) reduce (k1: 512) : tensor<3x3x512xf32> -> tensor<3x3xf32>
  %out = tensor.contract %p[b, m, k2], %v[b, k2, n1] over (b: 3, m: 3, n1: 64) reduce (k2: 512) : tensor<3x3x512xf32>, tensor<3x512x64xf32> -> tensor<3x3x64xf32>
  %r = tensor.map %out[b, m, n1], %sum[b, m] over (b: 3, m: 3, n1: 64) : tensor<3x3x64xf32>, tensor<3x3xf32> -> tensor<3x3x64xf32> {
  ^bb0(%o: f32, %s: f32):
    %d = arith.divf %o, %s : f32
    tensor.yield %d : f32
  }
  return %r : tensor<3x3x64xf32>
}

// One block of keys: there is no next one.
// CHECK-LABEL: @few_places
// CHECK-SAME: tile(n, 64), {{.*}}tile(n1, 64), tile(n1i, 16), vectorize(n1ii, 16), unroll(n1i)]
func.func private @few_places(%q: tensor<3x3x64xf32>, %k: tensor<3x64x64xf32>, %v: tensor<3x64x64xf32>) -> tensor<3x3x64xf32> {
  %scores = tensor.contract %q[b, m, k], %k[b, k, n] over (b: 3, m: 3, n: 64) reduce (k: 64) : tensor<3x3x64xf32>, tensor<3x64x64xf32> -> tensor<3x3x64xf32>
  %top = tensor.reduce max %scores[b, m, k1] over (b: 3, m: 3) reduce (k1: 64) : tensor<3x3x64xf32> -> tensor<3x3xf32>
  %p = tensor.map %scores[b, m, n], %top[b, m] over (b: 3, m: 3, n: 64) : tensor<3x3x64xf32>, tensor<3x3xf32> -> tensor<3x3x64xf32> {
  ^bb0(%s: f32, %t: f32):
    %d = arith.subf %s, %t : f32
    %e = math.exp %d : f32
    tensor.yield %e : f32
  }
  %sum = tensor.reduce add %p[b, m, k1] over (b: 3, m: 3) reduce (k1: 64) : tensor<3x3x64xf32> -> tensor<3x3xf32>
  %out = tensor.contract %p[b, m, k2], %v[b, k2, n1] over (b: 3, m: 3, n1: 64) reduce (k2: 64) : tensor<3x3x64xf32>, tensor<3x64x64xf32> -> tensor<3x3x64xf32>
  %r = tensor.map %out[b, m, n1], %sum[b, m] over (b: 3, m: 3, n1: 64) : tensor<3x3x64xf32>, tensor<3x3xf32> -> tensor<3x3x64xf32> {
  ^bb0(%o: f32, %s: f32):
    %d = arith.divf %o, %s : f32
    tensor.yield %d : f32
  }
  return %r : tensor<3x3x64xf32>
}

// There are no registers for a wider tile.
// CHECK-LABEL: @nine_rows
// CHECK-SAME: tile(n, 32), {{.*}}tile(n1, 32), {{.*}}prefetch_next(k, n, 2)]
func.func private @nine_rows(%q: tensor<3x9x64xf32>, %k: tensor<3x64x512xf32>, %v: tensor<3x512x64xf32>) -> tensor<3x9x64xf32> {
  %scores = tensor.contract %q[b, m, k], %k[b, k, n] over (b: 3, m: 9, n: 512) reduce (k: 64) : tensor<3x9x64xf32>, tensor<3x64x512xf32> -> tensor<3x9x512xf32>
  %top = tensor.reduce max %scores[b, m, k1] over (b: 3, m: 9) reduce (k1: 512) : tensor<3x9x512xf32> -> tensor<3x9xf32>
  %p = tensor.map %scores[b, m, n], %top[b, m] over (b: 3, m: 9, n: 512) : tensor<3x9x512xf32>, tensor<3x9xf32> -> tensor<3x9x512xf32> {
  ^bb0(%s: f32, %t: f32):
    %d = arith.subf %s, %t : f32
    %e = math.exp %d : f32
    tensor.yield %e : f32
  }
  %sum = tensor.reduce add %p[b, m, k1] over (b: 3, m: 9) reduce (k1: 512) : tensor<3x9x512xf32> -> tensor<3x9xf32>
  %out = tensor.contract %p[b, m, k2], %v[b, k2, n1] over (b: 3, m: 9, n1: 64) reduce (k2: 512) : tensor<3x9x512xf32>, tensor<3x512x64xf32> -> tensor<3x9x64xf32>
  %r = tensor.map %out[b, m, n1], %sum[b, m] over (b: 3, m: 9, n1: 64) : tensor<3x9x64xf32>, tensor<3x9xf32> -> tensor<3x9x64xf32> {
  ^bb0(%o: f32, %s: f32):
    %d = arith.divf %o, %s : f32
    tensor.yield %d : f32
  }
  return %r : tensor<3x9x64xf32>
}

// Several tiles share a block of keys, which comes from the cache.
// CHECK-LABEL: @chunk
// CHECK-SAME: tile(n, 32), {{.*}}unroll(n1i)]
func.func private @chunk(%q: tensor<3x48x64xf32>, %k: tensor<3x64x512xf32>, %v: tensor<3x512x64xf32>) -> tensor<3x48x64xf32> {
  %scores = tensor.contract %q[b, m, k], %k[b, k, n] over (b: 3, m: 48, n: 512) reduce (k: 64) : tensor<3x48x64xf32>, tensor<3x64x512xf32> -> tensor<3x48x512xf32>
  %top = tensor.reduce max %scores[b, m, k1] over (b: 3, m: 48) reduce (k1: 512) : tensor<3x48x512xf32> -> tensor<3x48xf32>
  %p = tensor.map %scores[b, m, n], %top[b, m] over (b: 3, m: 48, n: 512) : tensor<3x48x512xf32>, tensor<3x48xf32> -> tensor<3x48x512xf32> {
  ^bb0(%s: f32, %t: f32):
    %d = arith.subf %s, %t : f32
    %e = math.exp %d : f32
    tensor.yield %e : f32
  }
  %sum = tensor.reduce add %p[b, m, k1] over (b: 3, m: 48) reduce (k1: 512) : tensor<3x48x512xf32> -> tensor<3x48xf32>
  %out = tensor.contract %p[b, m, k2], %v[b, k2, n1] over (b: 3, m: 48, n1: 64) reduce (k2: 512) : tensor<3x48x512xf32>, tensor<3x512x64xf32> -> tensor<3x48x64xf32>
  %r = tensor.map %out[b, m, n1], %sum[b, m] over (b: 3, m: 48, n1: 64) : tensor<3x48x64xf32>, tensor<3x48xf32> -> tensor<3x48x64xf32> {
  ^bb0(%o: f32, %s: f32):
    %d = arith.divf %o, %s : f32
    tensor.yield %d : f32
  }
  return %r : tensor<3x48x64xf32>
}

// Only a part of the cache is read, which a copy does not know: keys and values are read where they lie.
// CHECK-LABEL: @filled_part
// CHECK-SAME: [fuse(b), tile(m, 48), fuse(m), {{[^p]*}}tile(n, 32), tile(ni, 16), {{[^p]*}}tile(n1, 32), tile(n1i, 16), vectorize(n1ii, 16), unroll(n1i)]
func.func private @filled_part(%q: tensor<3x48x64xf32>, %k: tensor<3x64x512xf32>, %v: tensor<3x512x64xf32>, %last: tensor<i64>) -> tensor<3x48x64xf32> attributes {limits = #loop.limits<k1: argument 3 plus 16 by 16, k2: argument 3 plus 16 by 16, n: argument 3 plus 16 by 16>} {
  %scores = tensor.contract %q[b, m, k], %k[b, k, n] over (b: 3, m: 48, n: 512) reduce (k: 64) : tensor<3x48x64xf32>, tensor<3x64x512xf32> -> tensor<3x48x512xf32>
  %top = tensor.reduce max %scores[b, m, k1] over (b: 3, m: 48) reduce (k1: 512) : tensor<3x48x512xf32> -> tensor<3x48xf32>
  %p = tensor.map %scores[b, m, n], %top[b, m] over (b: 3, m: 48, n: 512) : tensor<3x48x512xf32>, tensor<3x48xf32> -> tensor<3x48x512xf32> {
  ^bb0(%s: f32, %t: f32):
    %d = arith.subf %s, %t : f32
    %e = math.exp %d : f32
    tensor.yield %e : f32
  }
  %sum = tensor.reduce add %p[b, m, k1] over (b: 3, m: 48) reduce (k1: 512) : tensor<3x48x512xf32> -> tensor<3x48xf32>
  %out = tensor.contract %p[b, m, k2], %v[b, k2, n1] over (b: 3, m: 48, n1: 64) reduce (k2: 512) : tensor<3x48x512xf32>, tensor<3x512x64xf32> -> tensor<3x48x64xf32>
  %r = tensor.map %out[b, m, n1], %sum[b, m] over (b: 3, m: 48, n1: 64) : tensor<3x48x64xf32>, tensor<3x48xf32> -> tensor<3x48x64xf32> {
  ^bb0(%o: f32, %s: f32):
    %d = arith.divf %o, %s : f32
    tensor.yield %d : f32
  }
  return %r : tensor<3x48x64xf32>
}
