// RUN: mlc-opt %s --plan-memory | filecheck %s
// RUN: mlc-opt %s --plan-memory --remarks 2>&1 >%t | filecheck %s --check-prefix=REMARK

// A kernel's scratch comes from its caller.
// CHECK-LABEL: func.func private @scratch(
// CHECK-SAME: %[[WS:[a-z]+]]: memref<64xi8> {mlc.workspace}) {
// CHECK: %[[ZERO:.*]] = arith.constant 0 : index
// CHECK-NEXT: memref.view %[[WS]]{{.*}} : memref<64xi8> to memref<4xf32>
// REMARK-DAG: remark: 'scratch' works in an arena of 64 bytes
func.func private @scratch(%x: memref<4xf32>, %y: memref<4xf32> {mlc.output}) {
  %t = memref.alloc() {alignment = 64 : i64} : memref<4xf32>
  loop.for parallel "n" %n = 0 to 4 {
    %a = loop.load %x[%n] : memref<4xf32>
    loop.store %a, %t[%n] : memref<4xf32>
  }
  loop.for parallel "n" %n = 0 to 4 {
    %a = loop.load %t[%n] : memref<4xf32>
    loop.store %a, %y[%n] : memref<4xf32>
  }
  return
}

// CHECK-LABEL: func.func private @copy(
// CHECK-NOT: mlc.workspace
// CHECK: return
func.func private @copy(%x: memref<4xf32>, %y: memref<4xf32> {mlc.output}) {
  loop.for parallel "n" %n = 0 to 4 {
    %a = loop.load %x[%n] : memref<4xf32>
    loop.store %a, %y[%n] : memref<4xf32>
  }
  return
}

// The scratch of the last kernel has the place of %a, which nobody reads any more, also not through the view.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[WS:[a-z]+]]: memref<192xi8> {mlc.workspace}) {
// CHECK-NEXT: %[[O0:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[A:.*]] = memref.view %[[WS]]
// CHECK-NEXT: %[[O1:.*]] = arith.constant 64 : index
// CHECK-NEXT: %[[B:.*]] = memref.view %[[WS]]
// CHECK: call @copy(%{{.*}}, %[[B]])
// CHECK-NEXT: %[[O2:.*]] = arith.constant 128 : index
// CHECK-NEXT: %[[C:.*]] = memref.view %[[WS]]
// CHECK: %[[O3:.*]] = arith.constant 0 : index
// CHECK-NEXT: %[[S:.*]] = memref.view %[[WS]]{{.*}} : memref<192xi8> to memref<64xi8>
// CHECK: call @scratch(%[[B]], %[[C]], %[[S]])
// REMARK-DAG: remark: 'main' works in an arena of 192 bytes
func.func @main(%x: memref<4xf32>, %y: memref<4xf32> {mlc.output}) {
  %a = memref.alloc() {alignment = 64 : i64} : memref<2x2xf32>
  %b = memref.alloc() {alignment = 64 : i64} : memref<4xf32>
  %v = memref.reinterpret_cast %a to offset: [0], sizes: [4], strides: [1] : memref<2x2xf32> to memref<4xf32>
  func.call @copy(%x, %v) : (memref<4xf32>, memref<4xf32>) -> ()
  func.call @copy(%v, %b) : (memref<4xf32>, memref<4xf32>) -> ()
  %c = memref.alloc() {alignment = 64 : i64} : memref<4xf32>
  func.call @scratch(%b, %c) : (memref<4xf32>, memref<4xf32>) -> ()
  func.call @copy(%c, %y) : (memref<4xf32>, memref<4xf32>) -> ()
  return
}

// A row buffer is used again by each row: the loop's iterations depend on each other from now on.
// CHECK-LABEL: func.func private @rows(
// CHECK-SAME: %[[WS:[a-z]+]]: memref<64xi8> {mlc.workspace}) {
// CHECK-NEXT: loop.for serial "m"
// CHECK-NEXT: %[[ZERO:.*]] = arith.constant 0 : index
// CHECK-NEXT: memref.view %[[WS]][%[[ZERO]]][] : memref<64xi8> to memref<1x4xf32>
// CHECK: loop.for parallel "n"
func.func private @rows(%x: memref<8x4xf32>, %y: memref<8x4xf32> {mlc.output}) {
  loop.for parallel "m" %m = 0 to 8 {
    %t = memref.alloc() {alignment = 64 : i64} : memref<1x4xf32>
    %a = loop.load %x[%m, 0] : memref<8x4xf32>, vector<4xf32>
    loop.store %a, %t[0, 0] : memref<1x4xf32>, vector<4xf32>
    loop.for parallel "n" %n = 0 to 4 {
      %b = loop.load %t[0, 3 - %n] : memref<1x4xf32>
      loop.store %b, %y[%m, %n] : memref<8x4xf32>
    }
  }
  return
}

