// RUN: mlc-opt %s --apply-schedule --check-each 2>%t | filecheck %s
// RUN: cat %t | filecheck %s --check-prefix=WARNING

// CHECK-LABEL: @no_reduction
// CHECK: loop.for parallel "m" %{{.*}} = 0 to 4
// WARNING: 'unroll_reduction(m)': loop 'm' not unrolled: no loop in it carries values
// WARNING: 'unroll(m_epilogue)' changes nothing
// WARNING: 'unroll_reduction(m)': loop 'm' not unrolled: its iterations depend on each other
func.func private @no_reduction(%x: memref<4xf32>, %y: memref<4xf32> {mlc.output})
    attributes {schedule = #loop.schedule<[unroll_reduction(m), unroll(m_epilogue)]>} {
  loop.for parallel "m" %m = 0 to 4 {
    %a = loop.load %x[%m] : memref<4xf32>
    loop.store %a, %y[%m] : memref<4xf32>
  }
  return
}

// CHECK-LABEL: @serial
// CHECK: loop.for serial "m" %{{.*}} = 0 to 4
func.func private @serial(%x: memref<4x8xf32>, %y: memref<4xf32> {mlc.output})
    attributes {schedule = #loop.schedule<[unroll_reduction(m)]>} {
  loop.for serial "m" %m = 0 to 4 {
    %zero = arith.constant 0.0 : f32
    %s = loop.for serial "k" %k = 0 to 8 iter_args(%acc = %zero) -> (f32) {
      %a = loop.load %x[%m, %k] : memref<4x8xf32>
      %c = arith.addf %acc, %a : f32
      loop.yield %c : f32
    }
    loop.store %s, %y[%m] : memref<4xf32>
  }
  return
}

// Two sums of an iteration would need two loops behind them.
// CHECK-LABEL: @two_reductions
// CHECK: loop.for parallel "m" %{{.*}} = 0 to 4
// WARNING: 'unroll_reduction(m)': loop 'm' not unrolled: another loop is beside 'k'
func.func private @two_reductions(%x: memref<4x8xf32>, %y: memref<4xf32> {mlc.output})
    attributes {schedule = #loop.schedule<[unroll_reduction(m)]>} {
  loop.for parallel "m" %m = 0 to 4 {
    %zero = arith.constant 0.0 : f32
    %s = loop.for serial "k" %k = 0 to 8 iter_args(%acc = %zero) -> (f32) {
      %a = loop.load %x[%m, %k] : memref<4x8xf32>
      %c = arith.addf %acc, %a : f32
      loop.yield %c : f32
    }
    %t = loop.for serial "j" %j = 0 to 8 iter_args(%acc = %s) -> (f32) {
      %a = loop.load %x[%m, %j] : memref<4x8xf32>
      %c = arith.mulf %acc, %a : f32
      loop.yield %c : f32
    }
    loop.store %t, %y[%m] : memref<4xf32>
  }
  return
}

// What is read in front of the sum is another number behind it.
// CHECK-LABEL: @overwritten
// CHECK: loop.for parallel "m" %{{.*}} = 0 to 4
// WARNING: 'unroll_reduction(m)': loop 'm' not unrolled: it writes what is read before it
func.func private @overwritten(%x: memref<4x8xf32>, %y: memref<4xf32> {mlc.output})
    attributes {schedule = #loop.schedule<[unroll_reduction(m)]>} {
  loop.for parallel "m" %m = 0 to 4 {
    %old = loop.load %y[%m] : memref<4xf32>
    %s = loop.for serial "k" %k = 0 to 8 iter_args(%acc = %old) -> (f32) {
      %a = loop.load %x[%m, %k] : memref<4x8xf32>
      %c = arith.addf %acc, %a : f32
      loop.store %c, %y[%m] : memref<4xf32>
      loop.yield %c : f32
    }
    %d = arith.subf %s, %old : f32
    loop.store %d, %y[%m] : memref<4xf32>
  }
  return
}
