// RUN: mlc-opt %s --skip-roundings --check-each | filecheck %s --check-prefixes=CHECK,SKIPPED
// RUN: mlc-opt %s --skip-roundings=precision=f32 | filecheck %s --check-prefixes=CHECK,KEPT
// RUN: mlc-opt %s --skip-roundings=precision=keep | filecheck %s --check-prefixes=CHECK,KEPT
// RUN: not mlc-opt %s --skip-roundings=precision=f8 2>&1 | filecheck %s --check-prefix=WRONG
// WRONG: error: skip-roundings: found precision 'f8'; required: f32, bf16 or keep

// What is computed of a rounded sum is computed of the sum; what is stored is rounded, and so is what is both.
// CHECK-LABEL: func.func private @chain(
// CHECK:         %[[S:.*]] = tensor.map %x[m], %x[m]
// SKIPPED-NOT:   arith.extf
// SKIPPED:       %[[R:.*]] = tensor.map %[[S]][m] {{.*}} -> tensor<8xbf16>
// SKIPPED:       %[[P:.*]] = tensor.map %[[S]][m], %[[S]][m]
// SKIPPED-NOT:   arith.extf
// SKIPPED-NOT:   arith.truncf
// KEPT:          arith.truncf
// KEPT:          arith.extf
// KEPT:          arith.truncf
// KEPT:          arith.extf
// CHECK:         return
func.func private @chain(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xbf16>) {
  %s = tensor.map %x[m], %x[m] over (m: 8) : tensor<8xf32>, tensor<8xf32> -> tensor<8xf32> {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tensor.yield %c : f32
  }
  %r = tensor.map %s[m] over (m: 8) : tensor<8xf32> -> tensor<8xbf16> {
  ^bb0(%a: f32):
    %c = arith.truncf %a : f32 to bf16
    tensor.yield %c : bf16
  }
  %w = tensor.map %r[m] over (m: 8) : tensor<8xbf16> -> tensor<8xf32> {
  ^bb0(%a: bf16):
    %c = arith.extf %a : bf16 to f32
    tensor.yield %c : f32
  }
  %p = tensor.map %w[m], %w[m] over (m: 8) : tensor<8xf32>, tensor<8xf32> -> tensor<8xf32> {
  ^bb0(%a: f32, %b: f32):
    %c = arith.mulf %a, %b : f32
    tensor.yield %c : f32
  }
  %q = tensor.map %p[m] over (m: 8) : tensor<8xf32> -> tensor<8xbf16> {
  ^bb0(%a: f32):
    %c = arith.truncf %a : f32 to bf16
    tensor.yield %c : bf16
  }
  %y = tensor.map %q[m] over (m: 8) : tensor<8xbf16> -> tensor<8xf32> {
  ^bb0(%a: bf16):
    %c = arith.extf %a : bf16 to f32
    tensor.yield %c : f32
  }
  return %y, %r : tensor<8xf32>, tensor<8xbf16>
}

// Not what is moved on the way, is computed in the same op, comes from an argument, or is f16.
// CHECK-LABEL: func.func private @stay(
// CHECK-COUNT-4: arith.extf
// CHECK:         return
func.func private @stay(%x: tensor<4x8xf32>, %z: tensor<8xbf16>) -> (tensor<8x4xf32>, tensor<4x8xf32>, tensor<8xf32>, tensor<4x8xf32>) {
  %r = tensor.map %x[m, n] over (m: 4, n: 8) : tensor<4x8xf32> -> tensor<4x8xbf16> {
  ^bb0(%a: f32):
    %c = arith.truncf %a : f32 to bf16
    tensor.yield %c : bf16
  }
  %t = tensor.map %r[n, m] over (m: 8, n: 4) : tensor<4x8xbf16> -> tensor<8x4xf32> {
  ^bb0(%a: bf16):
    %c = arith.extf %a : bf16 to f32
    tensor.yield %c : f32
  }
  %u = tensor.map %r[m, n] over (m: 4, n: 8) : tensor<4x8xbf16> -> tensor<4x8xf32> {
  ^bb0(%a: bf16):
    %c = arith.extf %a : bf16 to f32
    %d = arith.negf %c : f32
    tensor.yield %d : f32
  }
  %v = tensor.map %z[m] over (m: 8) : tensor<8xbf16> -> tensor<8xf32> {
  ^bb0(%a: bf16):
    %c = arith.extf %a : bf16 to f32
    tensor.yield %c : f32
  }
  %h = tensor.map %x[m, n] over (m: 4, n: 8) : tensor<4x8xf32> -> tensor<4x8xf16> {
  ^bb0(%a: f32):
    %c = arith.truncf %a : f32 to f16
    tensor.yield %c : f16
  }
  %w = tensor.map %h[m, n] over (m: 4, n: 8) : tensor<4x8xf16> -> tensor<4x8xf32> {
  ^bb0(%a: f16):
    %c = arith.extf %a : f16 to f32
    tensor.yield %c : f32
  }
  return %t, %u, %v, %w : tensor<8x4xf32>, tensor<4x8xf32>, tensor<8xf32>, tensor<4x8xf32>
}