// Blocks of rows on different threads have a buffer each.
// CHECK-LABEL: func.func private @spread_rows(
// CHECK-SAME: %[[WS:[a-z]+]]: memref<128xi8> {mlc.workspace}) {
// CHECK-NEXT: loop.for threads "m" %[[M:.*]] = 0 to 8 step 4 {
// CHECK-NEXT: loop.for serial "mi"
// CHECK: %[[SIZE:.*]] = arith.constant 64 : index
// CHECK: %[[NUMBER:.*]] = arith.divui
// CHECK: arith.muli %[[NUMBER]], %[[SIZE]]
// CHECK: %[[OFFSET:.*]] = arith.addi
// CHECK: memref.view %[[WS]][%[[OFFSET]]][] : memref<128xi8> to memref<1x4xf32>
func.func private @spread_rows(%x: memref<8x4xf32>, %y: memref<8x4xf32> {mlc.output}) {
  loop.for threads "m" %m = 0 to 8 step 4 {
    loop.for parallel "mi" %i = 0 to 4 {
      %t = memref.alloc() {alignment = 64 : i64} : memref<1x4xf32>
      %a = loop.load %x[%m + %i, 0] : memref<8x4xf32>, vector<4xf32>
      loop.store %a, %t[0, 0] : memref<1x4xf32>, vector<4xf32>
      loop.for parallel "n" %n = 0 to 4 {
        %b = loop.load %t[0, 3 - %n] : memref<1x4xf32>
        loop.store %b, %y[%m + %i, %n] : memref<8x4xf32>
      }
    }
  }
  return
}

// The first iteration has the first buffer, wherever the loop starts.
// CHECK-LABEL: func.func private @late(
// CHECK-SAME: memref<128xi8> {mlc.workspace}) {
// CHECK: loop.for threads "m" %[[M:.*]] = 4 to 12 step 4 {
// CHECK: %[[FIRST:.*]] = arith.constant 4 : index
// CHECK: %[[DISTANCE:.*]] = arith.subi %[[M]], %[[FIRST]]
// CHECK: arith.divui %[[DISTANCE]]
func.func private @late(%x: memref<12xf32>, %y: memref<12xf32> {mlc.output}) {
  loop.for threads "m" %m = 4 to 12 step 4 {
    %t = memref.alloc() {alignment = 64 : i64} : memref<4xf32>
    %a = loop.load %x[%m] : memref<12xf32>, vector<4xf32>
    loop.store %a, %t[0] : memref<4xf32>, vector<4xf32>
    loop.for parallel "n" %n = 0 to 4 {
      %b = loop.load %t[3 - %n] : memref<4xf32>
      loop.store %b, %y[%m + %n] : memref<12xf32>
    }
  }
  return
}

// Loops that are spread together: each combination of iterations has a buffer, number 2 m + i.
// CHECK-LABEL: func.func private @together(
// CHECK-SAME: memref<384xi8> {mlc.workspace}) {
// CHECK-NEXT: loop.for threads "m" %[[M:.*]] = 0 to 3 {
// CHECK-NEXT: loop.for threads "i" %[[I:.*]] = 0 to 2 {
// CHECK: %[[SIZE:.*]] = arith.constant 64 : index
// CHECK: arith.subi %[[I]], %{{.*}}
// CHECK: arith.muli %{{.*}}, %[[SIZE]]
// CHECK: %[[SIZE:.*]] = arith.constant 128 : index
// CHECK: arith.subi %[[M]], %{{.*}}
// CHECK: arith.muli %{{.*}}, %[[SIZE]]
func.func private @together(%x: memref<3x2x4xf32>, %y: memref<3x2x4xf32> {mlc.output}) {
  loop.for threads "m" %m = 0 to 3 {
    loop.for threads "i" %i = 0 to 2 {
      %t = memref.alloc() {alignment = 64 : i64} : memref<4xf32>
      %a = loop.load %x[%m, %i, 0] : memref<3x2x4xf32>, vector<4xf32>
      loop.store %a, %t[0] : memref<4xf32>, vector<4xf32>
      loop.for parallel "n" %n = 0 to 4 {
        %b = loop.load %t[3 - %n] : memref<4xf32>
        loop.store %b, %y[%m, %i, %n] : memref<3x2x4xf32>
      }
    }
  }
  return
}

// One iteration may still use the first buffer while another one uses the second: no bytes are shared, however many loops
// are spread.
// CHECK-LABEL: func.func private @at_once(
// CHECK-SAME: memref<384xi8> {mlc.workspace}) {
func.func private @at_once(%x: memref<3x2x4xf32>, %y: memref<3x2x4xf32> {mlc.output}) {
  loop.for threads "m" %m = 0 to 3 {
    %t = memref.alloc() {alignment = 64 : i64} : memref<4xf32>
    %u = memref.alloc() {alignment = 64 : i64} : memref<4xf32>
    %a = loop.load %x[%m, 0, 0] : memref<3x2x4xf32>, vector<4xf32>
    loop.store %a, %t[0] : memref<4xf32>, vector<4xf32>
    %b = loop.load %t[0] : memref<4xf32>, vector<4xf32>
    loop.store %b, %u[0] : memref<4xf32>, vector<4xf32>
    %c = loop.load %u[0] : memref<4xf32>, vector<4xf32>
    loop.store %c, %y[%m, 0, 0] : memref<3x2x4xf32>, vector<4xf32>
  }
  return
}

