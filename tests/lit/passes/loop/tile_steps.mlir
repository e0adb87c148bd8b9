// RUN: mlc-opt %s --tile="sizes=4" | filecheck %s
// RUN: mlc-opt %s --tile="sizes=2,2,2" | filecheck %s --check-prefix=DEEP

// A loop that neither starts at 0 nor goes by 1: blocks of four iterations, 12 apart, and one of three that are left.
// CHECK-LABEL: @every_third
// CHECK: loop.for parallel "m" %[[M:.*]] = 5 to 29 step 12 {
// CHECK-NEXT: loop.for parallel "mi" %[[MI:.*]] = 0 to 12 step 3 {
// CHECK-NEXT: loop.load %x[%[[M]] + %[[MI]]]
// CHECK: loop.for parallel "mi" %[[REST:.*]] = 0 to 9 step 3 {
// CHECK-NEXT: loop.load %x[%[[REST]] + 29]
func.func private @every_third(%x: memref<40xf32>, %y: memref<40xf32> {mlc.output}) {
  loop.for parallel "m" %m = 5 to 38 step 3 {
    %a = loop.load %x[%m] : memref<40xf32>
    loop.store %a, %y[%m] : memref<40xf32>
  }
  return
}

// As many iterations as a block, and fewer: one block, as long as they are.
// CHECK-LABEL: @short
// CHECK: loop.for parallel "mi" %{{.*}} = 0 to 4 {
// CHECK: loop.for parallel "ni" %{{.*}} = 0 to 3 {
// CHECK-NOT: loop.for
// CHECK: return
func.func private @short(%x: memref<4xf32>, %y: memref<4xf32> {mlc.output}, %z: memref<4xf32> {mlc.output}) {
  loop.for parallel "m" %m = 0 to 4 {
    %a = loop.load %x[%m] : memref<4xf32>
    loop.store %a, %y[%m] : memref<4xf32>
  }
  loop.for parallel "n" %n = 1 to 4 {
    %a = loop.load %x[%n] : memref<4xf32>
    loop.store %a, %z[%n] : memref<4xf32>
  }
  return
}

// Three loops: all blocks outside, all points inside, in the same order. Points do not move over a serial loop.
// DEEP-LABEL: @three
// DEEP: "b" %{{.*}} = 0 to 4 step 2
// DEEP-NEXT: "m" %{{.*}} = 0 to 4 step 2
// DEEP-NEXT: "n" %{{.*}} = 0 to 4 step 2
// DEEP-NEXT: "bi" %{{.*}} = 0 to 2
// DEEP-NEXT: "mi" %{{.*}} = 0 to 2
// DEEP-NEXT: "ni" %{{.*}} = 0 to 2
// DEEP-NEXT: loop.load
// DEEP-LABEL: @around_serial
// DEEP: loop.for parallel "m" %{{.*}} = 0 to 4 step 2 {
// DEEP-NEXT: loop.for parallel "mi" %{{.*}} = 0 to 2 {
// DEEP-NEXT: loop.for serial "t" %{{.*}} = 0 to 4 {
// DEEP-NEXT: loop.for parallel "n" %{{.*}} = 0 to 4 step 2 {
// DEEP-NEXT: loop.for parallel "ni" %{{.*}} = 0 to 2 {
func.func private @three(%x: memref<4x4x4xf32>, %y: memref<4x4x4xf32> {mlc.output}) {
  loop.for parallel "b" %b = 0 to 4 {
    loop.for parallel "m" %m = 0 to 4 {
      loop.for parallel "n" %n = 0 to 4 {
        %a = loop.load %x[%n, %m, %b] : memref<4x4x4xf32>
        loop.store %a, %y[%b, %m, %n] : memref<4x4x4xf32>
      }
    }
  }
  return
}
func.func private @around_serial(%x: memref<4x4x4xf32>, %y: memref<4x4x4xf32> {mlc.output}) {
  loop.for parallel "m" %m = 0 to 4 {
    loop.for serial "t" %t = 0 to 4 {
      loop.for parallel "n" %n = 0 to 4 {
        %a = loop.load %x[%m, %t, %n] : memref<4x4x4xf32>
        loop.store %a, %y[%m, %t, %n] : memref<4x4x4xf32>
      }
    }
  }
  return
}

// A loop that carries a value is tiled by a schedule: blocks hand it on, and what is left goes on from them.
// RUN: mlc-opt %s --apply-schedule --check-each | filecheck %s --check-prefix=CARRIED
// CARRIED-LABEL: @carried
// CARRIED: %[[BLOCKS:.*]] = loop.for serial "k" %{{.*}} = 0 to 8 step 4 iter_args(%[[OUT:.*]] = %{{.*}}) -> (f32)
// CARRIED-NEXT: %[[IN:.*]] = loop.for serial "ki" %{{.*}} = 0 to 4 iter_args(%{{.*}} = %[[OUT]]) -> (f32)
// CARRIED: loop.yield %[[IN]]
// CARRIED: %[[ALL:.*]] = loop.for serial "ki" %{{.*}} = 0 to 2 iter_args(%{{.*}} = %[[BLOCKS]]) -> (f32)
// CARRIED: loop.store %[[ALL]]
func.func private @carried(%x: memref<10xf32>, %y: memref<1xf32> {mlc.output}) attributes {
  schedule = #loop.schedule<[tile(k, 4)]>
} {
  %zero = arith.constant 0.0 : f32
  %s = loop.for serial "k" %k = 0 to 10 iter_args(%acc = %zero) -> (f32) {
    %a = loop.load %x[%k] : memref<10xf32>
    %c = arith.addf %acc, %a : f32
    loop.yield %c : f32
  }
  loop.store %s, %y[0] : memref<1xf32>
  return
}
