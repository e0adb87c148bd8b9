// RUN: mlc-opt %s --blocked-summation=terms=8 | filecheck %s
// RUN: mlc-opt %s --blocked-summation=terms=8 --check-each | filecheck %s

// Blocks of 8, sums of 8 blocks, and these; what fills no block is a block, too, that starts from 0.
// CHECK-LABEL: @sum
// CHECK: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK: %[[S:.*]] = loop.for serial "k" %k = 0 to 192 step 64 iter_args(%[[A:.*]] = %[[ZERO]]) -> (f32) {
// CHECK-NEXT:   %[[Z:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:   %[[T:.*]] = loop.for serial "ki" %ki = 0 to 64 step 8 iter_args(%[[B:.*]] = %[[Z]]) -> (f32) {
// CHECK-NEXT:     %[[Y:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:     %[[U:.*]] = loop.for serial "kii" %kii = 0 to 8 iter_args(%[[C:.*]] = %[[Y]]) -> (f32) {
// CHECK-NEXT:       %[[X:.*]] = loop.load %x[%k + (%ki + %kii)] : memref<203xf32>
// CHECK-NEXT:       %[[V:.*]] = arith.addf %[[C]], %[[X]] : f32
// CHECK-NEXT:       loop.yield %[[V]] : f32
// CHECK:          arith.addf %[[B]], %[[U]] : f32
// CHECK:        arith.addf %[[A]], %[[T]] : f32
// CHECK:      %[[R:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-NEXT: %[[REST:.*]] = loop.for serial "ki" %{{.*}} = 0 to 11 iter_args(%{{.*}} = %[[R]]) -> (f32) {
// CHECK:      %[[TOTAL:.*]] = arith.addf %[[S]], %[[REST]] : f32
// CHECK:      loop.store %[[TOTAL]], %out[]
func.func private @sum(%x: memref<203xf32>, %out: memref<f32> {mlc.output}) {
  %zero = arith.constant 0.0 : f32
  %s = loop.for serial "k" %k = 0 to 203 iter_args(%acc = %zero) -> (f32) {
    %a = loop.load %x[%k] : memref<203xf32>
    %b = arith.addf %acc, %a : f32
    loop.yield %b : f32
  }
  loop.store %s, %out[] : memref<f32>
  return
}

// The sums of a register tile, in vectors; a maximum beside them runs through all blocks.
// CHECK-LABEL: @tile
// CHECK: loop.for serial "k" %k = 0 to 32 step 8 iter_args(%[[A:.*]] = %{{.*}}, %[[M:.*]] = %{{.*}}, %[[B:.*]] = %{{.*}})
// CHECK: loop.for serial "ki" %ki = 0 to 8 iter_args(%{{.*}} = %{{[0-9]+}}, %{{.*}} = %[[M]], %{{.*}} = %{{[0-9]+}})
// CHECK: loop.yield
// CHECK-DAG: %[[P:.*]] = arith.addf %[[A]], %{{.*}} : vector<4xf32>
// CHECK-DAG: %[[Q:.*]] = arith.addf %[[B]], %{{.*}} : vector<4xf32>
// CHECK: loop.yield %[[P]], %{{.*}}, %[[Q]] :
func.func private @tile(%x: memref<32xf32>, %w: memref<32x4xf32>, %out: memref<3x4xf32> {mlc.output}) {
  %zero = arith.constant dense<0.0> : vector<4xf32>
  %p, %m, %q = loop.for serial "k" %k = 0 to 32 iter_args(%a = %zero, %most = %zero, %b = %zero)
      -> (vector<4xf32>, vector<4xf32>, vector<4xf32>) {
    %n = loop.load %x[%k] : memref<32xf32>
    %l = vector.broadcast %n : f32 to vector<4xf32>
    %v = loop.load %w[%k, 0] : memref<32x4xf32>, vector<4xf32>
    %c = math.fma %l, %v, %a : vector<4xf32>
    %d = math.fma %v, %v, %b : vector<4xf32>
    %e = arith.maximumf %most, %v : vector<4xf32>
    loop.yield %c, %e, %d : vector<4xf32>, vector<4xf32>, vector<4xf32>
  }
  loop.store %p, %out[0, 0] : memref<3x4xf32>, vector<4xf32>
  loop.store %m, %out[1, 0] : memref<3x4xf32>, vector<4xf32>
  loop.store %q, %out[2, 0] : memref<3x4xf32>, vector<4xf32>
  return
}

