// RUN: mlc-opt %s --schedule="target=x86-64-v3" | filecheck %s

// Rows of many keys: a block takes half of the second cache at most, and is a size that divides the rows if one does.
// CHECK-LABEL: @even
// CHECK-SAME: [fuse(b), tile(m, 30), fuse(m)
func.func private @even(%q: tensor<1x1500x64xf32>, %k: tensor<1x1500x64xf32>, %v: tensor<1x1500x64xf32>) -> tensor<1x1500x64xf32> {
  %scores = tensor.contract %q[b, m, k], %k[b, n, k] over (b: 1, m: 1500, n: 1500) reduce (k: 64) : tensor<1x1500x64xf32>, tensor<1x1500x64xf32> -> tensor<1x1500x1500xf32>
  %top = tensor.reduce max %scores[b, m, k1] over (b: 1, m: 1500) reduce (k1: 1500) : tensor<1x1500x1500xf32> -> tensor<1x1500xf32>
  %p = tensor.map %scores[b, m, n], %top[b, m] over (b: 1, m: 1500, n: 1500) : tensor<1x1500x1500xf32>, tensor<1x1500xf32> -> tensor<1x1500x1500xf32> {
  ^bb0(%s: f32, %t: f32):
    %d = arith.subf %s, %t : f32
    %e = math.exp %d : f32
    tensor.yield %e : f32
  }
  %sum = tensor.reduce add %p[b, m, k1] over (b: 1, m: 1500) reduce (k1: 1500) : tensor<1x1500x1500xf32> -> tensor<1x1500xf32>
  %out = tensor.contract %p[b, m, k2], %v[b, k2, n1] over (b: 1, m: 1500, n1: 64) reduce (k2: 1500) : tensor<1x1500x1500xf32>, tensor<1x1500x64xf32> -> tensor<1x1500x64xf32>
  %r = tensor.map %out[b, m, n1], %sum[b, m] over (b: 1, m: 1500, n1: 64) : tensor<1x1500x64xf32>, tensor<1x1500xf32> -> tensor<1x1500x64xf32> {
  ^bb0(%o: f32, %s: f32):
    %d = arith.divf %o, %s : f32
    tensor.yield %d : f32
  }
  return %r : tensor<1x1500x64xf32>
}

// CHECK-LABEL: @odd
// CHECK-SAME: [fuse(b), tile(m, 42), fuse(m)
func.func private @odd(%q: tensor<1x1501x64xf32>, %k: tensor<1x1500x64xf32>, %v: tensor<1x1500x64xf32>) -> tensor<1x1501x64xf32> {
  %scores = tensor.contract %q[b, m, k], %k[b, n, k] over (b: 1, m: 1501, n: 1500) reduce (k: 64) : tensor<1x1501x64xf32>, tensor<1x1500x64xf32> -> tensor<1x1501x1500xf32>
  %top = tensor.reduce max %scores[b, m, k1] over (b: 1, m: 1501) reduce (k1: 1500) : tensor<1x1501x1500xf32> -> tensor<1x1501xf32>
  %p = tensor.map %scores[b, m, n], %top[b, m] over (b: 1, m: 1501, n: 1500) : tensor<1x1501x1500xf32>, tensor<1x1501xf32> -> tensor<1x1501x1500xf32> {
  ^bb0(%s: f32, %t: f32):
    %d = arith.subf %s, %t : f32
    %e = math.exp %d : f32
    tensor.yield %e : f32
  }
  %sum = tensor.reduce add %p[b, m, k1] over (b: 1, m: 1501) reduce (k1: 1500) : tensor<1x1501x1500xf32> -> tensor<1x1501xf32>
  %out = tensor.contract %p[b, m, k2], %v[b, k2, n1] over (b: 1, m: 1501, n1: 64) reduce (k2: 1500) : tensor<1x1501x1500xf32>, tensor<1x1500x64xf32> -> tensor<1x1501x64xf32>
  %r = tensor.map %out[b, m, n1], %sum[b, m] over (b: 1, m: 1501, n1: 64) : tensor<1x1501x64xf32>, tensor<1x1501xf32> -> tensor<1x1501x64xf32> {
  ^bb0(%o: f32, %s: f32):
    %d = arith.divf %o, %s : f32
    tensor.yield %d : f32
  }
  return %r : tensor<1x1501x64xf32>
}
