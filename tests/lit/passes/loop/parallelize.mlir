// RUN: mlc-opt %s --parallelize="least-work=100" | filecheck %s
// RUN: mlc-opt %s --parallelize="least-work=100" --remarks 2>&1 >%t | filecheck %s --check-prefix=REMARK
// RUN: mlc-opt %s --parallelize="threads=1" | filecheck %s --check-prefix=ONE
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
// REMARK: remark: loop 'n' stays on one thread: about 6 ops
func.func private @small(%y: memref<2xf32> {mlc.output}) {
  %zero = arith.constant 0.0 : f32
  loop.for parallel "n" %n = 0 to 2 {
    loop.store %zero, %y[%n] : memref<2xf32>
  }
  return
}

// CHECK-LABEL: @serial
// CHECK: loop.for serial "n"
// REMARK: remark: loop 'n' stays on one thread: its iterations depend on each other
func.func private @serial(%y: memref<101xf32> {mlc.output}) {
  loop.for serial "n" %n = 0 to 100 {
    %a = loop.load %y[%n] : memref<101xf32>
    loop.store %a, %y[%n + 1] : memref<101xf32>
  }
  return
}
