// RUN: mlc-opt %s --split-reduction="loops=k parts=3" --check-each | filecheck %s
// RUN: mlc-opt %s --split-reduction="loops=k parts=3" --remarks 2>&1 >%t | filecheck %s --check-prefix=REMARK

// A loop that neither starts at 0 nor goes by 1; three results are combined in pairs, and the odd one last.
// CHECK-LABEL: @every_other
// CHECK: %[[S:.*]], %[[T:.*]], %[[U:.*]] = loop.for serial "k" %[[K:.*]] = 3 to 21 step 6 iter_args
// CHECK-NEXT: loop.load %x[%[[K]]]
// CHECK-NEXT: arith.addf
// CHECK-NEXT: loop.load %x[%[[K]] + 2]
// CHECK-NEXT: arith.addf
// CHECK-NEXT: loop.load %x[%[[K]] + 4]
// CHECK: %[[ST:.*]] = arith.addf %[[S]], %[[T]]
// CHECK-NEXT: arith.addf %[[ST]], %[[U]]
// CHECK-NEXT: loop.for serial "k" %{{.*}} = 21 to 24 step 2
func.func private @every_other(%x: memref<24xf32>, %y: memref<1xf32> {mlc.output}) {
  %zero = arith.constant 0.0 : f32
  %s = loop.for serial "k" %k = 3 to 24 step 2 iter_args(%acc = %zero) -> (f32) {
    %a = loop.load %x[%k] : memref<24xf32>
    %c = arith.addf %acc, %a : f32
    loop.yield %c : f32
  }
  loop.store %s, %y[0] : memref<1xf32>
  return
}

// What it starts from counts once. That partial sums do not overflow is not known: the flag is for sums from the front.
// CHECK-LABEL: @started
// CHECK: %[[ZERO:.*]] = arith.constant 0 : i32
// CHECK: loop.for serial "k" %{{.*}} = 0 to 6 step 3 iter_args(%{{.*}} = %seven, %{{.*}} = %[[ZERO]], %{{.*}} = %[[ZERO]])
// CHECK-NOT: overflow
// CHECK: return
func.func private @started(%x: memref<6xi32>, %y: memref<1xi32> {mlc.output}) {
  %seven = arith.constant 7 : i32
  %s = loop.for serial "k" %k = 0 to 6 iter_args(%acc = %seven) -> (i32) {
    %a = loop.load %x[%k] : memref<6xi32>
    %c = arith.addi %acc, %a overflow<nsw> : i32
    loop.yield %c : i32
  }
  loop.store %s, %y[0] : memref<1xi32>
  return
}

// Six iterations are enough for three results, five are not.
// CHECK-LABEL: @five
// CHECK: loop.for serial "k" %{{.*}} = 0 to 5 iter_args(%{{.*}} = %{{.*}}) -> (f32)
// REMARK: remark: reduction 'k' not split: 5 iterations are fewer than two for each of 3 results
func.func private @five(%x: memref<5xf32>, %y: memref<1xf32> {mlc.output}) {
  %zero = arith.constant 0.0 : f32
  %s = loop.for serial "k" %k = 0 to 5 iter_args(%acc = %zero) -> (f32) {
    %a = loop.load %x[%k] : memref<5xf32>
    %c = arith.addf %acc, %a : f32
    loop.yield %c : f32
  }
  loop.store %s, %y[0] : memref<1xf32>
  return
}

// A vector of sums, a loop inside, and a counter that is itself added.
// CHECK-LABEL: @refused
// CHECK: loop.for serial "k" %{{.*}} = 0 to 6 iter_args(%{{.*}} = %{{.*}}) -> (vector<4xf32>)
// CHECK: loop.for serial "k" %{{.*}} = 0 to 6 iter_args(%{{.*}} = %{{.*}}) -> (f32)
// CHECK: loop.for serial "k" %{{.*}} = 0 to 6 iter_args(%{{.*}} = %{{.*}}) -> (i64)
// REMARK-DAG: remark: reduction 'k' not split: it carries a vector; split it first
// REMARK-DAG: remark: reduction 'k' not split: 'loop.for' in it is more than the work on one element
// REMARK-DAG: remark: reduction 'k' not split: 'arith.index_cast' in it is more than the work on one element
func.func private @refused(%x: memref<24xf32>, %v: memref<4xf32> {mlc.output}, %y: memref<1xf32> {mlc.output},
                           %z: memref<1xi64> {mlc.output}) {
  %zeros = arith.constant dense<0.0> : vector<4xf32>
  %zero = arith.constant 0.0 : f32
  %none = arith.constant 0 : i64
  %r = loop.for serial "k" %k = 0 to 6 iter_args(%acc = %zeros) -> (vector<4xf32>) {
    %a = loop.load %x[%k] : memref<24xf32>, vector<4xf32>
    %c = arith.addf %acc, %a : vector<4xf32>
    loop.yield %c : vector<4xf32>
  }
  loop.store %r, %v[0] : memref<4xf32>, vector<4xf32>
  %s = loop.for serial "k" %k = 0 to 6 iter_args(%acc = %zero) -> (f32) {
    %g = loop.for serial "j" %j = 0 to 4 iter_args(%greatest = %zero) -> (f32) {
      %a = loop.load %x[%k * 4 + %j] : memref<24xf32>
      %b = arith.maximumf %greatest, %a : f32
      loop.yield %b : f32
    }
    %c = arith.addf %acc, %g : f32
    loop.yield %c : f32
  }
  loop.store %s, %y[0] : memref<1xf32>
  %t = loop.for serial "k" %k = 0 to 6 iter_args(%acc = %none) -> (i64) {
    %n = arith.index_cast %k : index to i64
    %c = arith.addi %acc, %n : i64
    loop.yield %c : i64
  }
  loop.store %t, %z[0] : memref<1xi64>
  return
}
