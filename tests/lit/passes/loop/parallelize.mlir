// RUN: mlc-opt %s --parallelize="least-ns=2" | filecheck %s
// RUN: mlc-opt %s --parallelize="least-ns=2" --remarks 2>&1 >%t | filecheck %s --check-prefix=REMARK
// RUN: mlc-opt %s --parallelize="threads=1" | filecheck %s --check-prefix=ONE
// RUN: mlc-opt %s --parallelize="threads=8" | filecheck %s --check-prefix=MANY
// ONE-NOT: loop.for threads

// CHECK-LABEL: @large
// CHECK: loop.for parallel "b"
// CHECK-NEXT: loop.for threads "m"
// CHECK-NEXT: loop.for parallel "n"
func.func private @large(%x: memref<1x16x16xf32>, %y: memref<1x16x16xf32> {mlc.output}) {
  loop.for parallel "b" %b = 0 to 1 {
    loop.for parallel "m" %m = 0 to 16 {
      loop.for parallel "n" %n = 0 to 16 {
        %a = loop.load %x[%b, %m, %n] : memref<1x16x16xf32>
        loop.store %a, %y[%b, %m, %n] : memref<1x16x16xf32>
      }
    }
  }
  return
}

// CHECK-LABEL: @small
// CHECK: loop.for parallel "n"
// REMARK: remark: loop 'n' stays on one thread: estimated {{[01]}} ns, worth sharing from 2 ns on
func.func private @small(%y: memref<2xf32> {mlc.output}) {
  %zero = arith.constant 0.0 : f32
  loop.for parallel "n" %n = 0 to 2 {
    loop.store %zero, %y[%n] : memref<2xf32>
  }
  return
}

// CHECK-LABEL: @serial
// CHECK: loop.for serial "n"
// REMARK: remark: loop 'n' stays on one thread: it is serial
func.func private @serial(%y: memref<101xf32> {mlc.output}) {
  loop.for serial "n" %n = 0 to 100 {
    %a = loop.load %y[%n] : memref<101xf32>
    loop.store %a, %y[%n + 1] : memref<101xf32>
  }
  return
}

// Too few iterations for all threads outside: the loop inside has more.
// CHECK-LABEL: @short_outside
// CHECK: loop.for parallel "b"
// CHECK-NEXT: loop.for threads "m"
func.func private @short_outside(%y: memref<1x64x8xf32> {mlc.output}) {
  %zero = arith.constant 0.0 : f32
  loop.for parallel "b" %b = 0 to 1 {
    loop.for parallel "m" %m = 0 to 64 {
      loop.for parallel "n" %n = 0 to 8 {
        loop.store %zero, %y[%b, %m, %n] : memref<1x64x8xf32>
      }
    }
  }
  return
}

// Rows with buffers: a few blocks per thread, which divide the rows evenly; a buffer each where that is not possible.
// CHECK-LABEL: @row_buffers
// CHECK: loop.for threads "m" %{{.*}} = 0 to 60 step 10 {
// CHECK-NEXT: loop.for parallel "mi" %{{.*}} = 0 to 10 {
// CHECK-NEXT: memref.alloc
// CHECK: loop.for threads "m" %{{.*}} = 0 to 61 {
// CHECK-NEXT: memref.alloc
func.func private @row_buffers(%x: memref<61x4xf32>, %y: memref<61x4xf32> {mlc.output}, %z: memref<61x4xf32> {mlc.output}) {
  loop.for parallel "m" %m = 0 to 60 {
    %t = memref.alloc() : memref<1x4xf32>
    loop.for parallel "n" %n = 0 to 4 {
      %a = loop.load %x[%m, %n] : memref<61x4xf32>
      loop.store %a, %t[0, %n] : memref<1x4xf32>
    }
    loop.for parallel "n" %n = 0 to 4 {
      %a = loop.load %t[0, 3 - %n] : memref<1x4xf32>
      loop.store %a, %y[%m, %n] : memref<61x4xf32>
    }
  }
  loop.for parallel "n" %n = 0 to 4 {
    %a = loop.load %x[60, %n] : memref<61x4xf32>
    loop.store %a, %y[60, %n] : memref<61x4xf32>
  }
  loop.for parallel "m" %m = 0 to 61 {
    %t = memref.alloc() : memref<1x4xf32>
    loop.for parallel "n" %n = 0 to 4 {
      %a = loop.load %x[%m, %n] : memref<61x4xf32>
      loop.store %a, %t[0, %n] : memref<1x4xf32>
    }
    loop.for parallel "n" %n = 0 to 4 {
      %a = loop.load %t[0, 3 - %n] : memref<1x4xf32>
      loop.store %a, %z[%m, %n] : memref<61x4xf32>
    }
  }
  return
}

