// RUN: mlc-opt %s --unroll="loops=mi limit=2" | filecheck %s

// What is the same in all copies is there once: a load, and what is computed from it. A load at a place that was computed
// from something else in each copy is not, nor is a buffer, which each iteration has for itself.
// CHECK-LABEL: @shared
// CHECK-NEXT: arith.constant 7 : index
// CHECK-NEXT: %[[W:.*]] = loop.load %w[3]
// CHECK-NEXT: %[[TWICE:.*]] = arith.addf %[[W]], %[[W]]
// CHECK-NEXT: %[[B0:.*]] = memref.alloc
// CHECK-NEXT: %[[B1:.*]] = memref.alloc
// CHECK-NEXT: loop.store %[[TWICE]], %[[B0]][0]
// CHECK-NEXT: loop.store %[[TWICE]], %[[B1]][0]
// CHECK-NEXT: %[[N0:.*]] = loop.load %i[0]
// CHECK-NEXT: %[[N1:.*]] = loop.load %i[1]
// CHECK-NEXT: %[[I0:.*]] = arith.andi %[[N0]]
// CHECK-NEXT: %[[I1:.*]] = arith.andi %[[N1]]
// CHECK-NEXT: %[[A0:.*]] = loop.load %w[%[[I0]]]
// CHECK-NEXT: %[[A1:.*]] = loop.load %w[%[[I1]]]
// CHECK-NEXT: loop.store %[[A0]], %y[0]
// CHECK-NEXT: loop.store %[[A1]], %y[1]
// CHECK-NEXT: %[[Z0:.*]] = loop.load %[[B0]][0]
// CHECK-NEXT: %[[Z1:.*]] = loop.load %[[B1]][0]
// CHECK-NEXT: loop.store %[[Z0]], %z[0]
// CHECK-NEXT: loop.store %[[Z1]], %z[1]
// CHECK-NEXT: return
func.func private @shared(%w: memref<8xf32>, %i: memref<2xindex>, %y: memref<2xf32> {mlc.output},
                          %z: memref<2xf32> {mlc.output}) {
  %seven = arith.constant 7 : index
  loop.for parallel "mi" %m = 0 to 2 {
    %a = loop.load %w[3] : memref<8xf32>
    %b = arith.addf %a, %a : f32
    %t = memref.alloc() : memref<1xf32>
    loop.store %b, %t[0] : memref<1xf32>
    %n = loop.load %i[%m] : memref<2xindex>
    %low = arith.andi %n, %seven : index
    %c = loop.load %w[%low] : memref<8xf32>
    loop.store %c, %y[%m] : memref<2xf32>
    %d = loop.load %t[0] : memref<1xf32>
    loop.store %d, %z[%m] : memref<2xf32>
  }
  return
}

// The loop inside keeps its bounds; each copy has both of its values, next to each other, and its own number.
// CHECK-LABEL: @two_values
// CHECK: %[[S0:.*]], %[[P0:.*]], %[[S1:.*]], %[[P1:.*]] = loop.for serial "k" %{{.*}} = 1 to 8 step 3 iter_args(
// CHECK-SAME: %[[A:.*]] = %zero, %[[B:.*]] = %one, %[[C:.*]] = %zero, %[[D:.*]] = %one)
// CHECK: %[[A1:.*]] = arith.addf %[[A]]
// CHECK: %[[C1:.*]] = arith.addf %[[C]]
// CHECK: %[[B1:.*]] = arith.mulf %[[B]]
// CHECK: %[[D1:.*]] = arith.mulf %[[D]]
// CHECK: loop.yield %[[A1]], %[[B1]], %[[C1]], %[[D1]]
// CHECK: loop.store %[[S0]], %y[4, 0]
// CHECK-NEXT: loop.store %[[S1]], %y[7, 0]
// CHECK-NEXT: loop.store %[[P0]], %y[4, 1]
// CHECK-NEXT: loop.store %[[P1]], %y[7, 1]
// CHECK: arith.constant 4 : index
// CHECK: arith.constant 7 : index
func.func private @two_values(%x: memref<8x8xf32>, %y: memref<8x3xf32> {mlc.output}) {
  loop.for parallel "mi" %m = 4 to 10 step 3 {
    %zero = arith.constant 0.0 : f32
    %one = arith.constant 1.0 : f32
    %s, %p = loop.for serial "k" %k = 1 to 8 step 3 iter_args(%acc = %zero, %all = %one) -> (f32, f32) {
      %a = loop.load %x[%m, %k] : memref<8x8xf32>
      %next = arith.addf %acc, %a : f32
      %product = arith.mulf %all, %a : f32
      loop.yield %next, %product : f32, f32
    }
    loop.store %s, %y[%m, 0] : memref<8x3xf32>
    loop.store %p, %y[%m, 1] : memref<8x3xf32>
    %i = arith.index_cast %m : index to i64
    %f = arith.sitofp %i : i64 to f32
    loop.store %f, %y[%m, 2] : memref<8x3xf32>
  }
  return
}

// One iteration more than the limit.
// CHECK-LABEL: @too_long
// CHECK: loop.for parallel "mi" %{{.*}} = 0 to 3 {
func.func private @too_long(%y: memref<3xf32> {mlc.output}) {
  %one = arith.constant 1.0 : f32
  loop.for parallel "mi" %m = 0 to 3 {
    loop.store %one, %y[%m] : memref<3xf32>
  }
  return
}
