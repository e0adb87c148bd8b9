// RUN: mlc-opt %s --limit-dims="target=znver4" --split-input-file | filecheck %s
// RUN: mlc-opt %s --limit-dims="target=znver4" --convert-tensor-to-loop --split-input-file | filecheck %s --check-prefix=LOOPS

// Data that begins after the integer, or at it, or so many before it; on either side of the comparison.
// CHECK-LABEL: func.func private @after
// CHECK-SAME: limits = #loop.limits<k: from argument 2 plus 1 by 16, n: from argument 2 plus 1 by 16>
// CHECK-LABEL: func.func private @not_before
// CHECK-SAME: limits = #loop.limits<k: from argument 2 by 16, n: from argument 2 by 16>
// CHECK-LABEL: func.func private @padding_at
// CHECK-SAME: limits = #loop.limits<k: from argument 2 plus 1 by 16, n: from argument 2 plus 1 by 16>
// CHECK-LABEL: func.func private @padding_before
// CHECK-SAME: limits = #loop.limits<k: from argument 2 by 16, n: from argument 2 by 16>
// CHECK-LABEL: func.func private @window
// CHECK-SAME: limits = #loop.limits<k: argument 2 plus 1 by 16, k: from argument 2 plus -4 by 16, n: argument 2 plus 1 by 16, n: from argument 2 plus -4 by 16>
// CHECK-LABEL: func.func private @one_place
// CHECK-SAME: limits = #loop.limits<k: argument 2 plus 1 by 16, k: from argument 2 by 16, n: argument 2 plus 1 by 16, n: from argument 2 by 16>
// CHECK-LABEL: func.func @main
// LOOPS: from
func.func private @after(%x: tensor<32xf32>, %i: tensor<32xi64>, %n: tensor<i64>) -> tensor<f32> {
  %masked = tensor.map %x[n], %i[n], %n[] over (n: 32) : tensor<32xf32>, tensor<32xi64>, tensor<i64> -> tensor<32xf32> {
  ^bb0(%a: f32, %c: i64, %m: i64):
    %zero = arith.constant 0.0 : f32
    %is_data = arith.cmpi sgt, %c, %m : i64
    %r = arith.select %is_data, %a, %zero : f32
    tensor.yield %r : f32
  }
  %y = tensor.reduce add %masked[k] over () reduce (k: 32) : tensor<32xf32> -> tensor<f32>
  return %y : tensor<f32>
}
func.func private @not_before(%x: tensor<32xf32>, %i: tensor<32xi64>, %n: tensor<i64>) -> tensor<f32> {
  %masked = tensor.map %x[n], %i[n], %n[] over (n: 32) : tensor<32xf32>, tensor<32xi64>, tensor<i64> -> tensor<32xf32> {
  ^bb0(%a: f32, %c: i64, %m: i64):
    %zero = arith.constant 0.0 : f32
    %is_data = arith.cmpi sle, %m, %c : i64
    %r = arith.select %is_data, %a, %zero : f32
    tensor.yield %r : f32
  }
  %y = tensor.reduce add %masked[k] over () reduce (k: 32) : tensor<32xf32> -> tensor<f32>
  return %y : tensor<f32>
}
func.func private @padding_at(%x: tensor<32xf32>, %i: tensor<32xi64>, %n: tensor<i64>) -> tensor<f32> {
  %masked = tensor.map %x[n], %i[n], %n[] over (n: 32) : tensor<32xf32>, tensor<32xi64>, tensor<i64> -> tensor<32xf32> {
  ^bb0(%a: f32, %c: i64, %m: i64):
    %zero = arith.constant 0.0 : f32
    %is_padding = arith.cmpi sle, %c, %m : i64
    %r = arith.select %is_padding, %zero, %a : f32
    tensor.yield %r : f32
  }
  %y = tensor.reduce add %masked[k] over () reduce (k: 32) : tensor<32xf32> -> tensor<f32>
  return %y : tensor<f32>
}
func.func private @padding_before(%x: tensor<32xf32>, %i: tensor<32xi64>, %n: tensor<i64>) -> tensor<f32> {
  %masked = tensor.map %x[n], %i[n], %n[] over (n: 32) : tensor<32xf32>, tensor<32xi64>, tensor<i64> -> tensor<32xf32> {
  ^bb0(%a: f32, %c: i64, %m: i64):
    %zero = arith.constant 0.0 : f32
    %is_padding = arith.cmpi slt, %c, %m : i64
    %r = arith.select %is_padding, %zero, %a : f32
    tensor.yield %r : f32
  }
  %y = tensor.reduce add %masked[k] over () reduce (k: 32) : tensor<32xf32> -> tensor<f32>
  return %y : tensor<f32>
}
func.func private @window(%x: tensor<32xf32>, %i: tensor<32xi64>, %n: tensor<i64>) -> tensor<f32> {
  %masked = tensor.map %x[n], %i[n], %n[] over (n: 32) : tensor<32xf32>, tensor<32xi64>, tensor<i64> -> tensor<32xf32> {
  ^bb0(%a: f32, %c: i64, %m: i64):
    %size = arith.constant 5 : i64
    %before = arith.subi %m, %size : i64
    %zero = arith.constant 0.0 : f32
    %is_filled = arith.cmpi sle, %c, %m : i64
    %is_near = arith.cmpi sgt, %c, %before : i64
    %is_data = arith.andi %is_filled, %is_near : i1
    %r = arith.select %is_data, %a, %zero : f32
    tensor.yield %r : f32
  }
  %y = tensor.reduce add %masked[k] over () reduce (k: 32) : tensor<32xf32> -> tensor<f32>
  return %y : tensor<f32>
}
func.func private @one_place(%x: tensor<32xf32>, %i: tensor<32xi64>, %n: tensor<i64>) -> tensor<f32> {
  %masked = tensor.map %x[n], %i[n], %n[] over (n: 32) : tensor<32xf32>, tensor<32xi64>, tensor<i64> -> tensor<32xf32> {
  ^bb0(%a: f32, %c: i64, %m: i64):
    %zero = arith.constant 0.0 : f32
    %is_data = arith.cmpi eq, %c, %m : i64
    %r = arith.select %is_data, %a, %zero : f32
    tensor.yield %r : f32
  }
  %y = tensor.reduce add %masked[k] over () reduce (k: 32) : tensor<32xf32> -> tensor<f32>
  return %y : tensor<f32>
}
func.func @main(%x: tensor<32xf32>, %n: tensor<i64>) -> (tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) {
  %i = arith.constant dense<[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31]> : tensor<32xi64>
  %0 = func.call @after(%x, %i, %n) : (tensor<32xf32>, tensor<32xi64>, tensor<i64>) -> tensor<f32>
  %1 = func.call @not_before(%x, %i, %n) : (tensor<32xf32>, tensor<32xi64>, tensor<i64>) -> tensor<f32>
  %2 = func.call @padding_at(%x, %i, %n) : (tensor<32xf32>, tensor<32xi64>, tensor<i64>) -> tensor<f32>
  %3 = func.call @padding_before(%x, %i, %n) : (tensor<32xf32>, tensor<32xi64>, tensor<i64>) -> tensor<f32>
  %4 = func.call @window(%x, %i, %n) : (tensor<32xf32>, tensor<32xi64>, tensor<i64>) -> tensor<f32>
  %5 = func.call @one_place(%x, %i, %n) : (tensor<32xf32>, tensor<32xi64>, tensor<i64>) -> tensor<f32>
  return %0, %1, %2, %3, %4, %5 : tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>
}

