// RUN: mlc-opt %s --sink-factors --check-each | filecheck %s

// What looks like the probabilities of a softmax, and is something else: the division stays in front of the sum.

// The softmax itself, to compare with.
// CHECK-LABEL: func.func private @softmax(
// CHECK: tensor.contract %e
// CHECK: arith.divf
func.func private @softmax(%s: tensor<4x5xf32>, %v: tensor<5x3xf32>) -> tensor<4x3xf32> {
  %g = tensor.reduce max %s[m, k] over (m: 4) reduce (k: 5) : tensor<4x5xf32> -> tensor<4xf32>
  %e = tensor.map %s[m, n], %g[m] over (m: 4, n: 5) : tensor<4x5xf32>, tensor<4xf32> -> tensor<4x5xf32> {
  ^bb0(%a: f32, %b: f32):
    %d = arith.subf %a, %b : f32
    %p = math.exp %d : f32
    tensor.yield %p : f32
  }
  %t = tensor.reduce add %e[m, k] over (m: 4) reduce (k: 5) : tensor<4x5xf32> -> tensor<4xf32>
  %p = tensor.map %e[m, n], %t[m] over (m: 4, n: 5) : tensor<4x5xf32>, tensor<4xf32> -> tensor<4x5xf32> {
  ^bb0(%a: f32, %b: f32):
    %q = arith.divf %a, %b : f32
    tensor.yield %q : f32
  }
  %y = tensor.contract %p[m, k], %v[k, n] over (m: 4, n: 3) reduce (k: 5) : tensor<4x5xf32>, tensor<5x3xf32> -> tensor<4x3xf32>
  return %y : tensor<4x3xf32>
}

// The probabilities are a result, too.
// CHECK-LABEL: func.func private @read_elsewhere(
// CHECK: arith.divf
// CHECK: tensor.contract
// CHECK-NEXT: return
func.func private @read_elsewhere(%s: tensor<4x5xf32>, %v: tensor<5x3xf32>) -> (tensor<4x3xf32>, tensor<4x5xf32>) {
  %g = tensor.reduce max %s[m, k] over (m: 4) reduce (k: 5) : tensor<4x5xf32> -> tensor<4xf32>
  %e = tensor.map %s[m, n], %g[m] over (m: 4, n: 5) : tensor<4x5xf32>, tensor<4xf32> -> tensor<4x5xf32> {
  ^bb0(%a: f32, %b: f32):
    %d = arith.subf %a, %b : f32
    %p = math.exp %d : f32
    tensor.yield %p : f32
  }
  %t = tensor.reduce add %e[m, k] over (m: 4) reduce (k: 5) : tensor<4x5xf32> -> tensor<4xf32>
  %p = tensor.map %e[m, n], %t[m] over (m: 4, n: 5) : tensor<4x5xf32>, tensor<4xf32> -> tensor<4x5xf32> {
  ^bb0(%a: f32, %b: f32):
    %q = arith.divf %a, %b : f32
    tensor.yield %q : f32
  }
  %y = tensor.contract %p[m, k], %v[k, n] over (m: 4, n: 3) reduce (k: 5) : tensor<4x5xf32>, tensor<5x3xf32> -> tensor<4x3xf32>
  return %y, %p : tensor<4x3xf32>, tensor<4x5xf32>
}

// The terms of the sum are not the exponentials themselves.
// CHECK-LABEL: func.func private @scaled_sum(
// CHECK: arith.divf
// CHECK: tensor.contract
// CHECK-NEXT: return
func.func private @scaled_sum(%s: tensor<4x5xf32>, %v: tensor<5x3xf32>) -> tensor<4x3xf32> {
  %g = tensor.reduce max %s[m, k] over (m: 4) reduce (k: 5) : tensor<4x5xf32> -> tensor<4xf32>
  %e = tensor.map %s[m, n], %g[m] over (m: 4, n: 5) : tensor<4x5xf32>, tensor<4xf32> -> tensor<4x5xf32> {
  ^bb0(%a: f32, %b: f32):
    %d = arith.subf %a, %b : f32
    %p = math.exp %d : f32
    tensor.yield %p : f32
  }
  %t = tensor.reduce add %e[m, k] over (m: 4) reduce (k: 5) : tensor<4x5xf32> -> tensor<4xf32> {
  ^bb0(%a: f32):
    %tiny = arith.constant 1.0e-30 : f32
    %q = arith.mulf %a, %tiny : f32
    tensor.yield %q : f32
  }
  %p = tensor.map %e[m, n], %t[m] over (m: 4, n: 5) : tensor<4x5xf32>, tensor<4xf32> -> tensor<4x5xf32> {
  ^bb0(%a: f32, %b: f32):
    %q = arith.divf %a, %b : f32
    tensor.yield %q : f32
  }
  %y = tensor.contract %p[m, k], %v[k, n] over (m: 4, n: 3) reduce (k: 5) : tensor<4x5xf32>, tensor<5x3xf32> -> tensor<4x3xf32>
  return %y : tensor<4x3xf32>
}

