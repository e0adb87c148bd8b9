// RUN: mlc-opt %s --fold-storage --check-each | filecheck %s

// Parts are as long as a step of the loop, times the factor of its counter: two elements of every four.
// CHECK-LABEL: @factor
// CHECK-NEXT: loop.for parallel "m" %[[M:.*]] = 0 to 8 step 2 {
// CHECK-NEXT: %[[T:.*]] = memref.alloc() : memref<4xf32>
// CHECK: loop.store %{{.*}}, %[[T]][%{{.*}}]
// CHECK: loop.load %[[T]][%{{.*}} * (-1) + 3]
func.func private @factor(%x: memref<16xf32>, %y: memref<16xf32> {mlc.output}) {
  %t = memref.alloc() : memref<16xf32>
  loop.for parallel "m" %m = 0 to 8 step 2 {
    loop.for parallel "n" %n = 0 to 4 {
      %a = loop.load %x[%m * 2 + %n] : memref<16xf32>
      loop.store %a, %t[%m * 2 + %n] : memref<16xf32>
    }
    loop.for parallel "n" %n = 0 to 4 {
      %a = loop.load %t[%m * 2 - %n + 3] : memref<16xf32>
      loop.store %a, %y[%m * 2 + %n] : memref<16xf32>
    }
  }
  return
}

// One element more than a step would be shared with a next iteration; so would one that the last lane reaches. (There is
// no next one here: the loop would not be parallel.) Different factors are different parts.
// CHECK-LABEL: @overlapping
// CHECK: memref.alloc() : memref<3xf32>
// CHECK-NEXT: loop.for parallel "m"
// CHECK-LABEL: @lanes
// CHECK: memref.alloc() : memref<4xf32>
// CHECK-NEXT: loop.for parallel "m"
// CHECK-LABEL: @two_factors
// CHECK-NEXT: memref.alloc() : memref<1xf32>
// CHECK-NEXT: loop.for parallel "m"
func.func private @overlapping(%x: memref<9xf32>, %y: memref<2xf32> {mlc.output}) {
  %t = memref.alloc() : memref<9xf32>
  loop.for parallel "m" %m = 0 to 2 step 2 {
    loop.for parallel "n" %n = 0 to 3 {
      %a = loop.load %x[%m + %n] : memref<9xf32>
      loop.store %a, %t[%m + %n] : memref<9xf32>
    }
    %b = loop.load %t[%m] : memref<9xf32>
    loop.store %b, %y[%m] : memref<2xf32>
    loop.store %b, %y[%m + 1] : memref<2xf32>
  }
  return
}
func.func private @lanes(%x: memref<10xf32>, %y: memref<2xf32> {mlc.output}) {
  %t = memref.alloc() : memref<10xf32>
  loop.for parallel "m" %m = 0 to 2 step 2 {
    %a = loop.load %x[%m] : memref<10xf32>, vector<4xf32>
    loop.store %a, %t[%m] : memref<10xf32>, vector<4xf32>
    %b = loop.load %t[%m] : memref<10xf32>
    loop.store %b, %y[%m] : memref<2xf32>
    loop.store %b, %y[%m + 1] : memref<2xf32>
  }
  return
}
func.func private @two_factors(%x: memref<16xf32>, %y: memref<8x2xf32> {mlc.output}) {
  %t = memref.alloc() : memref<15xf32>
  loop.for parallel "m" %m = 0 to 1 {
    %a = loop.load %x[%m] : memref<16xf32>
    loop.store %a, %t[%m * 14] : memref<15xf32>
    %b = loop.load %t[%m * 2] : memref<15xf32>
    loop.store %b, %y[%m, 0] : memref<8x2xf32>
    loop.for parallel "n" %n = 0 to 7 {
      loop.store %b, %y[%m + %n + 1, 0] : memref<8x2xf32>
    }
    loop.for parallel "n" %n = 0 to 8 {
      loop.store %b, %y[%m + %n, 1] : memref<8x2xf32>
    }
  }
  return
}