// Nested loops: each row of 6 is a block as good as one of 8. Rows of 2 are not: they are blocked by fours.
// CHECK-LABEL: @rows
// CHECK: loop.for serial "h" %h = 0 to 5 iter_args(%[[A:.*]] = %{{.*}}) -> (f32) {
// CHECK: %[[W:.*]] = loop.for serial "w" %w = 0 to 6 iter_args(%{{.*}} = %[[Z:.*]]) -> (f32) {
// CHECK: arith.addf %[[A]], %[[W]]
// CHECK: loop.for serial "h" %{{.*}} = 0 to 12 step 4 iter_args(%[[B:.*]] = %{{.*}}) -> (f32) {
// CHECK: %[[H:.*]] = loop.for serial "hi" %{{.*}} = 0 to 4 iter_args(%[[C:.*]] = %[[Y:.*]]) -> (f32) {
// CHECK: loop.for serial "w" %{{.*}} = 0 to 2 iter_args(%{{.*}} = %[[C]]) -> (f32) {
// CHECK: arith.addf %[[B]], %[[H]]
func.func private @rows(%x: memref<5x6xf32>, %y: memref<12x2xf32>, %out: memref<2xf32> {mlc.output}) {
  %zero = arith.constant 0.0 : f32
  %s = loop.for serial "h" %h = 0 to 5 iter_args(%outer = %zero) -> (f32) {
    %t = loop.for serial "w" %w = 0 to 6 iter_args(%acc = %outer) -> (f32) {
      %a = loop.load %x[%h, %w] : memref<5x6xf32>
      %b = arith.addf %a, %acc : f32
      loop.yield %b : f32
    }
    loop.yield %t : f32
  }
  %u = loop.for serial "h" %h = 0 to 12 iter_args(%outer = %zero) -> (f32) {
    %t = loop.for serial "w" %w = 0 to 2 iter_args(%acc = %outer) -> (f32) {
      %a = loop.load %y[%h, %w] : memref<12x2xf32>
      %b = arith.addf %acc, %a : f32
      loop.yield %b : f32
    }
    loop.yield %t : f32
  }
  loop.store %s, %out[0] : memref<2xf32>
  loop.store %u, %out[1] : memref<2xf32>
  return
}

// What stays: short sums, integers, products, a prefix sum, a difference that changes its sign, a sum that is read twice.
// CHECK-LABEL: @others
// CHECK-NOT: step
// CHECK: return
func.func private @others(%x: memref<40xf32>, %n: memref<40xi32>, %out: memref<8xf32> {mlc.output},
                          %prefix: memref<40xf32> {mlc.output}, %count: memref<i32> {mlc.output}) {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %none = arith.constant 0 : i32
  %short = loop.for serial "k" %k = 0 to 16 iter_args(%acc = %zero) -> (f32) {
    %a = loop.load %x[%k] : memref<40xf32>
    %b = arith.addf %acc, %a : f32
    loop.yield %b : f32
  }
  %i = loop.for serial "k" %k = 0 to 40 iter_args(%acc = %none) -> (i32) {
    %a = loop.load %n[%k] : memref<40xi32>
    %b = arith.addi %acc, %a : i32
    loop.yield %b : i32
  }
  %product = loop.for serial "k" %k = 0 to 40 iter_args(%acc = %one) -> (f32) {
    %a = loop.load %x[%k] : memref<40xf32>
    %b = arith.mulf %acc, %a : f32
    loop.yield %b : f32
  }
  %last = loop.for serial "k" %k = 0 to 40 iter_args(%acc = %zero) -> (f32) {
    %a = loop.load %x[%k] : memref<40xf32>
    %b = arith.addf %acc, %a : f32
    loop.store %b, %prefix[%k] : memref<40xf32>
    loop.yield %b : f32
  }
  %alternating = loop.for serial "k" %k = 0 to 40 iter_args(%acc = %zero) -> (f32) {
    %a = loop.load %x[%k] : memref<40xf32>
    %b = arith.subf %a, %acc : f32
    loop.yield %b : f32
  }
  %doubled = loop.for serial "k" %k = 0 to 40 iter_args(%acc = %zero) -> (f32) {
    %a = loop.load %x[%k] : memref<40xf32>
    %b = arith.addf %acc, %acc : f32
    %c = arith.addf %a, %b : f32
    loop.yield %c : f32
  }
  %swapped:2 = loop.for serial "k" %k = 0 to 40 iter_args(%p = %zero, %q = %one) -> (f32, f32) {
    %a = loop.load %x[%k] : memref<40xf32>
    %b = arith.addf %p, %a : f32
    %c = arith.addf %q, %a : f32
    loop.yield %c, %b : f32, f32
  }
  loop.store %i, %count[] : memref<i32>
  loop.store %short, %out[0] : memref<8xf32>
  loop.store %product, %out[1] : memref<8xf32>
  loop.store %last, %out[2] : memref<8xf32>
  loop.store %alternating, %out[3] : memref<8xf32>
  loop.store %doubled, %out[4] : memref<8xf32>
  loop.store %swapped#0, %out[5] : memref<8xf32>
  loop.store %swapped#1, %out[6] : memref<8xf32>
  return
}