// -----

// What makes elements computes them from where the first of their readers begins, also those of another call, as far as
// all that read them for a sum run, in blocks.
// CHECK-LABEL: func.func private @twice(
// CHECK-SAME: limits = #loop.limits<n: from argument 1 plus 2 by 16>
// CHECK-LABEL: func.func private @from_2
// CHECK-SAME: limits = #loop.limits<k: from argument 2 plus 2 by 16, n: from argument 2 plus 2 by 16>
// CHECK-LABEL: func.func private @from_7
// CHECK-SAME: limits = #loop.limits<k: from argument 2 plus 7 by 16, n: from argument 2 plus 7 by 16>
// CHECK-LABEL: func.func @main
// CHECK: call @twice(%x, %n)
// LOOPS: from
func.func private @twice(%x: tensor<32xf32>) -> tensor<32xf32> {
  %y = tensor.map %x[n] over (n: 32) : tensor<32xf32> -> tensor<32xf32> {
  ^bb0(%a: f32):
    %r = arith.addf %a, %a : f32
    tensor.yield %r : f32
  }
  return %y : tensor<32xf32>
}
func.func private @from_2(%x: tensor<32xf32>, %i: tensor<32xi64>, %n: tensor<i64>) -> tensor<f32> {
  %masked = tensor.map %x[n], %i[n], %n[] over (n: 32) : tensor<32xf32>, tensor<32xi64>, tensor<i64> -> tensor<32xf32> {
  ^bb0(%a: f32, %c: i64, %m: i64):
    %more = arith.constant 2 : i64
    %first = arith.addi %m, %more : i64
    %zero = arith.constant 0.0 : f32
    %is_data = arith.cmpi sge, %c, %first : i64
    %r = arith.select %is_data, %a, %zero : f32
    tensor.yield %r : f32
  }
  %y = tensor.reduce add %masked[k] over () reduce (k: 32) : tensor<32xf32> -> tensor<f32>
  return %y : tensor<f32>
}
func.func private @from_7(%x: tensor<32xf32>, %i: tensor<32xi64>, %n: tensor<i64>) -> tensor<f32> {
  %masked = tensor.map %x[n], %i[n], %n[] over (n: 32) : tensor<32xf32>, tensor<32xi64>, tensor<i64> -> tensor<32xf32> {
  ^bb0(%a: f32, %c: i64, %m: i64):
    %more = arith.constant 7 : i64
    %first = arith.addi %m, %more : i64
    %zero = arith.constant 0.0 : f32
    %is_data = arith.cmpi sge, %c, %first : i64
    %r = arith.select %is_data, %a, %zero : f32
    tensor.yield %r : f32
  }
  %y = tensor.reduce add %masked[k] over () reduce (k: 32) : tensor<32xf32> -> tensor<f32>
  return %y : tensor<f32>
}
func.func @main(%x: tensor<32xf32>, %n: tensor<i64>) -> (tensor<f32>, tensor<f32>) {
  %i = arith.constant dense<[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31]> : tensor<32xi64>
  %y = call @twice(%x) : (tensor<32xf32>) -> tensor<32xf32>
  %z = call @twice(%x) : (tensor<32xf32>) -> tensor<32xf32>
  %0 = call @from_2(%z, %i, %n) : (tensor<32xf32>, tensor<32xi64>, tensor<i64>) -> tensor<f32>
  %1 = call @from_7(%y, %i, %n) : (tensor<32xf32>, tensor<32xi64>, tensor<i64>) -> tensor<f32>
  return %0, %1 : tensor<f32>, tensor<f32>
}

