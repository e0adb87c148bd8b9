// RUN: mlc-opt %s --fuse-loops="loops=m" --check-each | filecheck %s
// RUN: mlc-opt %s --fuse-loops="loops=k" --check-each | filecheck %s --check-prefix=SERIAL
// RUN: mlc-opt %s --fuse-loops="loops=m" --remarks 2>&1 >%t | filecheck %s --check-prefix=REMARK

// All loops become the first one; the buffers in between move before it.
// CHECK-LABEL: @rows
// CHECK: %[[T:.*]] = memref.alloc() : memref<8xf32>
// CHECK: %[[U:.*]] = memref.alloc() : memref<8x16xf32>
// CHECK: loop.for parallel "m" %[[M:.*]] = 0 to 8 {
// CHECK: loop.store %{{.*}}, %[[T]][%[[M]]]
// CHECK-NEXT: loop.for parallel "n"
// CHECK-NEXT: loop.load %{{.*}}[%[[M]], %{{.*}}]
// CHECK-NEXT: loop.load %[[T]][%[[M]]]
// CHECK: loop.store %{{.*}}, %[[U]][%[[M]], %{{.*}}]
// CHECK: loop.for parallel "n"
// CHECK-NEXT: loop.load %[[U]][%[[M]], %{{.*}}]
// CHECK-NOT: loop.for parallel "m"
// CHECK: return
func.func private @rows(%x: memref<8x16xf32>, %y: memref<8x16xf32> {mlc.output}) {
  %t = memref.alloc() : memref<8xf32>
  loop.for parallel "m" %m = 0 to 8 {
    %a = loop.load %x[%m, 0] : memref<8x16xf32>
    loop.store %a, %t[%m] : memref<8xf32>
  }
  %u = memref.alloc() : memref<8x16xf32>
  loop.for parallel "m" %m = 0 to 8 {
    loop.for parallel "n" %n = 0 to 16 {
      %a = loop.load %x[%m, %n] : memref<8x16xf32>
      %b = loop.load %t[%m] : memref<8xf32>
      %c = arith.subf %a, %b : f32
      loop.store %c, %u[%m, %n] : memref<8x16xf32>
    }
  }
  %two = arith.constant 2.0 : f32
  loop.for parallel "m" %m = 0 to 8 {
    loop.for parallel "n" %n = 0 to 16 {
      %a = loop.load %u[%m, %n] : memref<8x16xf32>
      %b = arith.mulf %a, %two : f32
      loop.store %b, %y[%m, %n] : memref<8x16xf32>
    }
  }
  return
}

// Blocks of rows: what is touched stays within the step, lanes of vectors included.
// CHECK-LABEL: @blocks
// CHECK: loop.for parallel "m" %{{.*}} = 0 to 8 step 4 {
// CHECK-NOT: loop.for parallel "m" %
func.func private @blocks(%x: memref<8xf32>, %y: memref<8xf32> {mlc.output}) {
  %t = memref.alloc() : memref<8xf32>
  loop.for parallel "m" %m = 0 to 8 step 4 {
    loop.for parallel "mi" %i = 0 to 4 {
      %a = loop.load %x[%m + %i] : memref<8xf32>
      loop.store %a, %t[%m + %i] : memref<8xf32>
    }
  }
  loop.for parallel "m" %m = 0 to 8 step 4 {
    %a = loop.load %t[%m] : memref<8xf32>, vector<4xf32>
    loop.store %a, %y[%m] : memref<8xf32>, vector<4xf32>
  }
  return
}

// A vector that reaches into the next iteration.
// CHECK-LABEL: @long_vector
// CHECK: loop.for parallel "m"
// CHECK: loop.for parallel "m"
// REMARK: remark: loop 'm' not fused with the one before it: an iteration touches what other iterations of the other one touch
func.func private @long_vector(%x: memref<8xf32>, %y: memref<8xf32> {mlc.output}) {
  %t = memref.alloc() : memref<9xf32>
  %zero = arith.constant 0.0 : f32
  loop.store %zero, %t[8] : memref<9xf32>
  loop.for parallel "m" %m = 0 to 4 step 2 {
    %a = loop.load %x[%m * 2] : memref<8xf32>, vector<4xf32>
    loop.store %a, %t[%m * 2] : memref<9xf32>, vector<4xf32>
  }
  loop.for parallel "m" %m = 0 to 4 step 2 {
    %a = loop.load %t[%m * 2 + 1] : memref<9xf32>, vector<4xf32>
    loop.store %a, %y[%m * 2] : memref<8xf32>, vector<4xf32>
  }
  return
}

