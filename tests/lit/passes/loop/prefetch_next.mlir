// RUN: mlc-opt %s --apply-schedule --check-each | filecheck %s
// RUN: mlc-opt %s --apply-schedule 2>&1 >%t | filecheck %s --check-prefix=REMARK
// RUN: mlc-opt %s --apply-schedule --lower-to-llvm | filecheck %s --check-prefix=LLVM

// What the loop reads of an argument in the next iteration but the last of an unrolled loop: each line of 64 bytes once,
// in front of what is read now. The maximum is not read at a place of n, and the first loop is not named.
// CHECK-LABEL: @rows
// CHECK: loop.for parallel "m" %m = 0 to 6 step 2 {
// CHECK: loop.for serial "k"
// CHECK-NOT: loop.prefetch
// CHECK: loop.for parallel "n" %[[N:.*]] = 0 to 32 step 8 {
// CHECK-NEXT: loop.prefetch %x[%m + 2, %[[N]]] to 1 : memref<6x32xf32>
// CHECK-NEXT: loop.load %x[%m, %[[N]]]
// CHECK: loop.prefetch %x[%m + 3, %[[N]]] to 1 : memref<6x32xf32>
// CHECK-NEXT: loop.load %x[%m + 1, %[[N]]]
// CHECK-NOT: loop.prefetch
// CHECK: loop.load %x[%m + 1, %[[N]] + 4]
// LLVM-LABEL: @rows
// LLVM: "llvm.intr.prefetch"(%{{.*}}) <{rw = 0 : i32, hint = 3 : i32, cache = 1 : i32}> : (!llvm.ptr) -> ()
func.func private @rows(%x: memref<6x32xf32>, %y: memref<6x32xf32> {mlc.output})
    attributes {schedule = #loop.schedule<[tile(n, 8), tile(ni, 4), vectorize(nii, 4), unroll(ni), tile(m, 2), unroll(mi), prefetch_next(n, m)]>} {
  %least = arith.constant 0xff800000 : f32
  loop.for parallel "m" %m = 0 to 6 {
    %g = loop.for serial "k" %k = 0 to 32 iter_args(%acc = %least) -> (f32) {
      %a = loop.load %x[%m, %k] : memref<6x32xf32>
      %c = arith.maximumf %acc, %a : f32
      loop.yield %c : f32
    }
    loop.for parallel "n" %n = 0 to 32 {
      %a = loop.load %x[%m, %n] : memref<6x32xf32>
      %b = arith.subf %a, %g : f32
      loop.store %b, %y[%m, %n] : memref<6x32xf32>
    }
  }
  return
}

// One of two loops of the name reads nothing but what the function has stored: nothing is said of it.
// CHECK-LABEL: @stored
// CHECK: loop.prefetch %x[%m + 1, %{{.*}}] to 1
// CHECK: loop.load %x
// CHECK-NOT: loop.prefetch
// CHECK: return
func.func private @stored(%x: memref<6x32xf32>, %y: memref<6x32xf32> {mlc.output})
    attributes {schedule = #loop.schedule<[prefetch_next(n, m)]>} {
  loop.for parallel "m" %m = 0 to 6 {
    loop.for parallel "n" %n = 0 to 32 {
      %a = loop.load %x[%m, %n] : memref<6x32xf32>
      loop.store %a, %y[%m, %n] : memref<6x32xf32>
    }
    loop.for parallel "n" %n2 = 0 to 32 {
      %a = loop.load %y[%m, %n2] : memref<6x32xf32>
      %b = arith.mulf %a, %a : f32
      loop.store %b, %y[%m, %n2] : memref<6x32xf32>
    }
  }
  return
}

// CHECK-LABEL: @refused
// CHECK-NOT: loop.prefetch
// REMARK: warning: schedule step 'prefetch_next(n, m)': nothing to prefetch in 'n': it reads no argument at places that depend on 'n' and 'm'
// REMARK: warning: schedule step 'prefetch_next(m, n)': nothing to prefetch in 'm': it is in no loop 'n'
func.func private @refused(%x: memref<32xf32>, %y: memref<6x32xf32> {mlc.output})
    attributes {schedule = #loop.schedule<[prefetch_next(n, m), prefetch_next(m, n)]>} {
  loop.for parallel "m" %m = 0 to 6 {
    loop.for parallel "n" %n = 0 to 32 {
      %a = loop.load %x[%n] : memref<32xf32>
      loop.store %a, %y[%m, %n] : memref<6x32xf32>
    }
  }
  return
}
