// RUN: mlc-opt %s --sink-factors --check-each | filecheck %s

// A softmax: its exponentials are at most 1, and their sum is at least 1.
// CHECK-LABEL: func.func private @softmax_times(
// CHECK: %[[E:.*]] = tensor.map %s[m, n]
// CHECK: math.exp
// CHECK: %[[F:.*]] = tensor.map
// CHECK: arith.divf
// CHECK: %[[C:.*]] = tensor.contract %[[E]][m, k], %v[k, n] over (m: 4, n: 3) reduce (k: 5)
// CHECK-NEXT: %[[Y:.*]] = tensor.map %[[C]][m, n], %[[F]][m] over (m: 4, n: 3)
// CHECK: arith.mulf
// CHECK: return %[[Y]]
func.func private @softmax_times(%s: tensor<4x5xf32>, %v: tensor<5x3xf32>) -> tensor<4x3xf32> {
  %g = tensor.reduce max %s[m, k] over (m: 4) reduce (k: 5) : tensor<4x5xf32> -> tensor<4xf32>
  %e = tensor.map %s[m, n], %g[m] over (m: 4, n: 5) : tensor<4x5xf32>, tensor<4xf32> -> tensor<4x5xf32> {
  ^bb0(%a: f32, %b: f32):
    %d = arith.subf %a, %b : f32
    %p = math.exp %d : f32
    tensor.yield %p : f32
  }
  %t = tensor.reduce add %e[m, k] over (m: 4) reduce (k: 5) : tensor<4x5xf32> -> tensor<4xf32>
  %f = tensor.map %t[m] over (m: 4) : tensor<4xf32> -> tensor<4xf32> {
  ^bb0(%a: f32):
    %one = arith.constant 1.0 : f32
    %i = arith.divf %one, %a : f32
    tensor.yield %i : f32
  }
  %p = tensor.map %e[m, n], %f[m] over (m: 4, n: 5) : tensor<4x5xf32>, tensor<4xf32> -> tensor<4x5xf32> {
  ^bb0(%a: f32, %b: f32):
    %q = arith.mulf %a, %b : f32
    tensor.yield %q : f32
  }
  %y = tensor.contract %p[m, k], %v[k, n] over (m: 4, n: 3) reduce (k: 5) : tensor<4x5xf32>, tensor<5x3xf32> -> tensor<4x3xf32>
  return %y : tensor<4x3xf32>
}

// A divisor, and the right operand of a contraction.
// CHECK-LABEL: func.func private @divided(
// CHECK: %[[T:.*]] = tensor.reduce add
// CHECK: %[[C:.*]] = tensor.contract %v[m, k], %{{.*}}[k, n]
// CHECK-NEXT: tensor.map %[[C]][m, n], %[[T]][n] over (m: 3, n: 5)
// CHECK: arith.divf
func.func private @divided(%s: tensor<4x5xf32>, %v: tensor<3x4xf32>) -> tensor<3x5xf32> {
  %g = tensor.reduce max %s[k, n] over (n: 5) reduce (k: 4) : tensor<4x5xf32> -> tensor<5xf32>
  %e = tensor.map %s[m, n], %g[n] over (m: 4, n: 5) : tensor<4x5xf32>, tensor<5xf32> -> tensor<4x5xf32> {
  ^bb0(%a: f32, %b: f32):
    %d = arith.subf %a, %b : f32
    %p = math.exp %d : f32
    tensor.yield %p : f32
  }
  %t = tensor.reduce add %e[k, n] over (n: 5) reduce (k: 4) : tensor<4x5xf32> -> tensor<5xf32>
  %p = tensor.map %e[m, n], %t[n] over (m: 4, n: 5) : tensor<4x5xf32>, tensor<5xf32> -> tensor<4x5xf32> {
  ^bb0(%a: f32, %b: f32):
    %q = arith.divf %a, %b : f32
    tensor.yield %q : f32
  }
  %y = tensor.contract %v[m, k], %p[k, n] over (m: 3, n: 5) reduce (k: 4) : tensor<3x4xf32>, tensor<4x5xf32> -> tensor<3x5xf32>
  return %y : tensor<3x5xf32>
}

