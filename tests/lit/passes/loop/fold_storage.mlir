// RUN: mlc-opt %s --fold-storage --check-each | filecheck %s

// One row of the buffer per iteration; the dim stays, with one element.
// CHECK-LABEL: @row
// CHECK-NEXT: loop.for parallel "m" %[[M:.*]] = 0 to 8 {
// CHECK-NEXT: %[[T:.*]] = memref.alloc() {alignment = 64 : i64} : memref<1x16xf32>
// CHECK: loop.store %{{.*}}, %[[T]][0, %{{.*}}] : memref<1x16xf32>
// CHECK: loop.load %[[T]][0, %{{.*}}] : memref<1x16xf32>
// CHECK: loop.store %{{.*}}, %{{.*}}[%[[M]], %{{.*}}] : memref<8x16xf32>
func.func private @row(%x: memref<8x16xf32>, %y: memref<8x16xf32> {mlc.output}) {
  %t = memref.alloc() {alignment = 64 : i64} : memref<8x16xf32>
  loop.for parallel "m" %m = 0 to 8 {
    loop.for parallel "n" %n = 0 to 16 {
      %a = loop.load %x[%m, %n] : memref<8x16xf32>
      loop.store %a, %t[%m, %n] : memref<8x16xf32>
    }
    loop.for parallel "n" %n = 0 to 16 {
      %a = loop.load %t[%m, 15 - %n] : memref<8x16xf32>
      loop.store %a, %y[%m, %n] : memref<8x16xf32>
    }
  }
  return
}

// Through two loops, where the parts are blocks of rows, counted from what is used of them.
// CHECK-LABEL: @blocks
// CHECK-NEXT: loop.for parallel "b"
// CHECK-NEXT: loop.for parallel "m"
// CHECK-NEXT: %[[T:.*]] = memref.alloc() : memref<1x2x16xf32>
// CHECK: loop.for parallel "mi" %[[MI:.*]] = 1 to 3 {
// CHECK: loop.store %{{.*}}, %[[T]][0, %[[MI]] - 1, 0] : memref<1x2x16xf32>, vector<16xf32>
// CHECK: loop.load %[[T]][0, 1, 0]
// CHECK: loop.load %[[T]][0, 0, 15]
func.func private @blocks(%x: memref<2x8x16xf32>, %y: memref<2x8x16xf32> {mlc.output}) {
  %t = memref.alloc() : memref<2x8x16xf32>
  loop.for parallel "b" %b = 0 to 2 {
    loop.for parallel "m" %m = 0 to 8 step 4 {
      loop.for parallel "mi" %i = 1 to 3 {
        %a = loop.load %x[%b, %m + %i, 0] : memref<2x8x16xf32>, vector<16xf32>
        loop.store %a, %t[%b, %m + %i, 0] : memref<2x8x16xf32>, vector<16xf32>
      }
      %v = loop.load %t[%b, %m + 2, 0] : memref<2x8x16xf32>, vector<16xf32>
      %last = loop.load %t[%b, %m + 1, 15] : memref<2x8x16xf32>
      %s = vector.broadcast %last : f32 to vector<16xf32>
      %w = arith.addf %v, %s : vector<16xf32>
      loop.for parallel "mi" %i = 0 to 4 {
        loop.store %w, %y[%b, %m + %i, 0] : memref<2x8x16xf32>, vector<16xf32>
      }
    }
  }
  return
}

