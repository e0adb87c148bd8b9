// RUN: mlc-opt %s --forward-stores --check-each | filecheck %s

// A number and a vector stay in registers, also inside loops; the buffer is gone.
// CHECK-LABEL: @values
// CHECK-NOT: memref.alloc
// CHECK: %[[A:.*]] = loop.load %{{.*}}[3]
// CHECK-NEXT: %[[V:.*]] = loop.load %{{.*}}[4]
// CHECK-NEXT: loop.for parallel "n"
// CHECK-NEXT: loop.store %[[A]], %{{.*}}[%{{.*}}]
// CHECK: loop.store %[[V]], %{{.*}}[8]
func.func private @values(%x: memref<16xf32>, %y: memref<16xf32> {mlc.output}) {
  %t = memref.alloc() : memref<8xf32>
  %a = loop.load %x[3] : memref<16xf32>
  loop.store %a, %t[0] : memref<8xf32>
  %v = loop.load %x[4] : memref<16xf32>, vector<4xf32>
  loop.store %v, %t[4] : memref<8xf32>, vector<4xf32>
  loop.for parallel "n" %n = 0 to 8 {
    %b = loop.load %t[0] : memref<8xf32>
    loop.store %b, %y[%n] : memref<16xf32>
  }
  %w = loop.load %t[4] : memref<8xf32>, vector<4xf32>
  loop.store %w, %y[8] : memref<16xf32>, vector<4xf32>
  loop.for parallel "n" %n = 12 to 16 {
    loop.store %a, %y[%n] : memref<16xf32>
  }
  return
}

// The last store counts, wherever it is; a store elsewhere does no harm.
// CHECK-LABEL: @last
// CHECK: %[[A:.*]] = loop.load %{{.*}}[0]
// CHECK: %[[B:.*]] = loop.load %{{.*}}[1]
// CHECK: arith.addf %[[B]], %[[A]]
func.func private @last(%x: memref<2xf32>, %y: memref<1xf32> {mlc.output}) {
  %t = memref.alloc() : memref<2xf32>
  %a = loop.load %x[0] : memref<2xf32>
  %b = loop.load %x[1] : memref<2xf32>
  loop.store %a, %t[0] : memref<2xf32>
  loop.store %a, %t[1] : memref<2xf32>
  loop.store %b, %t[0] : memref<2xf32>
  %c = loop.load %t[0] : memref<2xf32>
  %d = loop.load %t[1] : memref<2xf32>
  %s = arith.addf %c, %d : f32
  loop.store %s, %y[0] : memref<1xf32>
  return
}

// In a loop that stores there, an iteration finds what the one before it has left.
// CHECK-LABEL: @carried
// CHECK: loop.store %{{.*}}, %[[T:.*]][0]
// CHECK: loop.for serial "n"
// CHECK-NEXT: loop.load %[[T]][0]
// CHECK: loop.store %{{.*}}, %[[T]][0]
// CHECK: loop.load %[[T]][0]
func.func private @carried(%x: memref<4xf32>, %y: memref<1xf32> {mlc.output}) {
  %t = memref.alloc() : memref<1xf32>
  %zero = arith.constant 0.0 : f32
  loop.store %zero, %t[0] : memref<1xf32>
  loop.for serial "n" %n = 0 to 4 {
    %a = loop.load %t[0] : memref<1xf32>
    %b = loop.load %x[%n] : memref<4xf32>
    %c = arith.addf %a, %b : f32
    loop.store %c, %t[0] : memref<1xf32>
  }
  %d = loop.load %t[0] : memref<1xf32>
  loop.store %d, %y[0] : memref<1xf32>
  return
}

// Part of a vector, a vector of which not all lanes are active, and a store that may go there.
// CHECK-LABEL: @other_places
// CHECK: loop.for parallel "m"
// CHECK-COUNT-3: loop.load %[[T:.*]][0
func.func private @other_places(%x: memref<4x4xf32>, %y: memref<4x12xf32> {mlc.output}) {
  loop.for parallel "m" %m = 0 to 4 {
    %t = memref.alloc() : memref<4xf32>
    %v = loop.load %x[%m, 0] : memref<4x4xf32>, vector<4xf32>
    loop.store %v, %t[0] : memref<4xf32>, vector<4xf32>
    %part = loop.load %t[0] : memref<4xf32>
    loop.store %part, %y[%m, 0] : memref<4x12xf32>
    %some = loop.load %t[0] active 3 : memref<4xf32>, vector<4xf32>
    loop.store %some, %y[%m, 1] : memref<4x12xf32>, vector<4xf32>
    loop.for serial "n" %n = 0 to 2 {
      loop.store %part, %t[%n] : memref<4xf32>
    }
    %w = loop.load %t[0] : memref<4xf32>, vector<4xf32>
    loop.store %w, %y[%m, 5] : memref<4x12xf32>, vector<4xf32>
    loop.for parallel "n" %n = 9 to 12 {
      loop.store %part, %y[%m, %n] : memref<4x12xf32>
    }
  }
  return
}

// Two views of one buffer: the second store is to the same elements.
// CHECK-LABEL: @views
// CHECK: loop.load %{{.*}}[0] : memref<4xf32>
func.func private @views(%x: memref<4xf32>, %y: memref<1xf32> {mlc.output}) {
  %t = memref.alloc() : memref<4xf32>
  %u = memref.reinterpret_cast %t to offset: [0], sizes: [2, 2], strides: [2, 1] : memref<4xf32> to memref<2x2xf32>
  %a = loop.load %x[0] : memref<4xf32>
  %b = loop.load %x[1] : memref<4xf32>
  loop.store %a, %t[0] : memref<4xf32>
  loop.store %b, %u[0, 0] : memref<2x2xf32>
  %c = loop.load %t[0] : memref<4xf32>
  loop.store %c, %y[0] : memref<1xf32>
  return
}
