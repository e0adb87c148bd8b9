// RUN: mlc-opt %s --split-input-file --limit-dims=target=x86-64-v4 --check-each | filecheck %s
// RUN: mlc-opt %s --split-input-file --collapse-dims --check-each | filecheck %s --check-prefix=JOINED

// Two calls of a kernel: of one all is needed, the other one ends at %n. The kernel is copied, and the copy is limited.

// CHECK-LABEL: func.func private @doubled(
// CHECK-SAME: tensor<32xf32> {
// CHECK-LABEL: func.func private @doubled_2(
// CHECK-SAME: limits = #loop.limits<n: argument 1 by 16>
// CHECK-LABEL: func.func private @doubled_1(
// CHECK: %[[FIRST:.*]] = func.call @doubled(%x)
// CHECK: call @doubled_2(%y, %n)
// CHECK: call @doubled(%[[FIRST]])
// CHECK: call @doubled_1(%x)
// JOINED: call @doubled(%x)
func.func private @doubled(%x: tensor<32xf32>) -> tensor<32xf32> {
  %r = tensor.map %x[n] over (n: 32) : tensor<32xf32> -> tensor<32xf32> {
  ^bb0(%a: f32):
    %r = arith.addf %a, %a : f32
    tensor.yield %r : f32
  }
  return %r : tensor<32xf32>
}
func.func private @doubled_1(%x: tensor<32xf32>) -> tensor<32xf32> {
  %r = tensor.map %x[n] over (n: 32) : tensor<32xf32> -> tensor<32xf32> {
  ^bb0(%a: f32):
    %r = arith.subf %a, %a : f32
    tensor.yield %r : f32
  }
  return %r : tensor<32xf32>
}
func.func @main(%x: tensor<32xf32>, %y: tensor<32xf32>, %n: tensor<i64>) -> (tensor<32xf32>, tensor<32xf32> {mlc.extents = array<i64: 4>}, tensor<32xf32>, tensor<32xf32>, tensor<i64>) {
  %0 = call @doubled(%x) : (tensor<32xf32>) -> tensor<32xf32>
  %1 = call @doubled(%y) : (tensor<32xf32>) -> tensor<32xf32>
  %2 = call @doubled(%0) : (tensor<32xf32>) -> tensor<32xf32>
  %3 = call @doubled_1(%x) : (tensor<32xf32>) -> tensor<32xf32>
  return %0, %1, %2, %3, %n : tensor<32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<i64>
}

// -----

// As many as %n, and twice as many: two kernels, and what is before both of them ends in two ways, too.

// CHECK-LABEL: func.func private @negated(
// CHECK-SAME: limits = #loop.limits<n: argument 1 by 16>
// CHECK-LABEL: func.func private @negated_1(
// CHECK-SAME: limits = #loop.limits<n: argument 1 by 16 times 2>
// CHECK-LABEL: func.func private @halves(
// CHECK: call @negated(%x, %n)
// CHECK: call @negated_1(%y, %n)
// CHECK: call @negated(%{{.*}}, %n)
// CHECK: call @negated_1(%{{.*}}, %n)
// JOINED: call @negated(
func.func private @negated(%x: tensor<64xf32>) -> tensor<64xf32> {
  %r = tensor.map %x[n] over (n: 64) : tensor<64xf32> -> tensor<64xf32> {
  ^bb0(%a: f32):
    %r = arith.negf %a : f32
    tensor.yield %r : f32
  }
  return %r : tensor<64xf32>
}
func.func private @halves(%x: tensor<64xf32>) -> tensor<32xf32> {
  %r = tensor.map %x[m * 2 + 1] over (m: 32) : tensor<64xf32> -> tensor<32xf32> {
  ^bb0(%a: f32):
    %r = arith.addf %a, %a : f32
    tensor.yield %r : f32
  }
  return %r : tensor<32xf32>
}
func.func @main(%x: tensor<64xf32>, %y: tensor<64xf32>, %n: tensor<i64>) -> (tensor<64xf32> {mlc.extents = array<i64: 2>}, tensor<32xf32> {mlc.extents = array<i64: 2>}, tensor<i64>) {
  %0 = call @negated(%x) : (tensor<64xf32>) -> tensor<64xf32>
  %1 = call @negated(%y) : (tensor<64xf32>) -> tensor<64xf32>
  %2 = call @negated(%0) : (tensor<64xf32>) -> tensor<64xf32>
  %3 = call @negated(%1) : (tensor<64xf32>) -> tensor<64xf32>
  %4 = call @halves(%3) : (tensor<64xf32>) -> tensor<32xf32>
  return %2, %4, %n : tensor<64xf32>, tensor<32xf32>, tensor<i64>
}

// -----

// A dim that ends in one copy of a kernel stays apart there, and is joined to the one around it in the other.

// CHECK-LABEL: func.func private @image(
// JOINED-LABEL: func.func private @image(
// JOINED-SAME: tensor<128xf32>
// JOINED-LABEL: func.func private @image_1(
// JOINED-SAME: tensor<4x32xf32>
func.func private @image(%x: tensor<4x32xf32>) -> tensor<4x32xf32> {
  %r = tensor.map %x[m, n] over (m: 4, n: 32) : tensor<4x32xf32> -> tensor<4x32xf32> {
  ^bb0(%a: f32):
    %r = arith.negf %a : f32
    tensor.yield %r : f32
  }
  return %r : tensor<4x32xf32>
}
func.func @main(%x: tensor<4x32xf32>, %n: tensor<i64>) -> (tensor<4x32xf32>, tensor<4x32xf32> {mlc.extents = array<i64: -1, 2>}, tensor<i64>) {
  %0 = call @image(%x) : (tensor<4x32xf32>) -> tensor<4x32xf32>
  %1 = call @image(%x) : (tensor<4x32xf32>) -> tensor<4x32xf32>
  return %0, %1, %n : tensor<4x32xf32>, tensor<4x32xf32>, tensor<i64>
}

