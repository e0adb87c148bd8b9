// RUN: mlc-opt %s --sink --check-each | filecheck %s

// Loads and broadcasts go to their first reader; what reads several values stays.
// CHECK-LABEL: @rows
// CHECK: %[[A:.*]] = loop.load %x[0]
// CHECK-NEXT: %[[U:.*]] = vector.broadcast %[[A]]
// CHECK-NEXT: %[[S:.*]] = arith.addf %[[U]], %[[U]]
// CHECK-NEXT: %[[B:.*]] = loop.load %x[1]
// CHECK-NEXT: %[[V:.*]] = vector.broadcast %[[B]]
// CHECK-NEXT: %[[T:.*]] = arith.addf %[[V]], %[[V]]
func.func private @rows(%x: memref<2xf32>, %y: memref<8xf32> {mlc.output}) {
  %a = loop.load %x[0] : memref<2xf32>
  %b = loop.load %x[1] : memref<2xf32>
  %u = vector.broadcast %a : f32 to vector<4xf32>
  %v = vector.broadcast %b : f32 to vector<4xf32>
  %s = arith.addf %u, %u : vector<4xf32>
  %t = arith.addf %v, %v : vector<4xf32>
  loop.store %s, %y[0] : memref<8xf32>, vector<4xf32>
  loop.store %t, %y[4] : memref<8xf32>, vector<4xf32>
  return
}

// A load stays in front of a store.
// CHECK-LABEL: @swap
// CHECK: %[[A:.*]] = loop.load %x[0]
// CHECK-NEXT: %[[B:.*]] = loop.load %x[1]
// CHECK-NEXT: loop.store %[[B]], %x[0]
// CHECK-NEXT: loop.store %[[A]], %x[1]
func.func private @swap(%x: memref<2xf32> {mlc.output}) {
  %a = loop.load %x[0] : memref<2xf32>
  %b = loop.load %x[1] : memref<2xf32>
  loop.store %b, %x[0] : memref<2xf32>
  loop.store %a, %x[1] : memref<2xf32>
  return
}

// Nor does it go into a loop, where it would run more often.
// CHECK-LABEL: @outside
// CHECK: loop.load %x[0]
// CHECK-NEXT: loop.for
func.func private @outside(%x: memref<2xf32>, %y: memref<8xf32> {mlc.output}) {
  %a = loop.load %x[0] : memref<2xf32>
  loop.for parallel "n" %n = 0 to 8 {
    loop.store %a, %y[%n] : memref<8xf32>
  }
  return
}