// Parts that nobody uses go, in front and behind, and what is left is counted from its start. Lanes are part of it.
// CHECK-LABEL: @unused
// CHECK-DAG: %[[T:.*]] = memref.alloc() : memref<5xf32>
// CHECK-DAG: %[[U:.*]] = memref.alloc() : memref<2xf32>
// CHECK: loop.store %{{.*}}, %[[T]][4]
// CHECK: loop.store %{{.*}}, %[[T]][0] : memref<5xf32>, vector<4xf32>
// CHECK: loop.load %[[T]][3]
// CHECK: loop.store %{{.*}}, %[[U]][0] : memref<2xf32>, vector<2xf32>
func.func private @unused(%x: memref<16xf32>, %y: memref<1xf32> {mlc.output}) {
  %t = memref.alloc() : memref<16xf32>
  %a = loop.load %x[0] : memref<16xf32>
  %v = loop.load %x[4] : memref<16xf32>, vector<4xf32>
  loop.for serial "k" %k = 0 to 2 {
    loop.store %a, %t[7] : memref<16xf32>
    loop.store %v, %t[3] : memref<16xf32>, vector<4xf32>
    %b = loop.load %t[6] : memref<16xf32>
    loop.store %b, %y[0] : memref<1xf32>
  }
  loop.for serial "k" %k = 0 to 2 {
    %v1 = loop.load %x[0] : memref<16xf32>, vector<2xf32>
    loop.store %v1, %t[9] : memref<16xf32>, vector<2xf32>
    %b = loop.load %t[9] : memref<16xf32>
    loop.store %b, %y[0] : memref<1xf32>
  }
  return
}

// Elements that meet in one are one buffer, whichever is met first.
// CHECK-LABEL: @neighbours
// CHECK-NEXT: memref.alloc() : memref<1xf32>
// CHECK-NEXT: memref.alloc() : memref<3xf32>
// CHECK-NOT: memref.alloc
// CHECK: return
func.func private @neighbours(%x: memref<16xf32>, %y: memref<2xf32> {mlc.output}) {
  %t = memref.alloc() : memref<16xf32>
  loop.for parallel "n" %n = 0 to 2 {
    %a = loop.load %x[%n] : memref<16xf32>
    loop.store %a, %t[%n + 4] : memref<16xf32>
  }
  loop.for serial "n" %n = 0 to 2 {
    %a = loop.load %t[%n + 4] : memref<16xf32>
    loop.store %a, %t[6] : memref<16xf32>
    %b = loop.load %t[6] : memref<16xf32>
    loop.store %b, %y[%n] : memref<2xf32>
  }
  %c = loop.load %x[3] : memref<16xf32>
  loop.store %c, %t[9] : memref<16xf32>
  %d = loop.load %t[9] : memref<16xf32>
  loop.store %d, %y[0] : memref<2xf32>
  return
}

// Where a subscript is not known, all of the buffer is used.
// CHECK-LABEL: @unknown
// CHECK: memref.alloc() : memref<8xf32>
func.func private @unknown(%x: memref<8xf32>, %i: memref<1xindex>, %y: memref<1xf32> {mlc.output}) {
  %seven = arith.constant 7 : index
  %t = memref.alloc() : memref<8xf32>
  loop.for parallel "n" %n = 0 to 8 {
    %a = loop.load %x[%n] : memref<8xf32>
    loop.store %a, %t[%n] : memref<8xf32>
  }
  %n = loop.load %i[0] : memref<1xindex>
  %low = arith.andi %n, %seven : index
  %b = loop.load %t[%low] : memref<8xf32>
  loop.store %b, %y[0] : memref<1xf32>
  return
}

// A part reaches from the least subscript of an iteration to the greatest one, wherever these stand among the others.
// CHECK-LABEL: @between
// CHECK-NEXT: loop.for parallel "m"
// CHECK-NEXT: memref.alloc() : memref<3xf32>
// CHECK: loop.store %{{.*}}, %t[1]
// CHECK: loop.store %{{.*}}, %t[0]
// CHECK: loop.store %{{.*}}, %t[2]
// CHECK: loop.load %t[1]
func.func private @between(%x: memref<8xf32>, %y: memref<8x2xf32> {mlc.output}) {
  %t = memref.alloc() : memref<8xf32>
  loop.for parallel "m" %m = 0 to 8 step 4 {
    %a = loop.load %x[%m] : memref<8xf32>
    loop.store %a, %t[%m + 2] : memref<8xf32>
    loop.store %a, %t[%m + 1] : memref<8xf32>
    loop.store %a, %t[%m + 3] : memref<8xf32>
    %b = loop.load %t[%m + 2] : memref<8xf32>
    loop.for parallel "n" %n = 0 to 4 {
      loop.store %b, %y[%m + %n, 0] : memref<8x2xf32>
      loop.store %b, %y[%m + %n, 1] : memref<8x2xf32>
    }
  }
  return
}

