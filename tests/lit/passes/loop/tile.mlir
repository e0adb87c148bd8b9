// RUN: mlc-opt %s --tile="sizes=8,48" | filecheck %s
// RUN: mlc-opt %s --tile="sizes=0,48" | filecheck %s --check-prefix=INNER

// Blocks outside, points inside; what fills no block has a nest of its own, and loops that run once are gone.
// CHECK-LABEL: @matmul
// CHECK: loop.for parallel "m" %[[M:.*]] = 0 to 64 step 8 {
// CHECK-NEXT: loop.for parallel "n" %[[N:.*]] = 0 to 192 step 48 {
// CHECK-NEXT: loop.for parallel "mi" %[[MI:.*]] = 0 to 8 {
// CHECK-NEXT: loop.for parallel "ni" %[[NI:.*]] = 0 to 48 {
// CHECK: loop.for serial "k" %[[K:.*]] = 0 to 32 iter_args
// CHECK-NEXT: loop.load %{{.*}}[%[[M]] + %[[MI]], %[[K]]]
// CHECK-NEXT: loop.load %{{.*}}[%[[K]], %[[N]] + %[[NI]]]
// CHECK: loop.store %{{.*}}, %{{.*}}[%[[M]] + %[[MI]], %[[N]] + %[[NI]]]
// CHECK: loop.for parallel "mi" %[[MI2:.*]] = 0 to 8 {
// CHECK-NEXT: loop.for parallel "ni" %[[NI2:.*]] = 0 to 8 {
// CHECK: loop.store %{{.*}}, %{{.*}}[%[[M]] + %[[MI2]], %[[NI2]] + 192]
// INNER-LABEL: @matmul
// INNER: loop.for parallel "m" %{{.*}} = 0 to 64 {
// INNER-NEXT: loop.for parallel "n" %{{.*}} = 0 to 192 step 48 {
// INNER-NEXT: loop.for parallel "ni" %{{.*}} = 0 to 48 {
func.func private @matmul(%x: memref<64x32xf32>, %w: memref<32x200xf32>, %y: memref<64x200xf32> {mlc.output}) {
  loop.for parallel "m" %m = 0 to 64 {
    loop.for parallel "n" %n = 0 to 200 {
      %zero = arith.constant 0.0 : f32
      %s = loop.for serial "k" %k = 0 to 32 iter_args(%acc = %zero) -> (f32) {
        %a = loop.load %x[%m, %k] : memref<64x32xf32>
        %b = loop.load %w[%k, %n] : memref<32x200xf32>
        %next = math.fma %a, %b, %acc : f32
        loop.yield %next : f32
      }
      loop.store %s, %y[%m, %n] : memref<64x200xf32>
    }
  }
  return
}

// A loop that carries values is not tiled by the pass.
// CHECK-LABEL: @sum
// CHECK: loop.for serial "k" %{{.*}} = 0 to 100 iter_args
func.func private @sum(%x: memref<100xf32>, %y: memref<1xf32> {mlc.output}) {
  %zero = arith.constant 0.0 : f32
  %s = loop.for serial "k" %k = 0 to 100 iter_args(%acc = %zero) -> (f32) {
    %a = loop.load %x[%k] : memref<100xf32>
    %next = arith.addf %a, %acc : f32
    loop.yield %next : f32
  }
  loop.store %s, %y[0] : memref<1xf32>
  return
}