// The softmax of a head, where the heads lie side by side.
// CHECK-LABEL: func.func private @heads(
// CHECK: tensor.contract %{{.*}}[m, b, k], %v[k, n] over (m: 4, b: 2, n: 3) reduce (k: 3)
// CHECK-NEXT: tensor.map
// CHECK: arith.divf
func.func private @heads(%s: tensor<4x6xf32>, %v: tensor<3x3xf32>) -> tensor<4x2x3xf32> {
  %g = tensor.reduce max %s[m, b * 3 + k] over (m: 4, b: 2) reduce (k: 3) : tensor<4x6xf32> -> tensor<4x2xf32>
  %e = tensor.map %s[m, b * 3 + n], %g[m, b] over (m: 4, b: 2, n: 3) : tensor<4x6xf32>, tensor<4x2xf32> -> tensor<4x2x3xf32> {
  ^bb0(%a: f32, %c: f32):
    %d = arith.subf %a, %c : f32
    %p = math.exp %d : f32
    tensor.yield %p : f32
  }
  %t = tensor.reduce add %e[m, b, k] over (m: 4, b: 2) reduce (k: 3) : tensor<4x2x3xf32> -> tensor<4x2xf32>
  %p = tensor.map %e[m, b, n], %t[m, b] over (m: 4, b: 2, n: 3) : tensor<4x2x3xf32>, tensor<4x2xf32> -> tensor<4x2x3xf32> {
  ^bb0(%a: f32, %c: f32):
    %q = arith.divf %a, %c : f32
    tensor.yield %q : f32
  }
  %y = tensor.contract %p[m, b, k], %v[k, n] over (m: 4, b: 2, n: 3) reduce (k: 3) : tensor<4x2x3xf32>, tensor<3x3xf32> -> tensor<4x2x3xf32>
  return %y : tensor<4x2x3xf32>
}

// Exponentials may be as large as they like, and so may their sums.
// CHECK-LABEL: func.func private @exponential(
// CHECK: tensor.contract
// CHECK-NEXT: return
func.func private @exponential(%s: tensor<4x5xf32>, %f: tensor<4xf32>, %v: tensor<5x3xf32>) -> tensor<4x3xf32> {
  %e = tensor.map %s[m, n] over (m: 4, n: 5) : tensor<4x5xf32> -> tensor<4x5xf32> {
  ^bb0(%a: f32):
    %p = math.exp %a : f32
    tensor.yield %p : f32
  }
  %p = tensor.map %e[m, n], %f[m] over (m: 4, n: 5) : tensor<4x5xf32>, tensor<4xf32> -> tensor<4x5xf32> {
  ^bb0(%a: f32, %b: f32):
    %q = arith.mulf %a, %b : f32
    tensor.yield %q : f32
  }
  %y = tensor.contract %p[m, k], %v[k, n] over (m: 4, n: 3) reduce (k: 5) : tensor<4x5xf32>, tensor<5x3xf32> -> tensor<4x3xf32>
  return %y : tensor<4x3xf32>
}

// Nor does it help that they are divided by their sums.
// CHECK-LABEL: func.func private @exponential_over_sum(
// CHECK: tensor.contract
// CHECK-NEXT: return
func.func private @exponential_over_sum(%s: tensor<4x5xf32>, %v: tensor<5x3xf32>) -> tensor<4x3xf32> {
  %e = tensor.map %s[m, n] over (m: 4, n: 5) : tensor<4x5xf32> -> tensor<4x5xf32> {
  ^bb0(%a: f32):
    %p = math.exp %a : f32
    tensor.yield %p : f32
  }
  %t = tensor.reduce add %e[m, k] over (m: 4) reduce (k: 5) : tensor<4x5xf32> -> tensor<4xf32>
  %f = tensor.map %t[m] over (m: 4) : tensor<4xf32> -> tensor<4xf32> {
  ^bb0(%a: f32):
    %one = arith.constant 1.0 : f32
    %i = arith.divf %one, %a : f32
    tensor.yield %i : f32
  }
  %p = tensor.map %e[m, n], %f[m] over (m: 4, n: 5) : tensor<4x5xf32>, tensor<4xf32> -> tensor<4x5xf32> {
  ^bb0(%a: f32, %b: f32):
    %q = arith.mulf %a, %b : f32
    tensor.yield %q : f32
  }
  %y = tensor.contract %p[m, k], %v[k, n] over (m: 4, n: 3) reduce (k: 5) : tensor<4x5xf32>, tensor<5x3xf32> -> tensor<4x3xf32>
  return %y : tensor<4x3xf32>
}

