// RUN: mlc-opt %s --forward-stores --check-each | filecheck %s

// Lanes that are not active read as 0, whatever was stored: such a load is not what was stored. Nor are other lanes.
// CHECK-LABEL: @lanes
// CHECK: %[[V:.*]] = loop.load %x[0]
// CHECK: %[[S:.*]] = loop.load %t[0] active 3
// CHECK-NEXT: loop.store %[[S]], %y[0]
// CHECK: %[[C:.*]] = loop.load %t[8] stride 2
// CHECK-NEXT: loop.store %[[C]], %y[8]
func.func private @lanes(%x: memref<4xf32>, %y: memref<16xf32> {mlc.output}) {
  %t = memref.alloc() : memref<16xf32>
  %zero = arith.constant 0.0 : f32
  loop.for parallel "n" %n = 0 to 16 {
    loop.store %zero, %t[%n] : memref<16xf32>
    loop.store %zero, %y[%n] : memref<16xf32>
  }
  %v = loop.load %x[0] : memref<4xf32>, vector<4xf32>
  loop.store %v, %t[0] active 3 : memref<16xf32>, vector<4xf32>
  %a = loop.load %t[0] active 3 : memref<16xf32>, vector<4xf32>
  loop.store %a, %y[0] : memref<16xf32>, vector<4xf32>
  loop.store %v, %t[8] : memref<16xf32>, vector<4xf32>
  %c = loop.load %t[8] stride 2 : memref<16xf32>, vector<4xf32>
  loop.store %c, %y[8] : memref<16xf32>, vector<4xf32>
  return
}

// Another place that may be the same, in front of the load: what is stored last is known, what was before is not.
// CHECK-LABEL: @may_be_there
// CHECK: loop.for parallel "n"
// CHECK: loop.store %b, %t[%low]
// CHECK-NEXT: %[[A:.*]] = loop.load %t[0]
// CHECK-NEXT: loop.store %[[A]], %y[%n, 0]
// CHECK-NEXT: loop.store %b, %y[%n, 1]
func.func private @may_be_there(%x: memref<8xf32>, %i: memref<8xindex>, %y: memref<8x2xf32> {mlc.output}) {
  %one = arith.constant 1 : index
  loop.for parallel "n" %n = 0 to 8 {
    %t = memref.alloc() : memref<2xf32>
    %a = loop.load %x[0] : memref<8xf32>
    %b = loop.load %x[%n] : memref<8xf32>
    %m = loop.load %i[%n] : memref<8xindex>
    %low = arith.andi %m, %one : index
    loop.store %a, %t[0] : memref<2xf32>
    loop.store %b, %t[%low] : memref<2xf32>
    %c = loop.load %t[0] : memref<2xf32>
    loop.store %c, %y[%n, 0] : memref<8x2xf32>
    %d = loop.load %t[%low] : memref<2xf32>
    loop.store %d, %y[%n, 1] : memref<8x2xf32>
  }
  return
}

// A call may write to it; so may one inside a loop. What a loop stores is not known behind it.
// CHECK-LABEL: @calls
// CHECK: func.call @clear(%t)
// CHECK-NEXT: loop.load %t[0]
// CHECK: func.call @clear(%t)
// CHECK: loop.load %t[1]
// CHECK: loop.for serial "n"
// CHECK: loop.load %t[2]
func.func private @calls(%x: memref<4xf32>, %y: memref<4xf32> {mlc.output}) {
  %t = memref.alloc() : memref<4xf32>
  %a = loop.load %x[0] : memref<4xf32>
  loop.store %a, %t[0] : memref<4xf32>
  func.call @clear(%t) : (memref<4xf32>) -> ()
  %b = loop.load %t[0] : memref<4xf32>
  loop.store %b, %y[0] : memref<4xf32>
  loop.store %a, %t[1] : memref<4xf32>
  loop.for serial "k" %k = 0 to 2 {
    func.call @clear(%t) : (memref<4xf32>) -> ()
  }
  %c = loop.load %t[1] : memref<4xf32>
  loop.store %c, %y[1] : memref<4xf32>
  loop.for serial "n" %n = 2 to 4 {
    %e = loop.load %x[%n] : memref<4xf32>
    loop.store %e, %t[2] : memref<4xf32>
    loop.store %e, %y[%n] : memref<4xf32>
  }
  %d = loop.load %t[2] : memref<4xf32>
  loop.store %d, %y[3] : memref<4xf32>
  return
}
func.func private @clear(%t: memref<4xf32> {mlc.output}) {
  %zero = arith.constant 0.0 : f32
  loop.for parallel "n" %n = 0 to 4 {
    loop.store %zero, %t[%n] : memref<4xf32>
  }
  return
}

