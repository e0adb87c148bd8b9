// RUN: mlc-opt %s --split-reduction="loops=k parts=4" --check-each | filecheck %s
// RUN: mlc-opt %s --split-reduction="loops=k parts=4" --remarks 2>&1 >%t | filecheck %s --check-prefix=REMARK

// Four sums that take turns, and two iterations that are left over.
// CHECK-LABEL: @sum
// CHECK: %[[S:.*]], %[[T:.*]], %[[U:.*]], %[[V:.*]] = loop.for serial "k" %[[K:.*]] = 0 to 16 step 4 iter_args(%[[A:.*]] = %{{.*}}, %[[B:.*]] = %{{.*}}, %{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) -> (f32, f32, f32, f32) {
// CHECK-NEXT: %[[X:.*]] = loop.load %x[%[[K]]]
// CHECK-NEXT: arith.addf %[[A]], %[[X]]
// CHECK-NEXT: %[[Y:.*]] = loop.load %x[%[[K]] + 1]
// CHECK-NEXT: arith.addf %[[B]], %[[Y]]
// CHECK: %[[ST:.*]] = arith.addf %[[S]], %[[T]]
// CHECK-NEXT: %[[UV:.*]] = arith.addf %[[U]], %[[V]]
// CHECK-NEXT: %[[ALL:.*]] = arith.addf %[[ST]], %[[UV]]
// CHECK-NEXT: loop.for serial "k" %{{.*}} = 16 to 18 iter_args(%{{.*}} = %[[ALL]]) -> (f32)
func.func private @sum(%x: memref<18xf32>, %y: memref<1xf32> {mlc.output}) {
  %zero = arith.constant 0.0 : f32
  %s = loop.for serial "k" %k = 0 to 18 iter_args(%acc = %zero) -> (f32) {
    %a = loop.load %x[%k] : memref<18xf32>
    %c = arith.addf %acc, %a : f32
    loop.yield %c : f32
  }
  loop.store %s, %y[0] : memref<1xf32>
  return
}

// The other results of a maximum start from what never wins.
// CHECK-LABEL: @greatest
// CHECK: %[[LEAST:.*]] = arith.constant -2147483648 : i32
// CHECK: loop.for serial "k" %{{.*}} = 0 to 8 step 4 iter_args(%{{.*}} = %{{.*}}, %{{.*}} = %[[LEAST]], %{{.*}} = %[[LEAST]], %{{.*}} = %[[LEAST]])
// CHECK: arith.maxsi
func.func private @greatest(%x: memref<8xi32>, %y: memref<1xi32> {mlc.output}) {
  %seven = arith.constant 7 : i32
  %s = loop.for serial "k" %k = 0 to 8 iter_args(%acc = %seven) -> (i32) {
    %a = loop.load %x[%k] : memref<8xi32>
    %c = arith.maxsi %acc, %a : i32
    loop.yield %c : i32
  }
  loop.store %s, %y[0] : memref<1xi32>
  return
}

// CHECK-LABEL: @difference
// CHECK: loop.for serial "k" %{{.*}} = 0 to 8 iter_args
// REMARK: remark: reduction 'k' not split: the carried value is not a sum, product, maximum or minimum
func.func private @difference(%x: memref<8xf32>, %y: memref<1xf32> {mlc.output}) {
  %zero = arith.constant 0.0 : f32
  %s = loop.for serial "k" %k = 0 to 8 iter_args(%acc = %zero) -> (f32) {
    %a = loop.load %x[%k] : memref<8xf32>
    %c = arith.subf %acc, %a : f32
    loop.yield %c : f32
  }
  loop.store %s, %y[0] : memref<1xf32>
  return
}

// CHECK-LABEL: @short
// CHECK: loop.for serial "k" %{{.*}} = 0 to 7 iter_args
// REMARK: remark: reduction 'k' not split: 7 iterations are fewer than two for each of 4 results
func.func private @short(%x: memref<7xf32>, %y: memref<1xf32> {mlc.output}) {
  %zero = arith.constant 0.0 : f32
  %s = loop.for serial "k" %k = 0 to 7 iter_args(%acc = %zero) -> (f32) {
    %a = loop.load %x[%k] : memref<7xf32>
    %c = arith.addf %acc, %a : f32
    loop.yield %c : f32
  }
  loop.store %s, %y[0] : memref<1xf32>
  return
}

// A running sum is stored: its order is what counts.
// CHECK-LABEL: @prefix_sum
// CHECK: loop.for serial "k" %{{.*}} = 0 to 16 iter_args(%{{.*}} = %{{.*}}) -> (f32) {
// REMARK: remark: reduction 'k' not split: partial results of it are used
func.func private @prefix_sum(%x: memref<16xf32>, %y: memref<16xf32> {mlc.output}) {
  %zero = arith.constant 0.0 : f32
  %s = loop.for serial "k" %k = 0 to 16 iter_args(%acc = %zero) -> (f32) {
    %a = loop.load %x[%k] : memref<16xf32>
    %c = arith.addf %acc, %a : f32
    loop.store %c, %y[%k] : memref<16xf32>
    loop.yield %c : f32
  }
  return
}

// Stores of anything else keep their order.
// CHECK-LABEL: @with_stores
// CHECK: loop.for serial "k" %{{.*}} = 0 to 16 step 4
func.func private @with_stores(%x: memref<16xf32>, %y: memref<17xf32> {mlc.output}, %z: memref<1xf32> {mlc.output}) {
  %zero = arith.constant 0.0 : f32
  loop.store %zero, %y[0] : memref<17xf32>
  %s = loop.for serial "k" %k = 0 to 16 iter_args(%acc = %zero) -> (f32) {
    %a = loop.load %x[%k] : memref<16xf32>
    %b = loop.load %y[%k] : memref<17xf32>
    %d = arith.subf %a, %b : f32
    loop.store %d, %y[%k + 1] : memref<17xf32>
    %c = arith.addf %acc, %d : f32
    loop.yield %c : f32
  }
  loop.store %s, %z[0] : memref<1xf32>
  return
}
