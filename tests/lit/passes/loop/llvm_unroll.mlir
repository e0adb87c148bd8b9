// RUN: mlc-opt %s --apply-schedule --check-each 2>%t | filecheck %s
// RUN: mlc-opt %s --apply-schedule 2>&1 >%t | filecheck %s --check-prefix=REMARK
// RUN: mlc-opt %s --apply-schedule | mlc-opt | filecheck %s
// RUN: mlc-opt %s --apply-schedule --lower-to-llvm | filecheck %s --check-prefix=LLVM
// RUN: mlc-opt %s --apply-schedule --lower-to-llvm --emit=llvm-ir | filecheck %s --check-prefix=IR

// The loop carries what LLVM is told, to the branch that goes back to its start.
// CHECK-LABEL: @sum
// CHECK: loop.for parallel "m" %{{.*}} = 0 to 64 {
// CHECK: loop.for serial "k" %{{.*}} = 0 to 16 iter_args({{.*}}) -> (f32) attributes {loop_annotation = #llvm.loop_annotation<unroll = <count = 4 : i32>>} {
// LLVM-LABEL: @sum
// LLVM: llvm.cond_br {{.*}} {loop_annotation = #llvm.loop_annotation<unroll = <count = 4 : i32>>}
// IR-LABEL: define {{.*}} @sum
// IR: !llvm.loop ![[SUM:[0-9]+]]
func.func private @sum(%x: memref<64x16xf32>, %y: memref<64xf32> {mlc.output})
    attributes {schedule = #loop.schedule<[llvm_unroll(k, 4)]>} {
  loop.for parallel "m" %m = 0 to 64 {
    %zero = arith.constant 0.0 : f32
    %s = loop.for serial "k" %k = 0 to 16 iter_args(%acc = %zero) -> (f32) {
      %a = loop.load %x[%m, %k] : memref<64x16xf32>
      %c = arith.addf %acc, %a : f32
      loop.yield %c : f32
    }
    loop.store %s, %y[%m] : memref<64xf32>
  }
  return
}

// Steps that make another loop of it, of this name, keep it: here a block, copies side by side, results that take turns,
// lanes. What else is said of the loop stays, too, and the loop inside of a block decides for itself.
// CHECK-LABEL: @kept
// CHECK: loop.for serial "k" %{{.*}} = 0 to 16 step 8 iter_args({{.*}}) -> (f32, f32) attributes {loop_annotation = #llvm.loop_annotation<vectorize = <disable = true>, unroll = <count = 1 : i32>>} {
// CHECK: loop.for serial "ki" %{{.*}} = 0 to 8 step 2 iter_args({{.*}}) -> (f32, f32, f32, f32) {
// CHECK: loop.for serial "j" %{{.*}} = 0 to 16 step 8 iter_args({{.*}}) -> (vector<8xf32>) attributes {loop_annotation = #llvm.loop_annotation<unroll = <count = 2 : i32>>} {
// LLVM-LABEL: @kept
// IR-LABEL: define {{.*}} @kept
func.func private @kept(%x: memref<2x16xf32>, %y: memref<2xf32> {mlc.output}, %z: memref<1xf32> {mlc.output})
    attributes {schedule = #loop.schedule<[
      llvm_unroll(k, 1), tile(k, 8), split_reduction(ki, 2), unroll(m), llvm_unroll(j, 2), vectorize_reduction(j, 8)
    ]>} {
  %zero = arith.constant 0.0 : f32
  loop.for parallel "m" %m = 0 to 2 {
    %s = loop.for serial "k" %k = 0 to 16 iter_args(%acc = %zero) -> (f32)
        attributes {loop_annotation = #llvm.loop_annotation<vectorize = <disable = true>>} {
      %a = loop.load %x[%m, %k] : memref<2x16xf32>
      %c = arith.addf %acc, %a : f32
      loop.yield %c : f32
    }
    loop.store %s, %y[%m] : memref<2xf32>
  }
  %t = loop.for serial "j" %j = 0 to 16 iter_args(%acc = %zero) -> (f32) {
    %a = loop.load %x[0, %j] : memref<2x16xf32>
    %c = arith.addf %acc, %a : f32
    loop.yield %c : f32
  }
  loop.store %t, %z[0] : memref<1xf32>
  return
}

