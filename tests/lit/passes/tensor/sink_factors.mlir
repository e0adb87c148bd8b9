// RUN: mlc-opt %s --sink-factors --check-each | filecheck %s

// CHECK-LABEL: func.func private @softmax_times(
// CHECK: %[[E:.*]] = tensor.map %s[m, n]
// CHECK: math.exp
// CHECK: %[[C:.*]] = tensor.contract %[[E]][m, k], %v[k, n] over (m: 4, n: 3) reduce (k: 5)
// CHECK-NEXT: %[[Y:.*]] = tensor.map %[[C]][m, n], %f[m] over (m: 4, n: 3)
// CHECK: arith.mulf
// CHECK: return %[[Y]]
func.func private @softmax_times(%s: tensor<4x5xf32>, %f: tensor<4xf32>, %v: tensor<5x3xf32>) -> tensor<4x3xf32> {
  %0 = tensor.map %s[m, n] over (m: 4, n: 5) : tensor<4x5xf32> -> tensor<4x5xf32> {
  ^bb0(%a: f32):
    %e = math.exp %a : f32
    tensor.yield %e : f32
  }
  %1 = tensor.map %0[m, n], %f[m] over (m: 4, n: 5) : tensor<4x5xf32>, tensor<4xf32> -> tensor<4x5xf32> {
  ^bb0(%a: f32, %b: f32):
    %e = arith.mulf %a, %b : f32
    tensor.yield %e : f32
  }
  %2 = tensor.contract %1[m, k], %v[k, n] over (m: 4, n: 3) reduce (k: 5) : tensor<4x5xf32>, tensor<5x3xf32> -> tensor<4x3xf32>
  return %2 : tensor<4x3xf32>
}

// A divisor as the right operand of a contraction.
// CHECK-LABEL: func.func private @divided(
// CHECK: %[[C:.*]] = tensor.contract %v[m, k], %{{.*}}[k, n]
// CHECK-NEXT: tensor.map %[[C]][m, n], %f[n] over (m: 3, n: 5)
// CHECK: arith.divf
func.func private @divided(%s: tensor<4x5xf32>, %f: tensor<5xf32>, %v: tensor<3x4xf32>) -> tensor<3x5xf32> {
  %0 = tensor.map %s[m, n] over (m: 4, n: 5) : tensor<4x5xf32> -> tensor<4x5xf32> {
  ^bb0(%a: f32):
    %e = math.exp %a : f32
    tensor.yield %e : f32
  }
  %1 = tensor.map %0[m, n], %f[n] over (m: 4, n: 5) : tensor<4x5xf32>, tensor<5xf32> -> tensor<4x5xf32> {
  ^bb0(%a: f32, %b: f32):
    %e = arith.divf %a, %b : f32
    tensor.yield %e : f32
  }
  %2 = tensor.contract %v[m, k], %1[k, n] over (m: 3, n: 5) reduce (k: 4) : tensor<3x4xf32>, tensor<4x5xf32> -> tensor<3x5xf32>
  return %2 : tensor<3x5xf32>
}

// A factor that is summed over stays, and so does one of something that may be large.
// CHECK-LABEL: func.func private @summed(
// CHECK: arith.mulf
// CHECK: tensor.contract
// CHECK-NEXT: return
func.func private @summed(%s: tensor<4x5xf32>, %f: tensor<5xf32>, %v: tensor<5x3xf32>) -> tensor<4x3xf32> {
  %0 = tensor.map %s[m, n] over (m: 4, n: 5) : tensor<4x5xf32> -> tensor<4x5xf32> {
  ^bb0(%a: f32):
    %e = math.exp %a : f32
    tensor.yield %e : f32
  }
  %1 = tensor.map %0[m, n], %f[n] over (m: 4, n: 5) : tensor<4x5xf32>, tensor<5xf32> -> tensor<4x5xf32> {
  ^bb0(%a: f32, %b: f32):
    %e = arith.mulf %a, %b : f32
    tensor.yield %e : f32
  }
  %2 = tensor.contract %1[m, k], %v[k, n] over (m: 4, n: 3) reduce (k: 5) : tensor<4x5xf32>, tensor<5x3xf32> -> tensor<4x3xf32>
  return %2 : tensor<4x3xf32>
}

// CHECK-LABEL: func.func private @large(
// CHECK: arith.mulf
// CHECK: tensor.contract
// CHECK-NEXT: return
func.func private @large(%s: tensor<4x5xf32>, %f: tensor<4xf32>, %v: tensor<5x3xf32>) -> tensor<4x3xf32> {
  %1 = tensor.map %s[m, n], %f[m] over (m: 4, n: 5) : tensor<4x5xf32>, tensor<4xf32> -> tensor<4x5xf32> {
  ^bb0(%a: f32, %b: f32):
    %e = arith.mulf %a, %b : f32
    tensor.yield %e : f32
  }
  %2 = tensor.contract %1[m, k], %v[k, n] over (m: 4, n: 3) reduce (k: 5) : tensor<4x5xf32>, tensor<5x3xf32> -> tensor<4x3xf32>
  return %2 : tensor<4x3xf32>
}
