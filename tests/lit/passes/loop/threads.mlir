// RUN: mlc-opt %s --apply-schedule --check-each 2>%t | filecheck %s
// RUN: mlc-opt %s --apply-schedule 2>&1 >%t | filecheck %s --check-prefix=WARN
// RUN: mlc-opt %s --apply-schedule | mlc-opt | filecheck %s
// RUN: mlc-opt %s --apply-schedule --parallelize="threads=8" | filecheck %s
// RUN: mlc-opt %s --apply-schedule --lower-to-llvm | filecheck %s --check-prefix=LLVM

// How many threads may share a loop is said by the loop, which keeps it when loops change places, and in a loop over blocks.
// CHECK-LABEL: @limited
// CHECK-NEXT: loop.for parallel "n" %{{.*}} = 0 to 16 {
// CHECK-NEXT: loop.for threads "m" %{{.*}} = 0 to 10 step 2 attributes {most_threads = 4 : i64} {
// CHECK-NEXT: loop.for parallel "mi" %{{.*}} = 0 to 2 {

// A task for each thread: iterations 0 and 1, 2 to 4, …, as far as they go.
// LLVM-LABEL: llvm.func weak_odr hidden @limited_m_task(
// LLVM: %[[NEXT:.*]] = llvm.add %index, %{{.*}} : i64
// LLVM: llvm.udiv
// LLVM: %[[END:.*]] = llvm.udiv
// LLVM: ^{{.*}}(%[[I:.*]]: i64):
// LLVM: llvm.call @limited_m(
// LLVM: llvm.icmp "ult" %{{.*}}, %[[END]] : i64
// LLVM-LABEL: llvm.func weak_odr hidden @limited(
// LLVM: %[[TASKS:.*]] = llvm.mlir.constant(4) : i64
// LLVM: llvm.call @mlc_parallel_for(%{{.*}}, %{{.*}}, %[[TASKS]])
func.func private @limited(%x: memref<10x16xf32>, %y: memref<10x16xf32> {mlc.output})
    attributes {schedule = #loop.schedule<[threads(m, 4), interchange(n, m), tile(m, 2)]>} {
  loop.for parallel "m" %m = 0 to 10 {
    loop.for parallel "n" %n = 0 to 16 {
      %a = loop.load %x[%m, %n] : memref<10x16xf32>
      loop.store %a, %y[%m, %n] : memref<10x16xf32>
    }
  }
  return
}

// With fewer iterations there is a task for each, and one thread needs none. A step counts for more than what the loop said.
// CHECK-LABEL: @others
// CHECK: loop.for threads "a" %{{.*}} = 0 to 3 attributes {most_threads = 4 : i64} {
// CHECK: loop.for threads "b" %{{.*}} = 0 to 8 attributes {most_threads = 1 : i64} {
// CHECK: loop.for threads "c" %{{.*}} = 0 to 8 {
// WARN: warning: schedule step 'threads(c)' changes nothing
// LLVM-LABEL: llvm.func weak_odr hidden @others(
// LLVM: %[[TASKS:.*]] = llvm.mlir.constant(3) : i64
// LLVM: llvm.call @mlc_parallel_for(%{{.*}}, %{{.*}}, %[[TASKS]])
// LLVM: llvm.cond_br
// LLVM: %[[TASKS:.*]] = llvm.mlir.constant(8) : i64
// LLVM: llvm.call @mlc_parallel_for(%{{.*}}, %{{.*}}, %[[TASKS]])
func.func private @others(%y: memref<8xf32> {mlc.output}, %z: memref<8xf32> {mlc.output}, %u: memref<8xf32> {mlc.output})
    attributes {schedule = #loop.schedule<[threads(a, 4), threads(b, 1), threads(c), threads(c)]>} {
  %one = arith.constant 1.0 : f32
  loop.for parallel "i" %i = 0 to 8 {
    loop.store %one, %y[%i] : memref<8xf32>
  }
  loop.for parallel "a" %a = 0 to 3 {
    loop.store %one, %y[%a] : memref<8xf32>
  }
  loop.for parallel "b" %b = 0 to 8 {
    loop.store %one, %z[%b] : memref<8xf32>
  }
  loop.for threads "c" %c = 0 to 8 attributes {most_threads = 2 : i64} {
    loop.store %one, %u[%c] : memref<8xf32>
  }
  return
}

// What was said of a loop is said of its one block, if that is all of it.
// CHECK-LABEL: @whole
// CHECK: loop.for threads "mi" %mi = 0 to 12 attributes {most_threads = 4 : i64}
func.func private @whole(%y: memref<12xf32> {mlc.output})
    attributes {schedule = #loop.schedule<[threads(m, 4), tile(m, 12)]>} {
  %one = arith.constant 1.0 : f32
  loop.for parallel "m" %m = 0 to 12 {
    loop.store %one, %y[%m] : memref<12xf32>
  }
  return
}