// A factor that nothing is known of may be so small that it makes up for large sums, or so large that they are lost.
// CHECK-LABEL: func.func private @any_factor(
// CHECK: tensor.contract
// CHECK-NEXT: return
func.func private @any_factor(%s: tensor<4x5xf32>, %f: tensor<4xf32>, %v: tensor<5x3xf32>) -> tensor<4x3xf32> {
  %g = tensor.reduce max %s[m, k] over (m: 4) reduce (k: 5) : tensor<4x5xf32> -> tensor<4xf32>
  %e = tensor.map %s[m, n], %g[m] over (m: 4, n: 5) : tensor<4x5xf32>, tensor<4xf32> -> tensor<4x5xf32> {
  ^bb0(%a: f32, %b: f32):
    %d = arith.subf %a, %b : f32
    %p = math.exp %d : f32
    tensor.yield %p : f32
  }
  %p = tensor.map %e[m, n], %f[m] over (m: 4, n: 5) : tensor<4x5xf32>, tensor<4xf32> -> tensor<4x5xf32> {
  ^bb0(%a: f32, %b: f32):
    %q = arith.mulf %a, %b : f32
    tensor.yield %q : f32
  }
  %y = tensor.contract %p[m, k], %v[k, n] over (m: 4, n: 3) reduce (k: 5) : tensor<4x5xf32>, tensor<5x3xf32> -> tensor<4x3xf32>
  return %y : tensor<4x3xf32>
}

// A factor that is not the inverse of the sum.
// CHECK-LABEL: func.func private @thousandth(
// CHECK: tensor.contract
// CHECK-NEXT: return
func.func private @thousandth(%s: tensor<4x5xf32>, %v: tensor<5x3xf32>) -> tensor<4x3xf32> {
  %g = tensor.reduce max %s[m, k] over (m: 4) reduce (k: 5) : tensor<4x5xf32> -> tensor<4xf32>
  %e = tensor.map %s[m, n], %g[m] over (m: 4, n: 5) : tensor<4x5xf32>, tensor<4xf32> -> tensor<4x5xf32> {
  ^bb0(%a: f32, %b: f32):
    %d = arith.subf %a, %b : f32
    %p = math.exp %d : f32
    tensor.yield %p : f32
  }
  %t = tensor.reduce add %e[m, k] over (m: 4) reduce (k: 5) : tensor<4x5xf32> -> tensor<4xf32>
  %f = tensor.map %t[m] over (m: 4) : tensor<4xf32> -> tensor<4xf32> {
  ^bb0(%a: f32):
    %one = arith.constant 1.0e-30 : f32
    %i = arith.divf %one, %a : f32
    tensor.yield %i : f32
  }
  %p = tensor.map %e[m, n], %f[m] over (m: 4, n: 5) : tensor<4x5xf32>, tensor<4xf32> -> tensor<4x5xf32> {
  ^bb0(%a: f32, %b: f32):
    %q = arith.mulf %a, %b : f32
    tensor.yield %q : f32
  }
  %y = tensor.contract %p[m, k], %v[k, n] over (m: 4, n: 3) reduce (k: 5) : tensor<4x5xf32>, tensor<5x3xf32> -> tensor<4x3xf32>
  return %y : tensor<4x3xf32>
}

