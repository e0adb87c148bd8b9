// RUN: mlc-opt %s --apply-schedule --check-each | filecheck %s
// RUN: mlc-opt %s --apply-schedule --forward-stores --plan-memory --lower-to-llvm --check-each | filecheck %s --check-prefix=LLVM

// The sums of a tile wait in a buffer, and a loop over its rows computes what follows, with what is the same for all rows
// in front of it. LLVM does not write it out again.
// CHECK-LABEL: @rows
// CHECK: loop.for parallel "m" %[[M:.*]] = 0 to 8 step 2 {
// CHECK: %[[SUMS:.*]] = memref.alloc() {alignment = 64 : i64} : memref<2x1xf32>
// CHECK-NEXT: %[[A:.*]], %[[B:.*]] = loop.for serial "k"
// CHECK: loop.store %[[A]], %[[SUMS]][0, 0]
// CHECK-NEXT: loop.store %[[B]], %[[SUMS]][1, 0]
// CHECK-NEXT: %[[SCALE:.*]] = loop.load %scale[] : memref<f32>
// CHECK-NEXT: loop.for parallel "mi_epilogue" %[[MI:.*]] = 0 to 2 attributes {loop_annotation = #llvm.loop_annotation<unroll = <count = 1 : i32>>} {
// CHECK-NEXT: %[[S:.*]] = loop.load %[[SUMS]][%[[MI]], 0]
// CHECK-NEXT: %[[R:.*]] = loop.load %r[%[[M]] + %[[MI]]]
// CHECK-NEXT: %[[T:.*]] = arith.mulf %[[S]], %[[SCALE]]
// CHECK-NEXT: %[[U:.*]] = arith.addf %[[T]], %[[R]]
// CHECK-NEXT: loop.store %[[U]], %y[%[[M]] + %[[MI]]]
// CHECK-NEXT: }
// LLVM-LABEL: @rows
// LLVM: unroll = <count = 1 : i32>
func.func private @rows(%x: memref<8x32xf32>, %scale: memref<f32>, %r: memref<8xf32>, %y: memref<8xf32> {mlc.output})
    attributes {schedule = #loop.schedule<[tile(m, 2), unroll_reduction(mi)]>} {
  loop.for parallel "m" %m = 0 to 8 {
    %zero = arith.constant 0.0 : f32
    %b = loop.load %r[%m] : memref<8xf32>
    %s = loop.for serial "k" %k = 0 to 32 iter_args(%acc = %zero) -> (f32) {
      %a = loop.load %x[%m, %k] : memref<8x32xf32>
      %c = arith.addf %acc, %a : f32
      loop.yield %c : f32
    }
    %f = loop.load %scale[] : memref<f32>
    %t = arith.mulf %s, %f : f32
    %u = arith.addf %t, %b : f32
    loop.store %u, %y[%m] : memref<8xf32>
  }
  return
}

// Of vectors that are unrolled in a loop over rows, each row has a loop over the vectors behind its sums; sums of several
// rows are beside each other in the buffer. What is left of the rows has a buffer of its own.
// CHECK-LABEL: @vectors
// CHECK: loop.for parallel "m" %[[M:.*]] = 0 to 6 step 3 {
// CHECK: memref.alloc() {alignment = 64 : i64} : memref<2x3x8xf32>
// CHECK: loop.for parallel "ni_epilogue" %[[NI:.*]] = 0 to 2
// CHECK-NEXT: %{{.*}} = loop.load %{{.*}}[%[[NI]], 0, 0] : memref<2x3x8xf32>, vector<8xf32>
// CHECK: loop.store %{{.*}}, %y[%[[M]] + 2, %{{.*}} + %[[NI]] * 8]
// CHECK: memref.alloc() {alignment = 64 : i64} : memref<2x1x8xf32>
// CHECK: loop.for parallel "ni_epilogue"
// CHECK: loop.store %{{.*}}, %y[6, %{{.*}} + %{{.*}} * 8]
func.func private @vectors(%x: memref<7x32xf32>, %w: memref<32x32xf32>, %y: memref<7x32xf32> {mlc.output})
    attributes {schedule = #loop.schedule<[tile(n, 16), tile(m, 3), unroll(mi), tile(ni, 8), vectorize(nii, 8), unroll_reduction(ni)]>} {
  loop.for parallel "n" %n = 0 to 32 {
    loop.for parallel "m" %m = 0 to 7 {
      %zero = arith.constant 0.0 : f32
      %s = loop.for serial "k" %k = 0 to 32 iter_args(%acc = %zero) -> (f32) {
        %a = loop.load %x[%m, %k] : memref<7x32xf32>
        %b = loop.load %w[%k, %n] : memref<32x32xf32>
        %p = arith.mulf %a, %b : f32
        %c = arith.addf %acc, %p : f32
        loop.yield %c : f32
      }
      %d = arith.negf %s : f32
      loop.store %d, %y[%m, %n] : memref<7x32xf32>
    }
  }
  return
}

// Lanes of two lengths wait in two buffers; a loop that does not begin at 0 is counted from there.
// CHECK-LABEL: @two_types
// CHECK: memref.alloc() {alignment = 64 : i64} : memref<3x1xf32>
// CHECK: memref.alloc() {alignment = 64 : i64} : memref<3x1xi32>
// CHECK: loop.for parallel "m_epilogue" %[[M:.*]] = 0 to 3
// CHECK: loop.store %{{.*}}, %y[%[[M]] * 2 + 1]
func.func private @two_types(%x: memref<8x4xf32>, %q: memref<8x4xi32>, %y: memref<8xf32> {mlc.output}, %z: memref<8xi32> {mlc.output})
    attributes {schedule = #loop.schedule<[unroll_reduction(m)]>} {
  loop.for parallel "m" %m = 1 to 7 step 2 {
    %zero = arith.constant 0.0 : f32
    %none = arith.constant 0 : i32
    %s, %t = loop.for serial "k" %k = 0 to 4 iter_args(%acc = %zero, %count = %none) -> (f32, i32) {
      %a = loop.load %x[%m, %k] : memref<8x4xf32>
      %c = arith.addf %acc, %a : f32
      %b = loop.load %q[%m, %k] : memref<8x4xi32>
      %d = arith.addi %count, %b : i32
      loop.yield %c, %d : f32, i32
    }
    loop.store %s, %y[%m] : memref<8xf32>
    loop.store %t, %z[%m] : memref<8xi32>
  }
  return
}