// -----

// Two integers say no less and no more, and callers see all of a result.
// CHECK-LABEL: func.func private @twice(
// CHECK-NOT: limits
// CHECK-LABEL: func.func private @twice_seen(
// CHECK-NOT: limits
// CHECK-LABEL: func.func private @from_0
// CHECK-LABEL: func.func @main
// LOOPS: from
func.func private @twice(%x: tensor<32xf32>) -> tensor<32xf32> {
  %y = tensor.map %x[n] over (n: 32) : tensor<32xf32> -> tensor<32xf32> {
  ^bb0(%a: f32):
    %r = arith.addf %a, %a : f32
    tensor.yield %r : f32
  }
  return %y : tensor<32xf32>
}
func.func private @twice_seen(%x: tensor<32xf32>) -> tensor<32xf32> {
  %y = tensor.map %x[n] over (n: 32) : tensor<32xf32> -> tensor<32xf32> {
  ^bb0(%a: f32):
    %r = arith.addf %a, %a : f32
    tensor.yield %r : f32
  }
  return %y : tensor<32xf32>
}
func.func private @from_0(%x: tensor<32xf32>, %i: tensor<32xi64>, %n: tensor<i64>) -> tensor<f32> {
  %masked = tensor.map %x[n], %i[n], %n[] over (n: 32) : tensor<32xf32>, tensor<32xi64>, tensor<i64> -> tensor<32xf32> {
  ^bb0(%a: f32, %c: i64, %m: i64):
    %more = arith.constant 0 : i64
    %first = arith.addi %m, %more : i64
    %zero = arith.constant 0.0 : f32
    %is_data = arith.cmpi sge, %c, %first : i64
    %r = arith.select %is_data, %a, %zero : f32
    tensor.yield %r : f32
  }
  %y = tensor.reduce add %masked[k] over () reduce (k: 32) : tensor<32xf32> -> tensor<f32>
  return %y : tensor<f32>
}
func.func private @from_0_too(%x: tensor<32xf32>, %i: tensor<32xi64>, %n: tensor<i64>) -> tensor<f32> {
  %masked = tensor.map %x[n], %i[n], %n[] over (n: 32) : tensor<32xf32>, tensor<32xi64>, tensor<i64> -> tensor<32xf32> {
  ^bb0(%a: f32, %c: i64, %m: i64):
    %more = arith.constant 0 : i64
    %first = arith.addi %m, %more : i64
    %zero = arith.constant 0.0 : f32
    %is_data = arith.cmpi sge, %c, %first : i64
    %r = arith.select %is_data, %a, %zero : f32
    tensor.yield %r : f32
  }
  %y = tensor.reduce add %masked[k] over () reduce (k: 32) : tensor<32xf32> -> tensor<f32>
  return %y : tensor<f32>
}
func.func @main(%x: tensor<32xf32>, %n: tensor<i64>, %m: tensor<i64>)
    -> (tensor<f32>, tensor<f32>, tensor<f32>, tensor<32xf32>) {
  %i = arith.constant dense<[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31]> : tensor<32xi64>
  %y = call @twice(%x) : (tensor<32xf32>) -> tensor<32xf32>
  %z = call @twice_seen(%x) : (tensor<32xf32>) -> tensor<32xf32>
  %0 = call @from_0(%y, %i, %n) : (tensor<32xf32>, tensor<32xi64>, tensor<i64>) -> tensor<f32>
  %1 = call @from_0_too(%y, %i, %m) : (tensor<32xf32>, tensor<32xi64>, tensor<i64>) -> tensor<f32>
  %2 = call @from_0(%z, %i, %n) : (tensor<32xf32>, tensor<32xi64>, tensor<i64>) -> tensor<f32>
  return %0, %1, %2, %z : tensor<f32>, tensor<f32>, tensor<f32>, tensor<32xf32>
}