// CHECK-LABEL: func.func private @at_once_together(
// CHECK-SAME: memref<768xi8> {mlc.workspace}) {
func.func private @at_once_together(%x: memref<3x2x4xf32>, %y: memref<3x2x4xf32> {mlc.output}) {
  loop.for threads "m" %m = 0 to 3 {
    loop.for threads "i" %i = 0 to 2 {
      %t = memref.alloc() {alignment = 64 : i64} : memref<4xf32>
      %u = memref.alloc() {alignment = 64 : i64} : memref<4xf32>
      %a = loop.load %x[%m, %i, 0] : memref<3x2x4xf32>, vector<4xf32>
      loop.store %a, %t[0] : memref<4xf32>, vector<4xf32>
      %b = loop.load %t[0] : memref<4xf32>, vector<4xf32>
      loop.store %b, %u[0] : memref<4xf32>, vector<4xf32>
      %c = loop.load %u[0] : memref<4xf32>, vector<4xf32>
      loop.store %c, %y[%m, %i, 0] : memref<3x2x4xf32>, vector<4xf32>
    }
  }
  return
}

// A buffer for each iteration of the outer loop: what it holds is spread with it, and shares the buffer.
// CHECK-LABEL: func.func private @for_both(
// CHECK-SAME: memref<192xi8> {mlc.workspace}) {
// CHECK-NEXT: loop.for threads "m" %[[M:.*]] = 0 to 3 {
// CHECK: arith.subi %[[M]], %{{.*}}
// CHECK: loop.for threads "i" %{{.*}} = 0 to 2 {
func.func private @for_both(%x: memref<3x2xf32>, %y: memref<3x2xf32> {mlc.output}) {
  loop.for threads "m" %m = 0 to 3 {
    %t = memref.alloc() {alignment = 64 : i64} : memref<2xf32>
    loop.for threads "i" %i = 0 to 2 {
      %a = loop.load %x[%m, %i] : memref<3x2xf32>
      loop.store %a, %t[%i] : memref<2xf32>
    }
    %b = loop.load %t[0] : memref<2xf32>, vector<2xf32>
    loop.store %b, %y[%m, 0] : memref<3x2xf32>, vector<2xf32>
  }
  return
}

// Of threads in threads that are not all there is in them, the outer ones are real: each has a buffer for all that it
// runs, one after the other.
// CHECK-LABEL: func.func private @nested(
// CHECK-SAME: memref<192xi8> {mlc.workspace}) {
// CHECK: loop.for threads "m" %[[M:.*]] = 0 to 3 {
// CHECK: loop.for serial "i" %{{.*}} = 0 to 2 {
// CHECK: arith.subi %[[M]], %{{.*}}
func.func private @nested(%x: memref<3x2x4xf32>, %y: memref<3x2x4xf32> {mlc.output}, %z: memref<3xf32> {mlc.output}) {
  %zero = arith.constant 0.0 : f32
  loop.for threads "m" %m = 0 to 3 {
    loop.store %zero, %z[%m] : memref<3xf32>
    loop.for threads "i" %i = 0 to 2 {
      %t = memref.alloc() {alignment = 64 : i64} : memref<4xf32>
      %a = loop.load %x[%m, %i, 0] : memref<3x2x4xf32>, vector<4xf32>
      loop.store %a, %t[0] : memref<4xf32>, vector<4xf32>
      loop.for parallel "n" %n = 0 to 4 {
        %b = loop.load %t[3 - %n] : memref<4xf32>
        loop.store %b, %y[%m, %i, %n] : memref<3x2x4xf32>
      }
    }
  }
  return
}

// A buffer lives as long as its spans do.
// CHECK-LABEL: func.func private @spans(
// CHECK:         %{{.*}} = arith.constant 0 : index
// CHECK:         %{{.*}} = arith.constant 64 : index
// CHECK-NOT:     arith.constant 0 : index
func.func private @spans(%x: memref<4xf32>, %y: memref<4xf32> {mlc.output}) {
  %a = memref.alloc() : memref<16xf32>
  %s = loop.span %a from 4 : memref<16xf32> -> memref<4xf32>
  %0 = loop.load %x[0] : memref<4xf32>, vector<4xf32>
  loop.store %0, %s[0] : memref<4xf32>, vector<4xf32>
  %b = memref.alloc() : memref<16xf32>
  loop.store %0, %b[0] : memref<16xf32>, vector<4xf32>
  %1 = loop.load %s[0] : memref<4xf32>, vector<4xf32>
  %2 = loop.load %b[0] : memref<16xf32>, vector<4xf32>
  %3 = arith.addf %1, %2 : vector<4xf32>
  loop.store %3, %y[0] : memref<4xf32>, vector<4xf32>
  return
}
