// RUN: mlc-opt %s --unify-dims --check-each | filecheck %s

// Attention: rows `m` of each head `b` everywhere; keys are `n` where each is computed and `k1` or `k2` where they are
// summed up, in a reduction and in a contraction.
// CHECK-LABEL: func.func private @attention(
// CHECK-NEXT: %[[S:.*]] = tensor.contract %q[b, m, k], %k[b, n, k] over (b: 3, m: 4, n: 5) reduce (k: 8)
// CHECK-NEXT: %[[M:.*]] = tensor.reduce max %[[S]][b, m, k1] over (b: 3, m: 4) reduce (k1: 5)
// CHECK-NEXT: %[[P:.*]] = tensor.map %[[S]][b, m, n], %[[M]][b, m] over (b: 3, m: 4, n: 5)
// CHECK: %[[Y:.*]] = tensor.contract %[[P]][b, m, k2], %v[b, k2, n1] over (b: 3, m: 4, n1: 8) reduce (k2: 5)
// CHECK-NEXT: tensor.map %[[Y]][b, m, n1] over (m: 4, b: 3, n1: 8)
func.func private @attention(%q: tensor<3x4x8xf32>, %k: tensor<3x5x8xf32>, %v: tensor<3x5x8xf32>) -> tensor<4x3x8xf32> {
  %0 = tensor.contract %q[b, m, k], %k[b, n, k] over (b: 3, m: 4, n: 5) reduce (k: 8) : tensor<3x4x8xf32>, tensor<3x5x8xf32> -> tensor<3x4x5xf32>
  %1 = tensor.reduce max %0[m, n, k] over (m: 3, n: 4) reduce (k: 5) : tensor<3x4x5xf32> -> tensor<3x4xf32>
  %2 = tensor.map %0[b, m, n], %1[b, m] over (b: 3, m: 4, n: 5) : tensor<3x4x5xf32>, tensor<3x4xf32> -> tensor<3x4x5xf32> {
  ^bb0(%a: f32, %c: f32):
    %s = arith.subf %a, %c : f32
    tensor.yield %s : f32
  }
  %3 = tensor.contract %2[b, m, k], %v[b, k, n] over (b: 3, m: 4, n: 8) reduce (k: 5) : tensor<3x4x5xf32>, tensor<3x5x8xf32> -> tensor<3x4x8xf32>
  %4 = tensor.map %3[m, b, n] over (b: 4, m: 3, n: 8) : tensor<3x4x8xf32> -> tensor<4x3x8xf32> {
  ^bb0(%a: f32):
    tensor.yield %a : f32
  }
  return %4 : tensor<4x3x8xf32>
}

// Two dims of one op are two, even where both run along the same axis of a value.
// CHECK-LABEL: func.func private @gram(
// CHECK-NEXT: %[[G:.*]] = tensor.contract %x[m, k], %x[n, k] over (m: 4, n: 4) reduce (k: 8)
// CHECK-NEXT: tensor.map %[[G]][m, n] over (m: 4, n: 4)
func.func private @gram(%x: tensor<4x8xf32>) -> tensor<4x4xf32> {
  %0 = tensor.contract %x[m, k], %x[n, k] over (m: 4, n: 4) reduce (k: 8) : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x4xf32>
  %1 = tensor.map %0[y, x] over (y: 4, x: 4) : tensor<4x4xf32> -> tensor<4x4xf32> {
  ^bb0(%a: f32):
    tensor.yield %a : f32
  }
  return %1 : tensor<4x4xf32>
}

// A schedule names dims.
// CHECK-LABEL: func.func private @scheduled(
// CHECK: over (a: 4)
// CHECK: over (b: 4)
func.func private @scheduled(%x: tensor<4xf32>) -> tensor<4xf32> attributes {schedule = #loop.schedule<[unroll(b)]>} {
  %0 = tensor.map %x[a] over (a: 4) : tensor<4xf32> -> tensor<4xf32> {
  ^bb0(%e: f32):
    %s = arith.addf %e, %e : f32
    tensor.yield %s : f32
  }
  %1 = tensor.map %0[b] over (b: 4) : tensor<4xf32> -> tensor<4xf32> {
  ^bb0(%e: f32):
    tensor.yield %e : f32
  }
  return %1 : tensor<4xf32>
}