// Of 6 iterations, 3 blocks of 2 would keep one of two threads busy for two thirds of the time: each is a block.
// CHECK-LABEL: @heads
// CHECK-NEXT: loop.for threads "h" %{{.*}} = 0 to 6 {
// CHECK-NEXT: memref.alloc
func.func private @heads(%x: memref<6x40xf32>, %y: memref<6x40xf32> {mlc.output}) {
  loop.for parallel "h" %h = 0 to 6 {
    %t = memref.alloc() : memref<40xf32>
    loop.for parallel "n" %n = 0 to 40 {
      %a = loop.load %x[%h, %n] : memref<6x40xf32>
      loop.store %a, %t[%n] : memref<40xf32>
    }
    loop.for parallel "n" %n = 0 to 40 {
      %a = loop.load %t[%n] : memref<40xf32>
      loop.store %a, %y[%h, %n] : memref<6x40xf32>
    }
  }
  return
}

// Of 14, 7 blocks would keep one of two threads busy for seven eighths of the time: 2 are one each.
// CHECK-LABEL: @seven
// CHECK-NEXT: loop.for threads "h" %{{.*}} = 0 to 14 step 7 {
func.func private @seven(%x: memref<14x40xf32>, %y: memref<14x40xf32> {mlc.output}) {
  loop.for parallel "h" %h = 0 to 14 {
    %t = memref.alloc() : memref<40xf32>
    loop.for parallel "n" %n = 0 to 40 {
      %a = loop.load %x[%h, %n] : memref<14x40xf32>
      loop.store %a, %t[%n] : memref<40xf32>
    }
    loop.for parallel "n" %n = 0 to 40 {
      %a = loop.load %t[%n] : memref<40xf32>
      loop.store %a, %y[%h, %n] : memref<14x40xf32>
    }
  }
  return
}

// Of a loop that 2 threads may share at most, 16 rows with a buffer each are 8 blocks; for 8 threads each row would be one.
// ONE-LABEL: @at_most_two
// MANY-LABEL: @at_most_two
// MANY-NEXT: loop.for threads "m" %{{.*}} = 0 to 16 step 2 attributes {most_threads = 2 : i64} {
// MANY-NEXT: loop.for parallel "mi" %{{.*}} = 0 to 2 {
func.func private @at_most_two(%x: memref<16x4xf32>, %y: memref<16x4xf32> {mlc.output}) {
  loop.for threads "m" %m = 0 to 16 attributes {most_threads = 2 : i64} {
    %t = memref.alloc() : memref<1x4xf32>
    loop.for parallel "n" %n = 0 to 4 {
      %a = loop.load %x[%m, %n] : memref<16x4xf32>
      loop.store %a, %t[0, %n] : memref<1x4xf32>
    }
    loop.for parallel "n" %n = 0 to 4 {
      %a = loop.load %t[0, 3 - %n] : memref<1x4xf32>
      loop.store %a, %y[%m, %n] : memref<16x4xf32>
    }
  }
  return
}

// Of 153, 17 blocks would keep two threads busy for 94% of the time: each iteration is handed out. 144 are 8 blocks.
// CHECK-LABEL: @many
// CHECK: loop.for threads "m" %{{.*}} = 0 to 153 {
// CHECK: loop.for threads "m" %{{.*}} = 0 to 144 step 18 {
func.func private @many(%y: memref<153xf32> {mlc.output}, %z: memref<144xf32> {mlc.output}) {
  %zero = arith.constant 0.0 : f32
  loop.for parallel "m" %m = 0 to 153 {
    loop.store %zero, %y[%m] : memref<153xf32>
  }
  loop.for parallel "m" %m = 0 to 144 {
    loop.store %zero, %z[%m] : memref<144xf32>
  }
  return
}