// The maximum of something else.
// CHECK-LABEL: func.func private @another_maximum(
// CHECK: tensor.contract
// CHECK-NEXT: return
func.func private @another_maximum(%s: tensor<4x5xf32>, %o: tensor<4x5xf32>, %v: tensor<5x3xf32>) -> tensor<4x3xf32> {
  %g = tensor.reduce max %o[m, k] over (m: 4) reduce (k: 5) : tensor<4x5xf32> -> tensor<4xf32>
  %e = tensor.map %s[m, n], %g[m] over (m: 4, n: 5) : tensor<4x5xf32>, tensor<4xf32> -> tensor<4x5xf32> {
  ^bb0(%a: f32, %b: f32):
    %d = arith.subf %a, %b : f32
    %p = math.exp %d : f32
    tensor.yield %p : f32
  }
  %t = tensor.reduce add %e[m, k] over (m: 4) reduce (k: 5) : tensor<4x5xf32> -> tensor<4xf32>
  %f = tensor.map %t[m] over (m: 4) : tensor<4xf32> -> tensor<4xf32> {
  ^bb0(%a: f32):
    %one = arith.constant 1.0 : f32
    %i = arith.divf %one, %a : f32
    tensor.yield %i : f32
  }
  %p = tensor.map %e[m, n], %f[m] over (m: 4, n: 5) : tensor<4x5xf32>, tensor<4xf32> -> tensor<4x5xf32> {
  ^bb0(%a: f32, %b: f32):
    %q = arith.mulf %a, %b : f32
    tensor.yield %q : f32
  }
  %y = tensor.contract %p[m, k], %v[k, n] over (m: 4, n: 3) reduce (k: 5) : tensor<4x5xf32>, tensor<5x3xf32> -> tensor<4x3xf32>
  return %y : tensor<4x3xf32>
}

// The minimum.
// CHECK-LABEL: func.func private @minimum(
// CHECK: tensor.contract
// CHECK-NEXT: return
func.func private @minimum(%s: tensor<4x5xf32>, %v: tensor<5x3xf32>) -> tensor<4x3xf32> {
  %g = tensor.reduce min %s[m, k] over (m: 4) reduce (k: 5) : tensor<4x5xf32> -> tensor<4xf32>
  %e = tensor.map %s[m, n], %g[m] over (m: 4, n: 5) : tensor<4x5xf32>, tensor<4xf32> -> tensor<4x5xf32> {
  ^bb0(%a: f32, %b: f32):
    %d = arith.subf %a, %b : f32
    %p = math.exp %d : f32
    tensor.yield %p : f32
  }
  %t = tensor.reduce add %e[m, k] over (m: 4) reduce (k: 5) : tensor<4x5xf32> -> tensor<4xf32>
  %f = tensor.map %t[m] over (m: 4) : tensor<4xf32> -> tensor<4xf32> {
  ^bb0(%a: f32):
    %one = arith.constant 1.0 : f32
    %i = arith.divf %one, %a : f32
    tensor.yield %i : f32
  }
  %p = tensor.map %e[m, n], %f[m] over (m: 4, n: 5) : tensor<4x5xf32>, tensor<4xf32> -> tensor<4x5xf32> {
  ^bb0(%a: f32, %b: f32):
    %q = arith.mulf %a, %b : f32
    tensor.yield %q : f32
  }
  %y = tensor.contract %p[m, k], %v[k, n] over (m: 4, n: 3) reduce (k: 5) : tensor<4x5xf32>, tensor<5x3xf32> -> tensor<4x3xf32>
  return %y : tensor<4x3xf32>
}