// What iterations share: a row that is read twice, one that all read, one that is used outside of the loop (and of
// which the last row is not used).
// CHECK-LABEL: @shared
// CHECK-COUNT-2: memref.alloc() : memref<9x16xf32>
// CHECK-NEXT: memref.alloc() : memref<8x16xf32>
// CHECK-NOT: memref.alloc
// CHECK: return
func.func private @shared(%x: memref<9x16xf32>, %y: memref<8x16xf32> {mlc.output}) {
  %two = memref.alloc() : memref<9x16xf32>
  %all = memref.alloc() : memref<9x16xf32>
  %out = memref.alloc() : memref<9x16xf32>
  loop.for parallel "m" %m = 0 to 1 {
    loop.for serial "n" %n = 0 to 9 {
      %a = loop.load %x[%n, 0] : memref<9x16xf32>, vector<16xf32>
      loop.store %a, %two[%n + %m, 0] : memref<9x16xf32>, vector<16xf32>
      loop.store %a, %all[%n, 0] : memref<9x16xf32>, vector<16xf32>
    }
    loop.for parallel "mi" %i = 0 to 8 {
      %a = loop.load %two[%m + %i, 0] : memref<9x16xf32>, vector<16xf32>
      %b = loop.load %two[%m + %i + 1, 0] : memref<9x16xf32>, vector<16xf32>
      %c = loop.load %all[3, 0] : memref<9x16xf32>, vector<16xf32>
      %d = arith.addf %a, %b : vector<16xf32>
      %e = arith.addf %c, %d : vector<16xf32>
      loop.store %e, %out[%m + %i, 0] : memref<9x16xf32>, vector<16xf32>
    }
  }
  loop.for parallel "m" %m = 0 to 8 {
    %a = loop.load %out[%m, 0] : memref<9x16xf32>, vector<16xf32>
    loop.store %a, %y[%m, 0] : memref<8x16xf32>, vector<16xf32>
  }
  return
}

// A buffer that is passed on, one that is seen as another, and one of a serial loop, which may carry values in it.
// CHECK-LABEL: @escaping
// CHECK-COUNT-3: memref.alloc() : memref<8xf32>
// CHECK-NOT: memref.alloc
// CHECK: return
func.func private @escaping(%x: memref<8xf32>, %y: memref<8xf32> {mlc.output}) {
  %passed = memref.alloc() : memref<8xf32>
  %seen = memref.alloc() : memref<8xf32>
  %carried = memref.alloc() : memref<8xf32>
  loop.for serial "m" %m = 0 to 8 {
    %a = loop.load %x[%m] : memref<8xf32>
    loop.store %a, %carried[%m] : memref<8xf32>
    %b = loop.load %carried[%m] : memref<8xf32>
    loop.store %b, %y[%m] : memref<8xf32>
  }
  loop.for parallel "m" %m = 0 to 8 {
    %a = loop.load %x[%m] : memref<8xf32>
    loop.store %a, %seen[%m] : memref<8xf32>
    %v = memref.reinterpret_cast %seen to offset: [0], sizes: [2, 4], strides: [4, 1] : memref<8xf32> to memref<2x4xf32>
    func.call @read(%passed) : (memref<8xf32>) -> ()
  }
  return
}

func.func private @read(%x: memref<8xf32>) {
  %a = loop.load %x[0] : memref<8xf32>
  return
}

// A last row that fills no block of two has a buffer of its own.
// CHECK-LABEL: @odd
// CHECK: memref.alloc() : memref<1x4xf32>
// CHECK: loop.for parallel "m"
// CHECK-NEXT: memref.alloc() : memref<2x4xf32>
// CHECK-NOT: memref.alloc
func.func private @odd(%x: memref<5x4xf32>, %y: memref<5x4xf32> {mlc.output}) {
  %t = memref.alloc() : memref<5x4xf32>
  loop.for parallel "m" %m = 0 to 4 step 2 {
    loop.for parallel "mi" %i = 0 to 2 {
      %a = loop.load %x[%m + %i, 0] : memref<5x4xf32>, vector<4xf32>
      loop.store %a, %t[%m + %i, 0] : memref<5x4xf32>, vector<4xf32>
    }
    loop.for parallel "mi" %i = 0 to 2 {
      loop.for parallel "n" %n = 0 to 4 {
        %a = loop.load %t[%m + %i, 3 - %n] : memref<5x4xf32>
        loop.store %a, %y[%m + %i, %n] : memref<5x4xf32>
      }
    }
  }
  %a = loop.load %x[4, 0] : memref<5x4xf32>, vector<4xf32>
  loop.store %a, %t[4, 0] : memref<5x4xf32>, vector<4xf32>
  loop.for parallel "n" %n = 0 to 4 {
    %b = loop.load %t[4, 3 - %n] : memref<5x4xf32>
    loop.store %b, %y[4, %n] : memref<5x4xf32>
  }
  return
}