// What a loop inside adds to in each of its iterations is not handed on: this is no sum of the numbers that k reads.
// CHECK-LABEL: @added_inside
// CHECK: loop.for serial "k" %{{.*}} = 0 to 32 iter_args
// CHECK-NEXT: loop.for serial "j" %{{.*}} = 0 to 2 iter_args
func.func private @added_inside(%x: memref<32xf32>, %out: memref<f32> {mlc.output}) {
  %zero = arith.constant 0.0 : f32
  %s = loop.for serial "k" %k = 0 to 32 iter_args(%acc = %zero) -> (f32) {
    %t = loop.for serial "j" %j = 0 to 2 iter_args(%last = %zero) -> (f32) {
      %a = loop.load %x[%k] : memref<32xf32>
      %b = arith.addf %acc, %a : f32
      loop.yield %b : f32
    }
    loop.yield %t : f32
  }
  loop.store %s, %out[] : memref<f32>
  return
}

// No block ends where a limit does if steps of 3 do not divide what the limit is a multiple of.
// CHECK-LABEL: @steps_within_a_limit
// CHECK: loop.for serial "k" %{{.*}} = 0 to 192 limit %{{.*}} by 16 step 3 iter_args(
// CHECK-NOT: loop.for
// CHECK: return
func.func private @steps_within_a_limit(%x: memref<192xf32>, %n: index, %out: memref<f32> {mlc.output}) {
  %zero = arith.constant 0.0 : f32
  %s = loop.for serial "k" %k = 0 to 192 limit %n by 16 step 3 iter_args(%acc = %zero) -> (f32) {
    %a = loop.load %x[%k] : memref<192xf32>
    %b = arith.addf %acc, %a : f32
    loop.yield %b : f32
  }
  loop.store %s, %out[] : memref<f32>
  return
}

// What fills no block is after all numbers that the limit may be but the end: one block of fewer iterations.
// CHECK-LABEL: @rest_within_a_limit
// CHECK: loop.for serial "k" %{{.*}} = 0 to 192 limit %[[N:.*]] by 16 step 16 iter_args(
// CHECK: loop.for serial "ki" %{{.*}} = 0 to 16 iter_args(
// CHECK: loop.for serial "k" %{{.*}} = 192 to 199 limit %[[N]] by 16 step 7 iter_args(
// CHECK: loop.for serial "ki" %{{.*}} = 0 to 7 iter_args(
func.func private @rest_within_a_limit(%x: memref<199xf32>, %n: index, %out: memref<f32> {mlc.output}) {
  %zero = arith.constant 0.0 : f32
  %s = loop.for serial "k" %k = 0 to 199 limit %n by 16 iter_args(%acc = %zero) -> (f32) {
    %a = loop.load %x[%k] : memref<199xf32>
    %b = arith.addf %acc, %a : f32
    loop.yield %b : f32
  }
  loop.store %s, %out[] : memref<f32>
  return
}