// The maximum of a part of a row.
// CHECK-LABEL: func.func private @part_of_a_row(
// CHECK: tensor.contract
// CHECK-NEXT: return
func.func private @part_of_a_row(%s: tensor<4x5xf32>, %v: tensor<5x3xf32>) -> tensor<4x3xf32> {
  %g = tensor.reduce max %s[m, k] over (m: 4) reduce (k: 4) : tensor<4x5xf32> -> tensor<4xf32>
  %e = tensor.map %s[m, n], %g[m] over (m: 4, n: 5) : tensor<4x5xf32>, tensor<4xf32> -> tensor<4x5xf32> {
  ^bb0(%a: f32, %b: f32):
    %d = arith.subf %a, %b : f32
    %p = math.exp %d : f32
    tensor.yield %p : f32
  }
  %t = tensor.reduce add %e[m, k] over (m: 4) reduce (k: 5) : tensor<4x5xf32> -> tensor<4xf32>
  %f = tensor.map %t[m] over (m: 4) : tensor<4xf32> -> tensor<4xf32> {
  ^bb0(%a: f32):
    %one = arith.constant 1.0 : f32
    %i = arith.divf %one, %a : f32
    tensor.yield %i : f32
  }
  %p = tensor.map %e[m, n], %f[m] over (m: 4, n: 5) : tensor<4x5xf32>, tensor<4xf32> -> tensor<4x5xf32> {
  ^bb0(%a: f32, %b: f32):
    %q = arith.mulf %a, %b : f32
    tensor.yield %q : f32
  }
  %y = tensor.contract %p[m, k], %v[k, n] over (m: 4, n: 3) reduce (k: 5) : tensor<4x5xf32>, tensor<5x3xf32> -> tensor<4x3xf32>
  return %y : tensor<4x3xf32>
}

// The sum of a part of a row may leave out the one that is 1.
// CHECK-LABEL: func.func private @part_of_a_sum(
// CHECK: tensor.contract
// CHECK-NEXT: return
func.func private @part_of_a_sum(%s: tensor<4x5xf32>, %v: tensor<5x3xf32>) -> tensor<4x3xf32> {
  %g = tensor.reduce max %s[m, k] over (m: 4) reduce (k: 5) : tensor<4x5xf32> -> tensor<4xf32>
  %e = tensor.map %s[m, n], %g[m] over (m: 4, n: 5) : tensor<4x5xf32>, tensor<4xf32> -> tensor<4x5xf32> {
  ^bb0(%a: f32, %b: f32):
    %d = arith.subf %a, %b : f32
    %p = math.exp %d : f32
    tensor.yield %p : f32
  }
  %t = tensor.reduce add %e[m, k] over (m: 4) reduce (k: 4) : tensor<4x5xf32> -> tensor<4xf32>
  %f = tensor.map %t[m] over (m: 4) : tensor<4xf32> -> tensor<4xf32> {
  ^bb0(%a: f32):
    %one = arith.constant 1.0 : f32
    %i = arith.divf %one, %a : f32
    tensor.yield %i : f32
  }
  %p = tensor.map %e[m, n], %f[m] over (m: 4, n: 5) : tensor<4x5xf32>, tensor<4xf32> -> tensor<4x5xf32> {
  ^bb0(%a: f32, %b: f32):
    %q = arith.mulf %a, %b : f32
    tensor.yield %q : f32
  }
  %y = tensor.contract %p[m, k], %v[k, n] over (m: 4, n: 3) reduce (k: 5) : tensor<4x5xf32>, tensor<5x3xf32> -> tensor<4x3xf32>
  return %y : tensor<4x3xf32>
}

// A factor that is summed over stays, and is no sum of a row.
// CHECK-LABEL: func.func private @sum_of_a_column(
// CHECK: tensor.contract
// CHECK-NEXT: return
func.func private @sum_of_a_column(%s: tensor<4x5xf32>, %v: tensor<5x3xf32>) -> tensor<4x3xf32> {
  %g = tensor.reduce max %s[m, k] over (m: 4) reduce (k: 5) : tensor<4x5xf32> -> tensor<4xf32>
  %e = tensor.map %s[m, n], %g[m] over (m: 4, n: 5) : tensor<4x5xf32>, tensor<4xf32> -> tensor<4x5xf32> {
  ^bb0(%a: f32, %b: f32):
    %d = arith.subf %a, %b : f32
    %p = math.exp %d : f32
    tensor.yield %p : f32
  }
  %t = tensor.reduce add %e[k, n] over (n: 5) reduce (k: 4) : tensor<4x5xf32> -> tensor<5xf32>
  %f = tensor.map %t[n] over (n: 5) : tensor<5xf32> -> tensor<5xf32> {
  ^bb0(%a: f32):
    %one = arith.constant 1.0 : f32
    %i = arith.divf %one, %a : f32
    tensor.yield %i : f32
  }
  %p = tensor.map %e[m, n], %f[n] over (m: 4, n: 5) : tensor<4x5xf32>, tensor<5xf32> -> tensor<4x5xf32> {
  ^bb0(%a: f32, %b: f32):
    %q = arith.mulf %a, %b : f32
    tensor.yield %q : f32
  }
  %y = tensor.contract %p[m, k], %v[k, n] over (m: 4, n: 3) reduce (k: 5) : tensor<4x5xf32>, tensor<5x3xf32> -> tensor<4x3xf32>
  return %y : tensor<4x3xf32>
}