// -----

// Four copies end in ways of their own; those of more ways run over all.

// CHECK-LABEL: func.func private @many(
// CHECK-SAME: tensor<64xf32> {
// CHECK-LABEL: func.func private @many_3(
// CHECK-SAME: limits = #loop.limits<n: argument 1 by 16 times 2>
// CHECK-LABEL: func.func private @many_2(
// CHECK-SAME: limits = #loop.limits<n: argument 1 by 16 times 3>
// CHECK-LABEL: func.func private @many_1(
// CHECK-SAME: limits = #loop.limits<n: argument 1 by 16 times 4>
// CHECK-LABEL: func.func private @second(
// CHECK: call @many_3(%x, %n)
// CHECK: call @many_2(%x, %n)
// CHECK: call @many_1(%x, %n)
// CHECK: call @many(%x)
// CHECK: call @many(%x)
// JOINED: func.func @main
func.func private @many(%x: tensor<64xf32>) -> tensor<64xf32> {
  %r = tensor.map %x[n] over (n: 64) : tensor<64xf32> -> tensor<64xf32> {
  ^bb0(%a: f32):
    %r = arith.negf %a : f32
    tensor.yield %r : f32
  }
  return %r : tensor<64xf32>
}
func.func private @second(%x: tensor<64xf32>) -> tensor<8xf32> {
  %r = tensor.map %x[m * 2 + 1] over (m: 8) : tensor<64xf32> -> tensor<8xf32> {
  ^bb0(%a: f32):
    tensor.yield %a : f32
  }
  return %r : tensor<8xf32>
}
func.func private @third(%x: tensor<64xf32>) -> tensor<8xf32> {
  %r = tensor.map %x[m * 3 + 1] over (m: 8) : tensor<64xf32> -> tensor<8xf32> {
  ^bb0(%a: f32):
    tensor.yield %a : f32
  }
  return %r : tensor<8xf32>
}
func.func private @fourth(%x: tensor<64xf32>) -> tensor<8xf32> {
  %r = tensor.map %x[m * 4 + 1] over (m: 8) : tensor<64xf32> -> tensor<8xf32> {
  ^bb0(%a: f32):
    tensor.yield %a : f32
  }
  return %r : tensor<8xf32>
}
func.func private @fifth(%x: tensor<64xf32>) -> tensor<8xf32> {
  %r = tensor.map %x[m * 5 + 1] over (m: 8) : tensor<64xf32> -> tensor<8xf32> {
  ^bb0(%a: f32):
    tensor.yield %a : f32
  }
  return %r : tensor<8xf32>
}
func.func @main(%x: tensor<64xf32>, %n: tensor<i64>) -> (tensor<8xf32> {mlc.extents = array<i64: 5>}, tensor<8xf32> {mlc.extents = array<i64: 5>}, tensor<8xf32> {mlc.extents = array<i64: 5>}, tensor<8xf32> {mlc.extents = array<i64: 5>}, tensor<64xf32> {mlc.extents = array<i64: 5>}, tensor<i64>) {
  %0 = call @many(%x) : (tensor<64xf32>) -> tensor<64xf32>
  %1 = call @many(%x) : (tensor<64xf32>) -> tensor<64xf32>
  %2 = call @many(%x) : (tensor<64xf32>) -> tensor<64xf32>
  %3 = call @many(%x) : (tensor<64xf32>) -> tensor<64xf32>
  %4 = call @many(%x) : (tensor<64xf32>) -> tensor<64xf32>
  %a = call @second(%0) : (tensor<64xf32>) -> tensor<8xf32>
  %b = call @third(%1) : (tensor<64xf32>) -> tensor<8xf32>
  %c = call @fourth(%2) : (tensor<64xf32>) -> tensor<8xf32>
  %d = call @fifth(%3) : (tensor<64xf32>) -> tensor<8xf32>
  return %a, %b, %c, %d, %4, %n : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<64xf32>, tensor<i64>
}

// -----

// A kernel with limits of its own stays as it is.

// CHECK-LABEL: func.func private @own(
// CHECK-SAME: limits = #loop.limits<n: argument 1>
// CHECK-NOT: func.func private
// JOINED: func.func @main
func.func private @own(%x: tensor<32xf32>, %n: tensor<i64>) -> tensor<32xf32> attributes {limits = #loop.limits<n: argument 1>} {
  %r = tensor.map %x[n] over (n: 32) : tensor<32xf32> -> tensor<32xf32> {
  ^bb0(%a: f32):
    %r = arith.negf %a : f32
    tensor.yield %r : f32
  }
  return %r : tensor<32xf32>
}
func.func @main(%x: tensor<32xf32>, %n: tensor<i64>) -> (tensor<32xf32>, tensor<32xf32> {mlc.extents = array<i64: 2>}, tensor<i64>) {
  %0 = call @own(%x, %n) : (tensor<32xf32>, tensor<i64>) -> tensor<32xf32>
  %1 = call @own(%0, %n) : (tensor<32xf32>, tensor<i64>) -> tensor<32xf32>
  return %0, %1, %n : tensor<32xf32>, tensor<32xf32>, tensor<i64>
}
