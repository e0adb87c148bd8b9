// RUN: mlc-opt %s --transpose-loads | filecheck %s
// RUN: mlc-opt %s --apply-schedule --transpose-loads | filecheck %s --check-prefix=SCHEDULED

// Four columns of four rows: rows, then two rounds of interleaving.
// CHECK-LABEL: @block
// CHECK: %[[R0:.*]] = loop.load %x[0, 1] : memref<4x6xf32>, vector<4xf32>
// CHECK-NEXT: %[[R1:.*]] = loop.load %x[1, 1] : memref<4x6xf32>, vector<4xf32>
// CHECK-NEXT: %[[R2:.*]] = loop.load %x[2, 1] : memref<4x6xf32>, vector<4xf32>
// CHECK-NEXT: %[[R3:.*]] = loop.load %x[3, 1] : memref<4x6xf32>, vector<4xf32>
// CHECK-NEXT: %[[A:.*]] = vector.shuffle %[[R0]], %[[R2]] [0, 4, 1, 5]
// CHECK-NEXT: %[[C:.*]] = vector.shuffle %[[R0]], %[[R2]] [2, 6, 3, 7]
// CHECK-NEXT: %[[B:.*]] = vector.shuffle %[[R1]], %[[R3]] [0, 4, 1, 5]
// CHECK-NEXT: %[[D:.*]] = vector.shuffle %[[R1]], %[[R3]] [2, 6, 3, 7]
// CHECK-NEXT: %[[C0:.*]] = vector.shuffle %[[A]], %[[B]] [0, 4, 1, 5]
// CHECK-NEXT: %[[C1:.*]] = vector.shuffle %[[A]], %[[B]] [2, 6, 3, 7]
// CHECK-NEXT: %[[C2:.*]] = vector.shuffle %[[C]], %[[D]] [0, 4, 1, 5]
// CHECK-NEXT: %[[C3:.*]] = vector.shuffle %[[C]], %[[D]] [2, 6, 3, 7]
// CHECK-NEXT: loop.store %[[C3]], %y[3, 0]
// CHECK-NEXT: loop.store %[[C0]], %y[0, 0]
// CHECK-NEXT: loop.store %[[C1]], %y[1, 0]
// CHECK-NEXT: loop.store %[[C2]], %y[2, 0]
func.func private @block(%x: memref<4x6xf32>, %y: memref<4x4xf32> {mlc.output}) {
  %d = loop.load %x[0, 4] along 0 : memref<4x6xf32>, vector<4xf32>
  loop.store %d, %y[3, 0] : memref<4x4xf32>, vector<4xf32>
  %a = loop.load %x[0, 1] along 0 : memref<4x6xf32>, vector<4xf32>
  loop.store %a, %y[0, 0] : memref<4x4xf32>, vector<4xf32>
  %b = loop.load %x[0, 2] along 0 : memref<4x6xf32>, vector<4xf32>
  loop.store %b, %y[1, 0] : memref<4x4xf32>, vector<4xf32>
  %c = loop.load %x[0, 3] along 0 : memref<4x6xf32>, vector<4xf32>
  loop.store %c, %y[2, 0] : memref<4x4xf32>, vector<4xf32>
  return
}