// The sum divided by what is summed.
// CHECK-LABEL: func.func private @other_way_round(
// CHECK: arith.divf
// CHECK: tensor.contract
// CHECK-NEXT: return
func.func private @other_way_round(%s: tensor<4x5xf32>, %v: tensor<5x3xf32>) -> tensor<4x3xf32> {
  %g = tensor.reduce max %s[m, k] over (m: 4) reduce (k: 5) : tensor<4x5xf32> -> tensor<4xf32>
  %e = tensor.map %s[m, n], %g[m] over (m: 4, n: 5) : tensor<4x5xf32>, tensor<4xf32> -> tensor<4x5xf32> {
  ^bb0(%a: f32, %b: f32):
    %d = arith.subf %a, %b : f32
    %p = math.exp %d : f32
    tensor.yield %p : f32
  }
  %t = tensor.reduce add %e[m, k] over (m: 4) reduce (k: 5) : tensor<4x5xf32> -> tensor<4xf32>
  %p = tensor.map %e[m, n], %t[m] over (m: 4, n: 5) : tensor<4x5xf32>, tensor<4xf32> -> tensor<4x5xf32> {
  ^bb0(%a: f32, %b: f32):
    %q = arith.divf %b, %a : f32
    tensor.yield %q : f32
  }
  %y = tensor.contract %p[m, k], %v[k, n] over (m: 4, n: 3) reduce (k: 5) : tensor<4x5xf32>, tensor<5x3xf32> -> tensor<4x3xf32>
  return %y : tensor<4x3xf32>
}

// Not the exponentials are divided, but what they are of.
// CHECK-LABEL: func.func private @scores(
// CHECK: arith.divf
// CHECK: tensor.contract
// CHECK-NEXT: return
func.func private @scores(%s: tensor<4x5xf32>, %v: tensor<5x3xf32>) -> tensor<4x3xf32> {
  %g = tensor.reduce max %s[m, k] over (m: 4) reduce (k: 5) : tensor<4x5xf32> -> tensor<4xf32>
  %e = tensor.map %s[m, n], %g[m] over (m: 4, n: 5) : tensor<4x5xf32>, tensor<4xf32> -> tensor<4x5xf32> {
  ^bb0(%a: f32, %b: f32):
    %d = arith.subf %a, %b : f32
    %p = math.exp %d : f32
    tensor.yield %p : f32
  }
  %t = tensor.reduce add %e[m, k] over (m: 4) reduce (k: 5) : tensor<4x5xf32> -> tensor<4xf32>
  %p = tensor.map %s[m, n], %t[m] over (m: 4, n: 5) : tensor<4x5xf32>, tensor<4xf32> -> tensor<4x5xf32> {
  ^bb0(%a: f32, %b: f32):
    %q = arith.divf %a, %b : f32
    tensor.yield %q : f32
  }
  %y = tensor.contract %p[m, k], %v[k, n] over (m: 4, n: 3) reduce (k: 5) : tensor<4x5xf32>, tensor<5x3xf32> -> tensor<4x3xf32>
  return %y : tensor<4x3xf32>
}

// A product of numbers below 1 may be as small as it likes.
// CHECK-LABEL: func.func private @product(
// CHECK: arith.divf
// CHECK: tensor.contract
// CHECK-NEXT: return
func.func private @product(%s: tensor<4x5xf32>, %v: tensor<5x3xf32>) -> tensor<4x3xf32> {
  %g = tensor.reduce max %s[m, k] over (m: 4) reduce (k: 5) : tensor<4x5xf32> -> tensor<4xf32>
  %e = tensor.map %s[m, n], %g[m] over (m: 4, n: 5) : tensor<4x5xf32>, tensor<4xf32> -> tensor<4x5xf32> {
  ^bb0(%a: f32, %b: f32):
    %d = arith.subf %a, %b : f32
    %p = math.exp %d : f32
    tensor.yield %p : f32
  }
  %t = tensor.reduce mul %e[m, k] over (m: 4) reduce (k: 5) : tensor<4x5xf32> -> tensor<4xf32>
  %p = tensor.map %e[m, n], %t[m] over (m: 4, n: 5) : tensor<4x5xf32>, tensor<4xf32> -> tensor<4x5xf32> {
  ^bb0(%a: f32, %b: f32):
    %q = arith.divf %a, %b : f32
    tensor.yield %q : f32
  }
  %y = tensor.contract %p[m, k], %v[k, n] over (m: 4, n: 3) reduce (k: 5) : tensor<4x5xf32>, tensor<5x3xf32> -> tensor<4x3xf32>
  return %y : tensor<4x3xf32>
}