// A register tile is not unrolled, unless a schedule says so.
// LLVM-LABEL: @tile
// LLVM: llvm.cond_br {{.*}} {loop_annotation = #llvm.loop_annotation<unroll = <count = 1 : i32>>}
// LLVM: llvm.cond_br {{.*}} {loop_annotation = #llvm.loop_annotation<unroll = <count = 2 : i32>>}
// IR-LABEL: define {{.*}} @tile
func.func private @tile(%x: memref<64xf32>, %w: memref<64x128xf32>, %y: memref<2x128xf32> {mlc.output})
    attributes {schedule = #loop.schedule<[
      tile(n, 16), vectorize(ni, 16), unroll(n), tile(j, 16), vectorize(ji, 16), unroll(j), llvm_unroll(q, 2)
    ]>} {
  %zero = arith.constant 0.0 : f32
  loop.for parallel "n" %n = 0 to 128 {
    %s = loop.for serial "k" %k = 0 to 64 iter_args(%acc = %zero) -> (f32) {
      %a = loop.load %x[%k] : memref<64xf32>
      %b = loop.load %w[%k, %n] : memref<64x128xf32>
      %c = math.fma %a, %b, %acc : f32
      loop.yield %c : f32
    }
    loop.store %s, %y[0, %n] : memref<2x128xf32>
  }
  loop.for parallel "j" %j = 0 to 128 {
    %s = loop.for serial "q" %q = 0 to 64 iter_args(%acc = %zero) -> (f32) {
      %a = loop.load %x[%q] : memref<64xf32>
      %b = loop.load %w[%q, %j] : memref<64x128xf32>
      %c = math.fma %a, %b, %acc : f32
      loop.yield %c : f32
    }
    loop.store %s, %y[1, %j] : memref<2x128xf32>
  }
  return
}

// A loop of no more iterations is written out.
// CHECK-LABEL: @whole
// CHECK: loop.for serial "k" %{{.*}} = 0 to 5 iter_args({{.*}}) -> (f32) attributes {loop_annotation = #llvm.loop_annotation<unroll = <full = true>>} {
// CHECK: loop.for serial "j" %{{.*}} = 0 to 5 iter_args({{.*}}) -> (f32) attributes {loop_annotation = #llvm.loop_annotation<unroll = <full = true>>} {
// LLVM-LABEL: @whole
// LLVM: llvm.cond_br {{.*}} {loop_annotation = #llvm.loop_annotation<unroll = <full = true>>}
// IR-LABEL: define {{.*}} @whole
// IR: !llvm.loop ![[WHOLE:[0-9]+]]
func.func private @whole(%x: memref<5xf32>, %y: memref<2xf32> {mlc.output})
    attributes {schedule = #loop.schedule<[llvm_unroll(k, 7), llvm_unroll(j, 5)]>} {
  %zero = arith.constant 0.0 : f32
  %s = loop.for serial "k" %k = 0 to 5 iter_args(%acc = %zero) -> (f32) {
    %a = loop.load %x[%k] : memref<5xf32>
    %c = arith.addf %acc, %a : f32
    loop.yield %c : f32
  }
  loop.store %s, %y[0] : memref<2xf32>
  %t = loop.for serial "j" %j = 0 to 5 iter_args(%acc = %zero) -> (f32) {
    %a = loop.load %x[%j] : memref<5xf32>
    %c = arith.mulf %acc, %a : f32
    loop.yield %c : f32
  }
  loop.store %t, %y[1] : memref<2xf32>
  return
}

// CHECK-LABEL: @refused
// CHECK-NEXT: loop.for threads "m" %{{.*}} = 0 to 8 {
// CHECK-NEXT: loop.for parallel "n" %{{.*}} = 0 to 8 attributes {loop_annotation = #llvm.loop_annotation<unroll = <count = 2 : i32>>} {
// CHECK: loop.for parallel "k" %{{.*}} = 0 to 100000 {
// REMARK: warning: schedule step 'llvm_unroll(m, 2)': LLVM decides how often loop 'm' is unrolled: it is spread over threads: each iteration is a call
// REMARK: warning: schedule step 'llvm_unroll(n, 2)' changes nothing
// REMARK: warning: schedule step 'llvm_unroll(k, 9999)': LLVM decides how often loop 'k' is unrolled: an iteration would become 29997 ops
func.func private @refused(%x: memref<8x8xf32>, %y: memref<8x8xf32> {mlc.output}, %z: memref<100000xf32> {mlc.output})
    attributes {schedule = #loop.schedule<[
      threads(m), llvm_unroll(m, 2), llvm_unroll(n, 2), llvm_unroll(n, 2), llvm_unroll(k, 9999)
    ]>} {
  loop.for parallel "m" %m = 0 to 8 {
    loop.for parallel "n" %n = 0 to 8 {
      %a = loop.load %x[%m, %n] : memref<8x8xf32>
      loop.store %a, %y[%m, %n] : memref<8x8xf32>
    }
  }
  %one = arith.constant 1.0 : f32
  loop.for parallel "k" %k = 0 to 100000 {
    %c = arith.addf %one, %one : f32
    loop.store %c, %z[%k] : memref<100000xf32>
  }
  return
}

// IR: ![[SUM]] = distinct !{![[SUM]], !{!"llvm.loop.unroll.count", i32 4}}
// IR: ![[WHOLE]] = distinct !{![[WHOLE]], !{!"llvm.loop.unroll.full"}}
