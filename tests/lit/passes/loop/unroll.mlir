// RUN: mlc-opt %s --unroll="loops=mi" | filecheck %s
// RUN: mlc-opt %s --unroll="loops=mi limit=1" --remarks 2>&1 >%t | filecheck %s --check-prefix=REMARK
// RUN: mlc-opt %s --unroll="loops=mi" --remarks 2>&1 >%t | filecheck %s --check-prefix=REMARKS

// The copies of a parallel loop are jammed: one loop over k carries both sums, and what does not depend on mi is there once.
// CHECK-LABEL: @rows
// CHECK: %[[R:.*]], %[[S:.*]] = loop.for serial "k" %[[K:.*]] = 0 to 8 iter_args(%[[A:.*]] = %{{.*}}, %[[B:.*]] = %{{.*}}) -> (f32, f32) {
// CHECK-NEXT: %[[X0:.*]] = loop.load %{{.*}}[0, %[[K]]] : memref<2x8xf32>
// CHECK-NEXT: %[[X1:.*]] = loop.load %{{.*}}[1, %[[K]]] : memref<2x8xf32>
// CHECK-NEXT: %[[W:.*]] = loop.load %{{.*}}[%[[K]]] : memref<8xf32>
// CHECK-NEXT: %[[P:.*]] = math.fma %[[X0]], %[[W]], %[[A]]
// CHECK-NEXT: %[[Q:.*]] = math.fma %[[X1]], %[[W]], %[[B]]
// CHECK-NEXT: loop.yield %[[P]], %[[Q]] : f32, f32
// CHECK: loop.store %[[R]], %{{.*}}[0]
// CHECK-NEXT: loop.store %[[S]], %{{.*}}[1]
// REMARK: remark: loop 'mi' not unrolled: 2 iterations, the limit is 1
func.func private @rows(%x: memref<2x8xf32>, %w: memref<8xf32>, %y: memref<2xf32> {mlc.output}) {
  loop.for parallel "mi" %m = 0 to 2 {
    %zero = arith.constant 0.0 : f32
    %s = loop.for serial "k" %k = 0 to 8 iter_args(%acc = %zero) -> (f32) {
      %a = loop.load %x[%m, %k] : memref<2x8xf32>
      %b = loop.load %w[%k] : memref<8xf32>
      %next = math.fma %a, %b, %acc : f32
      loop.yield %next : f32
    }
    loop.store %s, %y[%m] : memref<2xf32>
  }
  return
}

// The copies of a serial loop follow each other.
// CHECK-LABEL: @chain
// CHECK: %[[A0:.*]] = loop.load %{{.*}}[1] : memref<8xf32>
// CHECK-NEXT: %[[S0:.*]] = arith.addf %[[C:.*]], %[[A0]]
// CHECK-NEXT: %[[A1:.*]] = loop.load %{{.*}}[4] : memref<8xf32>
// CHECK-NEXT: %[[S1:.*]] = arith.addf %[[S0]], %[[A1]]
// CHECK-NEXT: loop.store %[[S1]]
func.func private @chain(%x: memref<8xf32>, %y: memref<1xf32> {mlc.output}) {
  %zero = arith.constant 0.0 : f32
  %s = loop.for serial "mi" %m = 0 to 6 step 3 iter_args(%acc = %zero) -> (f32) {
    %a = loop.load %x[%m + 1] : memref<8xf32>
    %next = arith.addf %acc, %a : f32
    loop.yield %next : f32
  }
  loop.store %s, %y[0] : memref<1xf32>
  return
}

// Other loops stay.
// CHECK-LABEL: @other
// CHECK: loop.for parallel "n"
func.func private @other(%y: memref<2xf32> {mlc.output}) {
  %zero = arith.constant 0.0 : f32
  loop.for parallel "n" %n = 0 to 2 {
    loop.store %zero, %y[%n] : memref<2xf32>
  }
  return
}

// A body that has other regions is not copied.
// CHECK-LABEL: @regions
// CHECK: loop.for parallel "mi"
// CHECK: scf.if
// REMARKS: remark: loop 'mi' not unrolled: 'scf.if' in it has a body of its own
func.func private @regions(%x: memref<2xi1>, %y: memref<2xf32> {mlc.output}) {
  %zero = arith.constant 0.0 : f32
  loop.for parallel "mi" %m = 0 to 2 {
    loop.store %zero, %y[%m] : memref<2xf32>
    %b = loop.load %x[%m] : memref<2xi1>
    scf.if %b {
      loop.store %zero, %y[%m] : memref<2xf32>
    }
  }
  return
}
