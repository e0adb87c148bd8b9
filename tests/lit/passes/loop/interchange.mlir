// RUN: mlc-opt %s --interchange="order=n,m" | filecheck %s
// RUN: mlc-opt %s --interchange="order=n,m" --remarks 2>&1 >%t | filecheck %s --check-prefix=REMARK

// CHECK-LABEL: @copy
// CHECK: loop.for parallel "n" %[[N:.*]] = 0 to 8 {
// CHECK-NEXT: loop.for parallel "m" %[[M:.*]] = 0 to 4 step 2 {
// CHECK-NEXT: loop.load %{{.*}}[%[[M]], %[[N]]]
func.func private @copy(%x: memref<4x8xf32>, %y: memref<4x8xf32> {mlc.output}) {
  loop.for parallel "m" %m = 0 to 4 step 2 {
    loop.for parallel "n" %n = 0 to 8 {
      %a = loop.load %x[%m, %n] : memref<4x8xf32>
      loop.store %a, %y[%m, %n] : memref<4x8xf32>
    }
  }
  return
}

// A serial loop keeps its place.
// CHECK-LABEL: @serial
// CHECK: loop.for serial "m"
// CHECK-NEXT: loop.for parallel "n"
// REMARK: remark: not interchanged: 'm' is not parallel
func.func private @serial(%x: memref<4x8xf32> {mlc.output}) {
  loop.for serial "m" %m = 0 to 3 {
    loop.for parallel "n" %n = 0 to 8 {
      %a = loop.load %x[%m, %n] : memref<4x8xf32>
      loop.store %a, %x[%m + 1, %n] : memref<4x8xf32>
    }
  }
  return
}

// So does a nest with something between the loops.
// CHECK-LABEL: @imperfect
// CHECK: loop.for parallel "m"
// CHECK-NEXT: loop.load
// CHECK-NEXT: loop.for parallel "n"
func.func private @imperfect(%x: memref<4xf32>, %y: memref<4x8xf32> {mlc.output}) {
  loop.for parallel "m" %m = 0 to 4 {
    %a = loop.load %x[%m] : memref<4xf32>
    loop.for parallel "n" %n = 0 to 8 {
      loop.store %a, %y[%m, %n] : memref<4x8xf32>
    }
  }
  return
}

// From one step of t to the next, values move along p and along j: j cannot move out of t.
// CHECK-LABEL: @wavefront
// CHECK: loop.for parallel "m"
// CHECK-NEXT: loop.for serial "t"
// CHECK-NEXT: loop.for parallel "n"
// REMARK: remark: not interchanged: an iteration of 't' {{reads|writes}} an element of '%b' that others of 'n' touch in a later one
func.func private @wavefront(%b: memref<4x3x6xf32> {mlc.output}) {
  %one = arith.constant 1.0 : f32
  loop.for parallel "i" %i = 0 to 3 {
    loop.for parallel "j" %j = 0 to 6 {
      loop.store %one, %b[0, %i, %j] : memref<4x3x6xf32>
    }
  }
  loop.for parallel "m" %m = 0 to 3 {
    loop.for serial "t" %t = 0 to 3 {
      loop.for parallel "n" %n = 1 to 5 {
        %l = loop.load %b[%t, %m, %n - 1] : memref<4x3x6xf32>
        %r = loop.load %b[%t, %m, %n + 1] : memref<4x3x6xf32>
        %s = arith.addf %l, %r : f32
        loop.store %s, %b[%t + 1, %m, %n] : memref<4x3x6xf32>
      }
    }
  }
  return
}

// Where each n goes its own way through t, it can.
// CHECK-LABEL: @columns
// CHECK: loop.for parallel "n"
// CHECK-NEXT: loop.for serial "t"
// CHECK-NEXT: loop.for parallel "m"
func.func private @columns(%b: memref<4x3x6xf32> {mlc.output}) {
  %one = arith.constant 1.0 : f32
  loop.for parallel "m" %m = 0 to 3 {
    loop.for serial "t" %t = 0 to 3 {
      loop.for parallel "n" %n = 0 to 6 {
        %l = loop.load %b[%t, %m, %n] : memref<4x3x6xf32>
        %s = arith.addf %l, %one : f32
        loop.store %s, %b[%t + 1, %m, %n] : memref<4x3x6xf32>
      }
    }
  }
  return
}

// A name has to say which loop is meant.
// CHECK-LABEL: @same_names
// CHECK: loop.for parallel "n" %{{.*}} = 0 to 2
// CHECK: loop.for parallel "n" %{{.*}} = 0 to 3
// REMARK: remark: not interchanged: n, m are not loops of one perfect nest
func.func private @same_names(%y: memref<2x3x4xf32> {mlc.output}) {
  %one = arith.constant 1.0 : f32
  loop.for parallel "n" %a = 0 to 2 {
    loop.for parallel "n" %b = 0 to 3 {
      loop.for parallel "m" %m = 0 to 4 {
        loop.store %one, %y[%a, %b, %m] : memref<2x3x4xf32>
      }
    }
  }
  return
}