// What is stored in an iteration is known up to its end, no longer.
// CHECK-LABEL: @inside
// CHECK: loop.for serial "k"
// CHECK: loop.store %[[A:.*]], %t[0]
// CHECK-NEXT: loop.store %[[A]], %y[%k]
// CHECK: loop.load %t[0]
// CHECK-NEXT: loop.store %{{.*}}, %y[4]
func.func private @inside(%x: memref<4xf32>, %y: memref<5xf32> {mlc.output}) {
  %t = memref.alloc() : memref<1xf32>
  loop.for serial "k" %k = 0 to 4 {
    %a = loop.load %x[%k] : memref<4xf32>
    loop.store %a, %t[0] : memref<1xf32>
    %b = loop.load %t[0] : memref<1xf32>
    loop.store %b, %y[%k] : memref<5xf32>
  }
  %c = loop.load %t[0] : memref<1xf32>
  loop.store %c, %y[4] : memref<5xf32>
  return
}

// A buffer that is read through a view, and one that is passed on, are read.
// CHECK-LABEL: @read
// CHECK: memref.alloc
// CHECK: loop.store %{{.*}}, %t[0]
// CHECK: loop.load %v[0, 0]
// CHECK: loop.store %{{.*}}, %u[0]
// CHECK: func.call @clear(%u)
func.func private @read(%x: memref<4xf32>, %y: memref<1xf32> {mlc.output}) {
  %t = memref.alloc() : memref<4xf32>
  %v = memref.reinterpret_cast %t to offset: [0], sizes: [2, 2], strides: [2, 1] : memref<4xf32> to memref<2x2xf32>
  %a = loop.load %x[0] : memref<4xf32>
  loop.store %a, %t[0] : memref<4xf32>
  %b = loop.load %v[0, 0] : memref<2x2xf32>
  loop.store %b, %y[0] : memref<1xf32>
  %u = memref.alloc() : memref<4xf32>
  loop.store %a, %u[0] : memref<4xf32>
  func.call @clear(%u) : (memref<4xf32>) -> ()
  return
}

// Of two subscripts that are no sums nothing is known, so they are not known to be the same place.
// CHECK-LABEL: @divided
// CHECK: loop.store %{{.*}}, %t[%{{.*}} floordiv 2]
// CHECK-NEXT: %[[A:.*]] = loop.load %t[%{{.*}} floordiv 4]
// CHECK-NEXT: loop.store %[[A]], %y
func.func private @divided(%x: memref<8xf32>, %y: memref<8xf32> {mlc.output}) {
  %t = memref.alloc() : memref<4xf32>
  %zero = arith.constant 0.0 : f32
  loop.for parallel "n" %n = 0 to 4 {
    loop.store %zero, %t[%n] : memref<4xf32>
  }
  loop.for serial "n" %n = 0 to 8 {
    %a = loop.load %x[%n] : memref<8xf32>
    loop.store %a, %t[%n floordiv 2] : memref<4xf32>
    %b = loop.load %t[%n floordiv 4] : memref<4xf32>
    loop.store %b, %y[%n] : memref<8xf32>
  }
  return
}
