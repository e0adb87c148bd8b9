// RUN: mlc-opt %s --apply-schedule 2>%t | filecheck %s
// RUN: filecheck %s --check-prefix=WARN < %t

// Of two steps that say otherwise how something is to be, the first one holds.
// WARN: warning: schedule step 'clang(3)': 'clang(2)' before 'clang(3)' says otherwise; leave one of them out
// WARN: warning: schedule step 'degree(exp, 5)': 'degree(exp, 6)' before 'degree(exp, 5)' says otherwise
// WARN: warning: schedule step 'threads(m, 2)': 'threads(m)' before 'threads(m, 2)' says otherwise
// WARN: warning: schedule step 'llvm_unroll(k, 2)': 'llvm_unroll(k, 4)' before 'llvm_unroll(k, 2)' says otherwise
// CHECK-LABEL: @settled
// CHECK-SAME: mlc.clang_level = 2 : i64, mlc.degrees = {exp = 6 : i64}
// CHECK: loop.for threads "m" %{{.*}} = 0 to 8 {
// CHECK: loop.for serial "k" {{.*}} = <count = 4 : i32>
func.func private @settled(%x: memref<8x16xf32>, %y: memref<8xf32> {mlc.output})
    attributes {schedule = #loop.schedule<[
      clang(2), clang(3), degree(exp, 6), degree(exp, 5), threads(m), threads(m, 2), llvm_unroll(k, 4), llvm_unroll(k, 2)
    ]>} {
  %zero = arith.constant 0.0 : f32
  loop.for parallel "m" %m = 0 to 8 {
    %s = loop.for serial "k" %k = 0 to 16 iter_args(%acc = %zero) -> (f32) {
      %a = loop.load %x[%m, %k] : memref<8x16xf32>
      %e = math.exp %a : f32
      %b = arith.addf %acc, %e : f32
      loop.yield %b : f32
    }
    loop.store %s, %y[%m] : memref<8xf32>
  }
  return
}

// What was refused has settled nothing; what one of two loops allows has. Each loop, and each function, has its own.
// WARN: warning: schedule step 'degree(exp, 4)': function 'open' stays as it is: it computes no exp of f32
// WARN: warning: schedule step 'degree(exp, 6)': function 'open' stays as it is: it computes no exp of f32
// WARN: warning: schedule step 'llvm_unroll(m, 4)': LLVM decides how often loop 'm' is unrolled: it is spread over threads: each iteration is a call
// WARN: warning: schedule step 'llvm_unroll(m, 2)': 'llvm_unroll(m, 4)' before 'llvm_unroll(m, 2)' says otherwise
// WARN: warning: schedule step 'llvm_unroll(t, 2)': LLVM decides how often loop 't' is unrolled: it is spread over threads: each iteration is a call
// WARN: warning: schedule step 'llvm_unroll(t, 3)': LLVM decides how often loop 't' is unrolled: it is spread over threads: each iteration is a call
// CHECK-LABEL: @open
// CHECK-SAME: mlc.clang_level = 3 : i64
// CHECK: loop.for serial "k" {{.*}} = <count = 2 : i32>
// CHECK: loop.for parallel "m" {{.*}} = <count = 4 : i32>
// CHECK: loop.for threads "m" %{{.*}} = 0 to 2 {
func.func private @open(%x: memref<16xf32>, %y: memref<16xf32> {mlc.output}, %z: memref<1xf32> {mlc.output})
    attributes {schedule = #loop.schedule<[
      clang(3), llvm_unroll(k, 2), degree(exp, 4), degree(exp, 6), llvm_unroll(m, 4), llvm_unroll(m, 2),
      llvm_unroll(t, 2), llvm_unroll(t, 3)
    ]>} {
  %zero = arith.constant 0.0 : f32
  %s = loop.for serial "k" %k = 0 to 16 iter_args(%acc = %zero) -> (f32) {
    %a = loop.load %x[%k] : memref<16xf32>
    %b = arith.addf %acc, %a : f32
    loop.yield %b : f32
  }
  loop.store %s, %z[0] : memref<1xf32>
  loop.for parallel "m" %m = 0 to 8 {
    loop.store %zero, %y[%m] : memref<16xf32>
  }
  loop.for threads "m" %m = 0 to 2 {
    loop.store %zero, %y[%m + 8] : memref<16xf32>
  }
  loop.for threads "t" %t = 0 to 2 {
    loop.store %zero, %y[%t + 10] : memref<16xf32>
  }
  return
}

// A tile of blocks settles nothing: it is a block of more.
// CHECK-LABEL: @blocks
// CHECK: loop.for parallel "m" %{{.*}} = 0 to 64 step 32 {
func.func private @blocks(%y: memref<64xf32> {mlc.output})
    attributes {schedule = #loop.schedule<[tile(m, 4), tile(m, 8)]>} {
  %zero = arith.constant 0.0 : f32
  loop.for parallel "m" %m = 0 to 64 {
    loop.store %zero, %y[%m] : memref<64xf32>
  }
  return
}