// Loops that use different halves get a buffer each, whichever half comes first.
// CHECK-LABEL: @halves
// CHECK: memref.alloc() : memref<4xf32>
// CHECK: memref.alloc() : memref<4xf32>
// CHECK-LABEL: @halves_swapped
// CHECK: memref.alloc() : memref<4xf32>
// CHECK: memref.alloc() : memref<4xf32>
func.func private @halves(%y: memref<2x4xf32> {mlc.output}) {
  %one = arith.constant 1.0 : f32
  %t = memref.alloc() : memref<8xf32>
  loop.for serial "n" %n = 0 to 4 {
    loop.store %one, %t[%n] : memref<8xf32>
    %a = loop.load %t[%n] : memref<8xf32>
    loop.store %a, %y[0, %n] : memref<2x4xf32>
  }
  loop.for serial "n" %n = 0 to 4 {
    loop.store %one, %t[%n + 4] : memref<8xf32>
    %a = loop.load %t[%n + 4] : memref<8xf32>
    loop.store %a, %y[1, %n] : memref<2x4xf32>
  }
  return
}
func.func private @halves_swapped(%y: memref<2x4xf32> {mlc.output}) {
  %one = arith.constant 1.0 : f32
  %t = memref.alloc() : memref<8xf32>
  loop.for serial "n" %n = 0 to 4 {
    loop.store %one, %t[%n + 4] : memref<8xf32>
    %a = loop.load %t[%n + 4] : memref<8xf32>
    loop.store %a, %y[1, %n] : memref<2x4xf32>
  }
  loop.for serial "n" %n = 0 to 4 {
    loop.store %one, %t[%n] : memref<8xf32>
    %a = loop.load %t[%n] : memref<8xf32>
    loop.store %a, %y[0, %n] : memref<2x4xf32>
  }
  return
}

// Sets of accesses that overlap are one set, as wide as all of them: what lies within the wide one changes nothing, and
// the elements at its ends are not for somebody else.
// CHECK-LABEL: @ends
// CHECK-NEXT: memref.alloc() : memref<8xf32>
// CHECK-NOT: memref.alloc
// CHECK: return
func.func private @ends(%x: memref<8xf32>, %y: memref<3xf32> {mlc.output}) {
  %t = memref.alloc() : memref<8xf32>
  loop.for serial "n" %n = 3 to 5 {
    %a = loop.load %x[%n] : memref<8xf32>
    loop.store %a, %t[%n] : memref<8xf32>
  }
  loop.for serial "n" %n = 0 to 8 {
    %a = loop.load %x[%n] : memref<8xf32>
    loop.store %a, %t[%n] : memref<8xf32>
  }
  loop.for serial "n" %n = 3 to 5 {
    %a = loop.load %x[%n] : memref<8xf32>
    loop.store %a, %t[%n] : memref<8xf32>
  }
  %first = loop.load %t[0] : memref<8xf32>
  %last = loop.load %t[7] : memref<8xf32>
  loop.store %first, %y[0] : memref<3xf32>
  loop.store %last, %y[1] : memref<3xf32>
  %middle = loop.load %t[4] : memref<8xf32>
  loop.store %middle, %y[2] : memref<3xf32>
  return
}

