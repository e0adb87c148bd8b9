// RUN: mlc-opt %s --target=x86-64-v4 --parallelize --remarks 2>%t.remarks | filecheck %s
// RUN: filecheck %s --input-file %t.remarks --check-prefix=REMARK
// RUN: mlc-opt %s --target=x86-64-v4 --parallelize="threads=16" | filecheck %s --check-prefix=MANY

// What counts is time, not ops: numbers that come from the main memory are worth sharing, as many in the first cache are not.
// CHECK-LABEL: @far
// CHECK: loop.for threads "m"
func.func private @far(%x: memref<2048x2048xf32>, %y: memref<2048x2048xf32> {mlc.output}) {
  loop.for parallel "m" %m = 0 to 2048 {
    loop.for parallel "n" %n = 0 to 8 {
      %a = loop.load %x[%m, %n * 256] : memref<2048x2048xf32>
      loop.store %a, %y[%m, %n * 256] : memref<2048x2048xf32>
    }
  }
  return
}
// CHECK-LABEL: @near
// CHECK: loop.for parallel "m"
// CHECK-NOT: threads
// REMARK: loop 'm' stays on one thread: estimated {{[1-9],[0-9]*}} ns, worth sharing from 10,000 ns on
func.func private @near(%x: memref<2048x8xf32>, %y: memref<2048x8xf32> {mlc.output}) {
  loop.for parallel "m" %m = 0 to 2048 {
    loop.for parallel "n" %n = 0 to 8 {
      %a = loop.load %x[%m, %n] : memref<2048x8xf32>
      loop.store %a, %y[%m, %n] : memref<2048x8xf32>
    }
  }
  return
}

// Of 5.6 microseconds two threads save half, which is less than sharing costs; 16 threads save more.
// CHECK-LABEL: @between
// CHECK-NOT: threads
// REMARK: loop 'm' stays on one thread: estimated {{5,[0-9]*}} ns, worth sharing from 10,000 ns on
// MANY-LABEL: @between
// MANY: loop.for threads "m"
func.func private @between(%x: memref<64x64xf32>, %y: memref<64xf32> {mlc.output}) {
  %zero = arith.constant 0.0 : f32
  loop.for parallel "m" %m = 0 to 64 {
    %s = loop.for serial "k" %k = 0 to 64 iter_args(%t = %zero) -> (f32) {
      %a = loop.load %x[%m, %k] : memref<64x64xf32>
      %u = arith.addf %t, %a : f32
      loop.yield %u : f32
    }
    loop.store %s, %y[%m] : memref<64xf32>
  }
  return
}
