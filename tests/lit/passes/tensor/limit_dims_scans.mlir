// RUN: mlc-opt %s --split-input-file --limit-dims=target=x86-64-v4 --check-each | filecheck %s

// Steps from %n on keep what is carried, and stack zeros: rows from there on need not be computed, first to last or
// last to first. What the body sees of another tensor, and in another direction, is all of it.

// CHECK-LABEL: func.func private @doubled(
// CHECK-SAME: limits = #loop.limits<m: argument 1>
// CHECK-LABEL: func.func private @tripled(
// CHECK-SAME: limits = #loop.limits<m: argument 1>
// CHECK-LABEL: func.func private @other_way(
// CHECK-SAME: tensor<64x8xf32> {
// CHECK-LABEL: func.func private @seen_whole(
// CHECK-SAME: tensor<64x8xf32> {
// CHECK-LABEL: func.func @main
func.func private @doubled(%x: tensor<64x8xf32>) -> tensor<64x8xf32> {
  %r = tensor.map %x[m, n] over (m: 64, n: 8) : tensor<64x8xf32> -> tensor<64x8xf32> {
  ^bb0(%a: f32):
    %r = arith.addf %a, %a : f32
    tensor.yield %r : f32
  }
  return %r : tensor<64x8xf32>
}
func.func private @tripled(%x: tensor<64x8xf32>) -> tensor<64x8xf32> {
  %r = tensor.map %x[m, n] over (m: 64, n: 8) : tensor<64x8xf32> -> tensor<64x8xf32> {
  ^bb0(%a: f32):
    %b = arith.addf %a, %a : f32
    %r = arith.addf %a, %b : f32
    tensor.yield %r : f32
  }
  return %r : tensor<64x8xf32>
}
func.func private @other_way(%x: tensor<64x8xf32>) -> tensor<64x8xf32> {
  %r = tensor.map %x[m, n] over (m: 64, n: 8) : tensor<64x8xf32> -> tensor<64x8xf32> {
  ^bb0(%a: f32):
    %r = arith.negf %a : f32
    tensor.yield %r : f32
  }
  return %r : tensor<64x8xf32>
}
func.func private @seen_whole(%x: tensor<64x8xf32>) -> tensor<64x8xf32> {
  %r = tensor.map %x[m, n] over (m: 64, n: 8) : tensor<64x8xf32> -> tensor<64x8xf32> {
  ^bb0(%a: f32):
    %r = arith.mulf %a, %a : f32
    tensor.yield %r : f32
  }
  return %r : tensor<64x8xf32>
}
func.func private @compare(%t: tensor<i64>, %n: tensor<i64>) -> tensor<i1> {
  %r = tensor.map %t[], %n[] over () : tensor<i64>, tensor<i64> -> tensor<i1> {
  ^bb0(%a: i64, %b: i64):
    %r = arith.cmpi slt, %a, %b : i64
    tensor.yield %r : i1
  }
  return %r : tensor<i1>
}
func.func private @cell(%h: tensor<8xf32>, %x: tensor<8xf32>) -> tensor<8xf32> {
  %s = tensor.reduce add %x[k] over () reduce (k: 8) : tensor<8xf32> -> tensor<f32>
  %r = tensor.map %h[n], %x[n], %s[] over (n: 8) : tensor<8xf32>, tensor<8xf32>, tensor<f32> -> tensor<8xf32> {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %d = arith.addf %a, %b : f32
    %r = arith.addf %d, %c : f32
    tensor.yield %r : f32
  }
  return %r : tensor<8xf32>
}
func.func private @where(%in: tensor<i1>, %new: tensor<8xf32>, %old: tensor<8xf32>) -> tensor<8xf32> {
  %r = tensor.map %in[], %new[n], %old[n] over (n: 8) : tensor<i1>, tensor<8xf32>, tensor<8xf32> -> tensor<8xf32> {
  ^bb0(%c: i1, %a: f32, %b: f32):
    %r = arith.select %c, %a, %b : f32
    tensor.yield %r : f32
  }
  return %r : tensor<8xf32>
}
func.func @main(%x: tensor<64x8xf32>, %h: tensor<8xf32>, %n: tensor<i64>) -> (tensor<8xf32>, tensor<8xf32>) {
  %count = arith.constant dense<[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63]> : tensor<64xi64>
  %0 = call @doubled(%x) : (tensor<64x8xf32>) -> tensor<64x8xf32>
  %1 = call @tripled(%x) : (tensor<64x8xf32>) -> tensor<64x8xf32>
  %2 = call @other_way(%x) : (tensor<64x8xf32>) -> tensor<64x8xf32>
  %3 = call @seen_whole(%x) : (tensor<64x8xf32>) -> tensor<64x8xf32>
  %first = tensor.scan 64 carry (%c = %h) over (%t = %count, %a = %0, %b = %2 backwards, %d = %3) using (%end = %n, %all = %3) : (tensor<8xf32>, tensor<64xi64>, tensor<64x8xf32>, tensor<64x8xf32>, tensor<64x8xf32>, tensor<i64>, tensor<64x8xf32>) -> (tensor<8xf32>) {
    %in = func.call @compare(%t, %end) : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %4 = func.call @cell(%c, %a) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %5 = func.call @cell(%4, %b) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %6 = func.call @cell(%5, %d) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %7 = func.call @where(%in, %6, %c) : (tensor<i1>, tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    tensor.yield %7 : tensor<8xf32>
  }
  %second = tensor.scan 64 carry (%c = %h) over (%t = %count backwards, %b = %1 backwards) using (%end = %n) : (tensor<8xf32>, tensor<64xi64>, tensor<64x8xf32>, tensor<i64>) -> (tensor<8xf32>) {
    %in = func.call @compare(%t, %end) : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %4 = func.call @cell(%c, %b) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %5 = func.call @where(%in, %4, %c) : (tensor<i1>, tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    tensor.yield %5 : tensor<8xf32>
  }
  return %first, %second : tensor<8xf32>, tensor<8xf32>
}

// -----

// A row that is kept where the step changes nothing, one that is stacked, one that says where to read; a count from 1, a
// count that is compared the other way round.

// CHECK-NOT: limits
// CHECK-LABEL: func.func @main
func.func private @doubled(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %r = tensor.map %x[m, n] over (m: 4, n: 8) : tensor<4x8xf32> -> tensor<4x8xf32> {
  ^bb0(%a: f32):
    %r = arith.addf %a, %a : f32
    tensor.yield %r : f32
  }
  return %r : tensor<4x8xf32>
}
func.func private @negated(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %r = tensor.map %x[m, n] over (m: 4, n: 8) : tensor<4x8xf32> -> tensor<4x8xf32> {
  ^bb0(%a: f32):
    %r = arith.negf %a : f32
    tensor.yield %r : f32
  }
  return %r : tensor<4x8xf32>
}
func.func private @squared(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %r = tensor.map %x[m, n] over (m: 4, n: 8) : tensor<4x8xf32> -> tensor<4x8xf32> {
  ^bb0(%a: f32):
    %r = arith.mulf %a, %a : f32
    tensor.yield %r : f32
  }
  return %r : tensor<4x8xf32>
}
func.func private @tripled(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %r = tensor.map %x[m, n] over (m: 4, n: 8) : tensor<4x8xf32> -> tensor<4x8xf32> {
  ^bb0(%a: f32):
    %b = arith.addf %a, %a : f32
    %r = arith.addf %a, %b : f32
    tensor.yield %r : f32
  }
  return %r : tensor<4x8xf32>
}
func.func private @places(%x: tensor<4xi64>) -> tensor<4xi64> {
  %r = tensor.map %x[m] over (m: 4) : tensor<4xi64> -> tensor<4xi64> {
  ^bb0(%a: i64):
    %three = arith.constant 3 : i64
    %r = arith.andi %a, %three : i64
    tensor.yield %r : i64
  }
  return %r : tensor<4xi64>
}
func.func private @looked_up(%table: tensor<4xf32>, %i: tensor<i64>) -> tensor<f32> {
  %0 = tensor.take %table[i] at (i = %i[]) over () : tensor<4xf32>, tensor<i64> -> tensor<f32>
  return %0 : tensor<f32>
}
func.func private @compare(%t: tensor<i64>, %n: tensor<i64>) -> tensor<i1> {
  %r = tensor.map %t[], %n[] over () : tensor<i64>, tensor<i64> -> tensor<i1> {
  ^bb0(%a: i64, %b: i64):
    %r = arith.cmpi slt, %a, %b : i64
    tensor.yield %r : i1
  }
  return %r : tensor<i1>
}
func.func private @where(%in: tensor<i1>, %new: tensor<8xf32>, %old: tensor<8xf32>) -> tensor<8xf32> {
  %r = tensor.map %in[], %new[n], %old[n] over (n: 8) : tensor<i1>, tensor<8xf32>, tensor<8xf32> -> tensor<8xf32> {
  ^bb0(%c: i1, %a: f32, %b: f32):
    %r = arith.select %c, %a, %b : f32
    tensor.yield %r : f32
  }
  return %r : tensor<8xf32>
}
func.func private @where_one(%in: tensor<i1>, %new: tensor<f32>, %old: tensor<f32>) -> tensor<f32> {
  %r = tensor.map %in[], %new[], %old[] over () : tensor<i1>, tensor<f32>, tensor<f32> -> tensor<f32> {
  ^bb0(%c: i1, %a: f32, %b: f32):
    %r = arith.select %c, %a, %b : f32
    tensor.yield %r : f32
  }
  return %r : tensor<f32>
}
func.func @main(%x: tensor<4x8xf32>, %h: tensor<8xf32>, %i: tensor<4xi64>, %table: tensor<4xf32>, %s: tensor<f32>, %n: tensor<i64>) -> (tensor<8xf32>, tensor<8xf32>, tensor<f32>, tensor<4x8xf32>, tensor<8xf32>) {
  %count = arith.constant dense<[0, 1, 2, 3]> : tensor<4xi64>
  %from_one = arith.constant dense<[1, 2, 3, 4]> : tensor<4xi64>
  %0 = call @doubled(%x) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = call @negated(%x) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %2 = call @places(%i) : (tensor<4xi64>) -> tensor<4xi64>
  %3 = call @squared(%x) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %8 = call @tripled(%x) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %kept, %later, %one, %stack = tensor.scan 4 carry (%c = %h, %d = %h, %e = %s) over (%t = %count, %u = %from_one, %a = %0, %b = %1, %f = %8, %p = %2) using (%end = %n, %tab = %table) : (tensor<8xf32>, tensor<8xf32>, tensor<f32>, tensor<4xi64>, tensor<4xi64>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4xi64>, tensor<i64>, tensor<4xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<f32>, tensor<4x8xf32>) {
    %in = func.call @compare(%t, %end) : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %in_later = func.call @compare(%u, %end) : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %4 = func.call @where(%in, %c, %a) : (tensor<i1>, tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %5 = func.call @where(%in_later, %f, %d) : (tensor<i1>, tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %6 = func.call @looked_up(%tab, %p) : (tensor<4xf32>, tensor<i64>) -> tensor<f32>
    %7 = func.call @where_one(%in, %6, %e) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
    tensor.yield %4, %5, %7, %b : tensor<8xf32>, tensor<8xf32>, tensor<f32>, tensor<8xf32>
  }
  %turned = tensor.scan 4 carry (%c = %h) over (%t = %count, %a = %3) using (%end = %n) : (tensor<8xf32>, tensor<4xi64>, tensor<4x8xf32>, tensor<i64>) -> (tensor<8xf32>) {
    %out = func.call @compare(%end, %t) : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %4 = func.call @where(%out, %a, %c) : (tensor<i1>, tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    tensor.yield %4 : tensor<8xf32>
  }
  return %kept, %later, %one, %stack, %turned : tensor<8xf32>, tensor<8xf32>, tensor<f32>, tensor<4x8xf32>, tensor<8xf32>
}

// -----

// A branch is a choice as well: what its second body does not use, or leaves out itself, may be of anything from %n on.

// CHECK-LABEL: func.func private @doubled(
// CHECK-SAME: limits = #loop.limits<m: argument 1>
// CHECK-LABEL: func.func private @negated(
// CHECK-SAME: tensor<4x8xf32> {
// CHECK-LABEL: func.func private @squared(
// CHECK-SAME: tensor<4x8xf32> {
// CHECK-LABEL: func.func private @tripled(
// CHECK-SAME: limits = #loop.limits<m: argument 1>
// CHECK-LABEL: func.func private @is_set(
// CHECK-SAME: tensor<4xi1> {
// CHECK-LABEL: func.func @main
func.func private @doubled(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %r = tensor.map %x[m, n] over (m: 4, n: 8) : tensor<4x8xf32> -> tensor<4x8xf32> {
  ^bb0(%a: f32):
    %r = arith.addf %a, %a : f32
    tensor.yield %r : f32
  }
  return %r : tensor<4x8xf32>
}
func.func private @negated(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %r = tensor.map %x[m, n] over (m: 4, n: 8) : tensor<4x8xf32> -> tensor<4x8xf32> {
  ^bb0(%a: f32):
    %r = arith.negf %a : f32
    tensor.yield %r : f32
  }
  return %r : tensor<4x8xf32>
}
func.func private @squared(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %r = tensor.map %x[m, n] over (m: 4, n: 8) : tensor<4x8xf32> -> tensor<4x8xf32> {
  ^bb0(%a: f32):
    %r = arith.mulf %a, %a : f32
    tensor.yield %r : f32
  }
  return %r : tensor<4x8xf32>
}
func.func private @tripled(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %r = tensor.map %x[m, n] over (m: 4, n: 8) : tensor<4x8xf32> -> tensor<4x8xf32> {
  ^bb0(%a: f32):
    %b = arith.addf %a, %a : f32
    %r = arith.addf %a, %b : f32
    tensor.yield %r : f32
  }
  return %r : tensor<4x8xf32>
}
func.func private @is_set(%x: tensor<4xi64>) -> tensor<4xi1> {
  %r = tensor.map %x[m] over (m: 4) : tensor<4xi64> -> tensor<4xi1> {
  ^bb0(%a: i64):
    %three = arith.constant 3 : i64
    %r = arith.cmpi slt, %a, %three : i64
    tensor.yield %r : i1
  }
  return %r : tensor<4xi1>
}
func.func private @compare(%t: tensor<i64>, %n: tensor<i64>) -> tensor<i1> {
  %r = tensor.map %t[], %n[] over () : tensor<i64>, tensor<i64> -> tensor<i1> {
  ^bb0(%a: i64, %b: i64):
    %r = arith.cmpi slt, %a, %b : i64
    tensor.yield %r : i1
  }
  return %r : tensor<i1>
}
func.func private @where(%in: tensor<i1>, %new: tensor<8xf32>, %old: tensor<8xf32>) -> tensor<8xf32> {
  %r = tensor.map %in[], %new[n], %old[n] over (n: 8) : tensor<i1>, tensor<8xf32>, tensor<8xf32> -> tensor<8xf32> {
  ^bb0(%c: i1, %a: f32, %b: f32):
    %r = arith.select %c, %a, %b : f32
    tensor.yield %r : f32
  }
  return %r : tensor<8xf32>
}
func.func private @sum(%a: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<8xf32> {
  %r = tensor.map %a[n], %b[n] over (n: 8) : tensor<8xf32>, tensor<8xf32> -> tensor<8xf32> {
  ^bb0(%p: f32, %q: f32):
    %r = arith.addf %p, %q : f32
    tensor.yield %r : f32
  }
  return %r : tensor<8xf32>
}
func.func @main(%x: tensor<4x8xf32>, %h: tensor<8xf32>, %i: tensor<4xi64>, %n: tensor<i64>) -> (tensor<8xf32>, tensor<8xf32>) {
  %count = arith.constant dense<[0, 1, 2, 3]> : tensor<4xi64>
  %0 = call @doubled(%x) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = call @negated(%x) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %2 = call @squared(%x) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %3 = call @tripled(%x) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %4 = call @is_set(%i) : (tensor<4xi64>) -> tensor<4xi1>
  %last, %other = tensor.scan 4 carry (%c = %h, %d = %h) over (%t = %count, %a = %0, %b = %1, %e = %2, %f = %3, %g = %4) using (%end = %n) : (tensor<8xf32>, tensor<8xf32>, tensor<4xi64>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4xi1>, tensor<i64>) -> (tensor<8xf32>, tensor<8xf32>) {
    %in = func.call @compare(%t, %end) : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %5 = tensor.if %in using (%c, %a, %b) : (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> (tensor<8xf32>) {
    ^bb0(%p: tensor<8xf32>, %q: tensor<8xf32>, %r: tensor<8xf32>):
      %s = func.call @sum(%p, %q) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
      tensor.yield %s : tensor<8xf32>
    } else {
    ^bb0(%p: tensor<8xf32>, %q: tensor<8xf32>, %r: tensor<8xf32>):
      tensor.yield %r : tensor<8xf32>
    }
    %6, %7 = tensor.if %g using (%c, %e, %f) : (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
    ^bb0(%r: tensor<8xf32>, %p: tensor<8xf32>, %q: tensor<8xf32>):
      tensor.yield %p, %q : tensor<8xf32>, tensor<8xf32>
    } else {
    ^bb0(%r: tensor<8xf32>, %p: tensor<8xf32>, %q: tensor<8xf32>):
      tensor.yield %r, %q : tensor<8xf32>, tensor<8xf32>
    }
    %8 = func.call @where(%in, %7, %d) : (tensor<i1>, tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    %9 = func.call @sum(%5, %6) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
    tensor.yield %9, %8 : tensor<8xf32>, tensor<8xf32>
  }
  return %last, %other : tensor<8xf32>, tensor<8xf32>
}