// What lies between two parts that are one, but in neither, stays a part of its own: the corner of a square whose other
// three quarters are used by a row and a column that cross.
// CHECK-LABEL: @corner
// CHECK-NEXT: %[[CORNER:.*]] = memref.alloc() : memref<1x1xf32>
// CHECK-NEXT: %[[CROSS:.*]] = memref.alloc() : memref<2x4xf32>
// CHECK: loop.store %{{.*}}, %[[CROSS]][1, %{{.*}}]
// CHECK: loop.store %{{.*}}, %[[CORNER]][0, 0]
// CHECK: loop.store %{{.*}}, %[[CROSS]][%{{.*}}, 2]
// CHECK: return
func.func private @corner(%x: memref<8xf32>, %y: memref<3xf32> {mlc.output}) {
  %t = memref.alloc() : memref<4x8xf32>
  loop.for parallel "n" %n = 0 to 4 {
    %a = loop.load %x[%n] : memref<8xf32>
    loop.store %a, %t[1, %n] : memref<4x8xf32>
  }
  loop.for serial "n" %n = 0 to 2 {
    %a = loop.load %x[%n] : memref<8xf32>
    loop.store %a, %t[0, 0] : memref<4x8xf32>
    %b = loop.load %t[0, 0] : memref<4x8xf32>
    loop.store %b, %y[0] : memref<3xf32>
  }
  loop.for parallel "m" %m = 0 to 2 {
    %a = loop.load %x[%m] : memref<8xf32>
    loop.store %a, %t[%m, 2] : memref<4x8xf32>
  }
  %c = loop.load %t[1, 3] : memref<4x8xf32>
  loop.store %c, %y[1] : memref<3xf32>
  %d = loop.load %t[0, 2] : memref<4x8xf32>
  loop.store %d, %y[2] : memref<3xf32>
  return
}

// -----

// The rows that blocks leave over have a buffer of their own in a loop, too: here in that over heads.
// CHECK-LABEL: func.func private @blocks_of_heads
// CHECK: loop.for parallel "h"
// CHECK-DAG: memref.alloc() : memref<1x1xf32>
// CHECK: loop.for parallel "m"
// CHECK-NEXT: memref.alloc() : memref<1x2xf32>
// CHECK-NOT: memref.alloc
func.func private @blocks_of_heads(%x: memref<3x5xf32>, %y: memref<3x5xf32> {mlc.output}) {
  %t = memref.alloc() : memref<3x5xf32>
  loop.for parallel "h" %h = 0 to 3 {
    loop.for parallel "m" %m = 0 to 4 step 2 {
      loop.for parallel "mi" %mi = 0 to 2 {
        %a = loop.load %x[%h, %m + %mi] : memref<3x5xf32>
        loop.store %a, %t[%h, %m + %mi] : memref<3x5xf32>
      }
      loop.for parallel "mi" %mi = 0 to 2 {
        %a = loop.load %t[%h, %m + %mi] : memref<3x5xf32>
        loop.store %a, %y[%h, %m + %mi] : memref<3x5xf32>
      }
    }
    %b = loop.load %x[%h, 4] : memref<3x5xf32>
    loop.store %b, %t[%h, 4] : memref<3x5xf32>
    %c = loop.load %t[%h, 4] : memref<3x5xf32>
    loop.store %c, %y[%h, 4] : memref<3x5xf32>
  }
  return
}

// Loops that use a part of what another one uses stay together, and so do those that use a part of what these use.
// CHECK-LABEL: func.func private @in_a_row
// CHECK-NEXT: arith.constant
// CHECK-NEXT: memref.alloc() : memref<9xf32>
// CHECK-NOT: memref.alloc
// CHECK: return
func.func private @in_a_row(%x: memref<9xf32>, %y: memref<4xf32> {mlc.output}) {
  %one = arith.constant 1.0 : f32
  %t = memref.alloc() : memref<9xf32>
  loop.for serial "n" %n = 0 to 4 {
    loop.store %one, %t[%n] : memref<9xf32>
  }
  loop.for serial "n" %n = 2 to 7 {
    %a = loop.load %x[%n] : memref<9xf32>
    loop.store %a, %t[%n] : memref<9xf32>
  }
  loop.for serial "n" %n = 7 to 9 {
    loop.store %one, %t[%n] : memref<9xf32>
  }
  loop.for serial "n" %n = 0 to 4 {
    %a = loop.load %t[%n + 5] : memref<9xf32>
    %b = loop.load %t[%n] : memref<9xf32>
    %c = arith.addf %a, %b : f32
    loop.store %c, %y[%n] : memref<4xf32>
  }
  return
}