// -----

// Subscripts and reshapes move a start: rows of two are needed from half of it on, rounded down.
// CHECK-LABEL: func.func private @twice(
// CHECK-SAME: limits = #loop.limits<n: from argument 1 plus 5 by 16>
// CHECK-LABEL: func.func private @shift(
// CHECK-SAME: limits = #loop.limits<n: from argument 1 by 16>
// CHECK-LABEL: func.func private @twice_pairs(
// CHECK-SAME: limits = #loop.limits<m: from argument 1 over 2>
// CHECK-LABEL: func.func private @from_0
// CHECK-LABEL: func.func @main
// LOOPS: from
func.func private @twice(%x: tensor<40xf32>) -> tensor<40xf32> {
  %y = tensor.map %x[n] over (n: 40) : tensor<40xf32> -> tensor<40xf32> {
  ^bb0(%a: f32):
    %r = arith.addf %a, %a : f32
    tensor.yield %r : f32
  }
  return %y : tensor<40xf32>
}
func.func private @shift(%x: tensor<40xf32>) -> tensor<32xf32> {
  %y = tensor.map %x[n + 5] over (n: 32) : tensor<40xf32> -> tensor<32xf32> {
  ^bb0(%a: f32):
    tensor.yield %a : f32
  }
  return %y : tensor<32xf32>
}
func.func private @twice_pairs(%x: tensor<16x2xf32>) -> tensor<16x2xf32> {
  %y = tensor.map %x[m, n] over (m: 16, n: 2) : tensor<16x2xf32> -> tensor<16x2xf32> {
  ^bb0(%a: f32):
    %r = arith.addf %a, %a : f32
    tensor.yield %r : f32
  }
  return %y : tensor<16x2xf32>
}
func.func private @from_0(%x: tensor<32xf32>, %i: tensor<32xi64>, %n: tensor<i64>) -> tensor<f32> {
  %masked = tensor.map %x[n], %i[n], %n[] over (n: 32) : tensor<32xf32>, tensor<32xi64>, tensor<i64> -> tensor<32xf32> {
  ^bb0(%a: f32, %c: i64, %m: i64):
    %more = arith.constant 0 : i64
    %first = arith.addi %m, %more : i64
    %zero = arith.constant 0.0 : f32
    %is_data = arith.cmpi sge, %c, %first : i64
    %r = arith.select %is_data, %a, %zero : f32
    tensor.yield %r : f32
  }
  %y = tensor.reduce add %masked[k] over () reduce (k: 32) : tensor<32xf32> -> tensor<f32>
  return %y : tensor<f32>
}
func.func @main(%x: tensor<40xf32>, %p: tensor<16x2xf32>, %n: tensor<i64>) -> (tensor<f32>, tensor<f32>) {
  %i = arith.constant dense<[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31]> : tensor<32xi64>
  %y = call @twice(%x) : (tensor<40xf32>) -> tensor<40xf32>
  %z = call @shift(%y) : (tensor<40xf32>) -> tensor<32xf32>
  %0 = call @from_0(%z, %i, %n) : (tensor<32xf32>, tensor<32xi64>, tensor<i64>) -> tensor<f32>
  %q = call @twice_pairs(%p) : (tensor<16x2xf32>) -> tensor<16x2xf32>
  %flat = tensor.collapse_shape %q [[0 : i64, 1 : i64]] : tensor<16x2xf32> into tensor<32xf32>
  %1 = call @from_0(%flat, %i, %n) : (tensor<32xf32>, tensor<32xi64>, tensor<i64>) -> tensor<f32>
  return %0, %1 : tensor<f32>, tensor<f32>
}