// The maximum minus the element.
// CHECK-LABEL: func.func private @difference_of_others(
// CHECK: tensor.contract
// CHECK-NEXT: return
func.func private @difference_of_others(%s: tensor<4x5xf32>, %v: tensor<5x3xf32>) -> tensor<4x3xf32> {
  %g = tensor.reduce max %s[m, k] over (m: 4) reduce (k: 5) : tensor<4x5xf32> -> tensor<4xf32>
  %e = tensor.map %s[m, n], %g[m] over (m: 4, n: 5) : tensor<4x5xf32>, tensor<4xf32> -> tensor<4x5xf32> {
  ^bb0(%a: f32, %b: f32):
    %d = arith.subf %b, %a : f32
    %p = math.exp %d : f32
    tensor.yield %p : f32
  }
  %t = tensor.reduce add %e[m, k] over (m: 4) reduce (k: 5) : tensor<4x5xf32> -> tensor<4xf32>
  %f = tensor.map %t[m] over (m: 4) : tensor<4xf32> -> tensor<4xf32> {
  ^bb0(%a: f32):
    %one = arith.constant 1.0 : f32
    %i = arith.divf %one, %a : f32
    tensor.yield %i : f32
  }
  %p = tensor.map %e[m, n], %f[m] over (m: 4, n: 5) : tensor<4x5xf32>, tensor<4xf32> -> tensor<4x5xf32> {
  ^bb0(%a: f32, %b: f32):
    %q = arith.mulf %a, %b : f32
    tensor.yield %q : f32
  }
  %y = tensor.contract %p[m, k], %v[k, n] over (m: 4, n: 3) reduce (k: 5) : tensor<4x5xf32>, tensor<5x3xf32> -> tensor<4x3xf32>
  return %y : tensor<4x3xf32>
}

// A factor that is summed over.
// CHECK-LABEL: func.func private @summed(
// CHECK: arith.mulf
// CHECK: tensor.contract
// CHECK-NEXT: return
func.func private @summed(%s: tensor<4x5xf32>, %v: tensor<4x3xf32>) -> tensor<5x3xf32> {
  %g = tensor.reduce max %s[m, k] over (m: 4) reduce (k: 5) : tensor<4x5xf32> -> tensor<4xf32>
  %e = tensor.map %s[m, n], %g[m] over (m: 4, n: 5) : tensor<4x5xf32>, tensor<4xf32> -> tensor<4x5xf32> {
  ^bb0(%a: f32, %b: f32):
    %d = arith.subf %a, %b : f32
    %p = math.exp %d : f32
    tensor.yield %p : f32
  }
  %t = tensor.reduce add %e[m, k] over (m: 4) reduce (k: 5) : tensor<4x5xf32> -> tensor<4xf32>
  %f = tensor.map %t[m] over (m: 4) : tensor<4xf32> -> tensor<4xf32> {
  ^bb0(%a: f32):
    %one = arith.constant 1.0 : f32
    %i = arith.divf %one, %a : f32
    tensor.yield %i : f32
  }
  %p = tensor.map %e[m, n], %f[m] over (m: 4, n: 5) : tensor<4x5xf32>, tensor<4xf32> -> tensor<4x5xf32> {
  ^bb0(%a: f32, %b: f32):
    %q = arith.mulf %a, %b : f32
    tensor.yield %q : f32
  }
  %y = tensor.contract %p[k, m], %v[k, n] over (m: 5, n: 3) reduce (k: 4) : tensor<4x5xf32>, tensor<4x3xf32> -> tensor<5x3xf32>
  return %y : tensor<5x3xf32>
}
