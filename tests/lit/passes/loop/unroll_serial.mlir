// RUN: mlc-opt %s --unroll="loops=k" --canonicalize --check-each | filecheck %s

// The copies of a serial loop hand their values on; nothing of the loop is left, so that other passes can go on.
// CHECK-LABEL: @chain
// CHECK-NOT: loop.for
// CHECK: %[[A:.*]] = arith.mulf
// CHECK: %[[B:.*]] = arith.mulf %[[A]]
// CHECK: loop.store %[[B]]
func.func private @chain(%x: memref<2xf32>, %y: memref<1xf32> {mlc.output}) {
  %s = loop.load %x[0] : memref<2xf32>
  %r = loop.for serial "k" %k = 0 to 2 iter_args(%acc = %s) -> (f32) {
    %a = loop.load %x[%k] : memref<2xf32>
    %c = arith.mulf %acc, %a : f32
    loop.yield %c : f32
  }
  loop.store %r, %y[0] : memref<1xf32>
  return
}