// Two rows of a vector of eight: what is short is joined first, and three columns are four of which one is not needed.
// CHECK-LABEL: @narrow
// CHECK-COUNT-6: loop.load %{{.*}}[{{[0-9]*}}, 0] active 3 : memref<11x3xf32>, vector<4xf32>
// CHECK: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : vector<4xf32>
// CHECK-NEXT: vector.shuffle %{{.*}}, %{{.*}} [0, 1, 2, 3, 4, 5, 6, 7] : vector<4xf32>, vector<4xf32>
// CHECK-NEXT: vector.shuffle %{{.*}}, %{{.*}} [0, 1, 2, 3, 4, 5, 6, 7] : vector<4xf32>, vector<4xf32>
// CHECK-NEXT: vector.shuffle %{{.*}}, %[[ZERO]] [0, 1, 2, 3, 4, 5, 6, 7] : vector<4xf32>, vector<4xf32>
// CHECK-NEXT: vector.shuffle %{{.*}}, %[[ZERO]] [0, 1, 2, 3, 4, 5, 6, 7] : vector<4xf32>, vector<4xf32>
// CHECK-NEXT: vector.shuffle %{{.*}}, %{{.*}} [0, 8, 1, 9, 4, 12, 5, 13] : vector<8xf32>, vector<8xf32>
// CHECK-NOT: loop.load
func.func private @narrow(%x: memref<11x3xf32>, %y: memref<3x6xf32> {mlc.output}) {
  %a = loop.load %x[0, 0] along 0 stride 2 active 6 : memref<11x3xf32>, vector<8xf32>
  %b = loop.load %x[0, 1] along 0 stride 2 active 6 : memref<11x3xf32>, vector<8xf32>
  %c = loop.load %x[0, 2] along 0 stride 2 active 6 : memref<11x3xf32>, vector<8xf32>
  loop.store %a, %y[0, 0] active 6 : memref<3x6xf32>, vector<8xf32>
  loop.store %b, %y[1, 0] active 6 : memref<3x6xf32>, vector<8xf32>
  loop.store %c, %y[2, 0] active 6 : memref<3x6xf32>, vector<8xf32>
  return
}

// Columns without a neighbour, columns of i1, and columns with a write to the buffer between them.
// CHECK-LABEL: @kept
// CHECK-COUNT-6: along 0
// CHECK-NOT: vector.shuffle
// CHECK: return
func.func private @kept(%x: memref<4x4xf32> {mlc.output}, %m: memref<4x4xi1>, %y: memref<4xf32> {mlc.output}, %z: memref<4xi1> {mlc.output}) {
  %a = loop.load %x[0, 0] along 0 : memref<4x4xf32>, vector<4xf32>
  %c = loop.load %x[0, 2] along 0 : memref<4x4xf32>, vector<4xf32>
  loop.store %a, %x[3, 0] : memref<4x4xf32>, vector<4xf32>
  %d = loop.load %x[0, 3] along 0 : memref<4x4xf32>, vector<4xf32>
  %s = arith.addf %c, %d : vector<4xf32>
  loop.store %s, %y[0] : memref<4xf32>, vector<4xf32>
  %i = loop.load %m[0, 0] along 0 : memref<4x4xi1>, vector<4xi1>
  %j = loop.load %m[0, 1] along 0 : memref<4x4xi1>, vector<4xi1>
  %e = loop.load %m[0, 0] along 0 stride 2 : memref<4x4xi1>, vector<2xi1>
  %k = arith.andi %i, %j : vector<4xi1>
  loop.store %k, %z[0] : memref<4xi1>, vector<4xi1>
  loop.store %e, %z[0] : memref<4xi1>, vector<2xi1>
  return
}

// What schedules make: blocks of 4 x 4, and smaller ones at the edges.
// SCHEDULED-LABEL: @transpose
// SCHEDULED-NOT: along
// SCHEDULED: return
func.func private @transpose(%x: memref<11x7xf32>, %y: memref<7x11xf32> {mlc.output}) attributes {
  schedule = #loop.schedule<[tile(m, 4), tile(n, 4), interchange(m, n, mi, ni), vectorize(ni, 4), unroll(mi)]>
} {
  loop.for parallel "m" %m = 0 to 7 {
    loop.for parallel "n" %n = 0 to 11 {
      %a = loop.load %x[%n, %m] : memref<11x7xf32>
      loop.store %a, %y[%m, %n] : memref<7x11xf32>
    }
  }
  return
}

// Shuffles halve vectors, so vectors of five stay what they are.
// CHECK-LABEL: @five
// CHECK: loop.load %x[0, 0] along 0 : memref<5x2xf32>, vector<5xf32>
// CHECK: loop.load %x[0, 1] along 0 : memref<5x2xf32>, vector<5xf32>
func.func private @five(%x: memref<5x2xf32>, %y: memref<5xf32> {mlc.output}) {
  %a = loop.load %x[0, 0] along 0 : memref<5x2xf32>, vector<5xf32>
  %b = loop.load %x[0, 1] along 0 : memref<5x2xf32>, vector<5xf32>
  %c = arith.addf %a, %b : vector<5xf32>
  loop.store %c, %y[0] : memref<5xf32>, vector<5xf32>
  return
}