// The maximum and the sum of a part of a row: the rest has exponentials of any size.
// CHECK-LABEL: func.func private @part_of_both(
// CHECK: arith.divf
// CHECK: tensor.contract
// CHECK-NEXT: return
func.func private @part_of_both(%s: tensor<4x5xf32>, %v: tensor<5x3xf32>) -> tensor<4x3xf32> {
  %g = tensor.reduce max %s[m, k] over (m: 4) reduce (k: 4) : tensor<4x5xf32> -> tensor<4xf32>
  %e = tensor.map %s[m, n], %g[m] over (m: 4, n: 5) : tensor<4x5xf32>, tensor<4xf32> -> tensor<4x5xf32> {
  ^bb0(%a: f32, %b: f32):
    %d = arith.subf %a, %b : f32
    %p = math.exp %d : f32
    tensor.yield %p : f32
  }
  %t = tensor.reduce add %e[m, k] over (m: 4) reduce (k: 4) : tensor<4x5xf32> -> tensor<4xf32>
  %p = tensor.map %e[m, n], %t[m] over (m: 4, n: 5) : tensor<4x5xf32>, tensor<4xf32> -> tensor<4x5xf32> {
  ^bb0(%a: f32, %b: f32):
    %q = arith.divf %a, %b : f32
    tensor.yield %q : f32
  }
  %y = tensor.contract %p[m, k], %v[k, n] over (m: 4, n: 3) reduce (k: 5) : tensor<4x5xf32>, tensor<5x3xf32> -> tensor<4x3xf32>
  return %y : tensor<4x3xf32>
}

// Distances from the maximum are no exponentials of them.
// CHECK-LABEL: func.func private @distances(
// CHECK: arith.divf
// CHECK: tensor.contract
// CHECK-NEXT: return
func.func private @distances(%s: tensor<4x5xf32>, %v: tensor<5x3xf32>) -> tensor<4x3xf32> {
  %g = tensor.reduce max %s[m, k] over (m: 4) reduce (k: 5) : tensor<4x5xf32> -> tensor<4xf32>
  %e = tensor.map %s[m, n], %g[m] over (m: 4, n: 5) : tensor<4x5xf32>, tensor<4xf32> -> tensor<4x5xf32> {
  ^bb0(%a: f32, %b: f32):
    %d = arith.subf %a, %b : f32
    %p = math.absf %d : f32
    tensor.yield %p : f32
  }
  %t = tensor.reduce add %e[m, k] over (m: 4) reduce (k: 5) : tensor<4x5xf32> -> tensor<4xf32>
  %p = tensor.map %e[m, n], %t[m] over (m: 4, n: 5) : tensor<4x5xf32>, tensor<4xf32> -> tensor<4x5xf32> {
  ^bb0(%a: f32, %b: f32):
    %q = arith.divf %a, %b : f32
    tensor.yield %q : f32
  }
  %y = tensor.contract %p[m, k], %v[k, n] over (m: 4, n: 3) reduce (k: 5) : tensor<4x5xf32>, tensor<5x3xf32> -> tensor<4x3xf32>
  return %y : tensor<4x3xf32>
}

// The maximum of a matrix is in one of its columns: the sum of another one may be next to nothing.
// CHECK-LABEL: func.func private @columns(
// CHECK: arith.divf
// CHECK: tensor.contract
// CHECK-NEXT: return
func.func private @columns(%s: tensor<4x5x2xf32>, %v: tensor<5xf32>) -> tensor<4x2xf32> {
  %g = tensor.reduce max %s[m, k, j] over (m: 4) reduce (k: 5, j: 2) : tensor<4x5x2xf32> -> tensor<4xf32>
  %e = tensor.map %s[m, b, n], %g[m] over (m: 4, b: 5, n: 2) : tensor<4x5x2xf32>, tensor<4xf32> -> tensor<4x5x2xf32> {
  ^bb0(%a: f32, %b: f32):
    %d = arith.subf %a, %b : f32
    %p = math.exp %d : f32
    tensor.yield %p : f32
  }
  %t = tensor.reduce add %e[m, k, n] over (m: 4, n: 2) reduce (k: 5) : tensor<4x5x2xf32> -> tensor<4x2xf32>
  %p = tensor.map %e[m, b, n], %t[m, n] over (m: 4, b: 5, n: 2) : tensor<4x5x2xf32>, tensor<4x2xf32> -> tensor<4x5x2xf32> {
  ^bb0(%a: f32, %b: f32):
    %q = arith.divf %a, %b : f32
    tensor.yield %q : f32
  }
  %y = tensor.contract %p[m, k, n], %v[k] over (m: 4, n: 2) reduce (k: 5) : tensor<4x5x2xf32>, tensor<5xf32> -> tensor<4x2xf32>
  return %y : tensor<4x2xf32>
}