// The second loop reads what another iteration of the first one writes.
// CHECK-LABEL: @dependent
// CHECK: loop.for parallel "m"
// CHECK: loop.for parallel "m"
// REMARK: remark: loop 'm' not fused with the one before it: an iteration touches what other iterations of the other one touch
func.func private @dependent(%x: memref<9xf32>, %y: memref<8xf32> {mlc.output}) {
  %t = memref.alloc() : memref<9xf32>
  %zero = arith.constant 0.0 : f32
  loop.store %zero, %t[8] : memref<9xf32>
  loop.for parallel "m" %m = 0 to 8 {
    %a = loop.load %x[%m] : memref<9xf32>
    loop.store %a, %t[%m] : memref<9xf32>
  }
  loop.for parallel "m" %m = 0 to 8 {
    %a = loop.load %t[%m + 1] : memref<9xf32>
    loop.store %a, %y[%m] : memref<8xf32>
  }
  return
}

// Another range, a value of the first loop's block in between that depends on it, a view, a call.
// CHECK-LABEL: @apart
// CHECK-COUNT-6: loop.for parallel "m"
// REMARK: remark: loop 'm' not fused with the one before it: 'loop.load' in between reads what is written there
// REMARK: remark: loop 'm' not fused with the one before it: an iteration touches what other iterations of the other one touch
// REMARK: remark: loop 'm' not fused with the one before it: 'func.call' stands in between
func.func private @apart(%x: memref<8xf32>, %y: memref<8xf32> {mlc.output}, %z: memref<7xf32> {mlc.output}) {
  %t = memref.alloc() : memref<8xf32>
  loop.for parallel "m" %m = 0 to 8 {
    %a = loop.load %x[%m] : memref<8xf32>
    loop.store %a, %t[%m] : memref<8xf32>
  }
  loop.for parallel "m" %m = 0 to 7 {
    %a = loop.load %x[%m] : memref<8xf32>
    loop.store %a, %z[%m] : memref<7xf32>
  }
  %first = loop.load %t[0] : memref<8xf32>
  loop.for parallel "m" %m = 0 to 8 {
    loop.store %first, %y[%m] : memref<8xf32>
  }
  %v = memref.reinterpret_cast %y to offset: [0], sizes: [1, 8], strides: [8, 1] : memref<8xf32> to memref<1x8xf32>
  loop.for parallel "m" %m = 0 to 8 {
    %a = loop.load %v[0, %m] : memref<1x8xf32>
    loop.store %a, %t[%m] : memref<8xf32>
  }
  func.call @noted(%x) : (memref<8xf32>) -> ()
  loop.for parallel "m" %m = 0 to 8 {
    %a = loop.load %t[%m] : memref<8xf32>
    loop.store %a, %y[%m] : memref<8xf32>
  }
  return
}

func.func private @noted(%x: memref<8xf32>) {
  loop.for parallel "m" %m = 0 to 8 {
    %a = loop.load %x[%m] : memref<8xf32>
  }
  return
}

// Reductions carry their values together; what is stored in between is not what the second one reads.
// SERIAL-LABEL: @two_sums
// SERIAL: %[[S:.*]], %[[T:.*]] = loop.for serial "k" %[[K:.*]] = 0 to 8 iter_args(%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) -> (f32, f32) {
// SERIAL: loop.load %{{.*}}[0, %[[K]]]
// SERIAL: loop.load %{{.*}}[1, %[[K]]]
// SERIAL: loop.yield %{{.*}}, %{{.*}} : f32, f32
// SERIAL: loop.store %[[S]], %{{.*}}[0]
// SERIAL: loop.store %[[T]], %{{.*}}[1]
// SERIAL-NOT: loop.for
// SERIAL: return
func.func private @two_sums(%x: memref<2x8xf32>, %y: memref<2xf32> {mlc.output}) {
  %zero = arith.constant 0.0 : f32
  %s = loop.for serial "k" %k = 0 to 8 iter_args(%acc = %zero) -> (f32) {
    %a = loop.load %x[0, %k] : memref<2x8xf32>
    %next = arith.addf %acc, %a : f32
    loop.yield %next : f32
  }
  loop.store %s, %y[0] : memref<2xf32>
  %one = arith.constant 1.0 : f32
  %t = loop.for serial "k" %k = 0 to 8 iter_args(%acc = %one) -> (f32) {
    %a = loop.load %x[1, %k] : memref<2x8xf32>
    %next = arith.addf %acc, %a : f32
    loop.yield %next : f32
  }
  loop.store %t, %y[1] : memref<2xf32>
  return
}

// The second sum needs the first.
// SERIAL-LABEL: @variance
// SERIAL: loop.for serial "k"
// SERIAL: loop.for serial "k"
func.func private @variance(%x: memref<8xf32>, %y: memref<1xf32> {mlc.output}) {
  %zero = arith.constant 0.0 : f32
  %s = loop.for serial "k" %k = 0 to 8 iter_args(%acc = %zero) -> (f32) {
    %a = loop.load %x[%k] : memref<8xf32>
    %next = arith.addf %acc, %a : f32
    loop.yield %next : f32
  }
  %q = loop.for serial "k" %k = 0 to 8 iter_args(%acc = %zero) -> (f32) {
    %a = loop.load %x[%k] : memref<8xf32>
    %d = arith.subf %a, %s : f32
    %next = math.fma %d, %d, %acc : f32
    loop.yield %next : f32
  }
  loop.store %q, %y[0] : memref<1xf32>
  return
}
