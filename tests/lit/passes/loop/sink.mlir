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

// A load passes a loop that writes elsewhere, and stays in front of one that writes where it reads.
// CHECK-LABEL: @over_loops
// CHECK: loop.for serial "k"
// CHECK: loop.yield
// CHECK: loop.load %y[0]
// CHECK-NEXT: loop.for parallel "n"
// CHECK: loop.load %mask[0]
// CHECK-NEXT: arith.mulf
func.func private @over_loops(%mask: memref<4xf32>, %x: memref<4xf32>, %y: memref<4xf32> {mlc.output}, %z: memref<1xf32> {mlc.output}) {
  %zero = arith.constant 0.0 : f32
  loop.store %zero, %y[0] : memref<4xf32>
  %m = loop.load %mask[0] : memref<4xf32>
  %old = loop.load %y[0] : memref<4xf32>
  %s = loop.for serial "k" %k = 0 to 4 iter_args(%acc = %zero) -> (f32) {
    %a = loop.load %x[%k] : memref<4xf32>
    %c = arith.addf %acc, %a : f32
    loop.yield %c : f32
  }
  loop.for parallel "n" %n = 0 to 4 {
    loop.store %s, %y[%n] : memref<4xf32>
  }
  %t = arith.mulf %s, %m : f32
  %u = arith.addf %t, %old : f32
  loop.store %u, %z[0] : memref<1xf32>
  return
}

// A load stays in front of a call, and of a loop with one: it may write anything.
// CHECK-LABEL: @calls
// CHECK: %[[A:.*]] = loop.load %x[0]
// CHECK-NEXT: func.call @clear(%x)
// CHECK-NEXT: %[[B:.*]] = loop.load %x[1]
// CHECK-NEXT: loop.for serial "k"
// CHECK-NEXT: func.call @clear(%x)
// CHECK: arith.addf %[[A]], %[[B]]
func.func private @calls(%x: memref<2xf32> {mlc.output}, %y: memref<1xf32> {mlc.output}) {
  %a = loop.load %x[0] : memref<2xf32>
  func.call @clear(%x) : (memref<2xf32>) -> ()
  %b = loop.load %x[1] : memref<2xf32>
  loop.for serial "k" %k = 0 to 2 {
    func.call @clear(%x) : (memref<2xf32>) -> ()
  }
  %s = arith.addf %a, %b : f32
  loop.store %s, %y[0] : memref<1xf32>
  return
}
func.func private @clear(%x: memref<2xf32> {mlc.output}) {
  %one = arith.constant 1.0 : f32
  loop.for parallel "n" %n = 0 to 2 {
    loop.store %one, %x[%n] : memref<2xf32>
  }
  return
}
