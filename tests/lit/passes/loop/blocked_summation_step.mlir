// RUN: mlc-opt %s --apply-schedule --check-each | filecheck %s
// RUN: mlc-opt %s --apply-schedule --remarks 2>&1 >%t | filecheck %s --check-prefix=REMARK

// One level of blocks, of which later steps name the inner loop.
// CHECK-LABEL: @sum
// CHECK: loop.for serial "k" %k = 0 to 16 step 8 iter_args(%[[A:.*]] = %{{.*}}) -> (f32) {
// CHECK: %[[B:.*]] = loop.for serial "ki" %ki = 0 to 8 step 4 iter_args(%{{.*}} = %{{[0-9]+}}) -> (f32) {
// CHECK: loop.for serial "kii" %kii = 0 to 4
// CHECK: arith.addf %[[A]], %[[B]] : f32
func.func private @sum(%x: memref<16xf32>, %out: memref<f32> {mlc.output}) attributes {
  schedule = #loop.schedule<[blocked_summation(k, 8), tile(ki, 4)]>
} {
  %zero = arith.constant 0.0 : f32
  %s = loop.for serial "k" %k = 0 to 16 iter_args(%acc = %zero) -> (f32) {
    %a = loop.load %x[%k] : memref<16xf32>
    %b = arith.addf %acc, %a : f32
    loop.yield %b : f32
  }
  loop.store %s, %out[] : memref<f32>
  return
}

// REMARK: warning: schedule step 'blocked_summation(k, 8)': loop 'k' not summed in blocks: it carries no sum of floats
// CHECK-LABEL: @maximum
// CHECK: loop.for serial "k" %k = 0 to 16 iter_args
func.func private @maximum(%x: memref<16xf32>, %out: memref<f32> {mlc.output}) attributes {
  schedule = #loop.schedule<[blocked_summation(k, 8)]>
} {
  %least = arith.constant 0xFF800000 : f32
  %s = loop.for serial "k" %k = 0 to 16 iter_args(%acc = %least) -> (f32) {
    %a = loop.load %x[%k] : memref<16xf32>
    %b = arith.maximumf %acc, %a : f32
    loop.yield %b : f32
  }
  loop.store %s, %out[] : memref<f32>
  return
}
