// RUN: mlc-opt %s | filecheck %s
// RUN: mlc-opt %s | mlc-opt | filecheck %s
// RUN: mlc-opt %s --print-op-generic | mlc-opt | filecheck %s
// RUN: mlc-opt %s --print-op-generic | filecheck %s --check-prefix=GENERIC

// CHECK-LABEL: @sum
// CHECK-SAME: attributes {schedule = #loop.schedule<[tile(n, 16), interchange(n, m), vectorize(ni), unroll(mi), threads(m)]>}
// CHECK: %[[C:.*]] = loop.constant dense<2.500000e+00> : tensor<4xf32> to memref<4xf32>
// CHECK: loop.for threads "m" %[[M:.*]] = 0 to 8 step 2 {
// CHECK-NEXT: loop.for parallel "n" %[[N:.*]] = 0 to 4 {
// CHECK: loop.for serial "k" %[[K:.*]] = 0 to 6 iter_args(%{{.*}} = %{{.*}}) -> (f32) {
// CHECK-NEXT: loop.load %{{.*}}[%[[M]] + 1, (%[[K]] floordiv 2) * 2 + 1] : memref<8x8xf32>
// CHECK: loop.yield %{{.*}} : f32
// CHECK: loop.store %{{.*}}, %{{.*}}[%[[M]], %[[N]]] : memref<8x4xf32>
// CHECK-NOT: loop.yield
// CHECK: loop.load %{{.*}}[%{{.*}}, 0] : memref<8x8xf32>, vector<4xf32>
// CHECK: loop.store %{{.*}}, %{{.*}}[%{{.*}}, 0] : memref<8x4xf32>, vector<4xf32>
// CHECK: loop.load %{{.*}}[0, %{{.*}}] along 0 stride 2 active 3 : memref<8x8xf32>, vector<4xf32>
// CHECK-NEXT: loop.store %{{.*}}, %{{.*}}[%{{.*}}, 1] active 3 : memref<8x4xf32>, vector<4xf32>
// CHECK-NEXT: loop.prefetch %{{.*}}[%{{.*}} + 8, 0] {hint} : memref<8x8xf32>
// CHECK-NEXT: loop.prefetch %{{.*}}[%{{.*}}, 1] to 1 : memref<8x8xf32>
// CHECK-NEXT: loop.prefetch %{{.*}}[%{{.*}}, 2] to 3 {hint} : memref<8x8xf32>
// CHECK-NEXT: loop.prefetch %{{.*}}[%{{.*}}, 3] : memref<8x8xf32>
// GENERIC: "loop.for"() <{kind = #loop.kind<threads>, dim = "m", lower = 0 : i64, upper = 8 : i64, step = 2 : i64}>
func.func private @sum(%x: memref<8x8xf32>, %y: memref<8x4xf32> {mlc.output}) attributes {
  schedule = #loop.schedule<[tile(n, 16), interchange(n, m), vectorize(ni), unroll(mi), threads(m)]>
} {
  %c = loop.constant dense<2.5> : tensor<4xf32> to memref<4xf32>
  %zero = arith.constant 0.0 : f32
  loop.for threads "m" %m = 0 to 8 step 2 {
    loop.for parallel "n" %n = 0 to 4 {
      %s = loop.for serial "k" %k = 0 to 6 iter_args(%acc = %zero) -> (f32) {
        %a = loop.load %x[%m + 1, (%k floordiv 2) * 2 + 1] : memref<8x8xf32>
        %next = arith.addf %acc, %a : f32
        loop.yield %next : f32
      }
      loop.store %s, %y[%m, %n] : memref<8x4xf32>
    }
  }
  loop.for serial "m" %m = 0 to 8 {
    %v = loop.load %x[%m, 0] : memref<8x8xf32>, vector<4xf32>
    loop.store %v, %y[%m, 0] : memref<8x4xf32>, vector<4xf32>
    %w = loop.load %x[0, %m] along 0 stride 2 active 3 : memref<8x8xf32>, vector<4xf32>
    loop.store %w, %y[%m, 1] active 3 : memref<8x4xf32>, vector<4xf32>
    // A place that does not exist may be asked for.
    loop.prefetch %x[%m + 8, 0] {hint} : memref<8x8xf32>
    loop.prefetch %x[%m, 1] to 1 : memref<8x8xf32>
    loop.prefetch %x[%m, 2] to 3 {hint} : memref<8x8xf32>
    loop.prefetch %x[%m, 3] to 2 : memref<8x8xf32>
  }
  return
}
